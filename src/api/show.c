#include "api/show.h"

#include <stdio.h>

#include "api/history.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/mem.h"
#include "wire/def_read.h"

static void not_found(struct api_request *request, enum id_kind kind, uint64_t id)
{
    struct error error;
    char text[ID_TEXT_BYTES];

    id_format(kind, id, text);
    err_set(&error, ERR_NOT_FOUND, "there is no %s %s", kind == ID_JOB ? "job" : "trigger", text);
    api_problem(request, &error);
}

/* ---- jobs ---- */

static void no_such_job(struct api_request *request, const struct job_ref *ref)
{
    struct error error;

    if (ref->id != 0) {
        not_found(request, ID_JOB, ref->id);
        return;
    }
    err_set(&error, ERR_NOT_FOUND, "tenant %.*s has no job named %.*s", STR_ARGS(ref->tenant), STR_ARGS(ref->name));
    api_problem(request, &error);
}

static bool read_row(struct api_request *request, struct store_reader *reader, const struct job_ref *ref,
                     struct rows *rows)
{
    struct query query = {.kind = QUERY_JOB, .id = ref->id, .limit = 1, .since_ms = TIME_NONE};

    if (ref->id == 0) {
        query.tenant = ref->tenant;
        query.name = ref->name;
    }
    if (!api_query(request, reader, &query, rows)) {
        return false;
    }
    if (rows->jobs.count == 0 ||
        (!str_empty(ref->tenant) && !str_equal(ref->tenant, rows->jobs.items[0].place.tenant))) {
        no_such_job(request, ref);
        return false;
    }
    return true;
}

static bool read_history(struct api_request *request, struct store_reader *reader, struct shown_job *shown)
{
    SCOPE(running_done) struct running running;

    running_init(&running);
    if (!running_read(request, reader, &running)) {
        return false;
    }
    running_settle(&running, &shown->job_rows.jobs.items[0]);
    return history_counts(request, reader, &running, &shown->job) &&
           history_last(request, reader, &running, QUERY_SCAN_MAX, &shown->job, &shown->trigger_rows);
}

bool show_job_read(struct api_request *request, struct store_reader *reader, const struct job_ref *ref,
                   bool has_history, struct shown_job *ret_shown)
{
    struct error error;

    *ret_shown = (struct shown_job){.job = {.last_fired_ms = TIME_NONE}};
    rows_init(&ret_shown->job_rows);
    rows_init(&ret_shown->trigger_rows);
    bool is_read = read_row(request, reader, ref, &ret_shown->job_rows);

    if (is_read) {
        ret_shown->job.row = &ret_shown->job_rows.jobs.items[0];
        if (wire_def_read(ret_shown->job.row->def, request->arena, &ret_shown->def, &error) != ERR_OK) {
            api_problem(request, &error);
            is_read = false;
        }
    }
    if (is_read && has_history) {
        is_read = read_history(request, reader, ret_shown);
    }
    if (!is_read) {
        shown_job_done(ret_shown);
    }
    return is_read;
}

void shown_job_done(struct shown_job *shown)
{
    rows_done(&shown->job_rows);
    rows_done(&shown->trigger_rows);
}

void show_job_answer(struct api_request *request, struct shown_job *shown, int status, bool has_location,
                     const struct wire_skipped *skipped)
{
    char etag[16], location[sizeof "/v1/jobs/" + ID_TEXT_BYTES], id[ID_TEXT_BYTES];
    struct jw jw;

    id_format(ID_JOB, shown->job.row->id, id);
    (void)snprintf(etag, sizeof etag, "\"%u\"", shown->job.row->version);
    (void)snprintf(location, sizeof location, "/v1/jobs/%s", id);
    api_json(request, &jw);
    if (skipped != NULL) {
        wire_job_changed(&jw, &shown->job, &shown->def, skipped);
    } else {
        wire_job(&jw, &shown->job, &shown->def);
    }
    shown_job_done(shown);
    api_answer_json(request, status, &jw, "ETag", etag, has_location ? "Location" : NULL, location, NULL);
}

/* ---- triggers ---- */

uint32_t show_max_attempts(struct str def)
{
    SCOPE(arena_done) struct arena scratch; /* a page has many: the request's own arena would not hold them all */
    struct job_def read = job_def_default();

    arena_init(&scratch, SHOW_DEF_BLOCK_BYTES, SHOW_DEF_BYTES_MAX);
    if (!str_empty(def)) {
        enum err err = wire_def_read(def, &scratch, &read, NULL);

        (void)err; /* what cannot be read keeps the default: the trigger is shown all the same */
    }
    return (uint32_t)read.retry.max_attempts;
}

static const struct claim *find_claim(const struct rows *rows, uint64_t trigger)
{
    const struct claim *found = NULL;

    for (size_t i = 0; i < rows->claims.count; i++) {
        for (size_t c = 0; c < rows->claims.items[i].count; c++) {
            const struct claim *claim = &rows->claims.items[i].claims[c];

            if (claim->trigger == trigger && (found == NULL || claim->number > found->number)) {
                found = claim;
            }
        }
    }
    return found;
}

static bool read_trigger(struct api_request *request, struct store_reader *reader, uint64_t id,
                         struct shown_trigger *shown)
{
    struct query query = {.kind = QUERY_TRIGGER, .id = id, .limit = 1, .since_ms = TIME_NONE};

    if (!api_query(request, reader, &query, &shown->rows)) {
        return false;
    }
    const struct trigger_row *row = shown->rows.triggers.count > 0 ? &shown->rows.triggers.items[0] : NULL;
    const struct claim *claim = find_claim(&shown->rows, id);

    if (row == NULL && claim == NULL) {
        not_found(request, ID_TRIGGER, id);
        return false;
    }
    query =
        (struct query){.kind = QUERY_JOB, .id = row != NULL ? row->job : claim->job, .limit = 1, .since_ms = TIME_NONE};
    if (!api_query(request, reader, &query, &shown->job_rows)) {
        return false;
    }
    const struct job_row *job = shown->job_rows.jobs.count > 0 ? &shown->job_rows.jobs.items[0] : NULL;

    if (row == NULL && job == NULL) {
        not_found(request, ID_TRIGGER, id);
        return false;
    }
    shown->row = row != NULL ? *row : wire_claimed_row(job, claim);
    shown->trigger.claim = claim;
    shown->trigger.name = job != NULL ? job->name : STR("");
    shown->trigger.max_attempts = show_max_attempts(job != NULL ? job->def : STR(""));
    return true;
}

bool show_trigger_read(struct api_request *request, struct store_reader *reader, uint64_t id,
                       struct shown_trigger *ret_shown)
{
    *ret_shown = (struct shown_trigger){0};
    rows_init(&ret_shown->rows);
    rows_init(&ret_shown->job_rows);
    if (!read_trigger(request, reader, id, ret_shown)) {
        shown_trigger_done(ret_shown);
        return false;
    }
    ret_shown->trigger.row = &ret_shown->row;
    return true;
}

void shown_trigger_done(struct shown_trigger *shown)
{
    rows_done(&shown->rows);
    rows_done(&shown->job_rows);
}
