#include "nemesis.h"

#include "sim_node.h"
#include "sim_worker.h"

static void act(struct sim_timer *timer);

void nemesis_init(struct sim_nemesis *nemesis, struct world *world)
{
    *nemesis = (struct sim_nemesis){.world = world, .timer.fire = act};
    swarm_rng(world->swarm.seed, "nemesis", &nemesis->rng);
    world_arm(world, &nemesis->timer, world->now_ms + rng_between(&nemesis->rng, 1, world->swarm.fault_every_ms));
}

void nemesis_heal(struct sim_nemesis *nemesis)
{
    world_disarm(nemesis->world, &nemesis->timer);
    nemesis->world->disk_down_until_ms = 0;
    nemesis->world->disk_slow_until_ms = 0;
}

/* Short as a hiccup, or longer than every lease. */
static int64_t draw_length(struct sim_nemesis *nemesis)
{
    const struct swarm *swarm = &nemesis->world->swarm;
    int64_t length_ms;

    if (rng_chance(&nemesis->rng, 1, 3)) {
        return rng_between(&nemesis->rng, 1, 1000);
    }
    length_ms = rng_between(&nemesis->rng, 1, 3 * swarm->lease_ms);
    return length_ms + swarm_beats(swarm, &nemesis->rng, 0, 40);
}

/* Most of what happens, happens to the owner. */
static struct sim_node *pick_node(struct sim_nemesis *nemesis)
{
    struct world *world = nemesis->world;

    if (world->holder != NULL && rng_chance(&nemesis->rng, 3, 4)) {
        return world->holder;
    }
    return &world->nodes[rng_below(&nemesis->rng, world->swarm.nodes)];
}

/* The wall clock stands off by so much from now on: offsets do not add up. */
static void jump(struct sim_nemesis *nemesis, struct sim_node *node)
{
    struct world *world = nemesis->world;
    int64_t offset_ms = rng_between(&nemesis->rng, -world->swarm.jump_ms, world->swarm.jump_ms);
    int64_t by_ms = world->now_ms + offset_ms - sim_node_now(node).wall_ms;

    if (rng_chance(&nemesis->rng, 1, 3)) { /* somebody sets it right */
        by_ms = world->now_ms - sim_node_now(node).wall_ms;
    }
    TRACE(world, "node %u: its wall clock jumps by %lld ms", node->index, (long long)by_ms);
    if (by_ms > 0) {
        MARK(world, CLOCK_FORWARD);
    } else {
        MARK(world, CLOCK_BACK);
    }
    sim_clock_jump(&node->clock, world->now_ms, by_ms);
}

static void strike(struct sim_nemesis *nemesis, enum fault fault)
{
    struct world *world = nemesis->world;
    struct sim_node *node = pick_node(nemesis);
    struct sim_worker *worker = &world->workers[rng_below(&nemesis->rng, world->worker_count)];
    int64_t length_ms = draw_length(nemesis);

    switch ((int)fault) {
    case FAULT_CRASH:
        sim_node_crash(node, length_ms);
        break;
    case FAULT_PAUSE:
        sim_node_pause(node, length_ms);
        break;
    case FAULT_PARTITION:
        sim_node_cut(node, length_ms);
        break;
    case FAULT_DRAIN:
        sim_node_drain(node, length_ms / 4);
        break;
    case FAULT_STORE_DOWN:
        TRACE(world, "disk: down for %lld ms", (long long)length_ms);
        world->disk_down_until_ms = world->now_ms + length_ms;
        break;
    case FAULT_STORE_SLOW:
        world->disk_slow_until_ms = world->now_ms + length_ms;
        break;
    case FAULT_CLOCK_JUMP:
        jump(nemesis, node);
        break;
    case FAULT_CLOCK_SKEW:
        sim_clock_set_drift(&node->clock, world->now_ms,
                            rng_between(&nemesis->rng, -SIM_CLOCK_DRIFT_PPM_MAX, SIM_CLOCK_DRIFT_PPM_MAX));
        break;
    case FAULT_WORKER_DIE:
        sim_worker_die(worker, length_ms);
        break;
    case FAULT_WORKER_SLEEP:
        sim_worker_sleep(worker, length_ms);
        break;
    default:
        break;
    }
}

static void act(struct sim_timer *timer)
{
    static const enum fault faults[] = {FAULT_CRASH,      FAULT_PAUSE,       FAULT_PARTITION,  FAULT_DRAIN,
                                        FAULT_STORE_DOWN, FAULT_STORE_SLOW,  FAULT_CLOCK_JUMP, FAULT_CLOCK_SKEW,
                                        FAULT_WORKER_DIE, FAULT_WORKER_SLEEP};
    struct sim_nemesis *nemesis = CONTAINER_OF(timer, struct sim_nemesis, timer);
    struct world *world = nemesis->world;
    enum fault fault = faults[rng_below(&nemesis->rng, sizeof faults / sizeof faults[0])];

    if (world_faulty(world, fault)) {
        strike(nemesis, fault);
    }
    if (!world_over(world)) {
        /* Four draws in ten mean nothing where few faults are on, so this is drawn more often than the swarm says. */
        world_arm(world, timer, world->now_ms + rng_between(&nemesis->rng, 1, world->swarm.fault_every_ms));
    }
}
