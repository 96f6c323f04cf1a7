/* attention: what a person should look at now: each with its kind, whose it is, how much of it, and where to look.
 *
 * Short and cheap: it comes with the figures. The doctor asks more, and says what to do.
 *
 * Owns:  nothing.
 * See:   docs/openapi.yaml (Attention), api/stats.c, api/doctor.h
 */
#ifndef API_ATTENTION_H
#define API_ATTENTION_H

#include "api/counters.h"
#include "engine/view.h"

/* Items shown. */
#define ATTENTION_MAX 50

struct attention {
    int64_t now_ms;
    bool is_narrowed; /* to a tenant: what concerns all is left out */
    const struct view_scope *all, *tenants, *pools, *types;
    size_t tenant_count, pool_count, type_count;
    const struct view_breaker *breakers;
    size_t breaker_count;
    const struct counters_row *type_days; /* of the last 24 hours, by type */
    size_t type_day_count;
    const struct view_health *health;
    int64_t dead;
};

/* The array. */
void attention_write(struct jw *jw, const struct attention *attention);

#endif
