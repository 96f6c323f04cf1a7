/* The life of a node: standing by, taking over, losing, crashing. */
#include "sim_node.h"

#include <assert.h>
#include <stdio.h>

#include "base/mem.h"
#include "engine/bug.h"
#include "show.h"

/* Whoever lost its store tries again about this often. */
#define PROBE_EVERY_MS 1000
#define COMMIT_TRIES_MAX 3
/* An answer may be kept from a request that arrives where nobody serves: so many wait there at most. */
#define WAITING_MAX 64
#define WAITING_MS_MAX 10000

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

/* ---- requests ---- */

/* Nobody could be found to serve it. */
static void give_up(struct sim_timer *timer)
{
    struct sim_request *request = CONTAINER_OF(timer, struct sim_request, timer);

    list_remove(&request->link);
    sim_request_answer(request, ANSWER_NOT_APPLIED, NULL, NULL);
}

/* Until there is an engine, but not for ever: another node may have one. */
static void keep_waiting(struct sim_node *node, struct sim_request *request)
{
    struct world *world = node->world;

    list_push_back(&node->waiting, &request->link);
    request->timer.fire = give_up;
    world_arm(world, &request->timer, world->now_ms + rng_between(&node->rng, 1, WAITING_MS_MAX));
}

void sim_node_take(struct sim_node *node, struct sim_request *request)
{
    struct world *world = node->world;

    if (sim_node_paused(node)) { /* the kernel has it, nobody reads it */
        request->stage = STAGE_GOING;
        world_arm(world, &request->timer, sim_node_resumes_ms(node));
        return;
    }
    if (sim_node_serves(node)) {
        if (world->acquirer != node && node->was_paused) {
            MARK(world, ZOMBIE);
        }
        pump_request(node, request);
        return;
    }
    if (node->state == NODE_TAKING || (node->state == NODE_STANDBY && rng_chance(&node->rng, 1, 4))) {
        keep_waiting(node, request);
        return;
    }
    sim_request_answer(request, ANSWER_NOT_APPLIED, NULL, NULL);
}

void sim_node_gone(struct sim_node *node, struct sim_request *request)
{
    if (list_linked(&request->link)) { /* no engine has it */
        list_remove(&request->link);
        sim_request_free(request);
        return;
    }
    if (request->message->is_exchange && sim_node_serves(node) && !sim_node_paused(node) &&
        rng_chance(&node->rng, 1, 2)) {
        MARK(node->world, GONE_NOTICED);
        pump_step(node, (struct event){.kind = EVENT_GONE, .token = sim_request_token(request)});
    }
}

static bool is_in_box(const struct sim_node *node, uint64_t token)
{
    if (node->box != NULL) {
        for (const struct reply *reply = node->box->outbox->first; reply != NULL; reply = reply->next) {
            if (reply->token == token) {
                return true;
            }
        }
    }
    return false;
}

static bool is_bare_poll(const struct sim_request *request)
{
    return request->message->is_exchange && request->exchange.report_count == 0;
}

/* The engine is gone: who waited for it? Those that a lookup may still answer stay. */
static void settle_requests(struct sim_node *node)
{
    struct map_node *next;

    for (struct map_node *at = map_first(&node->requests); at != NULL; at = next) {
        struct sim_request *request = CONTAINER_OF(at, struct sim_request, by_token);

        next = map_next(&node->requests, at);
        if (is_in_box(node, sim_request_token(request))) {
            continue;
        }
        map_remove(&node->requests, at);
        if (request->sender != NULL && is_bare_poll(request)) { /* rule 3 */
            keep_waiting(node, request);
        } else {
            sim_request_answer(request, ANSWER_UNKNOWN, NULL, NULL);
        }
    }
}

/* Everybody in the batch that was being committed hears the same. */
static void answer_box(struct sim_node *node, enum sim_answer answer)
{
    struct map_node *next;

    for (struct map_node *at = map_first(&node->requests); at != NULL; at = next) {
        struct sim_request *request = CONTAINER_OF(at, struct sim_request, by_token);

        next = map_next(&node->requests, at);
        map_remove(&node->requests, at);
        sim_request_answer(request, answer, NULL, NULL);
    }
    sim_outbox_drop(node->box);
    node->box = NULL;
    node->lost_batch = 0;
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
    settle_requests(node);
    if (node->lost_batch == 0) {
        answer_box(node, ANSWER_UNKNOWN);
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
    settle_requests(node);
    answer_box(node, ANSWER_UNKNOWN);
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
    drop_engine(node);
    cut_all(node);
    if (rng_chance(&node->rng, 2, 3)) { /* else its host vanished with it, and the lease must run out */
        let_lease_go(node);
    }
    node->state = NODE_DEAD;
    node->paused_until_ms = 0;
    world_arm(world, &node->life_timer, world->now_ms + down_ms);
}

void sim_node_pause(struct sim_node *node, int64_t for_ms)
{
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

/* Whether the batch whose commit ended in "unknown" is there: asked under a newer epoch, so that it cannot come later.
 */
static void look_up(struct sim_node *node, const struct rows *rows)
{
    uint64_t number = node->lost_batch;

    if (number == 0) {
        return;
    }
    MARK(node->world, COMMIT_RESOLVED);
    if (node->store->epoch != node->lost_epoch + 1) { /* somebody else was owner meanwhile: that number may be its */
        answer_box(node, ANSWER_UNKNOWN);
    } else if (rows->shard.last_batch >= number) {
        pump_release(node, node->box);
        answer_box(node, ANSWER_UNKNOWN);
    } else {
        answer_box(node, ANSWER_NOT_APPLIED);
    }
}

static void hand_waiting(struct sim_node *node)
{
    struct list_node *link;

    for (int i = 0; i < WAITING_MAX && sim_node_serves(node) && !world_over(node->world); i++) {
        struct sim_request *request;

        if ((link = list_pop_front(&node->waiting)) == NULL) {
            return;
        }
        request = CONTAINER_OF(link, struct sim_request, link);
        if (is_bare_poll(request)) { /* a new engine, a new question */
            MARK(node->world, POLL_KEPT);
            request->exchange.token = world_token(node->world);
            request->command.token = request->exchange.token;
        }
        pump_request(node, request);
    }
}

static void serve(struct sim_node *node, const struct rows *rows)
{
    struct world *world = node->world;
    const struct swarm *swarm = &world->swarm;
    struct error error = {0};
    struct engine_config config = {
        .seed = swarm->seed,
        .zones = world->zones,
        .window_ms = swarm->window_ms,
        .page_rows = swarm->page_rows,
        .jobs_max = swarm->engine_jobs_max,
        .def_bytes_max = swarm->def_bytes_max,
    };

    if (engine_new(&config, rows, sim_node_now(node), &node->engine, &error) != ERR_OK) {
        node->engine = NULL;
        world_find(world, "restore", "node %u: %s", node->index, error.text);
        return;
    }
    if (!engine_check(node->engine, &error)) {
        world_find(world, "engine_check", "node %u right after a restore: %s", node->index, error.text);
        return;
    }
    TRACE(world, "node %u: serves from batch %llu on, epoch %llu", node->index,
          (unsigned long long)rows->shard.last_batch, (unsigned long long)node->store->epoch);
    node->state = NODE_SERVING;
    node->durable = rows->shard.last_batch;
    look_up(node, rows);
    pump_step(node, (struct event){.kind = EVENT_TICK});
    hand_waiting(node);
}

/* ---- outcomes ---- */

static void told_commit(struct sim_node *node, enum store_outcome outcome)
{
    struct world *world = node->world;

    if (outcome == STORE_UNKNOWN && BUG(UNKNOWN_AS_DONE)) {
        outcome = STORE_DONE;
    }
    if (outcome == STORE_UNKNOWN && BUG(UNKNOWN_AS_LOST)) {
        outcome = STORE_AGAIN;
    }
    if (outcome == STORE_AGAIN && node->tries++ < COMMIT_TRIES_MAX) {
        MARK(world, COMMIT_AGAIN);
        sim_store_commit(node->store, node->box);
        return;
    }
    if (outcome == STORE_DONE) {
        pump_committed(node);
        return;
    }
    if (outcome == STORE_DOWN) {
        MARK(world, COMMIT_DOWN);
    }
    if (outcome == STORE_UNKNOWN && world->swarm.is_resolving) {
        node->lost_batch = node->box->outbox->batch.number;
        node->lost_epoch = node->store->epoch;
    }
    sim_node_lose(node, store_outcome_text(outcome));
}

static void told_load(struct sim_node *node, struct sim_store *store, enum store_outcome outcome)
{
    if (outcome == STORE_AGAIN) {
        sim_store_load(store, store->load);
        return;
    }
    if (outcome != STORE_DONE) {
        MARK(node->world, LOAD_FAILED);
        sim_node_lose(node, store_outcome_text(outcome));
    } else if (node->state == NODE_TAKING) {
        serve(node, &store->rows);
    } else {
        pump_loaded(node, &store->rows);
    }
}

void sim_node_told(struct sim_node *node, struct sim_store *store, enum sim_call call, enum store_outcome outcome)
{
    static const struct load start = {.kind = LOAD_START, .after_ms = TIME_NONE};

    assert(store == node->store);
    if (call == CALL_COMMIT) {
        told_commit(node, outcome);
    } else if (call == CALL_LOAD) {
        told_load(node, store, outcome);
    } else if (outcome == STORE_DONE) {
        sim_store_load(store, &start);
    } else {
        sim_node_lose(node, store_outcome_text(outcome));
    }
}
