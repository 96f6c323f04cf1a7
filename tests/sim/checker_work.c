#include "checker_state.h"

/* ---- reports ---- */

static bool is_refused(const struct reply *reply, uint64_t trigger, uint32_t number)
{
    for (size_t i = 0; i < reply->refused_count; i++) {
        if (reply->refused[i].attempt.trigger == trigger && reply->refused[i].attempt.number == number) {
            return true;
        }
    }
    return false;
}

/* What was taken is durable. */
static void check_taken(struct checker *checker, const struct exchange_part *report)
{
    const struct trigger *trigger = checker_trigger(checker, report->trigger);
    const struct ended *ended = trigger != NULL ? checker_ended(trigger, report->number) : NULL;
    bool is_gone = trigger != NULL && trigger->job != NULL && (trigger->is_deleted || !trigger->job->is_there);
    bool is_released_late = ended != NULL && report->state == ATTEMPT_RELEASED && ended->state == ATTEMPT_LOST;

    checker_expect(
        checker, RULE_REPORT, is_gone || is_released_late || (ended != NULL && ended->state == report->state),
        "attempt %u of %s was reported as %s and accepted, and is %s", report->number, checker_trigger_text(trigger),
        attempt_state_text(report->state), ended != NULL ? attempt_state_text(ended->state) : "not ended");
}

static bool is_reason(const struct trigger *trigger, const struct refused *refused, const struct ended *ended,
                      bool was_new)
{
    uint32_t number = refused->attempt.number;

    switch (refused->reason) {
    case REFUSED_UNKNOWN:
        return was_new;
    case REFUSED_STALE:
        return trigger != NULL && number <= trigger->granted &&
               (number < trigger->granted || ended != NULL || (trigger->has_row && trigger_ended(trigger->row.state)));
    case REFUSED_CONFLICT:
        return ended != NULL;
    }
    return false;
}

static bool is_another_workers(const struct trigger *trigger, const struct swap *swap, uint32_t number,
                               const struct ended *ended)
{
    if (trigger->run != NULL && trigger->run->number == number) {
        return trigger->run->worker != swap->worker;
    }
    return ended != NULL && !str_equal(ended->worker, swap->worker->name);
}

/* A trigger that was cancelled while it waited for its next attempt says no more of the one before. */
static bool is_cancelled_since(const struct trigger *trigger, uint32_t number)
{
    return trigger->has_row && trigger->row.state == TRIGGER_CANCELLED && trigger->row.last.number != number;
}

static void check_refused(struct checker *checker, const struct swap *swap, const struct refused *refused)
{
    const struct trigger *trigger = checker_trigger(checker, refused->attempt.trigger);
    uint32_t number = refused->attempt.number;
    const struct ended *ended = trigger != NULL ? checker_ended(trigger, number) : NULL;
    bool is_gone = trigger != NULL && (trigger->job == NULL || trigger->is_deleted || !trigger->job->is_there);
    size_t reports = 0;
    bool is_same = false;
    bool was_new = false;

    for (size_t i = 0; i < swap->report_count; i++) {
        if (swap->reports[i].trigger == refused->attempt.trigger && swap->reports[i].number == number) {
            reports++;
            is_same = is_same || swap->reports[i].is_same;
            was_new = swap->reports[i].is_new;
        }
    }
    checker_expect(checker, RULE_REPORT, reports > 0, "attempt %u of trigger %llu is refused, and was not reported",
                   number, (unsigned long long)refused->attempt.trigger);
    if (is_gone || (trigger != NULL && is_another_workers(trigger, swap, number, ended))) {
        return;
    }
    checker_expect(checker, RULE_REPORT,
                   trigger == NULL || trigger->run == NULL || trigger->run->number != number || was_new,
                   "a report of attempt %u of %s is refused (%s), and it runs", number, checker_trigger_text(trigger),
                   refusal_text(refused->reason));
    checker_expect(checker, RULE_REPORT, is_reason(trigger, refused, ended, was_new),
                   "a report of attempt %u of %s is refused as %s, and that is not so", number,
                   checker_trigger_text(trigger), refusal_text(refused->reason));
    checker_expect(checker, RULE_REPORT,
                   reports > 1 || !is_same || trigger->granted > number || is_cancelled_since(trigger, number),
                   "the same report of attempt %u of %s is refused (%s) when it comes again", number,
                   checker_trigger_text(trigger), refusal_text(refused->reason));
}

static void check_reports(struct checker *checker, const struct reply *reply, const struct swap *swap)
{
    for (size_t i = 0; i < swap->report_count; i++) {
        if (!is_refused(reply, swap->reports[i].trigger, swap->reports[i].number)) {
            check_taken(checker, &swap->reports[i]);
        }
    }
    for (size_t i = 0; i < reply->refused_count && !checker_is_failed(checker); i++) {
        check_refused(checker, swap, &reply->refused[i]);
    }
}

/* ---- cancels ---- */

static bool is_cancelled(const struct reply *reply, const struct exchange_part *held)
{
    for (size_t i = 0; i < reply->cancel_count; i++) {
        if (reply->cancel[i].trigger == held->trigger && reply->cancel[i].number == held->number) {
            return true;
        }
    }
    return false;
}

static void check_cancels(struct checker *checker, const struct reply *reply, const struct swap *swap)
{
    for (size_t i = 0; i < reply->cancel_count; i++) {
        const struct trigger *trigger = checker_trigger(checker, reply->cancel[i].trigger);
        const struct run *run = trigger != NULL ? trigger->run : NULL;

        checker_expect(checker, RULE_GRANT,
                       run == NULL || run->number != reply->cancel[i].number || run->worker != swap->worker,
                       "%.*s is told to stop attempt %u of %s, which is its own and runs", STR_ARGS(swap->worker->name),
                       reply->cancel[i].number, checker_trigger_text(trigger));
    }
    for (size_t i = 0; i < swap->holding_count; i++) {
        const struct exchange_part *held = &swap->holding[i];

        if (held->is_over && swap->epoch == checker->epoch) {
            const struct trigger *trigger = checker_trigger(checker, held->trigger);
            bool is_gone = trigger->is_deleted || !trigger->job->is_there;

            checker_expect(checker, RULE_GRANT, is_gone || is_cancelled(reply, held),
                           "%.*s holds attempt %u of %s, which has ended, and is not told",
                           STR_ARGS(swap->worker->name), held->number, checker_trigger_text(trigger));
        }
    }
}

/* ---- grants ---- */

/* What we know of a granted attempt, whether it still runs or not. */
struct run_facts {
    const struct trigger *trigger;
    struct str worker;
    int64_t started_ms;
    uint32_t failures;         /* UINT32_MAX: unknown */
    uint32_t job_version;      /* when it began, or earlier */
    const struct terms *terms; /* NULL: unknown */
};

static bool is_policy(struct checker *checker, const struct run_facts *facts, const struct grant *grant)
{
    struct checker_policies policies;
    bool is_attempts = false;
    bool is_timeout = false;
    bool is_lease = false;

    checker_policies(checker, facts->trigger->job, facts->job_version, &policies);
    for (size_t i = 0; i < policies.retry_count; i++) {
        is_attempts = is_attempts || policies.retries[i].max_attempts == (int)grant->max_attempts;
    }
    for (size_t i = 0; i < policies.timeout_count; i++) {
        is_timeout = is_timeout || policies.timeouts_ms[i] == grant->timeout_ms;
    }
    for (size_t i = 0; facts->terms != NULL && i < facts->terms->attempts_count; i++) {
        is_attempts = is_attempts || facts->terms->max_attempts[i] == (int)grant->max_attempts;
    }
    for (size_t i = 0; facts->terms != NULL && i < facts->terms->timeout_count; i++) {
        is_timeout = is_timeout || facts->terms->timeouts_ms[i] == grant->timeout_ms;
    }
    for (const struct def_version *def = facts->trigger->job->now; def != NULL && def->version >= facts->job_version;
         def = def->older) {
        is_lease = is_lease || def->def.lease_ms == grant->lease_ms;
    }
    bool is_changed = facts->terms == NULL || facts->terms->tenant->changed_batch > facts->terms->batch ||
                      facts->terms->type->changed_batch > facts->terms->batch; /* any of several may have counted */
    return is_lease && (is_changed || (is_attempts && is_timeout));
}

static void check_content(struct checker *checker, const struct run_facts *facts, const struct grant *grant)
{
    const struct trigger *trigger = facts->trigger;
    const struct job *job = trigger->job;
    const struct def_version *own = checker_version(job, trigger->version);
    bool has_payload = trigger->has_row && !str_empty(trigger->row.payload);

    checker_expect(checker, RULE_GRANT,
                   grant->job == job->by_id.key.number && grant->version == trigger->version &&
                       grant->kind == trigger->kind && grant->scheduled_ms == trigger->scheduled_ms &&
                       (trigger->kind != TRIGGER_REPLAY || grant->replay_of == trigger->row.replay_of) &&
                       str_equal(grant->name, job->row.name),
                   "attempt %u of %s is granted as something else", grant->number, checker_trigger_text(trigger));
    checker_expect(
        checker, RULE_GRANT,
        own != NULL && str_equal(grant->place.type, own->def.type) && str_equal(grant->place.tenant, own->def.tenant) &&
            (str_empty(grant->def) || str_equal(grant->def, own->text)) &&
            (has_payload ? str_equal(grant->payload, trigger->row.payload) : str_empty(grant->payload)),
        "attempt %u of %s is granted with another definition or payload", grant->number, checker_trigger_text(trigger));
    checker_expect(checker, RULE_GRANT, facts->failures == UINT32_MAX || facts->failures == grant->failures,
                   "attempt %u of %s is granted after %u failures, and says %u", grant->number,
                   checker_trigger_text(trigger), facts->failures, grant->failures);
    checker_expect(checker, RULE_GRANT, is_policy(checker, facts, grant),
                   "attempt %u of %s is granted with %u attempts, a timeout of %lld and a lease of %lld ms",
                   grant->number, checker_trigger_text(trigger), grant->max_attempts, (long long)grant->timeout_ms,
                   (long long)grant->lease_ms);
    /* An edit may have moved what is told since. */
    checker_expect(checker, RULE_EARLY, grant->due_ms <= facts->started_ms || job->row.version != facts->job_version,
                   "attempt %u of %s is due at %s and was granted at %s", grant->number, checker_trigger_text(trigger),
                   checker_time_text(grant->due_ms), checker_time_text(facts->started_ms));
}

static bool find_facts(const struct trigger *trigger, uint32_t number, struct run_facts *ret_facts)
{
    const struct ended *ended = checker_ended(trigger, number);

    if (trigger->run != NULL && trigger->run->number == number) {
        const struct run *run = trigger->run;

        *ret_facts = (struct run_facts){trigger,       run->worker->name, run->started_ms,
                                        run->failures, run->job_version,  &run->terms};
        return true;
    }
    if (ended == NULL) {
        return false;
    }
    *ret_facts = (struct run_facts){trigger, ended->worker, ended->started_ms, UINT32_MAX, trigger->version, NULL};
    return true;
}

static void check_grant(struct checker *checker, const struct swap *swap, const struct grant *grant)
{
    const struct trigger *trigger = checker_trigger(checker, grant->trigger);
    struct run_facts facts;

    if (trigger != NULL && trigger->job != NULL && (!trigger->job->is_there || trigger->is_deleted)) {
        return;
    }
    if (!checker_expect(checker, RULE_GRANT,
                        trigger != NULL && trigger->job != NULL && find_facts(trigger, grant->number, &facts),
                        "attempt %u of trigger %llu is granted to %.*s, and no such claim is durable", grant->number,
                        (unsigned long long)grant->trigger, STR_ARGS(swap->worker->name))) {
        return;
    }
    checker_expect(checker, RULE_GRANT, str_equal(facts.worker, swap->worker->name),
                   "attempt %u of %s is granted to %.*s, and is %.*s's", grant->number, checker_trigger_text(trigger),
                   STR_ARGS(swap->worker->name), STR_ARGS(facts.worker));
    check_content(checker, &facts, grant);
}

static bool is_granted(const struct reply *reply, const struct exchange_part *part)
{
    for (size_t i = 0; i < reply->grant_count; i++) {
        if (reply->grants[i].trigger == part->trigger && reply->grants[i].number == part->number) {
            return true;
        }
    }
    return false;
}

/* What it did not name is sent again. */
static void check_again(struct checker *checker, const struct reply *reply, const struct swap *swap)
{
    for (size_t i = 0; i < swap->again_count && swap->epoch == checker->epoch && !swap->is_after_drain; i++) {
        const struct exchange_part *part = &swap->again[i];
        const struct trigger *trigger = checker_trigger(checker, part->trigger);
        bool runs = trigger->run != NULL && trigger->run->number == part->number;

        checker_expect(checker, RULE_GRANT, !runs || is_granted(reply, part),
                       "attempt %u of %s is %.*s's, which did not name it and is not sent it again", part->number,
                       checker_trigger_text(trigger), STR_ARGS(swap->worker->name));
    }
}

/* ---- all ---- */

void checker_work(struct checker *checker, const struct reply *reply, struct swap *swap)
{
    map_remove(&checker->swaps, &swap->by_token);
    if (swap->epoch == checker->epoch && swap->worker->epoch == checker->epoch) {
        swap->worker->wanted -= swap->want;
    }
    if (reply->kind == REPLY_ERROR) {
        checker_expect(checker, RULE_ANSWER, swap->is_refused || reply->error.code != ERR_WORKER_ID_SHARED,
                       "exchange %llu is refused as another worker's, and its seq is higher",
                       (unsigned long long)reply->token);
        return;
    }
    if (!checker_expect(checker, RULE_ANSWER, reply->kind == REPLY_WORK, "exchange %llu has an answer of kind %d",
                        (unsigned long long)reply->token, (int)reply->kind)) {
        return;
    }
    if (swap->is_after_drain) {
        checker_expect(checker, RULE_DRAIN, reply->is_draining, "%.*s is not told that its server drains",
                       STR_ARGS(swap->worker->name));
    }
    check_reports(checker, reply, swap);
    for (size_t i = 0; i < reply->grant_count && !checker_is_failed(checker); i++) {
        check_grant(checker, swap, &reply->grants[i]);
    }
    if (!checker_is_failed(checker)) {
        check_cancels(checker, reply, swap);
        check_again(checker, reply, swap);
    }
}
