#include "checker_tally.h"

/* ---- why it ended ---- */

static int64_t shortest_timeout_ms(struct checker *checker, const struct run *run)
{
    struct checker_policies policies;
    int64_t least_ms = INT64_MAX;

    checker_policies(checker, run->trigger->job, run->job_version, &policies);
    for (size_t i = 0; i < policies.timeout_count; i++) {
        least_ms = policies.timeouts_ms[i] < least_ms ? policies.timeouts_ms[i] : least_ms;
    }
    for (size_t i = 0; i < run->terms.timeout_count; i++) {
        least_ms = run->terms.timeouts_ms[i] < least_ms ? run->terms.timeouts_ms[i] : least_ms;
    }
    return least_ms;
}

static int64_t shortest_lease_ms(const struct run *run)
{
    int64_t least_ms = run->lease_ms;

    for (const struct def_version *def = run->trigger->job->now; def != NULL && def->version > run->job_version;
         def = def->older) {
        least_ms = def->def.lease_ms < least_ms ? def->def.lease_ms : least_ms;
    }
    return checker_at_least_ms(least_ms);
}

int64_t checker_lease_end_ms(const struct checker *checker, const struct run *run)
{
    int64_t slack_ms = checker_slack_ms(checker);
    int64_t word_ms = run->word_true_ms;

    if (slack_ms != CHECKER_SKEW_ANY && run->started_ms - slack_ms > word_ms) {
        word_ms = run->started_ms - slack_ms;
    }
    if (run->batch <= checker->restart_batch && checker->restart_true_ms > word_ms) {
        word_ms = checker->restart_true_ms;
    }
    return word_ms != TIME_NONE ? word_ms + shortest_lease_ms(run) : INT64_MIN;
}

static void check_cause(struct tally *tally, const struct ended *ended, const struct run *run)
{
    struct checker *checker = tally->checker;

    switch (ended->state) {
    case ATTEMPT_STARTED:
    case ATTEMPT_SUCCEEDED:
    case ATTEMPT_FAILED:
    case ATTEMPT_RELEASED:
        checker_expect(checker, RULE_CAUSE, tally->reports != NULL, "attempt %u of %s is %s, and nobody said so",
                       ended->number, checker_trigger_text(tally->trigger), attempt_state_text(ended->state));
        break;
    case ATTEMPT_TIMED_OUT: {
        int64_t timeout_ms = shortest_timeout_ms(checker, run);

        checker_expect(
            checker, RULE_TIMEOUT,
            checker_not_before(checker, ended->ended_ms, ended->started_ms + checker_at_least_ms(timeout_ms)),
            "attempt %u of %s started at %s and timed out at %s, before its %lld ms", ended->number,
            checker_trigger_text(tally->trigger), checker_time_text(ended->started_ms),
            checker_time_text(ended->ended_ms), (long long)timeout_ms);
        break;
    }
    case ATTEMPT_LOST:
        checker_expect(checker, RULE_LEASE, checker->view.true_ms >= checker_lease_end_ms(checker, run),
                       "attempt %u of %s is lost, and its lease lasts until %s at least", ended->number,
                       checker_trigger_text(tally->trigger), checker_time_text(checker_lease_end_ms(checker, run)));
        break;
    case ATTEMPT_CANCELLED:
        checker_expect(checker, RULE_CAUSE, tally->trigger->row.state == TRIGGER_CANCELLED,
                       "attempt %u of %s is cancelled, and its trigger is %s", ended->number,
                       checker_trigger_text(tally->trigger), trigger_state_text(tally->trigger->row.state));
        break;
    }
}

/* ---- after a timeout: the worker lets go first ---- */

static void begin_drop(struct checker *checker, struct trigger *trigger, const struct run *run,
                       const struct ended *ended)
{
    struct run until = *run;

    for (const struct word *word = run->words; word != NULL; word = word->older) {
        if (!checker_not_before(checker, until.word_true_ms, ended->ended_ms)) {
            break; /* what has ended is not renewed */
        }
        until.word_true_ms = word->older != NULL ? word->older->true_ms : TIME_NONE;
    }
    trigger->drop_number = ended->number;
    trigger->drop_epoch = checker->epoch;
    trigger->drop_at_ms = ended->ended_ms;
    trigger->drop_free_true_ms = checker_lease_end_ms(checker, &until);
    trigger->dropped_true_ms = run->unnamed_true_ms;
    /* An exchange that did not name it, and is not answered yet, is weighed when it is. What was claimed in this very
     * batch nobody was told of. */
    trigger->is_drop_asked = run->batch == checker->view.number ||
                             (run->unnamed_token != 0 && map_find_number(&checker->swaps, run->unnamed_token) != NULL);
    if (!list_linked(&trigger->in_dropping)) {
        list_push_back(&run->worker->dropping, &trigger->in_dropping);
    }
}

static void check_drop(struct checker *checker, struct trigger *trigger, const struct run *next)
{
    if (trigger->drop_number == 0 || trigger->drop_number != next->number - 1) {
        return;
    }
    if (trigger->drop_epoch == checker->epoch) { /* a new owner does not know what is still held */
        bool is_dropped =
            trigger->is_drop_asked || (trigger->dropped_true_ms != TIME_NONE &&
                                       checker_not_before(checker, trigger->dropped_true_ms, trigger->drop_at_ms - 1));

        checker_expect(
            checker, RULE_DROP, is_dropped || checker_not_before(checker, next->started_ms, trigger->drop_free_true_ms),
            "attempt %u of %s starts at %s: the one before timed out at %s, and its worker holds it until %s",
            next->number, checker_trigger_text(trigger), checker_time_text(next->started_ms),
            checker_time_text(trigger->drop_at_ms), checker_time_text(trigger->drop_free_true_ms));
    }
    trigger->drop_number = 0;
    list_remove(&trigger->in_dropping);
}

/* ---- attempt by attempt ---- */

static const struct run *run_of(const struct trigger_change *change, uint32_t number)
{
    for (const struct start *start = change->starts; start != NULL; start = start->next_of_trigger) {
        if (start->run->number == number) {
            return start->run;
        }
    }
    return change->run_before != NULL && change->run_before->number == number ? change->run_before : NULL;
}

/* A trigger has the target of its own version. */
static void check_target(struct checker *checker, const struct run *run)
{
    const struct def_version *own = checker_version(run->trigger->job, run->trigger->version);

    bool is_judged = own != NULL && run->worker->targets != 0; /* of one that was not heard of RULE_GRANT speaks */

    checker_expect(checker, RULE_TARGET, !is_judged || (run->worker->targets >> own->def.target_kind & 1) != 0,
                   "attempt %u of %s has a target of kind %d, and %.*s never asked for such", run->number,
                   checker_trigger_text(run->trigger), own != NULL ? (int)own->def.target_kind : -1,
                   STR_ARGS(run->worker->name));
}

static void check_start(struct tally *tally, const struct trigger_change *change, const struct run *run)
{
    struct checker *checker = tally->checker;
    bool is_one;

    checker_expect(checker, RULE_NUMBER, run->number == tally->attempts + 1, "attempt %u of %s starts after attempt %u",
                   run->number, checker_trigger_text(tally->trigger), tally->attempts);
    if (tally->last != NULL) {
        bool is_hurried = checker_is_asked_trigger(checker, tally->trigger, COMMAND_RETRY);

        checker_expect(checker, RULE_BACKOFF,
                       is_hurried || run->started_ms >= tally_earliest_due_ms(tally, TIME_NONE, &is_one),
                       "attempt %u of %s starts at %s, the one before ended %s at %s", run->number,
                       checker_trigger_text(tally->trigger), checker_time_text(run->started_ms),
                       attempt_state_text(tally->last->state), checker_time_text(tally->last->ended_ms));
    } else if (change->was_row && run->due_ms != TIME_NONE) {
        /* The worker of an attempt that timed out let it go in this batch: its wait ended then. */
        bool is_let_go = tally->trigger->drop_number != 0 && tally->trigger->dropped_true_ms != TIME_NONE;

        checker_expect(checker, run->number > 1 ? RULE_BACKOFF : RULE_EARLY,
                       is_let_go || run->started_ms >= run->due_ms, "attempt %u of %s starts at %s and is due at %s",
                       run->number, checker_trigger_text(tally->trigger), checker_time_text(run->started_ms),
                       checker_time_text(run->due_ms));
    }
    check_drop(checker, tally->trigger, run);
    check_target(checker, run);
}

static void check_end(struct tally *tally, const struct trigger_change *change, const struct ended *ended)
{
    struct checker *checker = tally->checker;
    const struct run *run = run_of(change, ended->number);
    const struct trigger_row *row = &tally->trigger->row;
    bool is_late = ended->number == tally->attempts && ended->was_lost;

    tally_count(tally, ended);
    checker_expect(checker, RULE_STATE,
                   attempt_ended(ended->state) && checker_not_before(checker, ended->ended_ms, ended->started_ms),
                   "attempt %u of %s is %s, from %s to %s", ended->number, checker_trigger_text(tally->trigger),
                   attempt_state_text(ended->state), checker_time_text(ended->started_ms),
                   checker_time_text(ended->ended_ms));
    checker_expect(checker, RULE_ROW,
                   ended->has_row || (trigger_ended(row->state) && row->last.number == ended->number),
                   "attempt %u of %s stands in no row", ended->number, checker_trigger_text(tally->trigger));
    if (run == NULL) {
        checker_expect(checker, RULE_NUMBER, is_late, "attempt %u of %s ends, and did not run", ended->number,
                       checker_trigger_text(tally->trigger));
        checker_expect(checker, RULE_CAUSE, tally->reports != NULL,
                       "attempt %u of %s is %s after all, and nobody said so", ended->number,
                       checker_trigger_text(tally->trigger), attempt_state_text(ended->state));
        return;
    }
    checker_expect(checker, RULE_NUMBER,
                   ended->started_ms == run->started_ms && str_equal(ended->worker, run->worker->name),
                   "attempt %u of %s ends as another's: %.*s at %s", ended->number,
                   checker_trigger_text(tally->trigger), STR_ARGS(ended->worker), checker_time_text(ended->started_ms));
    check_cause(tally, ended, run);
    if (ended->state == ATTEMPT_TIMED_OUT) {
        begin_drop(checker, tally->trigger, run, ended);
    }
}

static void check_trigger(struct checker *checker, const struct trigger_change *change)
{
    struct trigger *trigger = change->trigger;
    struct tally tally = {.checker = checker, .trigger = trigger};
    uint32_t from = change->was_row ? change->before.attempts : 0;
    uint32_t to = trigger->granted > from ? trigger->granted : from;

    if (change->was_row) {
        tally.attempts = change->before.attempts;
        tally.failures = change->before.failures;
        tally.lost_run = change->before.lost_run;
        tally.released_run = change->before.released_run;
    }
    checker_policies(checker, trigger->job, 0, &tally.policies);
    for (uint32_t number = from > 0 ? from : 1; number <= to && !checker_is_failed(checker); number++) {
        const struct ended *ended = checker_ended(trigger, number);
        const struct run *run = run_of(change, number);

        if (run != NULL && run->batch == checker->view.number) {
            check_start(&tally, change, run);
        }
        if (ended != NULL && ended->batch == checker->view.number) {
            check_end(&tally, change, ended);
        }
    }
    if (trigger->has_row && change->is_written && !checker_is_failed(checker)) {
        tally_check_row(&tally);
    }
}

/* Claims that ended were written down, and only what may run runs. */
static void check_runs(struct checker *checker, const struct trigger_change *change)
{
    const struct trigger *trigger = change->trigger;
    const struct run *run = change->run_before;

    if (run != NULL && trigger->run != run) {
        checker_expect(checker, RULE_NUMBER, checker_ended(trigger, run->number) != NULL,
                       "attempt %u of %s ended, and nobody wrote down how", run->number, checker_trigger_text(trigger));
    }
    if (trigger->run != NULL) {
        bool is_fit = trigger->has_row ? trigger->row.state == TRIGGER_PENDING : trigger->kind == TRIGGER_SCHEDULE;

        checker_expect(checker, RULE_STATE, is_fit, "%s runs, and its row is %s", checker_trigger_text(trigger),
                       trigger->has_row ? trigger_state_text(trigger->row.state) : "not there");
    }
}

void checker_attempts(struct checker *checker)
{
    for (struct trigger_change *change = checker->view.triggers; change != NULL; change = change->next) {
        const struct trigger *trigger = change->trigger;

        if (trigger->job->is_there && !trigger->is_deleted && !checker_is_failed(checker)) {
            check_trigger(checker, change);
            check_runs(checker, change);
        }
    }
}
