#include "engine/view.h"

#include <stdlib.h>

#include "base/container.h"
#include "engine/core.h"
#include "engine/job.h"
#include "engine/timers.h"

static struct str copy(struct arena *arena, struct str text)
{
    return str_empty(text) ? STR("") : (struct str){arena_strdup_str(arena, text), text.len};
}

/* ---- what is held ---- */

static struct view_held held_of(const struct engine *engine, const struct lease *lease, struct arena *arena)
{
    const struct trigger *trigger = lease->trigger;
    struct ready_place place = ready_bucket_place(lease->bucket);

    return (struct view_held){
        .trigger = trigger->id,
        .job = trigger->job->id,
        .number = lease->number,
        .tenant = copy(arena, place.tenant),
        .name = trigger->job->name != NULL ? copy(arena, trigger->job->name->name) : STR(""),
        .type = copy(arena, place.type),
        .started_ms = lease->started_ms,
        .lease_until_ms = wall_of_mono(engine, lease->lease_timer.node.due_ms),
    };
}

size_t engine_view_running(const struct engine *engine, uint64_t job_id, size_t max, struct arena *arena,
                           struct view_held **ret_held)
{
    const struct job *job = job_by_id(engine, job_id);
    size_t room = job == NULL ? 0 : job->running < max ? job->running : max;
    struct view_held *held = arena_alloc_array(arena, room + 1, sizeof *held);
    size_t count = 0;

    *ret_held = held;
    for (struct list_node *node = room > 0 ? list_first(&job->triggers) : NULL; node != NULL && count < room;
         node = list_next(&job->triggers, node)) {
        const struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (trigger->lease != NULL) {
            held[count++] = held_of(engine, trigger->lease, arena);
        }
    }
    return count;
}

/* ---- workers ---- */

static bool serves(const struct worker *worker, struct str pool)
{
    bool does = str_empty(pool);

    for (size_t i = 0; !does && i < worker->pool_count; i++) {
        does = str_is(pool, worker->pools[i]->name);
    }
    return does;
}

static int order(struct str name_a, struct str id_a, struct str name_b, struct str id_b)
{
    int by_name = str_compare(name_a, name_b);

    return by_name != 0 ? by_name : str_compare(id_a, id_b);
}

static int worker_order(const void *key_a, const void *key_b)
{
    const struct worker *a = *(struct worker *const *)key_a, *b = *(struct worker *const *)key_b;

    return order(str_from(a->name), str_from(a->id), str_from(b->name), str_from(b->id));
}

static struct view_worker worker_of(const struct engine *engine, const struct worker *worker, struct arena *arena)
{
    struct str *pools = arena_alloc_array(arena, worker->pool_count + 1, sizeof *pools);
    struct view_worker view = {
        .id = copy(arena, str_from(worker->id)),
        .name = copy(arena, str_from(worker->name)),
        .pools = pools,
        .pool_count = worker->pool_count,
        .capacity = worker->capacity,
        .is_waiting = worker->is_waiting,
        .seen_ms = wall_of_mono(engine, worker->seen_mono_ms),
    };
    size_t room = 0;

    for (size_t i = 0; i < worker->pool_count; i++) {
        pools[i] = copy(arena, str_from(worker->pools[i]->name));
    }
    for (struct list_node *node = list_first(&worker->leases); node != NULL; node = list_next(&worker->leases, node)) {
        view.running += CONTAINER_OF(node, struct lease, of_worker)->is_dropping ? 0 : 1;
    }
    room = view.running < VIEW_MAX ? view.running : VIEW_MAX;
    struct view_held *held = arena_alloc_array(arena, room + 1, sizeof *held);

    for (struct list_node *node = list_first(&worker->leases); node != NULL && view.holding_count < room;
         node = list_next(&worker->leases, node)) {
        const struct lease *lease = CONTAINER_OF(node, struct lease, of_worker);

        if (!lease->is_dropping) {
            held[view.holding_count++] = held_of(engine, lease, arena);
        }
    }
    view.holding = held;
    return view;
}

size_t engine_view_workers(const struct engine *engine, struct str pool, struct str after_name, struct str after_id,
                           size_t max, struct arena *arena, struct view_worker **ret_workers, bool *ret_has_more)
{
    size_t room = map_count(&engine->workers) < VIEW_SCAN_MAX ? map_count(&engine->workers) : VIEW_SCAN_MAX;
    const struct worker **found = arena_alloc_array(arena, room + 1, sizeof(struct worker *));
    size_t count = 0;

    for (struct map_node *node = map_first(&engine->workers); node != NULL && count < room;
         node = map_next(&engine->workers, node)) {
        const struct worker *worker = CONTAINER_OF(node, struct worker, node);

        if (!worker->is_gone && serves(worker, pool) &&
            (str_empty(after_id) || order(str_from(worker->name), str_from(worker->id), after_name, after_id) > 0)) {
            found[count++] = worker;
        }
    }
    qsort(found, count, sizeof(struct worker *), worker_order);
    size_t shown = 0, held = 0;

    max = count < max ? count : max;
    *ret_workers = arena_alloc_array(arena, max + 1, sizeof **ret_workers);
    for (; shown < max && held + VIEW_MAX <= VIEW_SCAN_MAX; shown++) {
        (*ret_workers)[shown] = worker_of(engine, found[shown], arena);
        held += (*ret_workers)[shown].holding_count;
    }
    *ret_has_more = count > shown;
    return shown;
}

/* ---- the whole ---- */

static size_t count_dropping(const struct engine *engine)
{
    size_t count = 0, looked_at = 0;

    for (struct map_node *worker = map_first(&engine->workers); worker != NULL;
         worker = map_next(&engine->workers, worker)) {
        const struct list *leases = &CONTAINER_OF(worker, struct worker, node)->leases;

        for (struct list_node *node = list_first(leases); node != NULL && looked_at < VIEW_SCAN_MAX;
             node = list_next(leases, node), looked_at++) {
            count += CONTAINER_OF(node, struct lease, of_worker)->is_dropping ? 1 : 0;
        }
    }
    return count;
}

void engine_view_health(const struct engine *engine, struct view_health *ret_health)
{
    size_t orphans = 0;

    for (struct list_node *node = list_first(&engine->orphans); node != NULL && orphans < VIEW_SCAN_MAX;
         node = list_next(&engine->orphans, node)) {
        orphans++;
    }
    *ret_health = (struct view_health){
        .is_draining = engine->is_draining,
        .is_clock_held = engine->is_clock_held,
        .is_held = engine->is_held,
        .clock_ahead_ms = engine->wall_ms - engine->now_ms,
        .unreadable = engine->unreadable,
        .orphans = orphans,
        .dropping = count_dropping(engine),
        .durable = engine->durable,
    };
}

void engine_view_clock(const struct engine *engine, int64_t *ret_now_ms, int64_t *ret_wall_ms, bool *ret_is_held)
{
    *ret_now_ms = engine->now_ms;
    *ret_wall_ms = engine->wall_ms;
    *ret_is_held = engine->is_clock_held;
}
