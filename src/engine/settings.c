#include "engine/settings.h"

#include <string.h>

#include "base/mem.h"
#include "engine/circuit.h"
#include "engine/gather.h"
#include "engine/lease.h"
#include "model/name.h"

#define SETTINGS_TEXT_BYTES_MAX 16384

/* scope, tenant, NUL, name */
static size_t write_key(char *out, enum scope scope, struct str tenant, struct str name)
{
    size_t len = 0;

    out[len++] = (char)('a' + (int)scope);
    if (scope == SCOPE_TENANT_TYPE) {
        memcpy(out + len, tenant.ptr, tenant.len);
        len += tenant.len;
    }
    out[len++] = '\0';
    memcpy(out + len, name.ptr, name.len);
    return len + name.len;
}

static struct held_settings *find(const struct engine *engine, enum scope scope, struct str tenant, struct str name)
{
    char key[2 * NAME_BYTES_MAX + 2];

    if (map_count(&engine->settings) == 0 || tenant.len > NAME_BYTES_MAX || name.len > NAME_BYTES_MAX) {
        return NULL;
    }
    size_t len = write_key(key, scope, tenant, name);
    struct map_node *node = map_find_text(&engine->settings, (struct str){key, len});
    return node != NULL ? CONTAINER_OF(node, struct held_settings, node) : NULL;
}

const struct settings *settings_find(const struct engine *engine, enum scope scope, struct str tenant, struct str name)
{
    const struct held_settings *held = find(engine, scope, tenant, name);

    return held != NULL ? &held->settings : NULL;
}

void settings_take(struct engine *engine, enum scope scope, struct str tenant, struct str name,
                   const struct settings *settings)
{
    struct held_settings *held = find(engine, scope, tenant, name);

    if (held == NULL) {
        held = mem_zalloc(sizeof *held + tenant.len + name.len + 3);
        held->scope = scope;
        held->settings = settings_none();
        size_t len = write_key(held->key, scope, tenant, name);
        map_insert_text(&engine->settings, &held->node, (struct str){held->key, len});
    }
    engine->timeouts_set -= held->settings.timeout_ms != SETTING_NONE;
    engine->timeouts_set += settings->timeout_ms != SETTING_NONE;
    bool has_other_timeout = held->settings.timeout_ms != settings->timeout_ms;

    held->settings = *settings;
    if (has_other_timeout) {
        lease_retime_all(engine);
    }
    ready_set(engine->ready, scope, tenant, name, settings, engine->mono_ms, engine->now_ms);
    circuit_settings_changed(engine);
}

void settings_gather(struct engine *engine, enum scope scope, struct str tenant, struct str name,
                     const struct settings *settings)
{
    SCOPE(buf_done) struct buf text;
    struct op *op = gather_op(engine, OP_SETTING_PUT);

    buf_init(&text, SETTINGS_TEXT_BYTES_MAX);
    settings_write(settings, true, &text);
    op->setting = (struct setting_row){
        .scope = scope,
        .tenant = scope == SCOPE_TENANT_TYPE ? gather_text(engine, tenant) : STR(""),
        .name = gather_text(engine, name),
        .text = gather_text(engine, buf_str(&text)),
    };
}

/* The narrowest first. */
static size_t settings_for(const struct engine *engine, struct str tenant, struct str type,
                           const struct settings *found[3])
{
    size_t count = 0;

    if (map_count(&engine->settings) == 0) {
        return 0; /* where nobody has set anything this is asked for every attempt */
    }
    const struct settings *one = settings_find(engine, SCOPE_TENANT_TYPE, tenant, type);

    if (one != NULL) {
        found[count++] = one;
    }
    one = settings_find(engine, SCOPE_TYPE, STR(""), type);
    if (one != NULL) {
        found[count++] = one;
    }
    one = settings_find(engine, SCOPE_TENANT, STR(""), tenant);
    if (one != NULL) {
        found[count++] = one;
    }
    return count;
}

const struct retry *settings_retry(const struct engine *engine, struct str tenant, struct str type)
{
    const struct settings *found[3];
    size_t count = settings_for(engine, tenant, type, found);

    for (size_t i = 0; i < count; i++) {
        if (found[i]->has_retry) {
            return &found[i]->retry;
        }
    }
    return NULL;
}

int64_t settings_timeout_ms(const struct engine *engine, struct str tenant, struct str type)
{
    const struct settings *found[3];
    size_t count = settings_for(engine, tenant, type, found);

    for (size_t i = 0; i < count; i++) {
        if (found[i]->timeout_ms != SETTING_NONE) {
            return found[i]->timeout_ms;
        }
    }
    return SETTING_NONE;
}

struct dead_policy settings_dead_policy(const struct engine *engine, struct str tenant, struct str type)
{
    const struct settings *found[3];
    size_t count = settings_for(engine, tenant, type, found);

    for (size_t i = 0; i < count; i++) {
        if (found[i]->dead_policy.is_set) {
            return found[i]->dead_policy;
        }
    }
    return (struct dead_policy){0};
}

struct breaker_settings settings_breaker(const struct engine *engine, struct str tenant, struct str type)
{
    const struct settings *found[3];
    size_t count = settings_for(engine, tenant, type, found);

    for (size_t i = 0; i < count; i++) {
        if (found[i]->has_breaker) {
            return found[i]->breaker;
        }
    }
    return breaker_settings_default();
}

enum err settings_check_payload(const struct engine *engine, struct str tenant, struct str payload,
                                struct error *reterr)
{
    const struct settings *settings = settings_find(engine, SCOPE_TENANT, STR(""), tenant);

    if (settings == NULL || settings->max_payload_bytes == SETTING_NONE ||
        (int64_t)payload.len <= settings->max_payload_bytes) {
        return ERR_OK;
    }
    return err_in_field(reterr,
                        err_set(reterr, ERR_TOO_LARGE, "the payload has %zu bytes; tenant %.*s may send %lld",
                                payload.len, STR_ARGS(tenant), (long long)settings->max_payload_bytes),
                        "payload");
}

struct tenant_count *settings_tenant(struct engine *engine, struct str tenant)
{
    struct map_node *node = map_find_text(&engine->tenants, tenant);

    if (node != NULL) {
        return CONTAINER_OF(node, struct tenant_count, node);
    }
    struct tenant_count *count = mem_zalloc(sizeof *count + tenant.len + 1);

    memcpy(count->name, tenant.ptr, tenant.len);
    map_insert_text(&engine->tenants, &count->node, (struct str){count->name, tenant.len});
    return count;
}

void settings_free_all(struct engine *engine)
{
    for (struct map_node *node = map_first(&engine->settings); node != NULL; node = map_first(&engine->settings)) {
        map_remove(&engine->settings, node);
        mem_free(CONTAINER_OF(node, struct held_settings, node));
    }
    for (struct map_node *node = map_first(&engine->tenants); node != NULL; node = map_first(&engine->tenants)) {
        map_remove(&engine->tenants, node);
        mem_free(CONTAINER_OF(node, struct tenant_count, node));
    }
}
