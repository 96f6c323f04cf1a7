#include "checker_tally.h"

#define LOST_MAX 3
#define RELEASED_FREE 10
#define RELEASED_WAIT_MS 30000
#define RETRY_AFTER_MAX_MS (24 * 3600 * INT64_C(1000))

/* The report that an end repeats, older than one; NULL. */
static const struct said *report_of(const struct tally *tally, const struct ended *ended, const struct said *older_than)
{
    const struct said *said = checker_said(tally->checker, tally->trigger, ended->number, ended->state, older_than);

    while (said != NULL &&
           !(str_equal(said->error_code, ended->error_code) && str_equal(said->error_message, ended->error_message) &&
             str_equal(said->result, ended->result))) {
        said = checker_said(tally->checker, tally->trigger, ended->number, ended->state, said);
    }
    return said;
}

/* ---- counting ---- */

void tally_count(struct tally *tally, const struct ended *ended)
{
    bool is_late = ended->number == tally->attempts && ended->was_lost;

    checker_expect(tally->checker, RULE_NUMBER, is_late || ended->number == tally->attempts + 1,
                   "attempt %u of %s ends after attempt %u", ended->number, checker_trigger_text(tally->trigger),
                   tally->attempts);
    tally->attempts = ended->number;
    tally->last = ended;
    tally->reports = report_of(tally, ended, NULL);
    tally->may_be_lost_on = is_late && ended->state == ATTEMPT_RELEASED;
    if (ended->state == ATTEMPT_LOST) {
        tally->lost_run++;
    } else if (ended->state == ATTEMPT_RELEASED) {
        tally->released_run += is_late ? 0 : 1;
    } else if (ended->state != ATTEMPT_CANCELLED) {
        tally->lost_run = 0;
        tally->released_run = 0;
        tally->failures += ended->state == ATTEMPT_SUCCEEDED ? 0 : 1;
    }
}

static bool is_exhausted(const struct tally *tally, const struct retry *retry)
{
    return tally->failures >= (uint32_t)retry->max_attempts;
}

/* How long a retry waits after its last failure under one policy, and one report. */
static int64_t backoff_ms(const struct tally *tally, const struct retry *retry, const struct said *said)
{
    int64_t delay_ms = retry_delay_ms(retry, (int)tally->failures, tally->trigger->id);
    int64_t asked_ms = said != NULL ? said->retry_after_ms : 0;

    asked_ms = asked_ms < RETRY_AFTER_MAX_MS ? asked_ms : RETRY_AFTER_MAX_MS;
    return asked_ms > delay_ms ? asked_ms : delay_ms;
}

int64_t tally_earliest_due_ms(const struct tally *tally, int64_t due_ms, bool *ret_is_one)
{
    int64_t end_ms = tally->last->ended_ms;
    int64_t least_ms = INT64_MAX;
    bool is_released = tally->last->state == ATTEMPT_RELEASED;

    if (is_released || tally->last->state == ATTEMPT_LOST) {
        bool may_wait = is_released && tally->released_run >= RELEASED_FREE;
        bool must_wait = is_released && tally->released_run > RELEASED_FREE;

        *ret_is_one = (!must_wait && due_ms == end_ms) || (may_wait && due_ms == end_ms + RELEASED_WAIT_MS) ||
                      tally->may_be_lost_on;
        return tally->may_be_lost_on ? INT64_MIN : end_ms + (must_wait ? RELEASED_WAIT_MS : 0);
    }
    *ret_is_one = false;
    for (size_t i = 0; i < tally->policies.retry_count; i++) {
        const struct said *said = tally->reports;

        do {
            int64_t one_ms = end_ms + backoff_ms(tally, &tally->policies.retries[i], said);

            least_ms = one_ms < least_ms ? one_ms : least_ms;
            *ret_is_one =
                *ret_is_one || due_ms == one_ms || (tally->last->state == ATTEMPT_TIMED_OUT && due_ms >= one_ms);
            said = said != NULL ? report_of(tally, tally->last, said) : NULL;
        } while (said != NULL);
    }
    return least_ms;
}

/* ---- what the row says at last ---- */

static bool may_be_dead(const struct tally *tally, struct str reason)
{
    enum attempt_state state = tally->last->state;
    bool is_failure = state == ATTEMPT_FAILED || state == ATTEMPT_TIMED_OUT;

    for (const struct said *said = tally->reports; said != NULL && state == ATTEMPT_FAILED;
         said = report_of(tally, tally->last, said)) {
        if (said->is_permanent && str_is(reason, "permanent")) {
            return true;
        }
    }
    for (size_t i = 0; i < tally->policies.retry_count && is_failure; i++) {
        if (is_exhausted(tally, &tally->policies.retries[i]) && str_is(reason, "exhausted")) {
            return true;
        }
    }
    return state == ATTEMPT_LOST && tally->lost_run >= LOST_MAX && str_is(reason, "crashed_workers");
}

static bool may_live_on(const struct tally *tally)
{
    enum attempt_state state = tally->last->state;

    if (state == ATTEMPT_LOST) {
        return tally->lost_run < LOST_MAX;
    }
    if (state == ATTEMPT_FAILED) {
        bool may_be_transient = false;

        for (const struct said *said = tally->reports; said != NULL; said = report_of(tally, tally->last, said)) {
            may_be_transient = may_be_transient || !said->is_permanent;
        }
        if (!may_be_transient) {
            return false;
        }
    }
    if (state == ATTEMPT_FAILED || state == ATTEMPT_TIMED_OUT) {
        for (size_t i = 0; i < tally->policies.retry_count; i++) {
            if (!is_exhausted(tally, &tally->policies.retries[i])) {
                return true;
            }
        }
        return false;
    }
    return state == ATTEMPT_RELEASED;
}

static void check_state_after(struct tally *tally)
{
    const struct trigger_row *row = &tally->trigger->row;
    enum attempt_state last = tally->last->state;
    bool is_by_attempt = row->last.number == tally->last->number && !tally->last->has_row;
    bool ok = false;

    if (row->state == TRIGGER_SUCCEEDED) {
        ok = last == ATTEMPT_SUCCEEDED && is_by_attempt;
    } else if (row->state == TRIGGER_DEAD) {
        ok = may_be_dead(tally, row->reason) && is_by_attempt;
    } else if (row->state == TRIGGER_CANCELLED) {
        ok = last == ATTEMPT_CANCELLED ? is_by_attempt : may_live_on(tally) && !is_by_attempt;
    } else if (row->state == TRIGGER_PENDING) {
        ok = may_live_on(tally);
    }
    checker_expect(tally->checker, RULE_BUDGET, ok,
                   "%s is %s (%.*s): attempt %u ended %s; %u failures, %u lost and %u released in a row",
                   checker_trigger_text(tally->trigger), trigger_state_text(row->state), STR_ARGS(row->reason),
                   tally->last->number, attempt_state_text(last), tally->failures, tally->lost_run,
                   tally->released_run);
    if (ok && row->state == TRIGGER_PENDING) {
        bool is_one;
        bool is_hurried = checker_is_asked_trigger(tally->checker, tally->trigger, COMMAND_RETRY);

        (void)tally_earliest_due_ms(tally, row->due_ms, &is_one);
        checker_expect(tally->checker, RULE_BACKOFF, is_one || is_hurried,
                       "%s failed %u times, the last attempt ended %s at %s, and it is due at %s",
                       checker_trigger_text(tally->trigger), tally->failures, attempt_state_text(last),
                       checker_time_text(tally->last->ended_ms), checker_time_text(row->due_ms));
    }
}

void tally_check_row(struct tally *tally)
{
    const struct trigger_row *row = &tally->trigger->row;
    /* After a success nobody asks any more. */
    bool is_lost_open = tally->may_be_lost_on || row->state == TRIGGER_SUCCEEDED;

    checker_expect(tally->checker, RULE_BUDGET,
                   row->attempts == tally->attempts && row->failures == tally->failures &&
                       (is_lost_open || row->lost_run == tally->lost_run) &&
                       (is_lost_open || row->released_run == tally->released_run),
                   "%s says %u attempts, %u failures, %u lost and %u released in a row; it had %u, %u, %u and %u",
                   checker_trigger_text(tally->trigger), row->attempts, row->failures, row->lost_run, row->released_run,
                   tally->attempts, tally->failures, tally->lost_run, tally->released_run);
    if (tally->last != NULL) {
        check_state_after(tally);
    }
}
