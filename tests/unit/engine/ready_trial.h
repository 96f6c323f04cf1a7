/* ready_trial: a ready queue and its model, side by side, and what must hold after every step. */
#ifndef TESTS_UNIT_ENGINE_READY_TRIAL_H
#define TESTS_UNIT_ENGINE_READY_TRIAL_H

#include "base/rng.h"
#include "ready_model.h"

extern const char *const trial_pools[MODEL_POOLS];
extern const char *const trial_tenants[MODEL_TENANTS];
extern const char *const trial_types[MODEL_TYPES];

struct trial {
    struct rng rng;
    struct model *model;
    struct ready *ready;
    struct settings settings[SCOPE_TENANT_TYPE + 1][MODEL_TENANTS][MODEL_NAMES]; /* scope, tenant, name */
    uint64_t last_id;
    bool is_quiet[MODEL_POOLS]; /* a pick gave nothing, and nothing was told since */
    long starts, refusals, probes;
};

/* How many names a scope has, and each. */
size_t trial_names(enum scope scope);
struct str trial_name(enum scope scope, size_t index);

/* Whether the model would let something of this pool start now. */
bool trial_is_startable_in(struct model *model, size_t pool);

void trial_check(struct trial *trial);

#endif
