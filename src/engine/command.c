#include "engine/command.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/gather.h"
#include "engine/job.h"
#include "engine/lease.h"
#include "engine/recent.h"
#include "engine/timers.h"
#include "engine/trigger.h"

/* An answer under a key is given again for this long. */
#define IDEM_KEPT_MS (24LL * 3600 * 1000)
/* A character for the kind, and 17 for each id. */
#define IDEM_ID_BYTES 17

static enum command_result accept_clock(struct engine *engine, const struct command *command)
{
    timers_accept_clock(engine);
    gather_reply(engine, command->token, REPLY_DONE);
    return COMMAND_DONE;
}

/* Who waits is given work in the same step. */
static enum command_result accept_held(struct engine *engine, const struct command *command)
{
    engine->is_held = false;
    gather_reply(engine, command->token, REPLY_DONE);
    return COMMAND_DONE;
}

enum command_result engine_command_run(struct engine *engine, struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;
    enum command_result result = COMMAND_DONE;

    if (!str_empty(command->idem_key) && command_answered_before(engine, request, &result)) {
        return result;
    }
    switch (command->kind) {
    case COMMAND_CREATE:
        return engine_command_create(engine, request, rows);
    case COMMAND_PATCH:
        return engine_command_patch(engine, request);
    case COMMAND_STATUS:
        return engine_command_status(engine, request);
    case COMMAND_DELETE:
        return engine_command_delete(engine, request);
    case COMMAND_RUN:
        return command_run_job(engine, request);
    case COMMAND_BACKFILL:
        return engine_command_backfill(engine, request, rows);
    case COMMAND_REPLAY:
        return engine_command_replay(engine, request, rows);
    case COMMAND_DISCARD:
        return engine_command_discard(engine, request, rows);
    case COMMAND_CANCEL:
        return engine_command_cancel(engine, request, rows);
    case COMMAND_RETRY:
        return engine_command_retry(engine, request, rows);
    case COMMAND_SETTINGS:
    case COMMAND_PAUSE:
    case COMMAND_RESUME:
        return engine_command_settings(engine, command);
    case COMMAND_WHY:
        return engine_command_why(engine, request, rows);
    case COMMAND_ACCEPT_CLOCK:
        return accept_clock(engine, command);
    case COMMAND_ACCEPT_HELD:
        return accept_held(engine, command);
    case COMMAND_REZONE:
        return engine_command_rezone(engine, request);
    }
    return COMMAND_DONE;
}

enum command_result command_error(struct engine *engine, const struct command *command, const struct error *error)
{
    gather_error(engine, command->token, error);
    return COMMAND_DONE;
}

/* ---- naming a job ---- */

static enum command_result not_found(struct engine *engine, const struct command *command)
{
    struct error error;
    char id[ID_TEXT_BYTES];

    if (command->ref.id != 0) {
        id_format(ID_JOB, command->ref.id, id);
        err_set(&error, ERR_NOT_FOUND, "there is no job %s", id);
    } else {
        err_set(&error, ERR_NOT_FOUND, "tenant %.*s has no job named %.*s", STR_ARGS(command->ref.tenant),
                STR_ARGS(command->ref.name));
    }
    return command_error(engine, command, &error);
}

struct job *command_job(struct engine *engine, struct request *request, enum command_result *ret_result)
{
    const struct job_ref *ref = &request->command->ref;
    struct job *job = ref->id != 0 ? job_by_id(engine, ref->id) : job_by_name(engine, ref->tenant, ref->name);

    if (job == NULL) {
        bool is_read =
            ref->id != 0 ? request_needs_job(request, ref->id) : request_needs_name(request, ref->tenant, ref->name);

        *ret_result = is_read ? not_found(engine, request->command) : COMMAND_LACKS;
        return NULL;
    }
    if (!str_empty(ref->tenant) && !str_equal(ref->tenant, job_tenant(job))) {
        *ret_result = not_found(engine, request->command);
        return NULL;
    }
    return job;
}

uint64_t command_upstream_id(struct str upstream)
{
    uint64_t id = ID_NONE;

    if (str_starts_with(upstream, STR("job_"))) {
        enum err err = id_parse(ID_JOB, upstream, &id, NULL);

        assert(err == ERR_OK); /* no definition is read with another */
    }
    return id;
}

enum command_result command_needs_def(struct engine *engine, struct request *request, const struct job *job)
{
    struct error error;

    if (!request_needs_job(request, job->id)) {
        return COMMAND_LACKS;
    }
    err_set(&error, ERR_CONFLICT, "the job is being changed; try again");
    return command_error(engine, request->command, &error);
}

/* ---- answers ---- */

struct reply *command_reply_jobs(struct engine *engine, const struct command *command, struct job *const *jobs,
                                 size_t count)
{
    struct reply *reply = gather_reply(engine, command->token, REPLY_JOBS);

    reply->jobs = gather_alloc(engine, (count + 1) * sizeof *reply->jobs);
    reply->job_count = count;
    for (size_t i = 0; i < count; i++) {
        reply->jobs[i] = (struct reply_job){
            .id = jobs[i]->id,
            .version = jobs[i]->version,
            .status = jobs[i]->status,
            .next_ms = jobs[i]->status == JOB_ACTIVE ? jobs[i]->cursor_ms : TIME_NONE,
            .created_ms = jobs[i]->created_ms,
            .skipped_from_ms = TIME_NONE,
            .skipped_to_ms = TIME_NONE,
        };
    }
    return reply;
}

struct reply *command_reply_triggers(struct engine *engine, const struct command *command, const uint64_t *ids,
                                     size_t count, int64_t not_needed)
{
    struct reply *reply = gather_reply(engine, command->token, REPLY_TRIGGERS);

    reply->triggers = gather_alloc(engine, (count + 1) * sizeof *reply->triggers);
    if (count > 0) {
        memcpy(reply->triggers, ids, count * sizeof *ids);
    }
    reply->trigger_count = count;
    reply->not_needed = not_needed;
    return reply;
}

/* ---- idempotency keys ---- */

static uint64_t read_hex(const char *text)
{
    uint64_t value = 0;

    for (int i = 0; i < IDEM_ID_BYTES - 1; i++) {
        char c = text[i];

        value = value * 16 + (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return value;
}

/* The answer again, from the ids that were kept. */
static void answer_again(struct engine *engine, const struct command *command, struct str result)
{
    size_t count = result.len / IDEM_ID_BYTES;
    bool is_jobs = result.len > 0 && result.ptr[0] == 'j';
    struct reply *reply = gather_reply(engine, command->token, is_jobs ? REPLY_JOBS : REPLY_TRIGGERS);

    reply->jobs = gather_alloc(engine, (count + 1) * sizeof *reply->jobs);
    reply->triggers = gather_alloc(engine, (count + 1) * sizeof *reply->triggers);
    for (size_t i = 0; i < count; i++) {
        uint64_t id = read_hex(result.ptr + 1 + i * IDEM_ID_BYTES);

        reply->jobs[i] = (struct reply_job){.id = id,
                                            .is_existing = true,
                                            .next_ms = TIME_NONE,
                                            .created_ms = TIME_NONE,
                                            .skipped_from_ms = TIME_NONE,
                                            .skipped_to_ms = TIME_NONE};
        reply->triggers[i] = id;
    }
    reply->job_count = is_jobs ? count : 0;
    reply->trigger_count = is_jobs ? 0 : count;
}

static void answer_or_refuse(struct engine *engine, const struct command *command, const uint64_t hash[2],
                             struct str result)
{
    struct error error;

    if ((hash[0] == command->idem_hash[0] && hash[1] == command->idem_hash[1]) || BUG(IDEM_HASH_IGNORED)) {
        answer_again(engine, command, result);
        return;
    }
    err_set(&error, ERR_KEY_REUSED, "this Idempotency-Key was used for another request; use a new one");
    command_error(engine, command, &error);
}

bool command_answered_before(struct engine *engine, struct request *request, enum command_result *ret_result)
{
    const struct command *command = request->command;
    const struct recent_idem *recent = recent_find_idem(engine, command->idem_tenant, command->idem_key);

    *ret_result = COMMAND_DONE;
    if (recent != NULL) {
        answer_or_refuse(engine, command, recent->hash, recent->result);
        return true;
    }
    if (!request_needs_idem(request, command->idem_tenant, command->idem_key)) {
        *ret_result = COMMAND_LACKS;
        return true;
    }
    if (request->has_idem && engine->now_ms - request->idem_created_ms < IDEM_KEPT_MS) {
        answer_or_refuse(engine, command, request->idem_hash, request->idem_result);
        return true;
    }
    return false;
}

void command_keep_answer(struct engine *engine, struct request *request, char kind, const uint64_t *ids, size_t count)
{
    const struct command *command = request->command;

    if (str_empty(command->idem_key) || BUG(IDEM_NOT_STORED)) {
        return;
    }
    char *text = gather_alloc(engine, count * IDEM_ID_BYTES + 2);
    size_t len = 0;

    for (size_t i = 0; i < count; i++) {
        text[len] = kind;
        for (int digit = 0; digit < IDEM_ID_BYTES - 1; digit++) {
            text[len + 1 + (size_t)digit] = "0123456789abcdef"[ids[i] >> (60 - 4 * digit) & 15];
        }
        len += IDEM_ID_BYTES;
    }
    if (count == 0) {
        text[len++] = kind;
    }
    gather_op(engine, OP_IDEM_PUT)->idem = (struct idem_row){
        .tenant = gather_text(engine, command->idem_tenant),
        .key = gather_text(engine, command->idem_key),
        .hash = {command->idem_hash[0], command->idem_hash[1]},
        .result = {text, len},
        .created_ms = engine->now_ms,
    };
    recent_answered(engine, command->idem_tenant, command->idem_key, command->idem_hash, (struct str){text, len});
}

/* ---- what several of them do ---- */

void command_cancel_triggers(struct engine *engine, struct job *job, struct str reason)
{
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_first(&job->triggers)) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (trigger->state == TRIGGER_RUNNING) {
            lease_cancel(engine, trigger, reason);
        } else {
            trigger_end(engine, trigger, TRIGGER_CANCELLED, NULL, reason);
        }
    }
}
