#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/command.h"
#include "engine/dead.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/lease.h"
#include "engine/line.h"
#include "engine/recent.h"
#include "engine/settings.h"
#include "engine/trigger.h"

/* ---- run ---- */

static enum err check_may_run(const struct job *job, struct error *error)
{
    if (job->status == JOB_CANCELLED) {
        return err_set(error, ERR_CONFLICT, "the job is cancelled, and that is final; delete it to create it anew");
    }
    if (job->living >= CATCH_UP_MAX) {
        return err_set(error, ERR_LIMIT, "%u triggers of the job have not ended; wait for some of them", job->living);
    }
    return ERR_OK;
}

static struct trigger *begin(struct engine *engine, struct job *job, enum trigger_kind kind, int64_t scheduled_ms,
                             struct str payload)
{
    struct trigger *trigger = trigger_new(engine, job, gather_id(engine), kind, scheduled_ms, engine->now_ms);

    trigger_set_payload(engine, trigger, payload);
    gather_trigger(engine, trigger, NULL, STR(""));
    return trigger;
}

enum command_result command_run_job(struct engine *engine, struct request *request)
{
    const struct command *command = request->command;
    enum command_result result = COMMAND_DONE;
    struct job *job = command_job(engine, request, &result);
    struct error error;

    if (job == NULL) {
        return result;
    }
    if (check_may_run(job, &error) != ERR_OK ||
        settings_check_payload(engine, job_tenant(job), command->text, &error) != ERR_OK ||
        trigger_check_payload(engine, command->text.len, &error) != ERR_OK) {
        return command_error(engine, command, &error);
    }
    struct trigger *trigger = begin(engine, job, TRIGGER_MANUAL, engine->now_ms, command->text);

    job_rewake(engine, job);
    entry_set_trigger(engine, trigger);
    command_reply_triggers(engine, command, &trigger->id, 1, 0);
    command_keep_answer(engine, request, 't', &trigger->id, 1);
    return COMMAND_DONE;
}

/* ---- backfill ---- */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Nominal times of the range that have a trigger which succeeded or lives; sorted. */
static size_t covered(struct engine *engine, const struct job *job, const struct rows *rows, int64_t **ret_times)
{
    size_t cap = job->living + rows->triggers.count + 1, count = 0;
    int64_t *times = arena_alloc_array(&engine->scratch, cap, sizeof *times);

    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        times[count++] = CONTAINER_OF(node, struct trigger, link)->scheduled_ms;
    }
    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *row = &rows->triggers.items[i];

        assert(row->job == job->id); /* it asked for nothing else */
        if (row->state == TRIGGER_SUCCEEDED) {
            times[count++] = row->scheduled_ms;
        }
    }
    qsort(times, count, sizeof *times, by_time);
    *ret_times = times;
    return count;
}

static enum err check_backfill(const struct job *job, const struct command *command, struct error *error)
{
    enum err err = check_may_run(job, error);

    if (err != ERR_OK) {
        return err;
    }
    if (job->rhythm != RHYTHM_REPEAT) {
        return err_set(error, ERR_UNPROCESSABLE, "only jobs with a schedule of nominal times can be backfilled");
    }
    if (command->from_ms >= command->to_ms) {
        return err_in_field(error, err_set(error, ERR_UNPROCESSABLE, "the range is empty: to must lie after from"),
                            "to");
    }
    int64_t count = schedule_count(job->schedule, command->from_ms, command->to_ms);

    if (count > CATCH_UP_MAX) {
        return err_in_field(error,
                            err_set(error, ERR_UNPROCESSABLE, "%lld fires lie in this range; at most %d in one request",
                                    (long long)count, CATCH_UP_MAX),
                            "to");
    }
    return ERR_OK;
}

enum command_result engine_command_backfill(struct engine *engine, struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;
    enum command_result result = COMMAND_DONE;
    struct job *job = command_job(engine, request, &result);
    struct error error;

    if (job == NULL) {
        return result;
    }
    if (check_backfill(job, command, &error) != ERR_OK) {
        return command_error(engine, command, &error);
    }
    if (!request_needs_range(request, job->id, command->from_ms, command->to_ms)) {
        return COMMAND_LACKS;
    }
    int64_t *times = NULL, not_needed = 0;
    size_t taken = covered(engine, job, rows, &times);
    int64_t total = schedule_count(job->schedule, command->from_ms, command->to_ms);
    uint64_t *ids = arena_alloc_array(&engine->scratch, (size_t)total + 1, sizeof *ids);
    size_t count = 0;

    for (int64_t fire_ms = command->from_ms - 1;
         schedule_next(job->schedule, fire_ms, &fire_ms) && fire_ms < command->to_ms;) {
        if (bsearch(&fire_ms, times, taken, sizeof *times, by_time) != NULL || fire_ms > engine->now_ms) {
            not_needed++; /* it has one, or will get one when its time comes */
            continue;
        }
        struct trigger *trigger = begin(engine, job, TRIGGER_BACKFILL, fire_ms, STR(""));

        ids[count++] = trigger->id;
        entry_set_trigger(engine, trigger);
    }
    job_rewake(engine, job);
    command_reply_triggers(engine, command, ids, count, not_needed);
    command_keep_answer(engine, request, 't', ids, count);
    return COMMAND_DONE;
}

/* ---- dead letters ---- */

/* Reads the rows of the triggers that are not in memory; false: they are lacking. */
static bool know_triggers(struct engine *engine, struct request *request)
{
    const struct command *command = request->command;
    bool is_known = true;

    for (size_t i = 0; i < command->trigger_count; i++) {
        if (trigger_by_id(engine, command->triggers[i]) == NULL) {
            is_known = request_needs_trigger(request, command->triggers[i]) && is_known;
        }
    }
    return is_known;
}

/* The dead trigger's row and its job; NULL where it is not dead, or not there. */
static const struct trigger_row *dead_row(struct engine *engine, const struct rows *rows, uint64_t id,
                                          struct job **ret_job)
{
    const struct trigger_row *row = trigger_by_id(engine, id) == NULL ? request_trigger_row(rows, id) : NULL;

    *ret_job = row != NULL ? job_by_id(engine, row->job) : NULL;
    return row != NULL && row->state == TRIGGER_DEAD && *ret_job != NULL && !recent_is_deleted(engine, ID_TRIGGER, id)
               ? row
               : NULL;
}

/* Whether it has left the list since a filter found it. */
static bool is_off_list(const struct engine *engine, const struct command *command, const struct trigger_row *row)
{
    return command->is_by_filter && dead_replayed_by(engine, row) != ID_NONE && !BUG(FILTER_REPLAYS_AGAIN);
}

static bool can_be_replayed(const struct engine *engine, const struct job *job, const struct trigger_row *row)
{
    const struct trigger *living = dead_living(engine, row);

    return job->status != JOB_CANCELLED && (living == NULL || dead_is_to_come(living));
}

/* Of the dead ones that were read. */
static size_t payload_bytes_of(const struct rows *rows)
{
    size_t bytes = 0;

    for (size_t i = 0; rows != NULL && i < rows->triggers.count; i++) {
        bytes += rows->triggers.items[i].state == TRIGGER_DEAD ? rows->triggers.items[i].payload.len : 0;
    }
    return bytes;
}

enum command_result engine_command_replay(struct engine *engine, struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;
    uint64_t *ids = arena_alloc_array(&engine->scratch, command->trigger_count + 1, sizeof *ids);
    size_t count = 0;
    struct error error;

    if (command->is_promise) {
        command_reply_triggers(engine, command, command->triggers, command->trigger_count, 0);
        command_keep_answer(engine, request, 't', command->triggers, command->trigger_count);
        return COMMAND_DONE;
    }
    if (!know_triggers(engine, request)) {
        return COMMAND_LACKS;
    }
    if (trigger_check_payload(engine, payload_bytes_of(rows), &error) != ERR_OK) {
        return command_error(engine, command, &error);
    }
    for (size_t i = 0; i < command->trigger_count; i++) {
        struct job *job;
        const struct trigger_row *row = dead_row(engine, rows, command->triggers[i], &job);

        if (row != NULL && can_be_replayed(engine, job, row) && !is_off_list(engine, command, row)) {
            ids[count++] = dead_replay(engine, job, row)->id;
        }
    }
    command_reply_triggers(engine, command, ids, count, (int64_t)(command->trigger_count - count));
    command_keep_answer(engine, request, 't', ids, count);
    return COMMAND_DONE;
}

enum command_result engine_command_discard(struct engine *engine, struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;
    uint64_t *ids = arena_alloc_array(&engine->scratch, command->trigger_count + 1, sizeof *ids);
    size_t count = 0;

    if (!know_triggers(engine, request)) {
        return COMMAND_LACKS;
    }
    for (size_t i = 0; i < command->trigger_count; i++) {
        const struct trigger_row *row = request_trigger_row(rows, command->triggers[i]);

        if (row == NULL || row->state != TRIGGER_DEAD || trigger_by_id(engine, row->id) != NULL ||
            recent_is_deleted(engine, ID_TRIGGER, row->id) || is_off_list(engine, command, row)) {
            continue;
        }
        struct trigger *living = dead_living(engine, row);

        if (living != NULL && dead_is_to_come(living)) {
            trigger_end(engine, living, TRIGGER_CANCELLED, NULL, STR("discarded"));
        }
        claims_forget(engine, row->id);
        gather_op(engine, OP_TRIGGER_DELETE)->id = row->id;
        recent_deleted(engine, ID_TRIGGER, row->id);
        ids[count++] = row->id;
    }
    command_reply_triggers(engine, command, ids, count, (int64_t)(command->trigger_count - count));
    return COMMAND_DONE;
}

/* ---- cancel and retry ---- */

enum command_result engine_command_cancel(struct engine *engine, struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;
    uint64_t *ids = arena_alloc_array(&engine->scratch, command->trigger_count + 1, sizeof *ids);
    size_t count = 0, known = 0;
    struct error error;

    if (!know_triggers(engine, request)) {
        return COMMAND_LACKS;
    }
    for (size_t i = 0; i < command->trigger_count; i++) {
        struct trigger *trigger = trigger_by_id(engine, command->triggers[i]);

        if (trigger == NULL) {
            known += request_trigger_row(rows, command->triggers[i]) != NULL;
            continue;
        }
        ids[count++] = trigger->id;
        if (trigger->state == TRIGGER_RUNNING) {
            lease_cancel(engine, trigger, STR("cancelled"));
        } else {
            trigger_end(engine, trigger, TRIGGER_CANCELLED, NULL, STR("cancelled"));
        }
    }
    if (count + known == 0 && command->trigger_count == 1) {
        err_set(&error, ERR_NOT_FOUND, "there is no such trigger");
        return command_error(engine, command, &error);
    }
    command_reply_triggers(engine, command, ids, count, (int64_t)(command->trigger_count - count));
    return COMMAND_DONE;
}

static void hurry(struct engine *engine, struct trigger *trigger)
{
    entry_park(engine, &trigger->entry);
    trigger->entry.due_ms = engine->now_ms;
    trigger->backoff_ms = engine->now_ms;
    gather_trigger(engine, trigger, NULL, STR(""));
    job_rewake(engine, trigger->job);
    entry_set_trigger(engine, trigger);
}

enum command_result engine_command_retry(struct engine *engine, struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;
    uint64_t id = command->triggers[0];
    struct trigger *trigger = trigger_by_id(engine, id);
    struct error error;

    if (trigger != NULL && trigger_is_retry(trigger)) {
        hurry(engine, trigger);
        command_reply_triggers(engine, command, &id, 1, 0);
        return COMMAND_DONE;
    }
    if (trigger == NULL && !request_needs_trigger(request, id)) {
        return COMMAND_LACKS;
    }
    struct job *job;
    const struct trigger_row *row = dead_row(engine, rows, id, &job);

    if (row != NULL && can_be_replayed(engine, job, row)) {
        if (trigger_check_payload(engine, row->payload.len, &error) != ERR_OK) {
            return command_error(engine, command, &error);
        }
        uint64_t replay = dead_replay(engine, job, row)->id;

        command_reply_triggers(engine, command, &replay, 1, 0);
        return COMMAND_DONE;
    }
    bool is_there = trigger != NULL || request_trigger_row(rows, id) != NULL;

    if (row != NULL && dead_living(engine, row) != NULL) {
        char replay[ID_TEXT_BYTES];

        id_format(ID_TRIGGER, dead_replayed_by(engine, row), replay);
        err_set(&error, ERR_CONFLICT, "its replay %s has not ended, and there is one at a time", replay);
        return command_error(engine, command, &error);
    }
    err_set(&error, is_there ? ERR_CONFLICT : ERR_NOT_FOUND, "%s",
            is_there ? "only a trigger that waits for its next attempt, or a dead one, can be retried"
                     : "there is no such trigger");
    return command_error(engine, command, &error);
}
