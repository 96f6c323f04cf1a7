/* One trigger, with all there is to know. */
#include "api/handlers.h"
#include "api/inside.h"
#include "api/progress.h"
#include "api/show.h"
#include "base/mem.h"

/* Versions read at a time, on the way to the one that is looked for. */
#define VERSION_LIMIT 1

/* The canonical definition of a version of the job; the present one where that is gone. */
static bool read_def(struct api_request *request, struct store_reader *reader, const struct shown_trigger *shown,
                     struct rows *rows, struct str *ret_def)
{
    const struct job_row *job = shown->job_rows.jobs.count > 0 ? &shown->job_rows.jobs.items[0] : NULL;
    const struct query query = {.kind = QUERY_VERSIONS,
                                .id = shown->row.job,
                                .after = shown->row.version - 1,
                                .limit = VERSION_LIMIT,
                                .after_ms = TIME_NONE,
                                .since_ms = TIME_NONE};

    *ret_def = job != NULL ? job->def : STR("{}");
    if (job != NULL && job->version == shown->row.version) {
        return true;
    }
    if (!api_query(request, reader, &query, rows)) {
        return false;
    }
    if (rows->versions.count > 0 && rows->versions.items[0].version == shown->row.version) {
        *ret_def = rows->versions.items[0].def;
    }
    return true;
}

static void trigger_read(struct api_request *request, struct store_reader *reader)
{
    SCOPE(rows_done) struct rows versions;
    uint64_t id = *(uint64_t *)request->state;
    struct wire_progress progress;
    struct shown_trigger shown;
    struct str def;
    struct jw jw;

    rows_init(&versions);
    if (!show_trigger_read(request, reader, id, &shown)) {
        return;
    }
    if (read_def(request, reader, &shown, &versions, &def)) {
        if (shown.trigger.claim != NULL &&
            progress_find(request->api->progress, id, shown.trigger.claim->number, request->arena, &progress)) {
            shown.trigger.progress = &progress;
        }
        api_json(request, &jw);
        wire_trigger_detail(&jw, &shown.trigger, def, shown.rows.attempts.items, shown.rows.attempts.count);
        api_answer_json(request, 200, &jw, NULL);
    }
    shown_trigger_done(&shown);
}

void api_trigger_get(struct api *api, struct api_request *request)
{
    uint64_t *id = arena_alloc(request->arena, sizeof *id);

    (void)api;
    if (api_params_only(request, NULL) && api_trigger_id(request, 0, id)) {
        request->state = id;
        api_read(request, trigger_read);
    }
}
