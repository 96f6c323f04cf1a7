/* What a worker holds, and what it says about it. */
#include "sim_worker.h"

#include <stdio.h>

#include "sim_names.h"

/* One in so many, while the fault is on. */
#define HANG_ONE_IN 12
#define DROP_ONE_IN 15
#define POISON_ONE_IN 31
#define RELEASE_ONE_IN 8
#define TWICE_ONE_IN 4
#define LIE_ONE_IN 6
#define SAME_SEQ_ONE_IN 5
/* Failures in a hundred: usually; of a type in a bad hour; and of them those for good. */
#define FAIL_PERCENT 8
#define BAD_PERCENT 85
#define FOR_GOOD_PERCENT 10
/* Beats that a bad hour lasts. */
#define BAD_HOUR_BEATS 150

static bool is_bad_hour(const struct world *world, struct str type)
{
    int64_t hour = world->now_ms / (BAD_HOUR_BEATS * world->swarm.beat_ms);
    uint64_t letter = type.len > 0 ? (uint64_t)(unsigned char)type.ptr[type.len - 1] : 0;

    return world_faulty(world, FAULT_WORKER_FAIL) && ((uint64_t)hour * 31 + letter * 17 + world->swarm.seed) % 3 == 0;
}

static enum work_end draw_end(struct sim_worker *worker, const struct grant *grant)
{
    struct world *world = worker->world;
    struct rng *rng = &worker->rng;

    if (world_healed(world)) {
        return END_SUCCESS;
    }
    if (world_faulty(world, FAULT_WORKER_HANG) && rng_chance(rng, 1, HANG_ONE_IN)) {
        MARK(world, WORKER_HUNG);
        return END_NEVER;
    }
    if (world_faulty(world, FAULT_WORKER_RELEASE) && rng_chance(rng, 1, RELEASE_ONE_IN)) {
        MARK(world, WORKER_RELEASED);
        return END_RELEASE;
    }
    if (rng_chance(rng, is_bad_hour(world, grant->place.type) ? BAD_PERCENT : FAIL_PERCENT, 100)) {
        return rng_chance(rng, FOR_GOOD_PERCENT, 100) ? END_FAILURE_FOR_GOOD : END_FAILURE;
    }
    return END_SUCCESS;
}

static int64_t draw_length(struct sim_worker *worker)
{
    struct world *world = worker->world;

    if (world_healed(world) || rng_chance(&worker->rng, 1, 3)) {
        return rng_between(&worker->rng, 0, 10);
    }
    if (world_faulty(world, FAULT_WORKER_SLOW) && rng_chance(&worker->rng, 1, 3)) {
        return swarm_beats(&world->swarm, &worker->rng, 2, 60);
    }
    return swarm_beats(&world->swarm, &worker->rng, 0, 4);
}

struct work *work_find(struct sim_worker *worker, struct attempt_ref ref)
{
    for (unsigned i = 0; i < worker->work_count; i++) {
        if (worker->works[i].ref.trigger == ref.trigger && worker->works[i].ref.number == ref.number) {
            return &worker->works[i];
        }
    }
    return NULL;
}

static bool has_seen(const struct sim_worker *worker, struct attempt_ref ref)
{
    unsigned kept = worker->seen_count < WORKER_SEEN_MAX ? worker->seen_count : WORKER_SEEN_MAX;

    for (unsigned i = 0; i < kept; i++) {
        if (worker->seen[i].trigger == ref.trigger && worker->seen[i].number == ref.number) {
            return true;
        }
    }
    return false;
}

void work_begin(struct sim_worker *worker, const struct grant *grant)
{
    struct world *world = worker->world;
    struct attempt_ref ref = {.trigger = grant->trigger, .number = grant->number};

    if (has_seen(worker, ref)) { /* rule 1 */
        MARK(world, GRANTED_AGAIN);
        return;
    }
    worker->seen[worker->seen_count++ % WORKER_SEEN_MAX] = ref;
    if (worker->work_count == WORKS_MAX) { /* more than it asked for: it drops them */
        return;
    }
    /* Some triggers are poison: whoever takes them drops them. */
    if (world_faulty(world, FAULT_WORKER_DROP) &&
        (rng_chance(&worker->rng, 1, DROP_ONE_IN) || (grant->trigger ^ world->swarm.seed) % POISON_ONE_IN == 0)) {
        MARK(world, WORKER_DROPPED);
        return;
    }
    struct work *work = &worker->works[worker->work_count++];

    *work = (struct work){.ref = ref, .lease_ms = grant->lease_ms, .end = draw_end(worker, grant)};
    work->ends_ms = work->end == END_NEVER ? INT64_MAX : world->now_ms + draw_length(worker);
}

void work_forget(struct sim_worker *worker, unsigned index)
{
    worker->works[index] = worker->works[--worker->work_count];
}

void work_advance(struct sim_worker *worker)
{
    for (unsigned i = 0; i < worker->work_count; i++) {
        if (worker->works[i].ends_ms <= worker->world->now_ms) {
            worker->works[i].is_ended = true;
        }
    }
}

int64_t work_next_ms(const struct sim_worker *worker)
{
    int64_t next_ms = INT64_MAX;

    for (unsigned i = 0; i < worker->work_count; i++) {
        const struct work *work = &worker->works[i];
        int64_t renew_ms = worker->sent_ms + work->lease_ms / 3;

        next_ms = renew_ms < next_ms ? renew_ms : next_ms;
        if (!work->is_ended) {
            next_ms = work->ends_ms < next_ms ? work->ends_ms : next_ms;
        } else if (!work->is_sent) {
            next_ms = worker->world->now_ms;
        }
    }
    return next_ms;
}

/* ---- the exchange ---- */

static struct report report_of(struct sim_worker *worker, const struct work *work)
{
    struct report report = {.trigger = work->ref.trigger, .number = work->ref.number};

    switch (work->end) {
    case END_SUCCESS:
    case END_NEVER:
        report.state = ATTEMPT_SUCCEEDED;
        report.result = STR("{\"ok\":true}");
        break;
    case END_RELEASE:
        report.state = ATTEMPT_RELEASED;
        break;
    case END_FAILURE:
        report.state = ATTEMPT_FAILED;
        report.error_code = STR("boom");
        report.error_message = STR("it went wrong");
        if ((work->ref.trigger ^ work->ref.number) % 8 == 0) { /* the same each time it is sent */
            report.retry_after_ms = 3 * worker->world->swarm.beat_ms + 1;
        }
        break;
    case END_FAILURE_FOR_GOOD:
        report.state = ATTEMPT_FAILED;
        report.error_code = STR("hopeless");
        report.is_permanent = true;
        break;
    }
    return report;
}

static struct report draw_lie(struct sim_worker *worker)
{
    struct world *world = worker->world;
    struct rng *rng = &worker->rng;
    unsigned kept = worker->told_count < WORKER_TOLD_MAX ? worker->told_count : WORKER_TOLD_MAX;
    struct report lie;

    if (kept == 0 || rng_chance(rng, 1, 4)) {
        MARK(world, REPORT_INVENTED);
        return (struct report){.trigger = rng_next(rng) >> 1 | 1, .number = 1, .state = ATTEMPT_SUCCEEDED};
    }
    lie = worker->told[rng_below(rng, kept)];
    if (rng_chance(rng, 1, 3)) {
        MARK(world, REPORT_INVENTED);
        lie.number += 1 + (uint32_t)rng_below(rng, 2);
    } else {
        MARK(world, REPORT_CONTRARY);
        lie.state = lie.state == ATTEMPT_SUCCEEDED ? ATTEMPT_FAILED : ATTEMPT_SUCCEEDED;
    }
    return lie;
}

/* Nobody reports one attempt twice in one exchange: what that would mean is nobody's business. */
static bool is_among(const struct report *reports, size_t count, const struct report *report)
{
    for (size_t i = 0; i < count; i++) {
        if (reports[i].trigger == report->trigger && reports[i].number == report->number) {
            return true;
        }
    }
    return false;
}

static size_t fill_reports(struct sim_worker *worker, struct report *reports)
{
    struct world *world = worker->world;
    size_t count = 0;

    for (unsigned i = 0; i < worker->work_count; i++) {
        struct work *work = &worker->works[i];

        if (work->is_ended) {
            work->is_sent = true;
            reports[count] = report_of(worker, work);
            worker->told[worker->told_count++ % WORKER_TOLD_MAX] = reports[count];
            count++;
        }
    }
    if (world_faulty(world, FAULT_WORKER_TWICE) && worker->told_count > 0 &&
        rng_chance(&worker->rng, 1, TWICE_ONE_IN)) {
        unsigned kept = worker->told_count < WORKER_TOLD_MAX ? worker->told_count : WORKER_TOLD_MAX;
        const struct report *again = &worker->told[rng_below(&worker->rng, kept)];

        if (!is_among(reports, count, again)) {
            MARK(world, REPORT_TWICE);
            reports[count++] = *again;
        }
    }
    if (world_faulty(world, FAULT_WORKER_LIE) && rng_chance(&worker->rng, 1, LIE_ONE_IN)) {
        struct report lie = draw_lie(worker);

        if (!is_among(reports, count, &lie)) {
            reports[count++] = lie;
        }
    }
    return count;
}

static size_t fill_holding(const struct sim_worker *worker, struct attempt_ref *holding)
{
    size_t count = 0;

    for (unsigned i = 0; i < worker->work_count; i++) {
        if (!worker->works[i].is_ended) {
            holding[count++] = worker->works[i].ref;
        }
    }
    return count;
}

static size_t fill_pools(const struct sim_worker *worker, struct str *pools)
{
    size_t count = 0;

    for (unsigned i = 0; i < worker->world->swarm.pools; i++) {
        if ((worker->pools >> i & 1) != 0) {
            pools[count++] = sim_pool_name(i);
        }
    }
    return count;
}

static int64_t next_seq(struct sim_worker *worker)
{
    if (!worker->has_seq) {
        return -1;
    }
    if (!world_faulty(worker->world, FAULT_WORKER_SEQ) || !rng_chance(&worker->rng, 1, SAME_SEQ_ONE_IN)) {
        worker->seq += rng_between(&worker->rng, 1, 3);
    }
    return worker->seq;
}

/* Long enough to be worth it, and not for ever. Who reports something mostly wants to know at once that it was taken.
 */
static int64_t draw_wait(struct sim_worker *worker, bool reports)
{
    int64_t wait_ms = swarm_beats(&worker->world->swarm, &worker->rng, 10, 100);

    return rng_chance(&worker->rng, reports ? 8 : 1, 10) ? 0 : wait_ms + 1000;
}

struct sim_message *work_message(struct sim_worker *worker)
{
    struct sim_message *message = sim_message_new(true);
    struct exchange *exchange = &message->exchange;
    struct attempt_ref *holding = arena_alloc_array(&message->arena, WORKS_MAX, sizeof *holding);
    struct report *reports = arena_alloc_array(&message->arena, WORKS_MAX + 2, sizeof *reports);
    struct str *pools = arena_alloc_array(&message->arena, POOLS_MAX, sizeof *pools);
    unsigned capacity = worker->world->swarm.capacity;

    exchange->worker = (struct str){arena_strdup(&message->arena, worker->id), 0};
    exchange->worker.len = strlen(worker->id);
    exchange->name = exchange->worker;
    exchange->holding_count = fill_holding(worker, holding);
    exchange->report_count = fill_reports(worker, reports);
    exchange->pool_count = fill_pools(worker, pools);
    exchange->holding = holding;
    exchange->reports = reports;
    exchange->pools = pools;
    exchange->targets = worker->targets;
    exchange->seq = next_seq(worker);
    exchange->capacity = capacity;
    exchange->want = exchange->holding_count < capacity ? capacity - (uint32_t)exchange->holding_count : 0;
    exchange->wait_ms = draw_wait(worker, exchange->report_count > 0);
    return message;
}
