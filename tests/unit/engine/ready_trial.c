#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ready_trial.h"

const char *const trial_pools[MODEL_POOLS] = {"blue", "green", "red"};
const char *const trial_tenants[MODEL_TENANTS] = {"acme", "bolt", "cove", "dune", "echo", "fern"};
const char *const trial_types[MODEL_TYPES] = {READY_TYPE_NONE, "mail", "report", "sync"};

size_t trial_names(enum scope scope)
{
    return scope == SCOPE_TENANT ? MODEL_TENANTS : scope == SCOPE_POOL ? MODEL_POOLS : MODEL_TYPES;
}

struct str trial_name(enum scope scope, size_t index)
{
    return str_from(scope == SCOPE_TENANT ? trial_tenants[index]
                    : scope == SCOPE_POOL ? trial_pools[index]
                                          : trial_types[index]);
}

bool trial_is_startable_in(struct model *model, size_t pool)
{
    for (size_t i = 0; i < MODEL_ITEMS; i++) {
        const struct item *item = &model->items[i];

        if (item->state == ITEM_READY && item->pool == pool && model_allows(model, item)) {
            return true;
        }
    }
    return false;
}

/* Nothing becomes startable without somebody being told: no lost wake-up. */
static void check_that_we_were_told(struct trial *trial)
{
    struct str told;
    enum job_target target;

    while (ready_take_changed_pool(trial->ready, &told, &target)) {
        for (size_t pool = 0; pool < MODEL_POOLS; pool++) {
            if (str_is(told, trial_pools[pool])) {
                trial->is_quiet[pool] = false;
            }
        }
    }
    for (size_t pool = 0; pool < MODEL_POOLS; pool++) {
        assert_false(trial->is_quiet[pool] && trial_is_startable_in(trial->model, pool));
    }
}

static void check_that_reasons_agree(struct trial *trial)
{
    for (size_t i = 0; i < MODEL_ITEMS; i++) {
        const struct item *item = &trial->model->items[i];
        struct ready_reason reasons[READY_REASONS_MAX];

        if (item->state == ITEM_READY) {
            size_t count = ready_explain(trial->ready, item->bucket, trial->model->now_ms, reasons, READY_REASONS_MAX);

            assert_int_equal(count == 0, model_allows(trial->model, item));
            for (size_t j = 0; j < count; j++) {
                assert_true(reasons[j].clears_ms > trial->model->now_ms);
            }
        }
    }
}

static void check_counts(struct trial *trial)
{
    size_t count = 0;

    for (size_t i = 0; i < MODEL_ITEMS; i++) {
        count += trial->model->items[i].state == ITEM_READY ? 1 : 0;
    }
    assert_int_equal(ready_count(trial->ready), count);
    for (enum scope scope = SCOPE_TENANT; scope < SCOPE_TENANT_TYPE; scope++) {
        for (size_t i = 0; i < trial_names(scope); i++) {
            assert_int_equal(ready_in_flight(trial->ready, scope, trial_name(scope, i)),
                             model_gate(trial->model, scope, 0, i)->running);
        }
    }
}

static size_t index_in(struct str name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_is(name, names[i])) {
            return i;
        }
    }
    fail();
    return 0;
}

static void check_what_is_remembered(struct trial *trial)
{
    struct ready_limiter limiter;
    struct ready_circuit circuit;

    while (ready_take_limiter(trial->ready, &limiter)) {
        size_t tenant = limiter.scope == SCOPE_TENANT_TYPE ? index_in(limiter.tenant, trial_tenants, MODEL_TENANTS) : 0;
        size_t index = limiter.scope == SCOPE_TENANT ? index_in(limiter.name, trial_tenants, MODEL_TENANTS)
                       : limiter.scope == SCOPE_POOL ? index_in(limiter.name, trial_pools, MODEL_POOLS)
                                                     : index_in(limiter.name, trial_types, MODEL_TYPES);

        assert_int_equal(limiter.tat_ms, (model_gate(trial->model, limiter.scope, tenant, index)->tat_us + 999) / 1000);
    }
    while (ready_take_circuit(trial->ready, &circuit)) {
        size_t tenant = index_in(circuit.tenant, trial_tenants, MODEL_TENANTS);
        size_t type = index_in(circuit.type, trial_types, MODEL_TYPES);
        const struct model_breaker *breaker = &trial->model->breakers[tenant][type];

        assert_int_equal(circuit.state == BREAKER_CLOSED, breaker->state == BREAKER_CLOSED);
        assert_int_equal(circuit.state == BREAKER_HALF_OPEN, model_is_half_open(trial->model, tenant, type));
        if (circuit.state == BREAKER_OPEN) {
            assert_int_equal(circuit.open_until_ms, breaker->open_until_ms);
        }
    }
}

void trial_check(struct trial *trial)
{
    assert_true(ready_valid(trial->ready, trial->model->now_ms));
    check_that_we_were_told(trial);
    check_that_reasons_agree(trial);
    check_counts(trial);
    check_what_is_remembered(trial);
}
