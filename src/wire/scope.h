/* scope: tenants, pools and types: their settings and how they stand.
 *
 * Owns:  nothing.
 * See:   docs/openapi.yaml (Tenant, Pool, Type, Breaker, PoolStats), tests/unit/wire/test_scope.c
 */
#ifndef WIRE_SCOPE_H
#define WIRE_SCOPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "model/record.h"
#include "model/settings.h"

/* Breakers shown with a type. */
#define WIRE_BREAKERS_MAX 1000

struct wire_standing {
    int64_t now_ms; /* a ramp that is over by then is not shown */
    int64_t jobs;   /* tenant */
    int64_t ready, running;
    int64_t workers; /* pool */
};

void wire_tenant(struct jw *jw, struct str name, const struct settings *settings, const struct wire_standing *standing);
void wire_pool(struct jw *jw, struct str name, const struct settings *settings, const struct wire_standing *standing);

/* tenant is empty for the type everywhere. breakers are those that are not closed. */
void wire_type(struct jw *jw, struct str name, struct str tenant, const struct settings *settings,
               const struct wire_standing *standing, const struct circuit_row *breakers, size_t breaker_count);

struct wire_pool_stats {
    struct str pool;
    int64_t ready, running;
    int64_t oldest_ready_ms; /* wall time since when the oldest has been due; TIME_NONE */
    int64_t now_ms;
    int64_t workers, capacity;
};

void wire_pool_stats(struct jw *jw, const struct wire_pool_stats *stats);

#endif
