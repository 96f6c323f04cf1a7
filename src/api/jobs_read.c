/* One job as it is, and its coming fires. */
#include "api/handlers.h"
#include "api/running.h"
#include "api/scheduled.h"
#include "api/show.h"
#include "base/mem.h"
#include "wire/fires.h"

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
