#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../seed.h"
#include "base/mem.h"
#include "ready_trial.h"

#define STEPS 15000
#define NOW_MS INT64_C(1000000000)

static size_t below(struct trial *trial, size_t bound)
{
    return (size_t)rng_below(&trial->rng, bound);
}

static struct ready_place place_of(const struct item *item)
{
    return (struct ready_place){.pool = str_from(trial_pools[item->pool]),
                                .tenant = str_from(trial_tenants[item->tenant]),
                                .type = str_from(trial_types[item->type]),
                                .priority = item->priority};
}

static struct item *some_item(struct trial *trial, enum item_state state)
{
    size_t from = below(trial, MODEL_ITEMS);

    for (size_t i = 0; i < MODEL_ITEMS; i++) {
        struct item *item = &trial->model->items[(from + i) % MODEL_ITEMS];

        if (item->state == state) {
            return item;
        }
    }
    return NULL;
}

/* ---- what can happen ---- */

static void add(struct trial *trial)
{
    struct item *item = some_item(trial, ITEM_IDLE);
    struct ready_place place;

    if (item == NULL) {
        return;
    }
    item->pool = below(trial, MODEL_POOLS);
    item->tenant = below(trial, MODEL_TENANTS);
    item->type = below(trial, MODEL_TYPES);
    item->priority = 1 + (int)below(trial, 5);
    item->due_ms = trial->model->now_ms - (int64_t)below(trial, 20);
    item->id = ++trial->last_id;
    item->state = ITEM_READY;
    place = place_of(item);
    item->bucket = ready_bucket_get(trial->ready, &place);
    ready_add(trial->ready, item->bucket, &item->entry, item->due_ms, item->id);
}

static void remove_one(struct trial *trial)
{
    struct item *item = some_item(trial, ITEM_READY);

    if (item == NULL) {
        return;
    }
    ready_remove(trial->ready, &item->entry);
    ready_bucket_put(trial->ready, item->bucket);
    item->state = ITEM_IDLE;
}

static bool comes_before(const struct item *a, const struct item *b)
{
    if (a->priority != b->priority) {
        return a->priority < b->priority;
    }
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->id < b->id;
}

/* Whether other tenants compete for a limited type in this pool: then an item may have to wait for its turn there. */
static bool is_contended(struct model *model, const struct item *item)
{
    const struct model_gate *type = model_gate(model, SCOPE_TYPE, 0, item->type);

    if (type->max < 0 && model_rate_interval_us(model, type) == 0) {
        return false;
    }
    for (size_t i = 0; i < MODEL_ITEMS; i++) {
        const struct item *other = &model->items[i];

        if (other->state == ITEM_READY && other->pool == item->pool && other->type == item->type &&
            other->tenant != item->tenant) {
            return true;
        }
    }
    return false;
}

/* Rule 3: nothing of the same lane that comes before the picked one could start. */
static void check_order(struct model *model, const struct item *picked)
{
    for (size_t i = 0; i < MODEL_ITEMS; i++) {
        const struct item *item = &model->items[i];

        if (item->state != ITEM_READY || item->pool != picked->pool || item->tenant != picked->tenant ||
            !comes_before(item, picked)) {
            continue;
        }
        assert_int_not_equal(item->type, picked->type);
        assert_true(!model_allows(model, item) || is_contended(model, item));
    }
}

static void start(struct trial *trial, size_t pool)
{
    struct model *model = trial->model;
    struct ready_entry *entry = ready_pick(trial->ready, str_from(trial_pools[pool]), TARGET_NONE, model->now_ms);
    struct item *item;

    if (entry == NULL) {
        assert_false(trial_is_startable_in(model, pool));
        trial->is_quiet[pool] = true;
        trial->refusals++;
        return;
    }
    item = CONTAINER_OF(entry, struct item, entry);
    assert_int_equal(item->state, ITEM_READY);
    assert_int_equal(item->pool, pool);
    assert_true(model_allows(model, item));
    check_order(model, item);
    if (rng_chance(&trial->rng, 1, 20)) { /* a picked one may be taken away instead */
        ready_remove(trial->ready, entry);
        ready_bucket_put(trial->ready, item->bucket);
        item->state = ITEM_IDLE;
        return;
    }
    model_start(model, item);
    assert_int_equal(ready_start(trial->ready, entry, model->now_ms), item->is_probe);
    trial->starts++;
    trial->probes += item->is_probe ? 1 : 0;
}

static void end(struct trial *trial)
{
    struct item *item = some_item(trial, ITEM_RUNNING);
    /* Fortune changes from hour to hour, so that breakers open and close. */
    uint64_t luck = (uint64_t)(trial->model->now_ms / 20000) % 3;
    enum ready_outcome outcome = rng_chance(&trial->rng, 1, 8)      ? READY_UNCOUNTED
                                 : rng_chance(&trial->rng, luck, 3) ? READY_FAILED
                                                                    : READY_SUCCEEDED;

    if (item == NULL) {
        return;
    }
    ready_end(trial->ready, item->bucket, outcome, item->is_probe, trial->model->now_ms);
    model_end(trial->model, item, outcome);
    if (rng_chance(&trial->rng, 1, 10)) {
        ready_late_result(trial->ready, item->bucket, outcome, trial->model->now_ms);
        model_result(trial->model, item->tenant, item->type, outcome, false);
    }
    ready_bucket_put(trial->ready, item->bucket);
}

static struct breaker_settings some_breaker(struct trial *trial)
{
    struct breaker_settings settings = {0};

    /* One after the other: in one initialiser each compiler would draw in an order of its own. */
    settings.is_off = rng_chance(&trial->rng, 1, 4);
    settings.failure_milli = rng_chance(&trial->rng, 1, 2) ? 500 : 250;
    settings.min_attempts = 1 + (int)below(trial, 4);
    settings.window_ms = rng_chance(&trial->rng, 1, 2) ? 1000 : 5000;
    settings.open_ms = 100 + (int64_t)below(trial, 900);
    settings.closing_successes = 1 + (int)below(trial, 3);
    return settings;
}

static struct settings some_settings(struct trial *trial, enum scope scope)
{
    static const int64_t rates[][2] = {{1, 1000}, {5, 1000}, {50, 1000}, {1000, 1000}, {4000, 1000}, {10, 60000}};
    struct settings settings = settings_none();

    if (rng_chance(&trial->rng, 1, 3)) {
        return settings;
    }
    settings.is_paused = rng_chance(&trial->rng, 1, 8);
    settings.max_in_flight = rng_chance(&trial->rng, 1, 2) ? SETTING_NONE : (int64_t)below(trial, 6);
    if (rng_chance(&trial->rng, 1, 3)) {
        const int64_t *rate = rates[below(trial, sizeof rates / sizeof rates[0])];

        settings.rate_count = rate[0];
        settings.rate_period_ms = rate[1];
        settings.burst = rng_chance(&trial->rng, 1, 2) ? SETTING_NONE : 1 + (int64_t)below(trial, 4);
    }
    if (rng_chance(&trial->rng, 1, 6)) {
        settings.ramp_from_ms = trial->model->now_ms - (int64_t)below(trial, 500);
        settings.ramp_ms = 1 + (int64_t)below(trial, 5000);
    }
    if (scope == SCOPE_TENANT && rng_chance(&trial->rng, 1, 2)) {
        settings.weight = 1 + (int64_t)below(trial, 5);
    }
    if (scope == SCOPE_TYPE || scope == SCOPE_TENANT_TYPE) {
        settings.has_breaker = rng_chance(&trial->rng, 3, 4);
        settings.breaker = some_breaker(trial);
    }
    return settings;
}

static void set(struct trial *trial)
{
    enum scope scope = (enum scope)below(trial, SCOPE_TENANT_TYPE + 1);
    size_t tenant = scope == SCOPE_TENANT_TYPE ? below(trial, MODEL_TENANTS) : 0;
    size_t index = below(trial, trial_names(scope));
    struct settings *settings = &trial->settings[scope][tenant][index];

    *settings = some_settings(trial, scope);
    model_set(trial->model, scope, tenant, index, settings);
    ready_set(trial->ready, scope, str_from(trial_tenants[tenant]), trial_name(scope, index), settings,
              trial->model->now_ms, trial->model->now_ms);
}

/* Time passes; nobody calls before the time that was asked for. */
static void pass_time(struct trial *trial)
{
    int64_t next_ms = ready_next_ms(trial->ready);

    if (next_ms != READY_NEVER && rng_chance(&trial->rng, 1, 3)) {
        trial->model->now_ms = next_ms > trial->model->now_ms ? next_ms : trial->model->now_ms;
    } else {
        trial->model->now_ms += (int64_t)below(trial, (size_t)1 << below(trial, 11));
    }
    if (trial->model->now_ms >= next_ms) {
        ready_advance(trial->ready, trial->model->now_ms);
        assert_true(ready_next_ms(trial->ready) > trial->model->now_ms);
    }
}

/* ---- restarts ---- */

static void restore_gates(struct trial *trial, enum scope scope, size_t tenant)
{
    for (size_t index = 0; index < trial_names(scope); index++) {
        struct ready_limiter limiter = {.scope = scope,
                                        .tenant = str_from(trial_tenants[tenant]),
                                        .name = trial_name(scope, index),
                                        .tat_ms = model_gate(trial->model, scope, tenant, index)->tat_us / 1000};

        if (rng_chance(&trial->rng, 1, 2)) { /* in whichever order */
            ready_restore_limiter(trial->ready, &limiter);
        }
        ready_set(trial->ready, scope, limiter.tenant, limiter.name, &trial->settings[scope][tenant][index],
                  trial->model->now_ms, trial->model->now_ms);
        if (limiter.tat_ms > 0) {
            ready_restore_limiter(trial->ready, &limiter);
        }
    }
}

static void restore_circuits(struct trial *trial)
{
    for (size_t tenant = 0; tenant < MODEL_TENANTS; tenant++) {
        for (size_t type = 1; type < MODEL_TYPES; type++) {
            const struct model_breaker *breaker = &trial->model->breakers[tenant][type];
            struct ready_circuit circuit = {.tenant = str_from(trial_tenants[tenant]),
                                            .type = str_from(trial_types[type]),
                                            .state = breaker->state,
                                            .open_until_ms = breaker->open_until_ms};

            ready_restore_circuit(trial->ready, &circuit, trial->model->now_ms);
        }
    }
}

static void restart(struct trial *trial)
{
    ready_free(trial->ready);
    trial->ready = ready_new(rng_next(&trial->rng));
    model_restart(trial->model);
    ready_advance(trial->ready, trial->model->now_ms);
    for (enum scope scope = SCOPE_TENANT; scope <= SCOPE_TENANT_TYPE; scope++) {
        for (size_t tenant = 0; tenant < (scope == SCOPE_TENANT_TYPE ? MODEL_TENANTS : 1); tenant++) {
            restore_gates(trial, scope, tenant);
        }
    }
    restore_circuits(trial);
    for (size_t i = 0; i < MODEL_ITEMS; i++) {
        struct item *item = &trial->model->items[i];
        struct ready_place place = place_of(item);

        if (item->state == ITEM_IDLE) {
            continue;
        }
        item->entry = (struct ready_entry){0};
        item->bucket = ready_bucket_get(trial->ready, &place);
        if (item->state == ITEM_RUNNING) {
            ready_recount(trial->ready, item->bucket);
        } else {
            ready_add(trial->ready, item->bucket, &item->entry, item->due_ms, item->id);
        }
    }
}

/* ---- all of it ---- */

static void step(struct trial *trial)
{
    size_t what = below(trial, 100);

    if (what < 30) {
        add(trial);
    } else if (what < 35) {
        remove_one(trial);
    } else if (what < 60) {
        start(trial, below(trial, MODEL_POOLS));
    } else if (what < 78) {
        end(trial);
    } else if (what < 85) {
        set(trial);
    } else {
        pass_time(trial);
    }
    if (rng_chance(&trial->rng, 1, 1000)) {
        restart(trial);
    }
}

/* Takes everything down; nothing may be left that somebody forgot. */
static void empty(struct trial *trial)
{
    struct settings none = settings_none();

    while (some_item(trial, ITEM_READY) != NULL) {
        remove_one(trial);
    }
    while (some_item(trial, ITEM_RUNNING) != NULL) {
        end(trial);
    }
    for (enum scope scope = SCOPE_TENANT; scope <= SCOPE_TENANT_TYPE; scope++) {
        for (size_t tenant = 0; tenant < MODEL_TENANTS; tenant++) {
            for (size_t index = 0; index < trial_names(scope); index++) {
                model_set(trial->model, scope, tenant, index, &none);
                ready_set(trial->ready, scope, str_from(trial_tenants[tenant]), trial_name(scope, index), &none,
                          trial->model->now_ms, trial->model->now_ms);
            }
        }
    }
    trial_check(trial);
}

static void it_agrees_with_a_plain_model(void **state)
{
    (void)state;
    struct trial *trial = mem_zalloc(sizeof *trial);

    seed_rng(&trial->rng);
    trial->model = mem_alloc(sizeof *trial->model);
    model_init(trial->model, NOW_MS);
    trial->ready = ready_new(rng_next(&trial->rng));
    for (size_t i = 0; i < sizeof trial->settings / sizeof(struct settings); i++) {
        (&trial->settings[0][0][0])[i] = settings_none();
    }
    for (int i = 0; i < STEPS; i++) {
        step(trial);
        trial_check(trial);
    }
    empty(trial);
    printf("# %ld starts, %ld of them probes; %ld times there was nothing\n", trial->starts, trial->probes,
           trial->refusals);
    ready_free(trial->ready);
    mem_free(trial->model);
    mem_free(trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_a_plain_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
