#include <assert.h>

#include "engine/gather.h"
#include "engine/job.h"
#include "engine/lease.h"
#include "engine/recent.h"
#include "engine/request.h"
#include "engine/timers.h"
#include "engine/trigger.h"
#include "engine/worker.h"
#include "engine/worker_internal.h"

/* Attempts sent again in one answer; the others, which were not named either, are in the next ones. */
#define SENT_AGAIN_MAX 1000

/* ---- reports ---- */

enum verdict { VERDICT_ACCEPTED, VERDICT_STALE, VERDICT_UNKNOWN, VERDICT_CONFLICT };

static bool is_of(const struct lease *lease, const struct worker *worker, uint32_t number)
{
    return lease != NULL && lease->worker == worker && lease->number == number;
}

/* The newest attempt of the trigger has ended, and this is a report for it. */
static enum verdict report_ended(struct engine *engine, struct worker *worker, struct trigger *trigger,
                                 const struct report *report)
{
    if (!str_is(str_from(worker->id), trigger->last_worker)) {
        return VERDICT_STALE;
    }
    if (trigger->last_state == ATTEMPT_LOST && trigger->state == TRIGGER_PENDING) {
        if (report->state != ATTEMPT_RELEASED) { /* given back or lost: it waits for the next either way */
            lease_late_report(engine, trigger, report, worker);
        }
        return VERDICT_ACCEPTED;
    }
    if (trigger->last_state == report->state) {
        trigger->failures += BUG(REPORT_TWICE_COUNTS) ? 1 : 0;
        return VERDICT_ACCEPTED; /* the same again */
    }
    bool was_reported = trigger->last_state == ATTEMPT_FAILED || trigger->last_state == ATTEMPT_RELEASED;
    return was_reported ? VERDICT_CONFLICT : VERDICT_STALE;
}

static enum verdict report_living(struct engine *engine, struct worker *worker, struct trigger *trigger,
                                  const struct report *report)
{
    if (is_of(trigger->dropping, worker, report->number)) {
        lease_dropped(engine, trigger);
        return VERDICT_STALE; /* it had timed out */
    }
    if (is_of(trigger->lease, worker, report->number)) {
        lease_report(engine, trigger->lease, report);
        return VERDICT_ACCEPTED;
    }
    if (BUG(STALE_REPORT) && trigger->lease != NULL && report->number < trigger->lease->number) {
        lease_report(engine, trigger->lease, report);
        return VERDICT_ACCEPTED;
    }
    uint32_t newest = trigger->lease != NULL ? trigger->lease->number : trigger->attempts;

    if (report->number > newest || report->number == 0) {
        return VERDICT_UNKNOWN;
    }
    if (trigger->lease == NULL && report->number == trigger->attempts) {
        return report_ended(engine, worker, trigger, report);
    }
    return VERDICT_STALE;
}

/* The trigger has ended, and that is not durable yet. */
static enum verdict report_recent(const struct worker *worker, const struct recent_end *end,
                                  const struct report *report)
{
    if (report->number > end->attempts || report->number == 0) {
        return VERDICT_UNKNOWN;
    }
    if (report->number < end->attempts || !str_is(str_from(worker->id), end->last_worker)) {
        return VERDICT_STALE;
    }
    if (end->last_state == report->state) {
        return VERDICT_ACCEPTED;
    }
    bool was_reported = end->last_state == ATTEMPT_FAILED || end->last_state == ATTEMPT_SUCCEEDED;
    return was_reported ? VERDICT_CONFLICT : VERDICT_STALE;
}

/* The trigger is not in memory: what the store says of it. */
static enum verdict report_stored(const struct worker *worker, const struct rows *rows, const struct report *report)
{
    for (size_t i = 0; rows != NULL && i < rows->triggers.count; i++) {
        const struct trigger_row *row = &rows->triggers.items[i];

        if (row->id != report->trigger) {
            continue;
        }
        if (report->number > row->attempts || report->number == 0) {
            return VERDICT_UNKNOWN;
        }
        if (row->last.number != report->number || !str_is(row->last.worker, worker->id)) {
            return VERDICT_STALE;
        }
        if (row->last.state == report->state) {
            return VERDICT_ACCEPTED;
        }
        bool was_reported = row->last.state == ATTEMPT_FAILED || row->last.state == ATTEMPT_SUCCEEDED;
        return was_reported ? VERDICT_CONFLICT : VERDICT_STALE;
    }
    return VERDICT_UNKNOWN;
}

static void take_report(struct engine *engine, struct worker *worker, const struct report *report,
                        const struct rows *rows, struct answer *answer)
{
    struct trigger *trigger = trigger_by_id(engine, report->trigger);
    struct attempt_ref attempt = {.trigger = report->trigger, .number = report->number};
    const struct recent_end *end = recent_find_end(engine, report->trigger);
    enum verdict verdict;

    if (trigger != NULL) {
        verdict = report_living(engine, worker, trigger, report);
    } else {
        verdict = end != NULL ? report_recent(worker, end, report) : report_stored(worker, rows, report);
    }

    switch (verdict) {
    case VERDICT_ACCEPTED:
        break;
    case VERDICT_STALE:
        answer_refuse(answer, attempt, REFUSED_STALE);
        break;
    case VERDICT_UNKNOWN:
        answer_refuse(answer, attempt, REFUSED_UNKNOWN);
        break;
    case VERDICT_CONFLICT:
        answer_refuse(answer, attempt, REFUSED_CONFLICT);
        break;
    }
}

/* ---- what is held ---- */

static void take_holding(struct engine *engine, struct worker *worker, const struct attempt_ref *held,
                         struct answer *answer)
{
    struct trigger *trigger = trigger_by_id(engine, held->trigger);

    if (trigger != NULL && is_of(trigger->lease, worker, held->number)) {
        trigger->lease->named_round = worker->round;
        lease_renew(engine, trigger->lease);
        return;
    }
    if (trigger != NULL && is_of(trigger->dropping, worker, held->number)) {
        trigger->dropping->named_round = worker->round;
    } else {
        engine->renewals_refused++;
    }
    if (!BUG(CANCEL_UNTOLD)) {
        answer_cancel(answer, *held);
    }
}

/* What it does not name it has let go of, or never got. Returns the shortest lease it holds. */
static int64_t look_at_leases(struct engine *engine, struct worker *worker, const struct exchange *exchange,
                              struct answer *answer)
{
    int64_t shortest_ms = INT64_MAX;
    struct list_node *next;

    for (struct list_node *node = list_first(&worker->leases); node != NULL; node = next) {
        struct lease *lease = CONTAINER_OF(node, struct lease, of_worker);

        next = list_next(&worker->leases, node);
        if (lease->is_dropping) {
            /* An exchange from before it was told of it says nothing. */
            if (lease->named_round != worker->round && lease->told_batch <= exchange->durable) {
                lease_dropped(engine, lease->trigger);
            }
            continue;
        }
        shortest_ms = min_ms(shortest_ms, lease->trigger->job->policy->body.lease_ms);
        if (lease->named_round == worker->round || lease->granted_round >= worker->round) {
            continue;
        }
        if (BUG(RENEW_ALL)) {
            lease_renew(engine, lease);
            continue;
        }
        if (BUG(SEND_AGAIN_RENEWS)) {
            lease_renew(engine, lease);
        }
        if (!BUG(UNNAMED_NOT_SENT) && answer->lease_count < SENT_AGAIN_MAX) {
            answer_grant(answer, lease); /* rule 4 */
        }
    }
    return shortest_ms;
}

/* ---- the exchange ---- */

static bool seq_is_old(const struct worker *worker, const struct exchange *exchange)
{
    return exchange->seq >= 0 && worker->seq >= 0 && exchange->seq <= worker->seq;
}

static void refuse_seq(struct engine *engine, const struct exchange *exchange)
{
    struct error error;

    err_set(&error, ERR_WORKER_ID_SHARED,
            "seq %lld is not higher than the last one of this worker; give each process an id of its own",
            (long long)exchange->seq);
    gather_error(engine, exchange->token, &error);
}

void worker_exchange_run(struct engine *engine, const struct exchange *exchange, const struct rows *rows)
{
    struct worker *worker = worker_get(engine, exchange->worker);
    struct answer answer;

    if (seq_is_old(worker, exchange)) {
        refuse_seq(engine, exchange);
        return;
    }
    worker_wait_over(engine, worker);
    worker_set_gone(engine, worker, false);
    worker->seq = exchange->seq >= 0 ? exchange->seq : worker->seq;
    worker->round++;
    worker_set_pools(engine, worker, exchange);
    worker_set_words(worker, exchange);
    answer_init(engine, &answer);
    for (size_t i = 0; i < exchange->report_count; i++) { /* rule 1 */
        take_report(engine, worker, &exchange->reports[i], rows, &answer);
    }
    for (size_t i = 0; i < exchange->holding_count; i++) {
        take_holding(engine, worker, &exchange->holding[i], &answer);
    }
    int64_t shortest_ms = look_at_leases(engine, worker, exchange, &answer);
    size_t want = exchange->want > answer.lease_count ? exchange->want - answer.lease_count : 0;

    worker_fill(engine, worker, &answer, want);
    int64_t wait_ms = min_ms(exchange->wait_ms, shortest_ms / 3);
    if (answer_is_empty(&answer) && wait_ms > 0 && !engine->is_draining) { /* rule 2 */
        worker_begin_wait(engine, worker, exchange, wait_ms);
    } else {
        answer_send(engine, &answer, exchange->token);
    }
    worker_set_gone(engine, worker, exchange->want == 0 && exchange->wait_ms == 0 && list_empty(&worker->leases));
}

/* The exchange must wait; what it names is alive all the same. */
static void renew_named(struct engine *engine, const struct worker *worker, const struct exchange *exchange)
{
    for (size_t i = 0; i < exchange->holding_count; i++) {
        struct trigger *trigger = trigger_by_id(engine, exchange->holding[i].trigger);

        if (trigger != NULL && is_of(trigger->lease, worker, exchange->holding[i].number)) {
            lease_renew(engine, trigger->lease);
        }
    }
}

/* The exchange must wait; reports of what runs need not, and no time-out may come before them. They are accepted: only
 * the others have to be answered for. */
static struct exchange take_known_reports(struct engine *engine, struct worker *worker, const struct exchange *exchange)
{
    struct exchange rest = *exchange;
    struct report *reports = arena_alloc_array(&engine->scratch, exchange->report_count + 1, sizeof *reports);

    rest.reports = reports;
    rest.report_count = 0;
    for (size_t i = 0; i < exchange->report_count; i++) {
        struct trigger *trigger = trigger_by_id(engine, exchange->reports[i].trigger);

        if (trigger != NULL && is_of(trigger->lease, worker, exchange->reports[i].number)) {
            lease_report(engine, trigger->lease, &exchange->reports[i]);
        } else {
            reports[rest.report_count++] = exchange->reports[i];
        }
    }
    return rest;
}

static void refuse_for_room(struct engine *engine, const struct exchange *exchange)
{
    struct error error;

    err_set(&error, ERR_OVERLOADED,
            "%zu workers are known, and all of them hold or wait for something; try again later",
            map_count(&engine->workers));
    gather_error(engine, exchange->token, &error);
}

void worker_exchange(struct engine *engine, const struct exchange *exchange)
{
    if (!worker_make_room(engine, exchange)) {
        refuse_for_room(engine, exchange);
        return;
    }
    if (!request_exchange_waits(engine, exchange)) {
        worker_exchange_run(engine, exchange, NULL);
        return;
    }
    struct worker *worker = worker_get(engine, exchange->worker);

    if (seq_is_old(worker, exchange)) {
        refuse_seq(engine, exchange);
        return;
    }
    renew_named(engine, worker, exchange);
    struct exchange rest = take_known_reports(engine, worker, exchange);

    request_exchange(engine, &rest);
}
