#include "checker_state.h"

/* ---- triggers and attempts ---- */

void checker_take_attempt(struct checker *checker, struct trigger *trigger, const struct attempt_row *row, bool has_row)
{
    struct ended *ended = checker_ended(trigger, row->number);
    bool is_new = ended == NULL;

    if (is_new) {
        struct ended **at = &trigger->attempts;

        ended = arena_zalloc(&checker->forever, sizeof *ended);
        while (*at != NULL && (*at)->number > row->number) {
            at = &(*at)->older;
        }
        ended->older = *at;
        *at = ended;
    } else {
        bool is_late = ended->state == ATTEMPT_LOST && row->number == trigger->row.attempts;

        checker_expect(checker, RULE_STATE, ended->state == row->state || attempt_may_become(ended->state, row->state),
                       "attempt %u of %s was %s and becomes %s", row->number, checker_trigger_text(trigger),
                       attempt_state_text(ended->state), attempt_state_text(row->state));
        checker_expect(checker, RULE_STATE, ended->state == row->state || is_late,
                       "attempt %u of %s is not the newest and changes", row->number, checker_trigger_text(trigger));
        if (ended->state == ATTEMPT_LOST && row->state != ATTEMPT_LOST) {
            ended->was_lost = true;
            ended->lost_batch = ended->batch;
            ended->lost_ms = ended->ended_ms;
        }
    }
    if (is_new || ended->state != row->state) {
        ended->batch = checker->view.number;
        ended->epoch = checker->epoch;
    }
    ended->number = row->number;
    ended->state = row->state;
    ended->started_ms = row->started_ms;
    ended->ended_ms = row->ended_ms;
    ended->worker = checker_keep(checker, ended->worker, row->worker);
    ended->error_code = checker_keep(checker, ended->error_code, row->error_code);
    ended->error_message = checker_keep(checker, ended->error_message, row->error_message);
    ended->result = checker_keep(checker, ended->result, row->result);
    ended->has_row = has_row;
}

static void take_trigger_row(struct checker *checker, struct trigger *trigger, const struct trigger_row *row)
{
    struct trigger_row old = trigger->row;

    trigger->row = *row;
    trigger->row.place = checker_keep_place(checker, &old.place, &row->place);
    trigger->row.reason = checker_keep(checker, old.reason, row->reason);
    trigger->row.payload = checker_keep(checker, old.payload, row->payload);
    trigger->row.last.worker = checker_keep(checker, old.last.worker, row->last.worker);
    trigger->row.last.error_code = checker_keep(checker, old.last.error_code, row->last.error_code);
    trigger->row.last.error_message = checker_keep(checker, old.last.error_message, row->last.error_message);
    trigger->row.last.result = checker_keep(checker, old.last.result, row->last.result);
}

static void new_trigger_id(struct checker *checker, uint64_t id, uint64_t job)
{
    struct batch_view *view = &checker->view;

    if (id == job) { /* the scheduled trigger of a one-time job */
        return;
    }
    view->trigger_low = view->trigger_low == 0 || id < view->trigger_low ? id : view->trigger_low;
    view->trigger_high = id > view->trigger_high ? id : view->trigger_high;
}

/* What a row and a claim say alike. */
void checker_meet_trigger(struct checker *checker, struct trigger *trigger, uint64_t job, enum trigger_kind kind,
                          uint32_t version, int64_t scheduled_ms)
{
    struct trigger_change *change = checker_touch_trigger(checker, trigger);

    if (trigger->job == NULL) {
        trigger->job = checker_job_get(checker, job);
        trigger->kind = kind;
        trigger->version = version;
        trigger->scheduled_ms = scheduled_ms;
        change->is_new = true;
        new_trigger_id(checker, trigger->id, job);
    }
    (void)checker_touch_job(checker, trigger->job);
    checker_expect(checker, RULE_ROW,
                   trigger->job->by_id.key.number == job && trigger->kind == kind && trigger->version == version &&
                       trigger->scheduled_ms == scheduled_ms,
                   "%s is now of job %llu, %s, version %u, for %s", checker_trigger_text(trigger),
                   (unsigned long long)job, trigger_kind_text(kind), version, checker_time_text(scheduled_ms));
}

static void insert_trigger(struct checker *checker, const struct trigger_row *row)
{
    struct trigger *trigger = checker_trigger_get(checker, row->id);
    struct trigger_change *change = checker_touch_trigger(checker, trigger);

    checker_meet_trigger(checker, trigger, row->job, row->kind, row->version, row->scheduled_ms);
    checker_expect(checker, RULE_GUARD, !trigger->has_row && !trigger->is_deleted && !change->is_written,
                   "INSERT of %s, which was there", checker_trigger_text(trigger));
    trigger->has_row = true;
    change->is_written = true;
    change->is_inserted = true;
    take_trigger_row(checker, trigger, row);
}

static void update_trigger(struct checker *checker, const struct trigger_row *row)
{
    struct trigger *trigger = checker_trigger_get(checker, row->id);
    struct trigger_change *change = checker_touch_trigger(checker, trigger);
    struct trigger_row next = *row;

    checker_expect(checker, RULE_GUARD, trigger->has_row, "UPDATE of trigger %llu, which is not there",
                   (unsigned long long)row->id);
    if (checker_is_failed(checker)) {
        return;
    }
    checker_expect(checker, RULE_GUARD, !change->is_written, "%s is written twice", checker_trigger_text(trigger));
    next.kind = trigger->row.kind;
    next.job = trigger->row.job;
    next.created_ms = trigger->row.created_ms;
    next.payload = trigger->row.payload;
    checker_meet_trigger(checker, trigger, next.job, next.kind, row->version, row->scheduled_ms);
    change->is_written = true;
    take_trigger_row(checker, trigger, &next);
}

static void name_replay(struct checker *checker, const struct trigger_row *row)
{
    struct trigger *trigger = checker_trigger_get(checker, row->id);
    struct trigger_change *change = checker_touch_trigger(checker, trigger);

    if (checker_expect(checker, RULE_GUARD, trigger->has_row && !change->is_written && !change->is_replayed,
                       "trigger %llu is named a replay, and is not there, or is written twice",
                       (unsigned long long)row->id)) {
        (void)checker_touch_job(checker, trigger->job);
        change->is_replayed = true;
        trigger->row.replayed_by = row->replayed_by;
    }
}

static void delete_trigger(struct checker *checker, uint64_t id)
{
    struct trigger *trigger = checker_trigger_get(checker, id);
    struct trigger_change *change = checker_touch_trigger(checker, trigger);

    if (checker_expect(checker, RULE_GUARD, trigger->has_row, "DELETE of trigger %llu, which is not there",
                       (unsigned long long)id)) {
        (void)checker_touch_job(checker, trigger->job);
        trigger->has_row = false;
        trigger->is_deleted = true;
        change->is_deleted = true;
    }
}

static void insert_attempt(struct checker *checker, const struct attempt_row *row)
{
    struct trigger *trigger = checker_trigger_get(checker, row->trigger);
    struct ended *ended = checker_ended(trigger, row->number);

    (void)checker_touch_trigger(checker, trigger);
    checker_expect(checker, RULE_GUARD, row->number > 0 && (ended == NULL || !ended->has_row),
                   "INSERT of attempt %u of trigger %llu, which was there", row->number,
                   (unsigned long long)row->trigger);
    checker_take_attempt(checker, trigger, row, true);
}

static void delete_attempt(struct checker *checker, const struct attempt_row *row)
{
    struct trigger *trigger = checker_trigger_get(checker, row->trigger);
    struct ended *ended = checker_ended(trigger, row->number);

    (void)checker_touch_trigger(checker, trigger);
    if (checker_expect(checker, RULE_GUARD, ended != NULL && ended->has_row,
                       "DELETE of attempt %u of trigger %llu, which is not there", row->number,
                       (unsigned long long)row->trigger)) {
        ended->has_row = false;
    }
}

void checker_apply_trigger(struct checker *checker, const struct op *op)
{
    if (op->kind == OP_TRIGGER_INSERT) {
        insert_trigger(checker, &op->trigger);
    } else if (op->kind == OP_TRIGGER_UPDATE) {
        update_trigger(checker, &op->trigger);
    } else if (op->kind == OP_TRIGGER_REPLAYED) {
        name_replay(checker, &op->trigger);
    } else if (op->kind == OP_TRIGGER_DELETE) {
        delete_trigger(checker, op->id);
    } else if (op->kind == OP_ATTEMPT_INSERT) {
        insert_attempt(checker, &op->attempt);
    } else {
        delete_attempt(checker, &op->attempt);
    }
}
