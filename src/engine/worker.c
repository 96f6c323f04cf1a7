#include "engine/worker.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/answer.h"
#include "engine/gather.h"
#include "engine/grant.h"
#include "engine/timers.h"
#include "engine/worker_internal.h"

/* A worker that holds nothing and says nothing for this long is forgotten. */
#define WORKER_IDLE_MS (10 * 60 * 1000)
/* Who works asks again within a minute, the longest wait: one that is silent for longer than this is gone. */
#define WORKER_SILENT_MS (90 * 1000)
/* One that has said goodbye is forgotten after this: an older exchange of it may still be on its way, and is told. */
#define WORKER_GONE_MS (60 * 1000)
/* Who names no kinds of targets takes them all. */
#define TARGETS_ANY ((1U << READY_TARGETS) - 1)

/* ---- pools ---- */

static bool takes(const struct worker *worker, size_t target)
{
    return (worker->targets >> target & 1) != 0;
}

static struct waiting_pool *pool_get(struct engine *engine, struct str name)
{
    struct map_node *node = map_find_text(&engine->pools, name);
    struct waiting_pool *pool;

    if (node != NULL) {
        pool = CONTAINER_OF(node, struct waiting_pool, node);
    } else {
        pool = mem_zalloc(sizeof *pool + name.len + 1);
        memcpy(pool->name, name.ptr, name.len);
        for (size_t target = 0; target < READY_TARGETS; target++) {
            list_init(&pool->waiting[target]);
        }
        map_insert_text(&engine->pools, &pool->node, (struct str){pool->name, name.len});
    }
    pool->users++;
    return pool;
}

static void pool_put(struct engine *engine, struct waiting_pool *pool)
{
    if (--pool->users == 0) {
        map_remove(&engine->pools, &pool->node);
        mem_free(pool);
    }
}

static void drop_pools(struct engine *engine, struct worker *worker)
{
    for (size_t i = 0; i < worker->pool_count; i++) {
        pool_put(engine, worker->pools[i]);
    }
    engine->worker_pools -= worker->pool_count;
    mem_free(worker->pools);
    mem_free(worker->links);
    worker->pools = NULL;
    worker->links = NULL;
    worker->pool_count = 0;
}

static bool has_pools(const struct worker *worker, const struct exchange *exchange, unsigned targets)
{
    bool is_same = worker->pool_count == exchange->pool_count && worker->targets == targets;

    for (size_t i = 0; is_same && i < exchange->pool_count; i++) {
        is_same = str_is(exchange->pools[i], worker->pools[i]->name);
    }
    return is_same;
}

void worker_set_pools(struct engine *engine, struct worker *worker, const struct exchange *exchange)
{
    unsigned targets = exchange->targets != 0 ? exchange->targets & TARGETS_ANY : TARGETS_ANY;

    if (has_pools(worker, exchange, targets)) {
        return;
    }
    drop_pools(engine, worker);
    worker->targets = targets;
    worker->pools = mem_alloc_array(exchange->pool_count, sizeof *worker->pools);
    worker->links = mem_alloc_array(exchange->pool_count * READY_TARGETS, sizeof *worker->links);
    worker->pool_count = exchange->pool_count;
    engine->worker_pools += exchange->pool_count;
    worker->next_slot = 0;
    for (size_t i = 0; i < exchange->pool_count; i++) {
        worker->pools[i] = pool_get(engine, exchange->pools[i]);
    }
    for (size_t slot = 0; slot < exchange->pool_count * READY_TARGETS; slot++) {
        worker->links[slot].worker = worker;
        list_node_init(&worker->links[slot].link);
    }
}

void worker_set_words(struct worker *worker, const struct exchange *exchange)
{
    worker->capacity = exchange->capacity;
    if (!str_equal(str_from(worker->name), exchange->name)) {
        mem_free(worker->name);
        worker->name = str_empty(exchange->name) ? NULL : mem_strndup(exchange->name.ptr, exchange->name.len);
    }
}

static bool serves(const struct engine *engine, const struct worker *worker, struct str pool)
{
    bool is_heard = worker->is_waiting || engine->mono_ms - worker->seen_mono_ms < WORKER_SILENT_MS;
    bool is_here = is_heard && !worker->is_gone;
    bool does = false;

    for (size_t i = 0; is_here && !does && i < worker->pool_count; i++) {
        does = str_is(pool, worker->pools[i]->name);
    }
    return does;
}

struct worker_room worker_look(const struct engine *engine, struct str pool, enum job_target target)
{
    struct worker_room room = {0};

    for (struct map_node *node = map_first(&engine->workers); node != NULL; node = map_next(&engine->workers, node)) {
        const struct worker *worker = CONTAINER_OF(node, struct worker, node);
        int64_t held = 0;

        if (!serves(engine, worker, pool)) {
            continue;
        }
        room.workers++;
        if (!takes(worker, target)) {
            continue;
        }
        for (struct list_node *lease = list_first(&worker->leases); lease != NULL;
             lease = list_next(&worker->leases, lease)) {
            held++;
        }
        room.taking++;
        room.held += held;
        room.capacity += held > worker->capacity ? held : worker->capacity;
        room.is_asked = room.is_asked || (worker->is_waiting && worker->want > 0);
    }
    return room;
}

/* ---- workers ---- */

struct worker *worker_find(const struct engine *engine, struct str id)
{
    struct map_node *node = map_find_text(&engine->workers, id);

    return node != NULL ? CONTAINER_OF(node, struct worker, node) : NULL;
}

/* Attempts that were this worker's before the restore are so again. */
static void adopt(struct engine *engine, struct worker *worker)
{
    struct list_node *next;

    for (struct list_node *node = list_first(&engine->orphans); node != NULL; node = next) {
        struct lease *lease = CONTAINER_OF(node, struct lease, of_worker);

        next = list_next(&engine->orphans, node);
        if (strcmp(lease->worker_id, worker->id) == 0) {
            list_remove(node);
            worker_take(engine, worker, lease);
            lease->granted_round = 0;
            mem_free(lease->worker_id);
            lease->worker_id = NULL;
        }
    }
}

struct worker *worker_get(struct engine *engine, struct str id)
{
    struct worker *worker = worker_find(engine, id);

    if (worker == NULL) {
        worker = mem_zalloc(sizeof *worker);
        worker->id = mem_strndup(id.ptr, id.len);
        worker->seq = -1;
        list_init(&worker->leases);
        list_node_init(&worker->heard);
        timer_init(&worker->wait_timer, TIMER_WAIT);
        timer_init(&worker->idle_timer, TIMER_IDLE);
        map_insert_text(&engine->workers, &worker->node, str_from(worker->id));
        adopt(engine, worker);
    }
    worker->seen_mono_ms = engine->mono_ms;
    worker->is_silent = false;
    list_remove(&worker->heard);
    list_push_back(&engine->heard, &worker->heard);
    timer_arm_mono(engine, &worker->idle_timer, engine->mono_ms + WORKER_IDLE_MS);
    return worker;
}

void worker_take(struct engine *engine, struct worker *worker, struct lease *lease)
{
    (void)engine;
    lease->worker = worker;
    lease->granted_round = worker->round;
    list_push_back(&worker->leases, &lease->of_worker);
}

void worker_set_gone(struct engine *engine, struct worker *worker, bool is_gone)
{
    if (worker->is_gone == is_gone) {
        return;
    }
    worker->is_gone = is_gone;
    engine->gone_workers += is_gone ? 1 : (size_t)-1;
    timer_arm_mono(engine, &worker->idle_timer, engine->mono_ms + (is_gone ? WORKER_GONE_MS : WORKER_IDLE_MS));
}

void worker_forget(struct engine *engine, struct worker *worker)
{
    worker_set_gone(engine, worker, false);
    assert(list_empty(&worker->leases));
    worker_stop_waiting(engine, worker);
    timer_stop(engine, &worker->idle_timer);
    drop_pools(engine, worker);
    list_remove(&worker->heard);
    map_remove(&engine->workers, &worker->node);
    mem_free(worker->id);
    mem_free(worker->name);
    mem_free(worker);
}

void worker_idle(struct engine *engine, struct worker *worker)
{
    if (worker->is_waiting || !list_empty(&worker->leases)) {
        timer_arm_mono(engine, &worker->idle_timer, engine->mono_ms + WORKER_IDLE_MS);
    } else {
        engine->silences += worker->is_gone || worker->is_silent ? 0 : 1;
        worker_forget(engine, worker);
    }
}

void worker_free_all(struct engine *engine)
{
    for (struct map_node *node = map_first(&engine->workers); node != NULL; node = map_first(&engine->workers)) {
        worker_forget(engine, CONTAINER_OF(node, struct worker, node));
    }
}

/* ---- waiting ---- */

void worker_stop_waiting(struct engine *engine, struct worker *worker)
{
    if (!worker->is_waiting) {
        return;
    }
    worker->is_waiting = false;
    engine->waiting--;
    timer_stop(engine, &worker->wait_timer);
    idmap_remove(&engine->waits, worker->token);
    for (size_t slot = 0; slot < worker->pool_count * READY_TARGETS; slot++) {
        list_remove(&worker->links[slot].link);
    }
}

void worker_begin_wait(struct engine *engine, struct worker *worker, const struct exchange *exchange, int64_t wait_ms)
{
    worker->is_waiting = true;
    worker->token = exchange->token;
    worker->want = exchange->want;
    engine->waiting++;
    idmap_put(&engine->waits, worker->token, worker);
    timer_arm_mono(engine, &worker->wait_timer, plus_ms(engine->mono_ms, wait_ms));
    for (size_t slot = 0; worker->want > 0 && slot < worker->pool_count * READY_TARGETS; slot++) {
        size_t target = slot % READY_TARGETS;

        if (takes(worker, target)) {
            list_push_back(&worker->pools[slot / READY_TARGETS]->waiting[target], &worker->links[slot].link);
        }
    }
}

/* Answers the exchange that waits, with what answer has. */
static void answer_waiting(struct engine *engine, struct worker *worker, struct answer *answer)
{
    uint64_t token = worker->token;

    worker_stop_waiting(engine, worker);
    answer_send(engine, answer, token);
}

void worker_wait_over(struct engine *engine, struct worker *worker)
{
    struct answer answer;

    if (worker->is_waiting) {
        answer_init(engine, &answer);
        answer_waiting(engine, worker, &answer);
    }
}

void worker_gone(struct engine *engine, uint64_t token)
{
    struct worker *worker = idmap_find(&engine->waits, token);

    if (worker != NULL) {
        worker_stop_waiting(engine, worker);
    }
}

void worker_tell(struct engine *engine, const struct lease *lease)
{
    struct worker *worker = lease->worker;
    struct answer answer;

    if (worker == NULL || !worker->is_waiting) {
        return;
    }
    answer_init(engine, &answer);
    answer_cancel(&answer, (struct attempt_ref){.trigger = lease->trigger->id, .number = lease->number});
    answer_waiting(engine, worker, &answer);
}

void worker_missed(struct engine *engine, const struct lease *lease)
{
    struct worker *worker = lease->worker;

    if (worker == NULL) { /* not heard of since the restore: nobody to remember it of */
        engine->silences++;
    } else if (!worker->is_silent) {
        worker->is_silent = true;
        engine->silences++;
    }
}

void workers_end_waits(struct engine *engine)
{
    struct map_node *next;

    for (struct map_node *node = map_first(&engine->workers); node != NULL; node = next) {
        next = map_next(&engine->workers, node);
        worker_wait_over(engine, CONTAINER_OF(node, struct worker, node));
    }
}

/* ---- giving ---- */

size_t worker_fill(struct engine *engine, struct worker *worker, struct answer *answer, size_t want)
{
    size_t given = 0, empty = 0, slots = worker->pool_count * READY_TARGETS;

    if (engine->is_draining || engine->is_held || worker->pool_count == 0) {
        return 0;
    }
    while (given < want && empty < slots) {
        struct waiting_pool *pool = worker->pools[worker->next_slot / READY_TARGETS];
        enum job_target target = (enum job_target)(worker->next_slot % READY_TARGETS);

        worker->next_slot = (worker->next_slot + 1) % slots; /* rule 3 */
        if ((takes(worker, target) || BUG(TARGETS_IGNORED)) &&
            grant_next(engine, str_from(pool->name), target, worker, answer)) {
            given++;
            empty = 0;
        } else {
            empty++;
        }
    }
    return given;
}

void worker_dispatch(struct engine *engine)
{
    struct str name;
    enum job_target target;

    /* Pools that change while all is held are looked at when it is not. */
    while (!engine->is_held && ready_take_changed_pool(engine->ready, &name, &target)) {
        name.ptr = arena_strdup_str(&engine->scratch, name); /* the pool may go with its last entry */
        struct map_node *node = engine->is_draining ? NULL : map_find_text(&engine->pools, name);
        struct waiting_pool *pool = node != NULL ? CONTAINER_OF(node, struct waiting_pool, node) : NULL;
        struct list_node *first;

        while (pool != NULL && !gather_is_full(engine) && (first = list_first(&pool->waiting[target])) != NULL) {
            struct worker *worker = CONTAINER_OF(first, struct wait_link, link)->worker;
            struct answer answer;

            answer_init(engine, &answer);
            if (worker_fill(engine, worker, &answer, worker->want) == 0) {
                break;
            }
            answer_waiting(engine, worker, &answer);
        }
        if (gather_is_full(engine)) { /* the others when this is on its way: a step follows every commit */
            ready_return_changed_pool(engine->ready, name, target);
            return;
        }
    }
}
