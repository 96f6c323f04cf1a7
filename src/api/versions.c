/* The versions of a job's definition, by number upwards, the current one last. */
#include "api/handlers.h"
#include "api/list.h"
#include "api/show.h"
#include "base/mem.h"
#include "wire/def_read.h"
#include "wire/mark.h"
#include "wire/put.h"

/* One definition with every default written out. */
#define DEFINITION_BYTES_MAX (2UL * WIRE_DEF_BYTES_MAX)

struct versions {
    struct job_ref ref;
    size_t limit;
    uint64_t after; /* the last version of the page before; 0 */
};

static void put_version(struct jw *jw, uint32_t version, int64_t anchor_ms, uint64_t rules, struct str def)
{
    SCOPE(buf_done) struct buf full;
    SCOPE(arena_done) struct arena scratch; /* a page has many: the request's own arena would not hold them all */
    struct job_def read;

    buf_init(&full, DEFINITION_BYTES_MAX);
    arena_init(&scratch, SHOW_DEF_BLOCK_BYTES, SHOW_DEF_BYTES_MAX);
    if (wire_def_read(def, &scratch, &read, NULL) == ERR_OK) {
        job_def_write_full(&read, &full);
    }
    jw_begin_object(jw);
    wire_put_int(jw, "version", version);
    wire_put_instant(jw, "anchor_at", anchor_ms);
    wire_put_hash(jw, "rules", rules);
    jw_key(jw, "definition");
    jw_raw(jw, full.len > 0 && !buf_overflowed(&full) ? buf_str(&full) : def);
    jw_end_object(jw);
}

static void answer(struct api_request *request, const struct versions *asked, const struct job_row *job,
                   const struct rows *rows)
{
    char mark[WIRE_MARK_BYTES];
    uint64_t last = asked->after;
    size_t count = 0;
    struct jw jw;

    api_json(request, &jw);
    wire_list_begin(&jw);
    for (size_t i = 0; i < rows->versions.count; i++) {
        const struct version_row *row = &rows->versions.items[i];

        if (row->version < job->version) { /* the job may have been changed since its row was read */
            put_version(&jw, row->version, row->anchor_ms, row->rules, row->def);
            last = row->version;
            count++;
        }
    }
    if (count < asked->limit && !rows->has_more && asked->after < job->version) {
        put_version(&jw, job->version, job->anchor_ms, job->rules, job->def);
        last = job->version;
    }
    api_answer_list(request, &jw, last < job->version ? wire_mark_id(last, mark) : NULL);
}

static void versions_read(struct api_request *request, struct store_reader *reader)
{
    SCOPE(rows_done) struct rows rows;
    const struct versions asked = *(const struct versions *)request->state;
    struct shown_job shown;

    rows_init(&rows);
    if (!show_job_read(request, reader, &asked.ref, false, &shown)) {
        return;
    }
    const struct query query = {.kind = QUERY_VERSIONS,
                                .id = shown.job.row->id,
                                .after = asked.after,
                                .limit = asked.limit,
                                .after_ms = TIME_NONE,
                                .since_ms = TIME_NONE};

    if (api_query(request, reader, &query, &rows)) {
        answer(request, &asked, shown.job.row, &rows);
    }
    shown_job_done(&shown);
}

void api_job_versions(struct api *api, struct api_request *request)
{
    struct versions *asked = arena_zalloc(request->arena, sizeof *asked);
    struct error error;
    struct str after;

    (void)api;
    if (!api_params_only(request, "tenant", "limit", "after", NULL) || !api_job_ref(request, 0, &asked->ref) ||
        !api_paging(request, &asked->limit, &after)) {
        return;
    }
    if (!str_empty(after) && wire_mark_read_id(after, &asked->after, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    request->state = asked;
    api_read(request, versions_read);
}
