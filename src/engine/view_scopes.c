#include <stdlib.h>

#include "base/container.h"
#include "engine/core.h"
#include "engine/job.h"
#include "engine/ready_look.h"
#include "engine/settings.h"
#include "engine/timers.h"
#include "engine/view.h"

/* Ready for longer is overdue. */
#define OVERDUE_MS 60000

static struct str copy(struct arena *arena, struct str text)
{
    return (struct str){arena_strdup_str(arena, text), text.len};
}

/* ---- one ---- */

/* Workers that serve the pool; all of them where it is empty. */
static void look_at_workers(const struct engine *engine, struct str pool, struct view_scope *scope)
{
    size_t looked_at = 0;

    for (struct map_node *node = map_first(&engine->workers); node != NULL && looked_at < VIEW_SCAN_MAX;
         node = map_next(&engine->workers, node), looked_at++) {
        const struct worker *worker = CONTAINER_OF(node, struct worker, node);
        bool serves = str_empty(pool);

        for (size_t i = 0; !serves && i < worker->pool_count; i++) {
            serves = str_is(pool, worker->pools[i]->name);
        }
        if (serves && !worker->is_gone) {
            scope->workers++;
            scope->capacity += worker->capacity;
            scope->waiting += worker->is_waiting && worker->want > 0 ? 1 : 0;
        }
    }
}

/* The same for a list of pools at once, which are found by where they are. */
static void look_at_all_workers(const struct engine *engine, const struct idmap *pools)
{
    size_t looked_at = 0;

    for (struct map_node *node = map_first(&engine->workers); node != NULL && looked_at < VIEW_SCAN_MAX;
         node = map_next(&engine->workers, node), looked_at++) {
        const struct worker *worker = CONTAINER_OF(node, struct worker, node);

        for (size_t i = 0; !worker->is_gone && i < worker->pool_count; i++) {
            struct view_scope *scope = idmap_find(pools, (uintptr_t)worker->pools[i]);

            if (scope != NULL) {
                scope->workers++;
                scope->capacity += worker->capacity;
                scope->waiting += worker->is_waiting && worker->want > 0 ? 1 : 0;
            }
        }
    }
}

static void look_at_entries(const struct engine *engine, struct str pool, struct view_scope *scope)
{
    size_t overdue;
    int64_t oldest_ms = ready_look_oldest(engine->ready, pool, engine->now_ms - OVERDUE_MS, VIEW_SCAN_MAX, &overdue);

    scope->oldest_ms = oldest_ms == INT64_MAX ? TIME_NONE : oldest_ms;
    scope->overdue = (int64_t)overdue;
}

/* Pools one by one would each go through all workers and all that is ready. */
static void look_at_pools(const struct engine *engine, struct view_scope *scopes, size_t count, struct arena *arena)
{
    struct ready_pool_look *looks = arena_alloc_array(arena, count + 1, sizeof *looks);
    struct idmap pools;

    idmap_init(&pools, 0);
    for (size_t i = 0; i < count; i++) {
        struct map_node *node = map_find_text(&engine->pools, scopes[i].name);

        looks[i] = (struct ready_pool_look){.name = scopes[i].name};
        if (node != NULL) {
            idmap_put(&pools, (uintptr_t)CONTAINER_OF(node, struct waiting_pool, node), &scopes[i]);
        }
    }
    look_at_all_workers(engine, &pools);
    ready_look_pools(engine->ready, looks, count, engine->now_ms - OVERDUE_MS, VIEW_SCAN_MAX);
    for (size_t i = 0; i < count; i++) {
        scopes[i].oldest_ms = looks[i].oldest_ms == INT64_MAX ? TIME_NONE : looks[i].oldest_ms;
        scopes[i].overdue = (int64_t)looks[i].before;
    }
    idmap_done(&pools);
}

static void look_at_one(const struct engine *engine, enum scope scope, struct str tenant, struct str name,
                        struct view_scope *ret_scope)
{
    const struct settings *settings = settings_find(engine, scope, tenant, name);

    *ret_scope = (struct view_scope){
        .tenant = tenant,
        .name = name,
        .oldest_ms = TIME_NONE,
        .settings = settings != NULL ? *settings : settings_none(),
    };
    ret_scope->ready = (int64_t)ready_look_count(engine->ready, scope, tenant, name, &ret_scope->running);
    if (scope == SCOPE_TENANT) {
        struct map_node *node = map_find_text(&engine->tenants, name);

        ret_scope->jobs = node != NULL ? CONTAINER_OF(node, struct tenant_count, node)->jobs : 0;
    }
}

void engine_view_scope(const struct engine *engine, enum scope scope, struct str tenant, struct str name,
                       struct view_scope *ret_scope)
{
    look_at_one(engine, scope, tenant, name, ret_scope);
    if (scope == SCOPE_POOL) {
        look_at_workers(engine, name, ret_scope);
        look_at_entries(engine, name, ret_scope);
    }
}

/* ---- all ---- */

void engine_view_all(const struct engine *engine, struct view_scope *ret_all)
{
    *ret_all = (struct view_scope){
        .name = STR(""),
        .tenant = STR(""),
        .ready = (int64_t)ready_count(engine->ready),
        .running = (int64_t)engine->running,
        .jobs = engine->tenant_jobs,
        .settings = settings_none(),
    };
    look_at_workers(engine, STR(""), ret_all);
    look_at_entries(engine, STR(""), ret_all);
}

/* One of those that may be shown. */
struct busy {
    struct str name;
    int64_t ready, running;
};

static int busiest_first(const void *key_a, const void *key_b)
{
    const struct busy *a = key_a, *b = key_b;
    int64_t of_a = a->ready + a->running, of_b = b->ready + b->running;

    return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : str_compare(a->name, b->name);
}

static size_t busy_pools(const struct engine *engine, struct busy *busy, size_t count)
{
    for (struct map_node *node = map_first(&engine->pools); node != NULL && count < VIEW_SCAN_MAX;
         node = map_next(&engine->pools, node)) {
        struct str name = str_from(CONTAINER_OF(node, struct waiting_pool, node)->name);
        int64_t running;

        if (ready_look_count(engine->ready, SCOPE_POOL, STR(""), name, &running) == 0 && running == 0) {
            busy[count++] = (struct busy){.name = name};
        }
    }
    return count;
}

size_t engine_view_scopes(const struct engine *engine, enum scope scope, size_t max, struct arena *arena,
                          struct view_scope **ret_scopes)
{
    struct busy *busy = arena_alloc_array(arena, VIEW_SCAN_MAX, sizeof *busy);
    const void *pos = NULL;
    struct str name;
    size_t count = 0, ready;
    int64_t running;

    while (count < VIEW_SCAN_MAX && ready_look_next(engine->ready, scope, &pos, &name, &ready, &running)) {
        busy[count++] = (struct busy){.name = name, .ready = (int64_t)ready, .running = running};
    }
    count = scope == SCOPE_POOL ? busy_pools(engine, busy, count) : count;
    qsort(busy, count, sizeof *busy, busiest_first);
    count = count < max ? count : max;
    *ret_scopes = arena_alloc_array(arena, count + 1, sizeof **ret_scopes);
    for (size_t i = 0; i < count; i++) {
        look_at_one(engine, scope, STR(""), copy(arena, busy[i].name), &(*ret_scopes)[i]);
    }
    if (scope == SCOPE_POOL) {
        look_at_pools(engine, *ret_scopes, count, arena);
    }
    return count;
}

/* ---- breakers ---- */

static bool fits(struct str wanted, struct str text)
{
    return str_empty(wanted) || str_equal(wanted, text);
}

static int64_t open_until_ms(const struct engine *engine, enum breaker_state state, int64_t mono_ms)
{
    return state == BREAKER_OPEN ? wall_of_mono(engine, mono_ms) : TIME_NONE;
}

size_t engine_view_breakers(const struct engine *engine, struct str tenant, struct str type, size_t max,
                            struct arena *arena, struct view_breaker **ret_breakers)
{
    struct view_breaker *breakers = arena_alloc_array(arena, max + 1, sizeof *breakers);
    struct ready_circuit circuit;
    const void *pos = NULL;
    size_t count = 0;

    while (count < max && ready_look_circuit(engine->ready, &pos, &circuit)) {
        if (fits(tenant, circuit.tenant) && fits(type, circuit.type)) {
            breakers[count++] = (struct view_breaker){
                .tenant = copy(arena, circuit.tenant),
                .type = copy(arena, circuit.type),
                .state = circuit.state,
                .open_until_ms = open_until_ms(engine, circuit.state, circuit.open_until_ms),
            };
        }
    }
    for (struct list_node *node = list_first(&engine->circuits); node != NULL && count < max;
         node = list_next(&engine->circuits, node)) {
        const struct circuit *own = CONTAINER_OF(node, struct circuit, all);

        if (own->breaker.state != BREAKER_CLOSED && fits(tenant, job_tenant(own->job)) &&
            fits(type, STR(READY_TYPE_NONE))) {
            breakers[count++] = (struct view_breaker){
                .tenant = copy(arena, job_tenant(own->job)),
                .type = STR(READY_TYPE_NONE),
                .job = own->job->id,
                .state = own->breaker.state,
                .open_until_ms = open_until_ms(engine, own->breaker.state, own->breaker.open_until_ms),
            };
        }
    }
    *ret_breakers = breakers;
    return count;
}
