/* Jobs as they are: one, lists of them, and their coming fires. */
#include "api/filters.h"
#include "api/handlers.h"
#include "api/history.h"
#include "api/list.h"
#include "api/scheduled.h"
#include "api/show.h"
#include "base/mem.h"
#include "wire/fires.h"
#include "wire/mark.h"
#include "wire/put.h"

/* Of a job's newest triggers so many are looked at for one that has ended; a list must stay cheap. */
#define ENDED_AMONG 20

/* ---- one job ---- */

static void get_read(struct api_request *request, struct store_reader *reader)
{
    struct shown_job shown;

    if (show_job_read(request, reader, request->state, true, &shown)) {
        show_job_answer(request, &shown, 200, false, NULL);
    }
}

void api_job_get(struct api *api, struct api_request *request)
{
    struct job_ref *ref = arena_alloc(request->arena, sizeof *ref);

    (void)api;
    if (api_params_only(request, "tenant", NULL) && api_job_ref(request, 0, ref)) {
        request->state = ref;
        api_read(request, get_read);
    }
}

/* ---- lists ---- */

static bool status_param(struct api_request *request, struct query *query)
{
    struct error error;
    struct str text;

    if (!api_param(request, "status", &text)) {
        return true;
    }
    if (job_status_parse(text, &query->status, &error) != ERR_OK) {
        err_in_field(&error, error.code, "status");
        api_problem(request, &error);
        return false;
    }
    query->has_status = true;
    return true;
}

static bool text_param(struct api_request *request, const char *param, size_t bytes_max, struct str *ret_text)
{
    struct error error;

    if (api_param(request, param, ret_text) && (ret_text->len < 1 || ret_text->len > bytes_max)) {
        err_in_field(&error, err_set(&error, ERR_INVALID, "%s must have 1 to %zu characters", param, bytes_max), param);
        api_problem(request, &error);
        return false;
    }
    return true;
}

static bool list_params(struct api_request *request, struct query *query)
{
    struct str label = STR(""), after;
    struct error error;

    if (!api_params_only(request, "tenant", "status", "type", "pool", "label", "q", "limit", "after", NULL) ||
        !api_paging(request, &query->limit, &after) || !filter_name(request, "tenant", &query->tenant) ||
        !filter_name(request, "type", &query->type) || !filter_name(request, "pool", &query->pool) ||
        !status_param(request, query) || !text_param(request, "label", 401, &label) ||
        !text_param(request, "q", 200, &query->name_prefix)) {
        return false;
    }
    size_t equals = str_find_char(label, '=');

    query->label_key = (struct str){label.ptr, equals};
    query->label_value = equals < label.len ? str_skip(label, equals + 1) : STR("");
    if (!str_empty(after) && wire_mark_read_id(after, &query->after, &error) != ERR_OK) {
        api_problem(request, &error);
        return false;
    }
    return true;
}

static void list_read(struct api_request *request, struct store_reader *reader)
{
    SCOPE(rows_done) struct rows jobs;
    SCOPE(running_done) struct running running;
    char mark[WIRE_MARK_BYTES];
    struct jw jw;

    rows_init(&jobs);
    running_init(&running);
    if (!api_query(request, reader, request->state, &jobs) || !running_read(request, reader, &running)) {
        return;
    }
    api_json(request, &jw);
    wire_list_begin(&jw);
    for (size_t i = 0; i < jobs.jobs.count; i++) {
        SCOPE(rows_done) struct rows triggers;
        struct wire_job job = {.row = &jobs.jobs.items[i], .last_fired_ms = TIME_NONE};

        rows_init(&triggers);
        running_settle(&running, &jobs.jobs.items[i]);
        if (!history_last(request, reader, &running, ENDED_AMONG, &job, &triggers)) {
            return;
        }
        wire_job_summary(&jw, &job);
    }
    api_answer_list(request, &jw, jobs.has_more ? wire_mark_id(jobs.after, mark) : NULL);
}

void api_job_list(struct api *api, struct api_request *request)
{
    struct query *query = arena_zalloc(request->arena, sizeof *query);

    (void)api;
    query->kind = QUERY_JOBS;
    query->after_ms = TIME_NONE;
    query->since_ms = TIME_NONE;
    if (list_params(request, query)) {
        request->state = query;
        api_read(request, list_read);
    }
}

/* ---- coming fires ---- */

struct next {
    struct job_ref ref;
    size_t count;
};

static void next_answer(struct api_request *request, const struct job_row *row, size_t max)
{
    SCOPE(buf_done) struct buf description;
    struct scheduled scheduled;
    struct error error;
    struct jw jw;
    int64_t *fires_ms = arena_alloc_array(request->arena, max, sizeof *fires_ms);

    buf_init(&description, ERROR_TEXT_BYTES_MAX * 2);
    if (scheduled_read(row, request->config->zones, request->arena, &scheduled, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    struct wire_fires fires = {.schedule = &scheduled.schedule,
                               .zone = scheduled.zone,
                               .from_ms = row->cursor_ms != TIME_NONE ? row->cursor_ms - 1 : row->created_ms,
                               .fires_ms = fires_ms,
                               .count = scheduled_next(&scheduled, row, fires_ms, max)};

    wire_describe(&scheduled.def, scheduled.zone, scheduled_seed(row, request->arena), &description);
    api_json(request, &jw);
    wire_job_fires(&jw, row->id, description.len > 0 ? buf_text(&description) : NULL, &fires);
    api_answer_json(request, 200, &jw, NULL);
}

static void next_read(struct api_request *request, struct store_reader *reader)
{
    SCOPE(running_done) struct running running;
    const struct next *next = request->state;
    struct shown_job shown;

    running_init(&running);
    if (!show_job_read(request, reader, &next->ref, false, &shown)) {
        return;
    }
    if (running_read(request, reader, &running)) {
        running_settle(&running, &shown.job_rows.jobs.items[0]);
        next_answer(request, shown.job.row, next->count);
    }
    shown_job_done(&shown);
}

void api_job_next(struct api *api, struct api_request *request)
{
    struct next *next = arena_alloc(request->arena, sizeof *next);
    struct str text;
    struct error error;
    int64_t count = 10;

    (void)api;
    if (!api_params_only(request, "tenant", "count", NULL) || !api_job_ref(request, 0, &next->ref)) {
        return;
    }
    if (api_param(request, "count", &text) && str_to_int(text, 1, WIRE_FIRES_MAX, &count, &error) != ERR_OK) {
        err_in_field(&error, error.code, "count");
        api_problem(request, &error);
        return;
    }
    next->count = (size_t)count;
    request->state = next;
    api_read(request, next_read);
}
