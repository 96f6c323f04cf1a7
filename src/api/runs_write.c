/* Triggers that clients make, hurry and stop. */
#include <stdio.h>

#include "api/handlers.h"
#include "api/inside.h"
#include "api/progress.h"
#include "api/show.h"
#include "api/tracer.h"
#include "base/id.h"
#include "wire/requests.h"

/* ---- the trigger as it is now ---- */

struct made {
    uint64_t trigger;
    int status; /* of the answer; 202 names its place */
};

static void show_made(struct api_request *request, struct store_reader *reader)
{
    struct made made = *(const struct made *)request->state;
    char id[ID_TEXT_BYTES], location[sizeof "/v1/triggers/" + ID_TEXT_BYTES];
    struct shown_trigger shown;
    struct jw jw;

    if (!show_trigger_read(request, reader, made.trigger, &shown)) {
        return;
    }
    id_format(ID_TRIGGER, made.trigger, id);
    (void)snprintf(location, sizeof location, "/v1/triggers/%s", id);
    api_json(request, &jw);
    wire_trigger(&jw, &shown.trigger);
    shown_trigger_done(&shown);
    api_answer_json(request, made.status, &jw, made.status == 202 ? "Location" : NULL, location, NULL);
}

static void show_later(struct api_request *request, uint64_t trigger, int status)
{
    struct made *made = arena_alloc(request->arena, sizeof *made);

    *made = (struct made){.trigger = trigger, .status = status};
    request->state = made;
    api_read(request, show_made);
}

static void made(struct api_request *request, const struct reply *reply)
{
    show_later(request, reply->triggers[0], 202);
}

/* Under whose name a key is kept: the tenant that the request names. */
static struct str tenant_of(const struct job_ref *ref)
{
    return str_empty(ref->tenant) ? STR("default") : ref->tenant;
}

/* ---- run ---- */

/* The body's key is the header's by another way. */
static bool take_key(struct api_request *request, struct str key, struct command *command)
{
    struct str header;
    struct error error;

    if (str_empty(key)) {
        return api_idempotency(request, tenant_of(&command->ref), command);
    }
    if (net_request_header(request->net, STR("Idempotency-Key"), &header) > 0 && !str_equal(header, key)) {
        err_set(&error, ERR_INVALID, "key and the header Idempotency-Key differ; give one of them");
        (void)err_in_field(&error, error.code, "key");
        api_problem(request, &error);
        return false;
    }
    api_idempotency_by(request, tenant_of(&command->ref), key, command);
    return true;
}

/* In the request's trace, if it names one. */
static void ran(struct api_request *request, const struct reply *reply)
{
    struct trace trace;

    if (api_trace(request, &trace)) {
        tracer_run(request->api->tracer, reply->triggers[0], &trace);
    }
    made(request, reply);
}

void api_job_run(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_RUN};
    struct str body = net_request_body(request->net);
    struct wire_run run;
    struct error error;

    (void)api;
    if (!api_params_only(request, "tenant", NULL) || !api_job_ref(request, 0, &command.ref) ||
        (!str_empty(body) && !api_body_is_json(request))) {
        return;
    }
    if (wire_read_run(body, request->arena, &run, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    command.text = run.payload;
    if (take_key(request, run.key, &command)) {
        api_command(request, &command, ran);
    }
}

/* ---- backfill ---- */

static void backfilled(struct api_request *request, const struct reply *reply)
{
    struct jw jw;

    api_json(request, &jw);
    wire_backfilled(&jw, reply->triggers, reply->trigger_count, reply->not_needed);
    api_answer_json(request, 202, &jw, NULL);
}

void api_job_backfill(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_BACKFILL};
    struct error error;

    (void)api;
    if (!api_params_only(request, "tenant", NULL) || !api_job_ref(request, 0, &command.ref) ||
        !api_body_is_json(request)) {
        return;
    }
    if (wire_read_range(net_request_body(request->net), &command.from_ms, &command.to_ms, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    if (api_idempotency(request, tenant_of(&command.ref), &command)) {
        api_command(request, &command, backfilled);
    }
}

/* ---- single triggers ---- */

static void cancelled(struct api_request *request, const struct reply *reply)
{
    struct error error;

    if (reply->trigger_count == 0) {
        err_set(&error, ERR_CONFLICT, "this trigger has ended already");
        api_problem(request, &error);
        return;
    }
    show_later(request, reply->triggers[0], 200);
}

static void command_one(struct api_request *request, enum command_kind kind,
                        void (*replied)(struct api_request *request, const struct reply *reply))
{
    struct command command = {.kind = kind, .trigger_count = 1};
    uint64_t *trigger = arena_alloc(request->arena, sizeof *trigger);

    if (api_params_only(request, NULL) && api_trigger_id(request, 0, trigger)) {
        command.triggers = trigger;
        api_command(request, &command, replied);
    }
}

void api_trigger_cancel(struct api *api, struct api_request *request)
{
    (void)api;
    command_one(request, COMMAND_CANCEL, cancelled);
}

void api_trigger_retry(struct api *api, struct api_request *request)
{
    (void)api;
    command_one(request, COMMAND_RETRY, made);
}
