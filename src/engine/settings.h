/* settings: what operators set, as the engine holds it: all of it, all the time.
 *
 * Owns:  struct held_settings, struct tenant_count.
 */
#ifndef ENGINE_SETTINGS_H
#define ENGINE_SETTINGS_H

#include "engine/core.h"

/* NULL: nothing was set. */
const struct settings *settings_find(const struct engine *engine, enum scope scope, struct str tenant, struct str name);

/* Takes them, and tells the ready queue. */
void settings_take(struct engine *engine, enum scope scope, struct str tenant, struct str name,
                   const struct settings *settings);
void settings_gather(struct engine *engine, enum scope scope, struct str tenant, struct str name,
                     const struct settings *settings);

/* What a type in a tenant, the type, or the tenant says; NULL, SETTING_NONE or unset: nobody does. */
const struct retry *settings_retry(const struct engine *engine, struct str tenant, struct str type);
int64_t settings_timeout_ms(const struct engine *engine, struct str tenant, struct str type);
struct dead_policy settings_dead_policy(const struct engine *engine, struct str tenant, struct str type);
struct breaker_settings settings_breaker(const struct engine *engine, struct str tenant, struct str type);

/* Whether the tenant may send so much. */
enum err settings_check_payload(const struct engine *engine, struct str tenant, struct str payload,
                                struct error *reterr) MUST_CHECK;

/* Found or made. */
struct tenant_count *settings_tenant(struct engine *engine, struct str tenant);

void settings_free_all(struct engine *engine);

#endif
