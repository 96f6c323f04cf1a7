/* The life of a node: standing by, taking over, losing, crashing. */
#include "sim_node.h"

#include <stdio.h>

/* Whoever lost its store tries again about this often. */
#define PROBE_EVERY_MS 1000

static void crash(struct sim_timer *timer);
static void live(struct sim_timer *timer);
static void renew(struct sim_timer *timer);

void sim_node_init(struct sim_node *node, struct world *world, unsigned index)
{
    char stream[32];
    int64_t offset_ms, drift_ppm;

    *node = (struct sim_node){.world = world, .index = index, .state = NODE_STANDBY};
    (void)snprintf(stream, sizeof stream, "node.%u", index);
    swarm_rng(world->swarm.seed, stream, &node->rng);
    /* One draw in a statement, here and everywhere: compilers choose the order inside one. */
    offset_ms = rng_between(&node->rng, -world->swarm.skew_ms, world->swarm.skew_ms);
    drift_ppm = rng_between(&node->rng, -SIM_CLOCK_DRIFT_PPM_MAX, SIM_CLOCK_DRIFT_PPM_MAX);
    if (!world_faulty(world, FAULT_CLOCK_SKEW)) {
        offset_ms = 0;
        drift_ppm = 0;
    }
    sim_clock_init(&node->clock, world->now_ms, offset_ms, drift_ppm, rng_between(&node->rng, 0, INT64_C(1) << 40));
    map_init(&node->requests, MAP_KEYS_NUMBER, world->swarm.seed);
    list_init(&node->waiting);
    pump_init(node);
    node->life_timer.fire = live;
    node->renew_timer.fire = renew;
    node->crash_timer.fire = crash;
    world_arm(world, &node->life_timer, world->now_ms + rng_between(&node->rng, 0, world->swarm.lease_ms / 20));
}

void sim_node_done(struct sim_node *node)
{
    if (node->engine != NULL) {
        pump_done(node);
    }
    sim_outbox_drop(node->box);
    effects_done(&node->effects);
    map_done(&node->requests);
}

/* ---- what others ask ---- */

bool sim_node_paused(const struct sim_node *node)
{
    return node->world->now_ms < node->paused_until_ms;
}

int64_t sim_node_resumes_ms(const struct sim_node *node)
{
    return node->paused_until_ms;
}

bool sim_node_cut_off(const struct sim_node *node)
{
    return node->world->now_ms < node->cut_off_until_ms;
}

struct moment sim_node_now(const struct sim_node *node)
{
    return sim_clock_read(&node->clock, node->world->now_ms);
}

/* ---- the lease ---- */

static void trust(struct sim_node *node)
{
    struct world *world = node->world;

    world->holder = node;
    world->lease_until_ms = world->now_ms + world->swarm.lease_ms;
    node->trusted_until_mono_ms = sim_node_now(node).mono_ms + world->swarm.lease_ms / 5 * 4; /* rule 4 */
    node->was_paused = false;
}

static void renew(struct sim_timer *timer)
{
    struct sim_node *node = CONTAINER_OF(timer, struct sim_node, renew_timer);
    struct world *world = node->world;

    if (sim_node_paused(node)) { /* when it goes on it does not look at its lease first */
        world_arm(world, timer, sim_node_resumes_ms(node) + rng_between(&node->rng, 0, world->swarm.lease_ms / 5));
        return;
    }
    if (world->holder != node) {
        sim_node_lose(node, "another holds the lease");
        return;
    }
    if (!sim_node_cut_off(node) && world->now_ms >= world->disk_down_until_ms) {
        trust(node);
    }
    world_arm(world, timer, world->now_ms + world->swarm.lease_ms / 5);
}

static void let_lease_go(struct sim_node *node)
{
    if (node->world->holder == node) {
        node->world->holder = NULL;
    }
}

/* ---- losing ---- */

static void drop_engine(struct sim_node *node)
{
    struct world *world = node->world;

    world_disarm(world, &node->renew_timer);
    if (node->engine != NULL) {
        pump_done(node);
    }
    if (node->store != NULL) {
        sim_store_let_go(node->store);
        node->store = NULL;
    }
}

void sim_node_lose(struct sim_node *node, const char *why)
{
    struct world *world = node->world;

    TRACE(world, "node %u: loses its engine: %s", node->index, why);
    drop_engine(node);
    desk_settle(node);
    if (node->lost_batch == 0) {
        desk_answer_box(node, ANSWER_UNKNOWN);
    }
    let_lease_go(node);
    node->state = NODE_STANDBY;
    world_arm(world, &node->life_timer, world->now_ms + rng_between(&node->rng, 0, PROBE_EVERY_MS));
}

/* Connections of a dead process are cut: most senders hear of it. */
static void cut_all(struct sim_node *node)
{
    struct list_node *link;

    node->lost_batch = 0;
    desk_settle(node);
    desk_answer_box(node, ANSWER_UNKNOWN);
    while ((link = list_pop_front(&node->waiting)) != NULL) {
        struct sim_request *request = CONTAINER_OF(link, struct sim_request, link);

        world_disarm(node->world, &request->timer);
        sim_request_answer(request, ANSWER_UNKNOWN, NULL, NULL);
    }
}

void sim_node_crash(struct sim_node *node, int64_t down_ms)
{
    struct world *world = node->world;

    if (node->state == NODE_DEAD) {
        return;
    }
    TRACE(world, "node %u: crashes", node->index);
    MARK(world, CRASHED);
    if (node->state == NODE_TAKING) {
        MARK(world, CRASHED_TAKING);
    } else if (node->box != NULL && node->store != NULL) {
        MARK(world, CRASHED_COMMITTING);
    }
    world_disarm(world, &node->crash_timer);
    drop_engine(node);
    cut_all(node);
    if (rng_chance(&node->rng, 2, 3)) { /* else its host vanished with it, and the lease must run out */
        let_lease_go(node);
    }
    node->state = NODE_DEAD;
    node->paused_until_ms = 0;
    world_arm(world, &node->life_timer, world->now_ms + down_ms);
}

static void crash(struct sim_timer *timer)
{
    struct sim_node *node = CONTAINER_OF(timer, struct sim_node, crash_timer);

    if (!world_healed(node->world)) {
        sim_node_crash(node, rng_between(&node->rng, 1, node->world->swarm.lease_ms));
    }
}

void sim_node_pause(struct sim_node *node, int64_t for_ms)
{
    if (sim_node_paused(node)) { /* timers wait for the end of that one */
        return;
    }
    TRACE(node->world, "node %u: pauses for %lld ms", node->index, (long long)for_ms);
    node->paused_until_ms = node->world->now_ms + for_ms;
    node->was_paused = true;
}

void sim_node_cut(struct sim_node *node, int64_t for_ms)
{
    TRACE(node->world, "node %u: cannot reach the store for %lld ms", node->index, (long long)for_ms);
    node->cut_off_until_ms = node->world->now_ms + for_ms;
}

void sim_node_drain(struct sim_node *node, int64_t for_ms)
{
    struct world *world = node->world;

    if (node->state != NODE_SERVING || sim_node_paused(node)) {
        return;
    }
    TRACE(world, "node %u: drains", node->index);
    MARK(world, DRAINED);
    node->state = NODE_DRAINING;
    if (world->acquirer == node) {
        checker_drain(world->checker, world->now_ms, node->box != NULL ? node->durable + 2 : node->durable + 1);
        world_ask_checker(world);
    }
    world_arm(world, &node->life_timer, world->now_ms + for_ms);
    pump_step(node, (struct event){.kind = EVENT_DRAIN});
}

/* What is gathered is committed first. */
static void stop(struct sim_node *node)
{
    struct world *world = node->world;

    if (sim_store_busy(node->store)) {
        world_arm(world, &node->life_timer, world->now_ms + 1);
        return;
    }
    TRACE(world, "node %u: stops", node->index);
    drop_engine(node);
    cut_all(node);
    let_lease_go(node);
    node->state = NODE_DEAD;
    world_arm(world, &node->life_timer, world->now_ms + rng_between(&node->rng, 0, 2 * world->swarm.beat_ms));
}

void sim_node_heal(struct sim_node *node)
{
    sim_clock_heal(&node->clock, node->world->now_ms);
    node->cut_off_until_ms = 0;
}

/* ---- taking over ---- */

static void take(struct sim_node *node)
{
    struct world *world = node->world;

    TRACE(world, "node %u: takes the shard", node->index);
    if (world->acquirer != NULL && world->acquirer != node) {
        MARK(world, TAKEN_OVER);
    }
    node->state = NODE_TAKING;
    trust(node);
    world_arm(world, &node->renew_timer, world->now_ms + world->swarm.lease_ms / 5);
    node->store = sim_store_open(world, node);
    sim_store_acquire(node->store);
}

static void live(struct sim_timer *timer)
{
    struct sim_node *node = CONTAINER_OF(timer, struct sim_node, life_timer);
    struct world *world = node->world;
    bool is_free = world->holder == NULL || world->holder == node || world->now_ms >= world->lease_until_ms;

    if (sim_node_paused(node)) {
        world_arm(world, timer, sim_node_resumes_ms(node));
        return;
    }
    switch (node->state) {
    case NODE_DEAD:
        TRACE(world, "node %u: starts", node->index);
        node->state = NODE_STANDBY;
        world_arm(world, timer, world->now_ms + rng_between(&node->rng, 0, world->swarm.lease_ms / 20));
        break;
    case NODE_STANDBY:
        if (is_free && !sim_node_cut_off(node)) {
            take(node);
        } else {
            world_arm(world, timer, world->now_ms + rng_between(&node->rng, 1, world->swarm.lease_ms / 10));
        }
        break;
    case NODE_DRAINING:
        stop(node);
        break;
    case NODE_TAKING:
    case NODE_SERVING:
        break;
    }
}
