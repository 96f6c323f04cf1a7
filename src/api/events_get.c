/* GET /v1/events. */
#include "api/events.h"
#include "api/filters.h"
#include "api/handlers.h"
#include "api/inside.h"
#include "api/observe.h"
#include "base/id.h"

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

void api_events(struct api *api, struct api_request *request)
{
    struct str last_id = STR(""), job;
    struct events_filter filter = {0};
    struct error error;

    if (!api_params_only(request, "tenant", "type", "pool", "job", "event", NULL) ||
        !filter_name(request, "tenant", &filter.tenant) || !filter_name(request, "type", &filter.type) ||
        !filter_name(request, "pool", &filter.pool) || !kinds_param(request, &filter.kinds)) {
        return;
    }
    if (api_param(request, "job", &job) && id_parse(ID_JOB, job, &filter.job, &error) != ERR_OK) {
        err_in_field(&error, error.code, "job");
        api_problem(request, &error);
        return;
    }
    (void)net_request_header(request->net, STR("Last-Event-ID"), &last_id);
    events_listen(api->observe->events, request, &filter, last_id);
}
