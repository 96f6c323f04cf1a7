/* ready_model: what the ready queue promises, in the plainest way: arrays that are searched from end to end.
 *
 * It knows which entries there are and what every gate says about each; not whose turn it is.
 */
#ifndef TESTS_UNIT_ENGINE_READY_MODEL_H
#define TESTS_UNIT_ENGINE_READY_MODEL_H

#include "engine/ready.h"

#define MODEL_POOLS 3
#define MODEL_TENANTS 6
#define MODEL_TYPES 4 /* the first is READY_TYPE_NONE */
#define MODEL_NAMES 6 /* the most of these */
#define MODEL_ITEMS 150
#define MODEL_RESULTS 4096

/* One gate's settings and counts. */
struct model_gate {
    bool is_paused;
    int64_t max;                               /* -1: none */
    int64_t rate_count, rate_period_us, burst; /* count 0: none; intervals are whole microseconds */
    int64_t ramp_from_ms, ramp_ms;             /* monotonic; 0: none */
    int64_t running;
    int64_t tat_us;
};

struct model_breaker {
    bool has_settings;
    struct breaker_settings settings;
    enum breaker_state state;
    int64_t open_until_ms;
    bool is_probing;
    int successes;
    int64_t window_ms; /* of the results */
    size_t result_count;
    struct {
        int64_t at_ms;
        bool is_failure;
    } results[MODEL_RESULTS];
};

enum item_state { ITEM_IDLE, ITEM_READY, ITEM_RUNNING };

struct item {
    struct ready_entry entry;
    enum item_state state;
    size_t pool, tenant, type;
    int priority;
    int64_t due_ms;
    uint64_t id;
    bool is_probe;
    struct ready_bucket *bucket; /* held unless idle */
};

struct model {
    int64_t now_ms;
    struct model_gate gates[SCOPE_TENANT_TYPE + 1][MODEL_TENANTS][MODEL_NAMES]; /* scope, tenant (of pairs), name */
    struct model_breaker type_breakers[MODEL_TYPES];                            /* settings only */
    struct model_breaker breakers[MODEL_TENANTS][MODEL_TYPES];
    struct item items[MODEL_ITEMS];
};

void model_init(struct model *model, int64_t now_ms);

/* The tenant is 0 but for pairs. */
static inline struct model_gate *model_gate(struct model *model, enum scope scope, size_t tenant, size_t index)
{
    return &model->gates[scope][tenant][index];
}

void model_set(struct model *model, enum scope scope, size_t tenant, size_t index, const struct settings *settings);

/* What the gates say now; whether the breaker would make it a probe. */
bool model_gate_allows(const struct model *model, const struct model_gate *gate);
bool model_allows(struct model *model, const struct item *item);
bool model_is_half_open(const struct model *model, size_t tenant, size_t type);
int64_t model_rate_interval_us(const struct model *model, const struct model_gate *gate); /* 0: no rate now */

void model_start(struct model *model, struct item *item);
void model_end(struct model *model, struct item *item, enum ready_outcome outcome);
void model_result(struct model *model, size_t tenant, size_t type, enum ready_outcome outcome, bool is_probe);

/* As after a restart: instants in whole milliseconds, windows empty, no probe out. */
void model_restart(struct model *model);

#endif
