/* The attempts of a job: by trigger, the newest first, and within a trigger by number, the highest first. */
#include <stdlib.h>

#include "api/handlers.h"
#include "api/inside.h"
#include "api/list.h"
#include "api/progress.h"
#include "api/running.h"
#include "api/show.h"
#include "base/id.h"
#include "base/mem.h"
#include "wire/mark.h"
#include "wire/put.h"

/* Attempts of one trigger that are looked at; more were given back again and again. */
#define ATTEMPTS_MAX 10000
#define ATTEMPTS_PAGE 1000
/* Triggers read at a time. */
#define TRIGGERS_PAGE 100

struct executions {
    struct job_ref ref;
    uint64_t only;        /* trigger; 0: all */
    uint64_t after;       /* the trigger of the last one shown; 0: the first page */
    int64_t after_number; /* and its number */
    size_t limit, count;
    bool is_full; /* the page ended before everything was shown */

    const struct job_row *job;
    struct store_reader *reader;
    struct running running;
};

/* ---- one trigger ---- */

static void put_attempt(struct api_request *request, struct jw *jw, struct executions *page,
                        const struct attempt_row *attempt)
{
    struct wire_progress progress;
    bool has_progress = attempt->state == ATTEMPT_STARTED && progress_find(request->api->progress, attempt->trigger,
                                                                           attempt->number, request->arena, &progress);

    if (page->after == attempt->trigger && page->after_number != 0 && attempt->number >= page->after_number) {
        return; /* shown on a page before */
    }
    if (page->count == page->limit) {
        page->is_full = true;
        return;
    }
    wire_attempt(jw, attempt, page->job->id, has_progress ? &progress : NULL);
    page->count++;
    page->after = attempt->trigger;
    page->after_number = attempt->number;
}

/* Those that have rows of their own, upwards. */
static bool read_rows(struct api_request *request, struct executions *page, uint64_t trigger, struct rows *rows)
{
    struct query query = {
        .kind = QUERY_ATTEMPTS, .id = trigger, .limit = ATTEMPTS_PAGE, .after_ms = TIME_NONE, .since_ms = TIME_NONE};

    do {
        rows->has_more = false;
        if (!api_query(request, page->reader, &query, rows)) {
            return false;
        }
        query.after = rows->after;
    } while (rows->has_more && rows->attempts.count < ATTEMPTS_MAX);
    return true;
}

/* row is NULL for a trigger whose first attempt runs. */
static bool put_trigger(struct api_request *request, struct jw *jw, struct executions *page, uint64_t id,
                        const struct trigger_row *row)
{
    SCOPE(rows_done) struct rows rows;
    const struct claim *claim = running_of(&page->running, id, row, page->job);
    bool has_rows = row != NULL && row->attempts > 0 && (row->attempts > 1 || !trigger_ended(row->state));

    rows_init(&rows);
    if (has_rows && !read_rows(request, page, id, &rows)) {
        return false;
    }
    size_t count = rows.attempts.count;
    uint32_t highest = count > 0 ? rows.attempts.items[count - 1].number : 0;

    if (claim != NULL) {
        struct attempt_row started = wire_claimed_attempt(claim);

        put_attempt(request, jw, page, &started);
    }
    if (row != NULL && row->last.number > highest) {
        struct attempt_row last = row->last;

        last.trigger = id;
        put_attempt(request, jw, page, &last);
    }
    for (size_t i = count; i > 0 && !page->is_full; i--) {
        put_attempt(request, jw, page, &rows.attempts.items[i - 1]);
    }
    return true;
}

/* ---- all triggers ---- */

/* Claims without a row stand among the rows by their ids. */
static bool put_claims_above(struct api_request *request, struct jw *jw, struct executions *page,
                             const struct claim **claims, size_t claim_count, size_t *at, uint64_t id)
{
    while (*at < claim_count && claims[*at]->trigger >= id && !page->is_full) {
        const struct claim *claim = claims[(*at)++];

        if (claim->trigger > id && !put_trigger(request, jw, page, claim->trigger, NULL)) {
            return false;
        }
    }
    return true;
}

static bool put_all(struct api_request *request, struct jw *jw, struct executions *page)
{
    const uint64_t from = page->after == 0 ? 0 : page->after + 1; /* the last trigger may have more */
    struct query query = {.kind = QUERY_TRIGGERS,
                          .id = page->job->id,
                          .after = from,
                          .limit = TRIGGERS_PAGE,
                          .after_ms = TIME_NONE,
                          .since_ms = TIME_NONE};
    const struct claim **claims;
    size_t claim_count = running_list(&page->running, page->job->id, from, request->arena, &claims);
    size_t claim_at = 0;
    bool has_more = true;

    while (has_more && !page->is_full) {
        SCOPE(rows_done) struct rows rows;

        rows_init(&rows);
        if (!api_query(request, page->reader, &query, &rows)) {
            return false;
        }
        for (size_t i = 0; i < rows.triggers.count && !page->is_full; i++) {
            const struct trigger_row *row = &rows.triggers.items[i];

            if (!put_claims_above(request, jw, page, claims, claim_count, &claim_at, row->id) ||
                !put_trigger(request, jw, page, row->id, row)) {
                return false;
            }
        }
        has_more = rows.has_more;
        query.after = rows.after;
    }
    return put_claims_above(request, jw, page, claims, claim_count, &claim_at, 0);
}

static bool put_one(struct api_request *request, struct jw *jw, struct executions *page)
{
    SCOPE(rows_done) struct rows rows;
    const struct query query = {
        .kind = QUERY_TRIGGER, .id = page->only, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    struct error error;

    rows_init(&rows);
    if (!api_query(request, page->reader, &query, &rows)) {
        return false;
    }
    const struct trigger_row *row = rows.triggers.count > 0 ? &rows.triggers.items[0] : NULL;
    const struct claim *claim = running_of(&page->running, page->only, row, page->job);

    if ((row == NULL && claim == NULL) || (row != NULL ? row->job : claim->job) != page->job->id) {
        err_set(&error, ERR_NOT_FOUND, "the job has no such trigger");
        err_in_field(&error, error.code, "trigger");
        api_problem(request, &error);
        return false;
    }
    return put_trigger(request, jw, page, page->only, row);
}

static void executions_read(struct api_request *request, struct store_reader *reader)
{
    struct executions page = *(struct executions *)request->state;
    char mark[WIRE_MARK_BYTES];
    struct shown_job shown;
    struct jw jw;

    if (!show_job_read(request, reader, &page.ref, false, &shown)) {
        return;
    }
    page.job = shown.job.row;
    page.reader = reader;
    running_init(&page.running);
    if (running_read(request, reader, &page.running)) {
        api_json(request, &jw);
        wire_list_begin(&jw);
        if (page.only != 0 ? put_one(request, &jw, &page) : put_all(request, &jw, &page)) {
            api_answer_list(request, &jw, page.is_full ? wire_mark_pair(page.after_number, page.after, mark) : NULL);
        }
    }
    running_done(&page.running);
    shown_job_done(&shown);
}

void api_job_executions(struct api *api, struct api_request *request)
{
    struct executions *page = arena_zalloc(request->arena, sizeof *page);
    struct str after, trigger;
    struct error error;

    (void)api;
    if (!api_params_only(request, "tenant", "trigger", "limit", "after", NULL) ||
        !api_job_ref(request, 0, &page->ref) || !api_paging(request, &page->limit, &after)) {
        return;
    }
    if (api_param(request, "trigger", &trigger) && id_parse(ID_TRIGGER, trigger, &page->only, &error) != ERR_OK) {
        err_in_field(&error, error.code, "trigger");
        api_problem(request, &error);
        return;
    }
    if (!str_empty(after) && wire_mark_read_pair(after, &page->after_number, &page->after, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    request->state = page;
    api_read(request, executions_read);
}
