#include "world.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "nemesis.h"
#include "sim_client.h"
#include "sim_node.h"
#include "sim_worker.h"
#include "store/memory/memory_store.h"
#include "world_end.h"

/* How many milliseconds the end waits for a moment at which nothing is being committed. */
#define END_WAITS_MAX 10000
/* A backlog that shrinks gets so many beats, so often. */
#define END_TURN_BEATS 60
#define END_TURNS_MAX 20

/* ---- time ---- */

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
    const struct sim_timer *one = CONTAINER_OF_CONST(a, struct sim_timer, node);
    const struct sim_timer *other = CONTAINER_OF_CONST(b, struct sim_timer, node);

    return one->at_ms != other->at_ms ? one->at_ms < other->at_ms : one->tie < other->tie;
}

void world_arm(struct world *world, struct sim_timer *timer, int64_t at_ms)
{
    world_disarm(world, timer);
    if (at_ms == INT64_MAX) {
        return;
    }
    timer->at_ms = at_ms > world->now_ms ? at_ms : world->now_ms;
    timer->tie = rng_next(&world->tie_rng);
    heap_push(&world->timers, &timer->node);
}

void world_disarm(struct world *world, struct sim_timer *timer)
{
    if (heap_linked(&timer->node)) {
        heap_remove(&world->timers, &timer->node);
    }
}

/* ---- findings ---- */

void world_find(struct world *world, const char *rule, const char *format, ...)
{
    va_list args;

    if (world_over(world)) {
        return; /* rule 2 */
    }
    (void)snprintf(world->finding.rule, sizeof world->finding.rule, "%s", rule);
    va_start(args, format);
    (void)vsnprintf(world->finding.text, sizeof world->finding.text, format, args);
    va_end(args);
}

void world_ask_checker(struct world *world)
{
    const char *failed = checker_failed(world->checker);

    if (failed != NULL) {
        world_find(world, checker_rule_text(checker_failed_rule(world->checker)), "%s", failed);
    }
}

uint64_t world_token(struct world *world)
{
    return ++world->last_token;
}

/* ---- phases ---- */

static void heal(struct sim_timer *timer)
{
    struct world *world = CONTAINER_OF(timer, struct world, heal_timer);

    TRACE(world, "world: is healed");
    MARK(world, HEALED);
    world->phase = PHASE_HEALED;
    nemesis_heal(world->nemesis);
    for (unsigned i = 0; i < world->swarm.nodes; i++) {
        sim_node_heal(&world->nodes[i]);
    }
    for (unsigned i = 0; i < world->worker_count && !world_over(world); i++) {
        sim_worker_heal(&world->workers[i]);
    }
    for (unsigned i = 0; i < world->swarm.clients && !world_over(world); i++) {
        sim_client_heal(&world->clients[i]);
    }
    world_arm(world, &world->end_timer, world->now_ms + world_heal_ms(world));
}

static void end(struct sim_timer *timer)
{
    struct world *world = CONTAINER_OF(timer, struct world, end_timer);

    if (world->end_turns < END_TURNS_MAX && world_advances(world)) {
        world->end_turns++;
        world_arm(world, timer, world->now_ms + END_TURN_BEATS * world->swarm.beat_ms);
        return;
    }
    if (!world_still(world) && world->end_waits++ < END_WAITS_MAX) {
        world_arm(world, timer, world->now_ms + 1);
        return;
    }
    world_end(world);
    world_disarm(world, &world->now_timer);
    world->is_ended = true;
}

static void look(struct sim_timer *timer)
{
    struct world *world = CONTAINER_OF(timer, struct world, now_timer);
    int64_t slack_ms;
    bool is_well = world_well(world, &slack_ms);

    checker_now(world->checker, world->now_ms, is_well, slack_ms);
    world_ask_checker(world);
    if (!world_healed(world) && world->engine_events > world->swarm.events_max) {
        world_arm(world, &world->heal_timer, world->now_ms);
    }
    world_arm(world, timer, world->now_ms + world->swarm.beat_ms);
}

/* ---- life ---- */

static int64_t skew_max_ms(const struct swarm *swarm)
{
    int64_t skew_ms = 0;

    if (swarm_faulty(swarm, FAULT_CLOCK_SKEW)) {
        skew_ms += swarm->skew_ms + swarm->length_ms * 2 * SIM_CLOCK_DRIFT_PPM_MAX / 1000000;
    }
    if (swarm_faulty(swarm, FAULT_CLOCK_JUMP)) {
        skew_ms += swarm->jump_ms;
    }
    return skew_ms;
}

static void begin(struct world *world)
{
    const struct swarm *swarm = &world->swarm;
    struct checker_config config = {.zones = world->zones, .seed = swarm->seed, .skew_ms = skew_max_ms(swarm)};

    world->now_ms = swarm->start_ms;
    heap_init(&world->timers, is_before);
    list_init(&world->requests);
    list_init(&world->stores);
    swarm_rng(swarm->seed, "tie", &world->tie_rng);
    swarm_rng(swarm->seed, "net", &world->net_rng);
    swarm_rng(swarm->seed, "disk", &world->disk_rng);
    swarm_rng(swarm->seed, "targets", &world->target_rng);
    world->disk = memory_disk_new();
    world->checker = checker_new(&config);
    world->nodes = mem_alloc_array(swarm->nodes, sizeof *world->nodes);
    for (unsigned i = 0; i < swarm->nodes; i++) {
        sim_node_init(&world->nodes[i], world, i);
    }
    world->worker_count = swarm->workers;
    world->workers = mem_alloc_array(swarm->workers, sizeof *world->workers);
    for (unsigned i = 0; i < swarm->workers; i++) {
        sim_worker_init(&world->workers[i], world, i);
    }
    world->clients = mem_alloc_array(swarm->clients, sizeof *world->clients);
    for (unsigned i = 0; i < swarm->clients; i++) {
        sim_client_init(&world->clients[i], world, i);
    }
    world->nemesis = mem_alloc(sizeof *world->nemesis);
    nemesis_init(world->nemesis, world);
    world->heal_timer.fire = heal;
    world->end_timer.fire = end;
    world->now_timer.fire = look;
    world_arm(world, &world->heal_timer, world->now_ms + swarm->length_ms);
    world_arm(world, &world->now_timer, world->now_ms);
}

static void done(struct world *world)
{
    struct list_node *link;

    while ((link = list_first(&world->requests)) != NULL) {
        sim_request_free(CONTAINER_OF(link, struct sim_request, all));
    }
    for (unsigned i = 0; i < world->swarm.nodes; i++) {
        sim_node_done(&world->nodes[i]);
    }
    while ((link = list_first(&world->stores)) != NULL) {
        sim_store_free(CONTAINER_OF(link, struct sim_store, all));
    }
    for (unsigned i = 0; i < world->worker_count; i++) {
        sim_worker_done(&world->workers[i]);
    }
    for (unsigned i = 0; i < world->swarm.clients; i++) {
        sim_client_done(&world->clients[i]);
    }
    mem_free(world->nodes);
    mem_free(world->workers);
    mem_free(world->clients);
    mem_free(world->nemesis);
    checker_free(world->checker);
    memory_disk_free(world->disk);
    heap_done(&world->timers);
}

bool world_run(const struct swarm *swarm, struct zone_cache *zones, struct marks *marks, struct trace *trace,
               struct finding *ret_finding, uint64_t *ret_digest, struct world_figures *ret_figures)
{
    struct world *world = mem_zalloc(sizeof *world);
    bool is_good;

    *world = (struct world){.swarm = *swarm, .zones = zones, .marks = marks, .trace = trace};
    begin(world);
    while (!world_over(world) && !world->is_ended) {
        struct sim_timer *timer = CONTAINER_OF(heap_pop(&world->timers), struct sim_timer, node);

        world->now_ms = timer->at_ms;
        timer->fire(timer);
    }
    digest_number(&world->digest, memory_disk_digest(world->disk));
    digest_signed(&world->digest, world->now_ms);
    *ret_finding = world->finding;
    *ret_digest = world->digest.value;
    *ret_figures = (struct world_figures){
        .engine_events = world->engine_events,
        .simulated_ms = world->now_ms - swarm->start_ms,
        .attempts = world->grants,
    };
    is_good = !world_over(world);
    done(world);
    mem_free(world);
    return is_good;
}
