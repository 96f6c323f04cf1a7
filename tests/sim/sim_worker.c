#include "sim_worker.h"

#include <stdio.h>

#include "base/mem.h"
#include "sim_names.h"
#include "sim_node.h"

/* How much longer than it asked to wait a worker waits for an answer. */
#define PATIENCE_MS 5000
/* After an answer that was none it waits a little. */
#define AGAIN_MS 500
/* Works in a hundred whose cancellation a deaf worker does not hear. */
#define DEAF_PERCENT 60
/* Times at which several things end are taken together now and then. */
#define TOGETHER_MS 5

static void act(struct sim_timer *timer);
static void lose_patience(struct sim_timer *timer);
static void plan(struct sim_worker *worker, int64_t not_before_ms);

/* A third takes whatever there is, and so do all where jobs have no targets. */
static unsigned draw_targets(struct world *world)
{
    if (!swarm_has(&world->swarm, FEATURE_TARGETS) || rng_chance(&world->target_rng, 1, 3)) {
        return 0;
    }
    return 1 + (unsigned)rng_below(&world->target_rng, (1U << READY_TARGETS) - 1);
}

static void be_born(struct sim_worker *worker)
{
    struct world *world = worker->world;
    unsigned all = (1U << world->swarm.pools) - 1;

    worker->life++;
    (void)snprintf(worker->id, sizeof worker->id, "w%u-%u", worker->index, worker->life);
    worker->is_dead = false;
    worker->seq = rng_between(&worker->rng, 0, 3);
    worker->has_seq = !world_faulty(world, FAULT_WORKER_SEQ) || rng_chance(&worker->rng, 1, 2);
    worker->pools = world_faulty(world, FAULT_NO_WORKER) ? 1 + (unsigned)rng_below(&worker->rng, all) : all;
    worker->targets = draw_targets(world);
    worker->work_count = 0;
    worker->seen_count = 0;
    worker->told_count = 0;
    worker->sent_ms = world->now_ms;
}

void sim_worker_init(struct sim_worker *worker, struct world *world, unsigned index)
{
    char stream[32];

    *worker = (struct sim_worker){.world = world, .index = index};
    (void)snprintf(stream, sizeof stream, "worker.%u", index);
    swarm_rng(world->swarm.seed, stream, &worker->rng);
    worker->works = mem_alloc_array(WORKS_MAX, sizeof *worker->works);
    worker->timer.fire = act;
    worker->patience.fire = lose_patience;
    be_born(worker);
    world_arm(world, &worker->timer, world->now_ms + rng_between(&worker->rng, 0, 1000));
}

void sim_worker_done(struct sim_worker *worker)
{
    mem_free(worker->works);
}

/* ---- answers ---- */

static void hear_cancel(struct sim_worker *worker, const struct reply *reply)
{
    struct world *world = worker->world;

    for (size_t i = 0; i < reply->cancel_count; i++) {
        struct work *work = work_find(worker, reply->cancel[i]);

        MARK(world, TOLD_TO_CANCEL);
        if (work != NULL && !(world_faulty(world, FAULT_WORKER_DEAF) && rng_chance(&worker->rng, DEAF_PERCENT, 100))) {
            work_forget(worker, (unsigned)(work - worker->works));
        }
    }
}

static void hear_refused(struct sim_worker *worker, const struct reply *reply)
{
    for (size_t i = 0; i < reply->refused_count; i++) {
        switch (reply->refused[i].reason) {
        case REFUSED_STALE:
            MARK(worker->world, REFUSED_AS_STALE);
            break;
        case REFUSED_UNKNOWN:
            MARK(worker->world, REFUSED_AS_UNKNOWN);
            break;
        case REFUSED_CONFLICT:
            MARK(worker->world, REFUSED_AS_CONFLICT);
            break;
        }
    }
}

static void hear_grants(struct sim_worker *worker, const struct reply *reply)
{
    struct world *world = worker->world;

    for (size_t i = 0; i < reply->grant_count; i++) {
        const struct grant *grant = &reply->grants[i];

        MARK(world, GRANTED);
        world->grants++;
        if (grant->number > 1) {
            MARK(world, SECOND_ATTEMPT);
        }
        if (worker->targets != 0) {
            MARK(world, GRANT_TO_CHOOSY);
        }
        if (grant->kind == TRIGGER_REPLAY) {
            MARK(world, GRANT_OF_REPLAY);
        } else if (grant->kind == TRIGGER_DEPENDENCY) {
            MARK(world, GRANT_OF_DEPENDENCY);
        } else if (grant->kind == TRIGGER_BACKFILL) {
            MARK(world, GRANT_OF_BACKFILL);
        }
        work_begin(worker, grant);
    }
}

static void forget_sent(struct sim_worker *worker)
{
    for (unsigned i = worker->work_count; i > 0; i--) {
        if (worker->works[i - 1].is_sent) {
            work_forget(worker, i - 1);
        }
    }
}

static void keep_sent(struct sim_worker *worker)
{
    for (unsigned i = 0; i < worker->work_count; i++) {
        worker->works[i].is_sent = false; /* rule 2 */
    }
}

static void answered(void *sender, struct sim_request *request, enum sim_answer answer, const struct reply *reply)
{
    struct sim_worker *worker = sender;
    struct world *world = worker->world;

    (void)request;
    worker->request = NULL;
    world_disarm(world, &worker->patience);
    if (answer != ANSWER_REPLY || reply->kind == REPLY_ERROR) {
        if (answer == ANSWER_REPLY && reply->error.code == ERR_WORKER_ID_SHARED) {
            MARK(world, SEQ_REFUSED);
            worker->seq += 10;
        }
        keep_sent(worker);
        plan(worker, world->now_ms + rng_between(&worker->rng, 1, AGAIN_MS));
        return;
    }
    forget_sent(worker);
    hear_refused(worker, reply);
    hear_cancel(worker, reply);
    hear_grants(worker, reply);
    if (reply->is_draining) {
        MARK(world, WORKER_DRAINED);
    }
    plan(worker, reply->is_draining ? world->now_ms + AGAIN_MS : world->now_ms);
}

static void lose_patience(struct sim_timer *timer)
{
    struct sim_worker *worker = CONTAINER_OF(timer, struct sim_worker, patience);
    struct sim_request *request = worker->request;

    worker->request = NULL;
    keep_sent(worker);
    sim_request_let_go(request);
    plan(worker, worker->world->now_ms);
}

/* ---- doing ---- */

static struct sim_node *pick_node(struct sim_worker *worker)
{
    struct world *world = worker->world;

    if (world->holder != NULL && !rng_chance(&worker->rng, 1, 6)) {
        return world->holder;
    }
    return &world->nodes[rng_below(&worker->rng, world->swarm.nodes)];
}

static void send(struct sim_worker *worker)
{
    struct world *world = worker->world;
    struct sim_message *message;

    if (worker->request != NULL) { /* something new is to be said: the older exchange need not wait any longer */
        struct sim_request *old = worker->request;

        worker->request = NULL;
        keep_sent(worker);
        if (rng_chance(&worker->rng, 1, 2)) {
            sim_request_let_go(old);
        } else {
            old->sender = NULL; /* it is still open, but nobody reads it */
        }
        if (world_over(world)) {
            return;
        }
    }
    message = work_message(worker);
    worker->sent_ms = world->now_ms;
    world_arm(world, &worker->patience, world->now_ms + message->exchange.wait_ms + PATIENCE_MS);
    worker->request = sim_request_send(world, message, pick_node(worker), worker, answered);
    sim_message_drop(message);
}

/* When to act next: at once if there is room for work and no exchange is out. */
static void plan(struct sim_worker *worker, int64_t not_before_ms)
{
    struct world *world = worker->world;
    int64_t next_ms = work_next_ms(worker);

    if (worker->request == NULL && worker->work_count < world->swarm.capacity) {
        next_ms = world->now_ms;
    }
    if (next_ms != INT64_MAX && rng_chance(&worker->rng, 1, 4)) {
        next_ms += rng_between(&worker->rng, 0, TOGETHER_MS);
    }
    next_ms = next_ms > not_before_ms ? next_ms : not_before_ms;
    next_ms = next_ms > worker->asleep_until_ms ? next_ms : worker->asleep_until_ms;
    world_arm(world, &worker->timer, next_ms);
}

static void act(struct sim_timer *timer)
{
    struct sim_worker *worker = CONTAINER_OF(timer, struct sim_worker, timer);
    struct world *world = worker->world;

    if (worker->is_dead) {
        be_born(worker);
    }
    work_advance(worker);
    send(worker);
    if (!world_over(world)) {
        plan(worker, world->now_ms + 1);
    }
}

/* ---- what the world does to it ---- */

static void abandon(struct sim_worker *worker)
{
    struct sim_request *request = worker->request;

    worker->request = NULL;
    world_disarm(worker->world, &worker->patience);
    keep_sent(worker);
    if (request != NULL) {
        sim_request_let_go(request);
    }
}

void sim_worker_die(struct sim_worker *worker, int64_t for_ms)
{
    struct world *world = worker->world;

    if (worker->is_dead) {
        return;
    }
    if (worker->work_count > 0) {
        MARK(world, WORKER_DIED);
    }
    TRACE(world, "worker %s: dies with %u attempts", worker->id, worker->work_count);
    worker->is_dead = true;
    worker->work_count = 0;
    world_arm(world, &worker->timer, world->now_ms + for_ms);
    abandon(worker);
}

void sim_worker_sleep(struct sim_worker *worker, int64_t for_ms)
{
    struct world *world = worker->world;

    if (worker->is_dead) {
        return;
    }
    for (unsigned i = 0; i < worker->work_count; i++) {
        if (worker->works[i].lease_ms < for_ms) {
            MARK(world, WORKER_SLEPT);
            break;
        }
    }
    TRACE(world, "worker %s: sleeps for %lld ms", worker->id, (long long)for_ms);
    worker->asleep_until_ms = world->now_ms + for_ms;
    world_arm(world, &worker->timer, worker->asleep_until_ms);
    abandon(worker);
}

void sim_worker_heal(struct sim_worker *worker)
{
    struct world *world = worker->world;

    worker->asleep_until_ms = world->now_ms;
    for (unsigned i = 0; i < worker->work_count; i++) { /* rule 3 */
        struct work *work = &worker->works[i];

        work->ends_ms = work->ends_ms < world->now_ms + 1000 ? work->ends_ms : world->now_ms + 1000;
        work->end = work->end == END_NEVER ? END_SUCCESS : work->end;
    }
    if (worker->is_dead) {
        be_born(worker);
    }
    worker->pools = (1U << world->swarm.pools) - 1;
    worker->targets = worker->index == 0 ? 0 : worker->targets; /* rule 3 */
    world_arm(world, &worker->timer, world->now_ms + 1);
}
