#include "engine/circuit.h"
#include "engine/command.h"
#include "engine/deps.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/line.h"
#include "engine/recent.h"
#include "engine/settings.h"

static void cancel(struct engine *engine, struct job *job)
{
    int64_t from_ms, to_ms;

    job->is_ending = true;
    entry_park(engine, &job->fire);
    fire_skip_due(engine, job, SKIP_CANCELLED, &from_ms, &to_ms);
    job->cursor_ms = job->held_to_ms = job->missed_to_ms = TIME_NONE;
    gather_job(engine, job);
    if (!BUG(CANCEL_KEEPS_PENDING)) {
        command_cancel_triggers(engine, job, STR("cancelled"));
    }
    job->is_ending = false;
    job->status = JOB_CANCELLED;
    line_rebuild(engine, job);
    deps_job_over(engine, job);
}

static enum err check(const struct job *job, enum job_status to, struct error *error)
{
    if (to == JOB_CANCELLED && job->rhythm == RHYTHM_ONCE && job->cursor_ms == TIME_NONE) {
        return err_set(error, ERR_CONFLICT, "it has fired already; cancel its trigger to stop a run");
    }
    if (!job_may_become(job->status, to) || job->status == JOB_COMPLETED) { /* only a new schedule brings it back */
        return err_set(error, ERR_CONFLICT, "a job that is %s does not become %s", job_status_text(job->status),
                       job_status_text(to));
    }
    return ERR_OK;
}

enum command_result engine_command_status(struct engine *engine, struct request *request)
{
    const struct command *command = request->command;
    enum command_result result = COMMAND_DONE;
    struct job *job = command_job(engine, request, &result);
    struct error error;

    if (job == NULL) {
        return result;
    }
    if (job->status != command->status) {
        if (command->status == JOB_COMPLETED) {
            err_set(&error, ERR_INVALID, "status is active, paused or cancelled");
            err_in_field(&error, ERR_INVALID, "status");
            return command_error(engine, command, &error);
        }
        if (check(job, command->status, &error) != ERR_OK) {
            return command_error(engine, command, &error);
        }
        job->updated_ms = engine->now_ms;
        gather_job(engine, job);
        if (command->status == JOB_CANCELLED) {
            cancel(engine, job);
        } else {
            job->status = command->status;
            line_rebuild(engine, job);
        }
    }
    command_reply_jobs(engine, command, &job, 1);
    return COMMAND_DONE;
}

enum command_result engine_command_delete(struct engine *engine, struct request *request)
{
    const struct command *command = request->command;
    enum command_result result = COMMAND_DONE;
    struct job *job = command_job(engine, request, &result);
    struct error error;

    if (job == NULL) {
        return result;
    }
    if (deps_has_dependents(job)) {
        err_set(&error, ERR_CONFLICT, "other jobs depend on it; delete or change them first");
        return command_error(engine, command, &error);
    }
    if (job->pins > request_pins(request, job)) {
        return COMMAND_LACKS; /* somebody else is at work on it: after them */
    }
    struct tenant_count *tenant = settings_tenant(engine, job_tenant(job));

    command_reply_jobs(engine, command, &job, 1);
    job->is_ending = true; /* nothing of it starts again on the way */
    job->cursor_ms = TIME_NONE;
    entry_park(engine, &job->fire);
    command_cancel_triggers(engine, job, STR("deleted"));
    deps_detach(engine, job, true);
    if (job->circuit != NULL && job->circuit->breaker.state != BREAKER_CLOSED) {
        struct op *op = gather_op(engine, OP_CIRCUIT_DELETE);

        op->circuit =
            (struct circuit_row){.tenant = gather_text(engine, job_tenant(job)), .type = STR(""), .job = job->id};
        gather_note(engine, op, job, (struct place){.tenant = op->circuit.tenant});
    }
    gather_job_delete(engine, job);
    tenant->jobs -= BUG(TENANT_COUNT_DRIFTS) ? 0 : 1;
    engine->tenant_jobs--;
    gather_tenant(engine, tenant);
    recent_deleted(engine, ID_JOB, job->id);
    request_unpin(request, job);
    job_free(engine, job);
    return COMMAND_DONE;
}
