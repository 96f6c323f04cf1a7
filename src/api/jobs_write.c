#include "api/handlers.h"
#include "api/show.h"
#include "wire/requests.h"

/* ---- the job as it is now ---- */

struct changed {
    struct job_ref ref;
    bool is_patch;
    struct wire_skipped skipped;
};

static void show_changed(struct api_request *request, struct store_reader *reader)
{
    const struct changed *changed = request->state;
    struct shown_job shown;

    if (show_job_read(request, reader, &changed->ref, true, &shown)) {
        show_job_answer(request, &shown, 200, false, changed->is_patch ? &changed->skipped : NULL);
    }
}

static void changed(struct api_request *request, const struct reply *reply)
{
    const struct reply_job *job = &reply->jobs[0];
    struct changed *what = arena_zalloc(request->arena, sizeof *what);

    what->ref.id = job->id;
    what->is_patch = request->call.command.kind == COMMAND_PATCH;
    what->skipped =
        (struct wire_skipped){.from_ms = job->skipped_from_ms, .to_ms = job->skipped_to_ms, .count = job->skipped};
    request->state = what;
    api_read(request, show_changed);
}

/* ---- PATCH ---- */

/* If-Match: "3" or *; 0 where any version will do. */
static bool read_if_match(struct api_request *request, uint32_t *ret_version)
{
    struct str text;
    struct error error;
    int64_t version;

    *ret_version = 0;
    if (net_request_header(request->net, STR("If-Match"), &text) == 0 || str_is(text, "*")) {
        return true;
    }
    if (text.len > 2 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"' &&
        str_to_int(str_from_bytes(text.ptr + 1, text.len - 2), 1, UINT32_MAX, &version, NULL) == ERR_OK) {
        *ret_version = (uint32_t)version;
        return true;
    }
    err_set(&error, ERR_INVALID, "If-Match must be the ETag of the job, such as \"3\", or *");
    (void)err_in_field(&error, error.code, "If-Match");
    api_problem(request, &error);
    return false;
}

void api_job_patch(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_PATCH};

    (void)api;
    if (api_params_only(request, "tenant", NULL) && api_job_ref(request, 0, &command.ref) &&
        api_body_is_json(request) && read_if_match(request, &command.if_match)) {
        command.text = net_request_body(request->net);
        api_command(request, &command, changed);
    }
}

/* ---- status ---- */

void api_job_set_status(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_STATUS};
    struct error error;

    (void)api;
    if (!api_params_only(request, "tenant", NULL) || !api_job_ref(request, 0, &command.ref) ||
        !api_body_is_json(request)) {
        return;
    }
    if (wire_read_status(net_request_body(request->net), &command.status, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    api_command(request, &command, changed);
}

/* ---- DELETE ---- */

static void deleted(struct api_request *request, const struct reply *reply)
{
    (void)reply;
    api_answer_empty(request, 204);
}

void api_job_delete(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_DELETE};

    (void)api;
    if (api_params_only(request, "tenant", NULL) && api_job_ref(request, 0, &command.ref)) {
        api_command(request, &command, deleted);
    }
}
