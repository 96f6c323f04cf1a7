#include "world_end.h"

#include <stdlib.h>

#include "sim_client.h"
#include "sim_node.h"
#include "store/memory/memory_store.h"

/* A clock that is off by more is not right. */
#define OFFSET_MAX_MS 1000
/* Rounds of loads and commits until a restored engine has nothing more to ask. */
#define SETTLE_ROUNDS_MAX 10000

static struct sim_node *owner(const struct world *world)
{
    struct sim_node *node = world->acquirer;

    return node != NULL && node->state == NODE_SERVING && world->holder == node ? node : NULL;
}

bool world_well(const struct world *world, int64_t *ret_slack_ms)
{
    const struct sim_node *node = owner(world);
    struct engine_figures figures;

    *ret_slack_ms = OFFSET_MAX_MS + 2000 + 200 * world->swarm.commit_ms + 2 * world->swarm.beat_ms;
    if (node == NULL || sim_node_paused(node) || sim_node_cut_off(node) || node->loads.first != NULL ||
        world->now_ms < world->disk_down_until_ms) {
        return false;
    }
    if (llabs(sim_node_now(node).wall_ms - world->now_ms) > OFFSET_MAX_MS) {
        return false;
    }
    engine_figures(node->engine, &figures);
    if (figures.is_clock_held) {
        MARK(world, CLOCK_HELD);
        return false;
    }
    /* With its memory full of jobs an engine comes to the others when it can. */
    if (world->swarm.engine_jobs_max > 0 && figures.jobs + world->swarm.page_rows >= world->swarm.engine_jobs_max) {
        return false;
    }
    return llabs(figures.now_ms - sim_node_now(node).wall_ms) <= OFFSET_MAX_MS + world->swarm.window_ms;
}

bool world_still(const struct world *world)
{
    const struct sim_node *node = owner(world);

    return node != NULL && !sim_store_busy(node->store) && engine_gathered(node->engine) == 0;
}

bool world_advances(struct world *world)
{
    const struct sim_node *node = owner(world);
    struct engine_figures figures = {0};

    if (node != NULL) {
        engine_figures(node->engine, &figures);
    }
    bool is_more = figures.ready > 0 && figures.grants != world->end_grants;

    world->end_grants = figures.grants;
    return is_more;
}

/* Leases, breakers, ramps and pauses are counted in beats or are the defaults (30 s, after ten releases in a row
 * another 30 s); whoever is ahead in time waits until the world has caught up. */
int64_t world_heal_ms(const struct world *world)
{
    const struct swarm *swarm = &world->swarm;
    int64_t ms = 180 * 1000 + 250 * swarm->beat_ms;

    if (swarm_faulty(swarm, FAULT_CLOCK_JUMP)) {
        ms += swarm->jump_ms;
    }
    if (swarm_faulty(swarm, FAULT_CLOCK_SKEW)) {
        ms += swarm->skew_ms + swarm->length_ms * 2 * SIM_CLOCK_DRIFT_PPM_MAX / 1000000;
    }
    return ms;
}

/* ---- an engine restored from a copy ---- */

struct restored {
    struct world *world;
    struct store *store;
    struct engine *engine;
    struct effects effects;
    struct load_queue loads;
    struct moment at;
};

static void step(struct restored *restored, struct event event)
{
    event.at = restored->at;
    effects_reset(&restored->effects);
    engine_step(restored->engine, &event, &restored->effects);
    for (size_t i = 0; i < restored->effects.load_count; i++) {
        load_queue_push(&restored->loads, &restored->effects.loads[i]);
    }
}

static void load_all(struct restored *restored)
{
    struct error error = {0};

    for (int round = 0; round < SETTLE_ROUNDS_MAX && restored->loads.first != NULL; round++) {
        const struct load *load = &restored->loads.first->load;
        struct event event = {.kind = EVENT_LOADED, .load_tag = load->tag};
        struct rows rows;

        rows_init(&rows);
        if (store_load(restored->store, load, &rows, &error) != STORE_DONE) {
            world_find(restored->world, "restart", "a load of an engine restored at the end: %s", error.text);
        }
        load_queue_pop(&restored->loads);
        event.rows = &rows;
        step(restored, event);
        rows_done(&rows);
    }
}

/* Commits whatever it decides, until it has nothing more to say. */
static void settle(struct restored *restored)
{
    struct outbox *outbox;
    struct error error = {0};

    step(restored, (struct event){.kind = EVENT_TICK});
    for (int round = 0; round < SETTLE_ROUNDS_MAX; round++) {
        load_all(restored);
        outbox = engine_cut(restored->engine, restored->at);
        if (outbox == NULL) {
            return;
        }
        uint64_t number = outbox->number;
        enum store_outcome outcome =
            outbox->batch.op_count > 0 ? store_commit(restored->store, &outbox->batch, &error) : STORE_DONE;

        outbox_free(outbox);
        if (outcome != STORE_DONE) {
            world_find(restored->world, "restart", "an engine restored at the end: %s", error.text);
            return;
        }
        step(restored, (struct event){.kind = EVENT_COMMITTED, .batch = number});
    }
}

static void compare(struct restored *restored, const struct sim_node *node)
{
    struct world *world = restored->world;
    struct engine_figures before, after;
    struct error error = {0};

    engine_figures(node->engine, &before);
    engine_figures(restored->engine, &after);
    /* The old one may be about to be woken for something that is due now. */
    bool is_waking = node->effects.wake_mono_ms <= sim_node_now(node).mono_ms;

    if (!engine_check(restored->engine, &error)) {
        world_find(world, "engine_check", "an engine restored at the end: %s", error.text);
    } else if (before.running != after.running || after.ready < before.ready ||
               (before.ready == 0 && before.running == 0 && after.ready > 0 && !is_waking)) {
        /* With a wider window the new one may see more of a backlog, and nobody has asked yet for what waits for a
         * concurrency key; but where nothing was due nothing is. */
        world_find(world, "restart", "running %zu and %zu, ready %zu and %zu, before and after a restart",
                   before.running, after.running, before.ready, after.ready);
    } else {
        MARK(world, RESTARTED_SAME);
    }
}

static void restart(struct world *world, const struct sim_node *node)
{
    struct memory_disk *copy = memory_disk_copy(world->disk);
    struct restored restored = {.world = world, .store = memory_store_open(copy), .at = sim_node_now(node)};
    struct engine_config config = {.seed = world->swarm.seed, .zones = world->zones};
    struct store_owner me = {.name = STR("again"), .nonce = {1, 2}};
    struct load start = {.kind = LOAD_START, .after_ms = TIME_NONE};
    struct error error = {0};
    struct rows rows;
    uint64_t epoch;

    rows_init(&rows);
    effects_init(&restored.effects);
    if (store_acquire(restored.store, &me, &epoch, &error) != STORE_DONE ||
        store_load(restored.store, &start, &rows, &error) != STORE_DONE ||
        engine_new(&config, &rows, restored.at, &restored.engine, &error) != ERR_OK) {
        world_find(world, "restart", "no engine can be made of the disk at the end: %s", error.text);
    } else {
        settle(&restored);
        if (!world_over(world)) {
            compare(&restored, node);
        }
        engine_free(restored.engine);
    }
    load_queue_done(&restored.loads);
    effects_done(&restored.effects);
    rows_done(&rows);
    store_close(restored.store);
    memory_disk_free(copy);
}

/* ---- the end ---- */

void world_end(struct world *world)
{
    struct sim_node *node = owner(world);
    int64_t grace_ms = 10 * (1000 + world->swarm.beat_ms);
    struct error error = {0};

    for (unsigned i = 0; i < world->swarm.clients; i++) {
        if (!world->clients[i].is_done) {
            world_find(world, "liveness", "client %u asked to resume and lift everything, and got no answer", i);
            return;
        }
    }
    if (node == NULL) {
        world_find(world, "liveness", "long after the last fault nobody serves");
        return;
    }
    checker_end(world->checker, world->now_ms, world->now_ms - grace_ms);
    world_ask_checker(world);
    if (!world_over(world) && !engine_check(node->engine, &error)) {
        world_find(world, "engine_check", "node %u at the end: %s", node->index, error.text);
    }
    if (!world_over(world) && !memory_disk_valid(world->disk)) {
        world_find(world, "store", "the disk's indices are wrong");
    }
    if (!world_over(world)) {
        restart(world, node);
    }
}
