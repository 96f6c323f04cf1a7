#include "sim_store.h"

#include <assert.h>

#include "base/mem.h"
#include "engine/bug.h"
#include "show.h"
#include "sim_node.h"
#include "store/memory/memory_store.h"

/* One in so many, while the fault is on. */
#define AGAIN_ONE_IN 40
#define UNKNOWN_ONE_IN 60
#define LATE_ONE_IN 100
#define SLOW_ONE_IN 20
#define SLOW_TIMES 50
/* A straggler comes at most so late. */
#define LATE_MAX_MS 30000

static void apply(struct sim_timer *timer);
static void tell(struct sim_timer *timer);

struct sim_store *sim_store_open(struct world *world, struct sim_node *node)
{
    struct sim_store *store = mem_zalloc(sizeof *store);

    store->world = world;
    store->node = node;
    store->store = memory_store_open(world->disk);
    store->apply_timer.fire = apply;
    store->told_timer.fire = tell;
    list_node_init(&store->all);
    list_push_back(&world->stores, &store->all);
    return store;
}

void sim_store_free(struct sim_store *store)
{
    list_remove(&store->all);
    world_disarm(store->world, &store->apply_timer);
    world_disarm(store->world, &store->told_timer);
    sim_outbox_drop(store->box);
    if (store->has_rows) {
        rows_done(&store->rows);
    }
    store_close(store->store);
    mem_free(store);
}

static bool is_awaited(const struct sim_store *store)
{
    return heap_linked(&store->apply_timer.node);
}

void sim_store_let_go(struct sim_store *store)
{
    store->node = NULL;
    world_disarm(store->world, &store->told_timer);
    if (!is_awaited(store)) {
        sim_store_free(store);
        return;
    }
    /* What was sent may be applied although nobody waits for it any more; only commits matter then. */
    if (store->fate != FATE_LATE && (store->call != CALL_COMMIT || rng_chance(&store->world->disk_rng, 1, 2))) {
        sim_store_free(store);
    }
}

/* ---- how long it takes, and what becomes of it ---- */

static int64_t length_ms(struct sim_store *store)
{
    struct world *world = store->world;
    int64_t length = rng_between(&world->disk_rng, 0, world->swarm.commit_ms);

    if (world_faulty(world, FAULT_STORE_SLOW) &&
        (world->now_ms < world->disk_slow_until_ms || rng_chance(&world->disk_rng, 1, SLOW_ONE_IN))) {
        length += rng_between(&world->disk_rng, 0, SLOW_TIMES * world->swarm.commit_ms);
        if (store->call == CALL_LOAD) {
            MARK(world, LOAD_SLOW);
        }
    }
    return length;
}

static bool is_down(const struct sim_store *store)
{
    const struct world *world = store->world;

    return world->now_ms < world->disk_down_until_ms ||
           (store->node != NULL && sim_node_cut_off(store->node)); /* never once it was healed */
}

static enum sim_fate draw_fate(struct world *world)
{
    struct rng *rng = &world->disk_rng;

    if (world_faulty(world, FAULT_STORE_AGAIN) && rng_chance(rng, 1, AGAIN_ONE_IN)) {
        return FATE_AGAIN;
    }
    if (world_faulty(world, FAULT_STORE_UNKNOWN) && rng_chance(rng, 1, UNKNOWN_ONE_IN)) {
        return rng_chance(rng, 1, 2) ? FATE_UNKNOWN_DONE : FATE_UNKNOWN_LOST;
    }
    if (world_faulty(world, FAULT_STORE_LATE) && rng_chance(rng, 1, LATE_ONE_IN)) {
        return FATE_LATE;
    }
    return FATE_DONE;
}

static void begin(struct sim_store *store, enum sim_call call)
{
    struct world *world = store->world;

    assert(store->call == CALL_NONE); /* rule 1 */
    store->call = call;
    store->fate = is_down(store) ? FATE_DOWN : draw_fate(world);
    if (call != CALL_COMMIT && store->fate != FATE_DOWN && store->fate != FATE_AGAIN) {
        store->fate = FATE_DONE;
    }
    store->rest_ms = length_ms(store) / 2;
    world_arm(world, store->fate == FATE_LATE ? &store->told_timer : &store->apply_timer,
              world->now_ms + length_ms(store) / 2);
}

void sim_store_acquire(struct sim_store *store)
{
    begin(store, CALL_ACQUIRE);
}

void sim_store_commit(struct sim_store *store, struct sim_outbox *box)
{
    sim_outbox_drop(store->box);
    store->box = sim_outbox_hold(box);
    begin(store, CALL_COMMIT);
}

void sim_store_load(struct sim_store *store, const struct load *load)
{
    store->load = load;
    begin(store, CALL_LOAD);
}

/* ---- applying ---- */

static void apply_acquire(struct sim_store *store)
{
    struct world *world = store->world;
    struct store_owner owner = {.name = STR("node")};

    owner.nonce[0] = rng_next(&world->disk_rng);
    owner.nonce[1] = rng_next(&world->disk_rng);
    store->outcome = store_acquire(store->store, &owner, &store->epoch, &store->error);
    if (store->outcome == STORE_DONE) {
        world->acquired_epoch = store->epoch;
        world->acquirer = store->node;
        checker_restart(world->checker, world->now_ms, store->epoch);
        world_ask_checker(world);
    }
}

static void apply_commit(struct sim_store *store)
{
    struct world *world = store->world;
    const struct batch *batch = &store->box->outbox->batch;
    bool is_late = store->fate == FATE_LATE;

    store->outcome = store_commit(store->store, batch, &store->error);
    TRACE(world, "disk: batch %llu of epoch %llu, %zu operations: %s%s", (unsigned long long)batch->number,
          (unsigned long long)store->epoch, batch->op_count, store_outcome_text(store->outcome),
          is_late ? " (a straggler)" : "");
    if (store->outcome == STORE_DONE) {
        show_batch(world, batch);
        checker_batch(world->checker, world->now_ms, store->epoch, batch);
        world_ask_checker(world);
        if (store->node == NULL) {
            MARK(world, COMMIT_OUTLIVED);
        }
        if (is_late) {
            MARK(world, COMMIT_LATE_DONE);
        }
    } else if (store->outcome == STORE_FENCED) {
        if (is_late) {
            MARK(world, COMMIT_LATE_FENCED);
        } else {
            MARK(world, COMMIT_FENCED);
        }
        if (BUG(FENCE_MISSING)) {
            store->outcome = STORE_DONE;
        }
    } else if (!is_late) {
        world_find(world, "store", "batch %llu: %s: %s", (unsigned long long)batch->number,
                   store_outcome_text(store->outcome), store->error.text);
    }
}

static void apply_load(struct sim_store *store)
{
    struct world *world = store->world;

    if (store->epoch != world->acquired_epoch) { /* a load reads under the same fence as a commit */
        store->outcome = STORE_FENCED;
        return;
    }
    if (store->has_rows) {
        rows_done(&store->rows);
    }
    rows_init(&store->rows);
    store->has_rows = true;
    store->outcome = store_load(store->store, store->load, &store->rows, &store->error);
    if (store->outcome != STORE_DONE) {
        world_find(world, "store", "load: %s: %s", store_outcome_text(store->outcome), store->error.text);
    }
}

static void apply(struct sim_timer *timer)
{
    struct sim_store *store = CONTAINER_OF(timer, struct sim_store, apply_timer);

    switch (store->fate) {
    case FATE_AGAIN:
        store->outcome = STORE_AGAIN;
        break;
    case FATE_DOWN:
        store->outcome = STORE_DOWN;
        break;
    case FATE_UNKNOWN_LOST:
        break;
    case FATE_DONE:
    case FATE_UNKNOWN_DONE:
    case FATE_LATE:
        if (store->call == CALL_ACQUIRE) {
            apply_acquire(store);
        } else if (store->call == CALL_COMMIT || store->fate == FATE_LATE) { /* late: its outcome was told before */
            apply_commit(store);
        } else {
            apply_load(store);
        }
        break;
    }
    if (store->node == NULL) {
        sim_store_free(store);
    } else {
        world_arm(store->world, &store->told_timer, store->world->now_ms + store->rest_ms);
    }
}

/* ---- telling ---- */

static void tell(struct sim_timer *timer)
{
    struct sim_store *store = CONTAINER_OF(timer, struct sim_store, told_timer);
    struct world *world = store->world;
    enum sim_call call = store->call;

    if (sim_node_paused(store->node)) {
        world_arm(world, timer, sim_node_resumes_ms(store->node));
        return;
    }
    switch (store->fate) {
    case FATE_UNKNOWN_DONE:
        MARK(world, COMMIT_UNKNOWN_DONE);
        store->outcome = store->outcome == STORE_DONE ? STORE_UNKNOWN : store->outcome;
        break;
    case FATE_UNKNOWN_LOST:
        MARK(world, COMMIT_UNKNOWN_LOST);
        store->outcome = STORE_UNKNOWN;
        break;
    case FATE_LATE:
        store->outcome = STORE_UNKNOWN;
        world_arm(world, &store->apply_timer, world->now_ms + rng_between(&world->disk_rng, 0, LATE_MAX_MS));
        break;
    case FATE_AGAIN:
    case FATE_DOWN:
    case FATE_DONE:
        break;
    }
    store->call = CALL_NONE;
    sim_node_told(store->node, store, call, store->outcome);
}
