/* GET /v1/events. */
#include "api/events.h"
#include "api/filters.h"
#include "api/handlers.h"
#include "api/inside.h"
#include "api/observe.h"
#include "api/show.h"
#include "base/id.h"
#include "model/name.h"

/* Kinds separated by commas. */
static bool kinds_param(struct api_request *request, uint32_t *ret_kinds)
{
    enum notice_kind kind;
    struct str rest, word;
    struct error error;
    bool is_done = false;

    if (!api_param(request, "event", &rest)) {
        return true;
    }
    while (str_split(&rest, ',', &is_done, &word)) {
        if (!notice_parse(word, &kind)) {
            err_set(&error, ERR_INVALID, "there are no events %.*s", STR_ARGS(word));
            err_in_field(&error, error.code, "event");
            api_problem(request, &error);
            return false;
        }
        *ret_kinds |= UINT32_C(1) << kind;
    }
    return true;
}

/* ---- by the name of a job ---- */

struct named {
    struct events_filter filter;
    struct job_ref ref;
};

static void listen(struct api_request *request, const struct events_filter *filter)
{
    struct str last_id = STR("");

    (void)net_request_header(request->net, STR("Last-Event-ID"), &last_id);
    events_listen(request->api->observe->events, request, filter, last_id);
}

static void find_job(struct api_request *request, struct store_reader *reader)
{
    struct named *named = request->state;
    struct shown_job shown;

    if (show_job_read(request, reader, &named->ref, false, &shown)) {
        named->filter.job = shown.job.row->id;
        shown_job_done(&shown);
        listen(request, &named->filter);
    }
}

static void listen_by_name(struct api_request *request, const struct events_filter *filter, struct str name)
{
    struct named *named = arena_zalloc(request->arena, sizeof *named);

    named->filter = *filter;
    named->ref.name = name;
    if (api_tenant(request, &named->ref.tenant)) {
        request->state = named;
        api_read(request, find_job);
    }
}

static enum err read_job(struct str job, uint64_t *ret_id, struct error *error)
{
    bool is_id = str_starts_with(job, STR("job_"));
    enum err err = is_id ? id_parse(ID_JOB, job, ret_id, error) : name_check_owner(job, error);

    return err_in_field(error, err, "job");
}

void api_events(struct api *api, struct api_request *request)
{
    struct str job = STR("");
    struct events_filter filter = {0};
    struct error error;

    (void)api;
    if (!api_params_only(request, "tenant", "type", "pool", "job", "event", NULL) ||
        !filter_name(request, "tenant", &filter.tenant) || !filter_name(request, "type", &filter.type) ||
        !filter_name(request, "pool", &filter.pool) || !kinds_param(request, &filter.kinds)) {
        return;
    }
    bool has_job = api_param(request, "job", &job);

    if (has_job && read_job(job, &filter.job, &error) != ERR_OK) {
        api_problem(request, &error);
    } else if (has_job && filter.job == 0) {
        listen_by_name(request, &filter, job);
    } else {
        listen(request, &filter);
    }
}
