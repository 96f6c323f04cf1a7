#include "api/handlers.h"
#include "api/show.h"
#include "wire/def_read.h"
#include "wire/job.h"

/* The request's trace is that of its jobs, but for those that name one of their own. */
static void take_trace(struct api_request *request, struct job_def *defs, size_t count)
{
    struct trace trace;
    char text[TRACE_TEXT_BYTES];

    if (!api_trace(request, &trace)) {
        return;
    }
    struct str kept = str_from(arena_strdup(request->arena, trace_format(&trace, text)));

    for (size_t i = 0; i < count; i++) {
        defs[i].traceparent = defs[i].traceparent.len > 0 ? defs[i].traceparent : kept;
    }
}

/* ---- one ---- */

static void show_created(struct api_request *request, struct store_reader *reader)
{
    const struct reply_job *made = request->state;
    struct job_ref ref = {.id = made->id};
    bool is_existing = made->is_existing;
    struct shown_job shown;

    if (show_job_read(request, reader, &ref, is_existing, &shown)) {
        show_job_answer(request, &shown, is_existing ? 200 : 202, true, NULL);
    }
}

/* A job that is new is as its definition says: nothing has to be read. */
static void answer_new(struct api_request *request, const struct reply_job *made)
{
    const struct job_def *def = request->call.command.defs;
    struct job_row row = {
        .id = made->id,
        .place = {.pool = def->pool, .tenant = def->tenant, .type = def->type, .priority = def->priority},
        .name = def->name,
        .status = made->status,
        .version = made->version,
        .cursor_ms = made->next_ms,
        .created_ms = made->created_ms,
        .updated_ms = made->created_ms,
    };
    struct shown_job shown = {.job = {.row = &row, .last_fired_ms = TIME_NONE}, .def = *def};

    rows_init(&shown.job_rows);
    rows_init(&shown.trigger_rows);
    show_job_answer(request, &shown, 202, true, NULL);
}

static void created(struct api_request *request, const struct reply *reply)
{
    struct reply_job *made;

    if (!reply->jobs[0].is_existing) {
        answer_new(request, &reply->jobs[0]);
        return;
    }
    made = arena_alloc(request->arena, sizeof *made);
    *made = reply->jobs[0];
    request->state = made;
    api_read(request, show_created);
}

void api_job_create(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_CREATE, .def_count = 1};
    struct error error;

    (void)api;
    if (!api_params_only(request, NULL) || !api_body_is_json(request)) {
        return;
    }
    command.defs = arena_alloc(request->arena, sizeof *command.defs);
    if (wire_read_job(net_request_body(request->net), request->arena, command.defs, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    take_trace(request, command.defs, 1);
    if (api_idempotency(request, command.defs->tenant, &command)) {
        api_command(request, &command, created);
    }
}

/* ---- many ---- */

/* 200 where nothing was made: all were there, or the answer is given again. */
static void created_batch(struct api_request *request, const struct reply *reply)
{
    uint64_t *ids = arena_alloc_array(request->arena, reply->job_count + 1, sizeof *ids);
    bool is_new = false;
    struct jw jw;

    for (size_t i = 0; i < reply->job_count; i++) {
        ids[i] = reply->jobs[i].id;
        is_new = is_new || !reply->jobs[i].is_existing;
    }
    api_json(request, &jw);
    wire_job_ids(&jw, ids, reply->job_count);
    api_answer_json(request, is_new ? 202 : 200, &jw, NULL);
}

/* ?atomic= is the NDJSON form of a field. One server has one shard, so every batch is atomic, whatever it asks for. */
static bool check_atomic(struct api_request *request, bool is_ndjson)
{
    struct str text;
    struct error error;

    if (!api_param(request, "atomic", &text) || (is_ndjson && (str_is(text, "true") || str_is(text, "false")))) {
        return true;
    }
    err_set(&error, ERR_INVALID, "%s",
            is_ndjson ? "atomic must be true or false" : "in a JSON body atomic is a field, beside jobs");
    (void)err_in_field(&error, error.code, "atomic");
    api_problem(request, &error);
    return false;
}

void api_job_create_batch(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_CREATE};
    struct wire_batch batch;
    struct error error;
    int64_t index;
    struct str type = STR("application/json");

    (void)api;
    (void)net_request_header(request->net, STR("Content-Type"), &type);
    bool is_ndjson = str_starts_with(type, STR("application/x-ndjson"));

    if (!api_params_only(request, "atomic", NULL) || !check_atomic(request, is_ndjson) ||
        (!is_ndjson && !api_body_is_json(request))) {
        return;
    }
    if (wire_read_batch(net_request_body(request->net), is_ndjson, request->arena, &batch, &index, &error) != ERR_OK) {
        api_problem_at(request, &error, index);
        return;
    }
    request->is_batch = true;
    command.defs = batch.defs;
    command.def_count = batch.count;
    take_trace(request, batch.defs, batch.count);
    if (api_idempotency(request, batch.defs[0].tenant, &command)) {
        api_command(request, &command, created_batch);
    }
}
