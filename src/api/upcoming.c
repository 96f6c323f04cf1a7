/* Coming fires in buckets, for the dashboard's overview. */
#include "forecast/upcoming.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/answers.h"
#include "api/coming.h"
#include "api/handlers.h"
#include "api/inside.h"
#include "api/scheduled.h"
#include "base/chrono.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "wire/put.h"

#define MINUTE_MS INT64_C(60000)
#define MINUTES_MAX (24 * 60)
#define BUCKET_MIN_MS 1000
/* A dashboard asks every few seconds, and has many viewers. */
#define FRESH_MS 5000
/* Some 50 ms of either. */
#define WAKES_MAX 500000
#define JOBS_MAX 2000
/* Definitions that are read one after the other share the memory. */
#define READING_BYTES_MAX (8 * 1024 * 1024)

struct asked {
    int64_t minutes, bucket_ms;
    char key[ANSWERS_KEY_BYTES];
};

/* ---- reading ---- */

static int earliest_first(const void *key_a, const void *key_b)
{
    const struct job_row *a = key_a, *b = key_b;

    return a->wake_ms != b->wake_ms ? (a->wake_ms > b->wake_ms) - (a->wake_ms < b->wake_ms)
                                    : (a->id > b->id) - (a->id < b->id);
}

/* A job that cannot be read has no fires to come. */
static void feed_jobs(struct api_request *request, struct upcoming *upcoming, struct rows *rows)
{
    SCOPE(arena_done) struct arena arena;

    arena_init(&arena, 16 * 1024, READING_BYTES_MAX);
    if (rows->jobs.count > 0) {
        qsort(rows->jobs.items, rows->jobs.count, sizeof *rows->jobs.items, earliest_first);
    }
    for (size_t i = 0; i < rows->jobs.count; i++) {
        const struct job_row *row = &rows->jobs.items[i];
        struct scheduled scheduled;

        arena_reset(&arena);
        if (scheduled_read(row, request->config->zones, &arena, &scheduled, NULL) == ERR_OK) {
            upcoming_job(upcoming, row, scheduled.has_schedule ? &scheduled.schedule : NULL);
        }
    }
    for (size_t i = 0; i < rows->places.count; i++) {
        upcoming_cut(upcoming, rows->places.items[i].wake_ms);
    }
}

/* False: answered. */
static bool feed(struct api_request *request, struct store_reader *reader, struct upcoming *upcoming)
{
    const struct coming coming = {.now_ms = upcoming->now_ms,
                                  .to_ms = upcoming->to_ms,
                                  .step_ms = upcoming->bucket_ms,
                                  .wakes_max = WAKES_MAX,
                                  .jobs_max = JOBS_MAX,
                                  .begun_mono_ms = chrono_mono_ms()};
    SCOPE(coming_done) struct coming_rows rows;
    struct error error = {0};

    coming_init(&rows);
    enum store_outcome outcome = coming_read(reader, &coming, &rows, &error);

    if (outcome != STORE_DONE) {
        api_refuse_read(request, outcome, &error);
        return false;
    }
    for (size_t i = 0; i < rows.wakes.steps.count; i++) {
        const struct step_row *step = &rows.wakes.steps.items[i];

        upcoming_wakes(upcoming, &step->place, step->from_ms, step->count);
    }
    for (size_t i = 0; i < rows.wakes.places.count; i++) {
        upcoming_cut(upcoming, rows.wakes.places.items[i].wake_ms);
    }
    if (rows.wakes.has_more) { /* of other places nothing is known */
        upcoming_cut(upcoming, upcoming->now_ms);
    }
    feed_jobs(request, upcoming, &rows.overdue);
    feed_jobs(request, upcoming, &rows.jobs);
    return true;
}

/* ---- answering ---- */

static void put_shares(struct jw *jw, const char *list, const char *key, const struct upcoming_share *shares)
{
    jw_key(jw, list);
    jw_begin_array(jw);
    for (size_t i = 0; i < UPCOMING_SHOWN && shares[i].count > 0; i++) {
        jw_begin_object(jw);
        wire_put_text(jw, key, shares[i].name);
        wire_put_int(jw, "count", shares[i].count);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_bucket(struct jw *jw, const struct upcoming_bucket *bucket)
{
    jw_begin_object(jw);
    wire_put_instant(jw, "at", bucket->from_ms);
    wire_put_int(jw, "count", bucket->count);
    wire_put_bool(jw, "herd", bucket->is_herd);
    put_shares(jw, "types", "type", bucket->types);
    put_shares(jw, "tenants", "tenant", bucket->tenants);
    jw_key(jw, "examples");
    jw_begin_array(jw);
    for (size_t i = 0; i < UPCOMING_SHOWN && bucket->examples[i].job != 0; i++) {
        const struct upcoming_example *example = &bucket->examples[i];

        jw_begin_object(jw);
        wire_put_id(jw, "job", ID_JOB, example->job);
        wire_put_text(jw, "tenant", example->tenant);
        wire_put_name(jw, "name", example->name, example->job);
        jw_end_object(jw);
    }
    jw_end_array(jw);
    jw_end_object(jw);
}

static void put_upcoming(struct jw *jw, const struct upcoming *upcoming)
{
    jw_begin_object(jw);
    wire_put_instant(jw, "at", upcoming->now_ms);
    wire_put_instant(jw, "until", upcoming->to_ms);
    wire_put_duration(jw, "bucket", upcoming->bucket_ms);
    wire_put_int(jw, "total", upcoming->total);
    wire_put_int(jw, "median", upcoming->median);
    wire_put_int(jw, "herd_above", upcoming->herd_above);
    wire_put_bool(jw, "complete", upcoming->complete_to_ms >= upcoming->to_ms);
    wire_put_instant(jw, "complete_until", upcoming->complete_to_ms);
    wire_put_int(jw, "jobs_read", (int64_t)upcoming->jobs);
    jw_key(jw, "buckets");
    jw_begin_array(jw);
    for (size_t i = 0; i < upcoming->bucket_count; i++) {
        put_bucket(jw, &upcoming->buckets[i]);
    }
    jw_end_array(jw);
    jw_end_object(jw);
}

static void upcoming_read(struct api_request *request, struct store_reader *reader)
{
    const struct asked asked = *(const struct asked *)request->state; /* outlives the request */
    struct answers *answers = request->api->answers;
    int64_t now_ms = chrono_wall_ms();
    SCOPE(buf_done) struct buf kept;
    struct jw jw;

    buf_init(&kept, ANSWERS_BYTES_MAX);
    if (answers_find(answers, asked.key, chrono_mono_ms(), FRESH_MS, &kept) == ANSWERS_HERE) {
        api_json(request, &jw);
        jw_raw(&jw, buf_str(&kept));
        api_answer_json(request, 200, &jw, NULL);
        return;
    }
    /* While the first of all is being made, who else asks makes one too: it is soon done. */
    struct upcoming *upcoming = upcoming_new(now_ms, now_ms + asked.minutes * MINUTE_MS, asked.bucket_ms);

    if (feed(request, reader, upcoming)) {
        upcoming_settle(upcoming);
        api_json(request, &jw);
        put_upcoming(&jw, upcoming);
        answers_keep(answers, asked.key, chrono_mono_ms(), buf_str(&request->body));
        api_answer_json(request, 200, &jw, NULL);
    } else {
        answers_give_up(answers, asked.key);
    }
    upcoming_free(upcoming);
}

/* ---- asking ---- */

static bool read_params(struct api_request *request, struct asked *asked)
{
    struct error error;
    struct str text;
    enum err err = ERR_OK;

    if (api_param(request, "minutes", &text)) {
        err = err_in_field(&error, str_to_int(text, 1, MINUTES_MAX, &asked->minutes, &error), "minutes");
    }
    if (err == ERR_OK && api_param(request, "bucket", &text)) {
        err = err_in_field(&error, duration_parse(text, &asked->bucket_ms, &error), "bucket");
    }
    if (err == ERR_OK && (asked->bucket_ms < BUCKET_MIN_MS ||
                          asked->minutes * MINUTE_MS / asked->bucket_ms > UPCOMING_BUCKETS_MAX - 2)) {
        err = err_set(&error, ERR_INVALID, "a bucket is 1s or longer, and %d of them must be enough for %lld minutes",
                      UPCOMING_BUCKETS_MAX - 2, (long long)asked->minutes);
        err_in_field(&error, err, "bucket");
    }
    if (err != ERR_OK) {
        api_problem(request, &error);
    }
    return err == ERR_OK;
}

void api_upcoming(struct api *api, struct api_request *request)
{
    struct asked *asked = arena_zalloc(request->arena, sizeof *asked);
    SCOPE(buf_done) struct buf kept;
    struct jw jw;

    asked->minutes = 60;
    asked->bucket_ms = MINUTE_MS;
    if (!api_params_only(request, "minutes", "bucket", NULL) || !read_params(request, asked)) {
        return;
    }
    (void)snprintf(asked->key, sizeof asked->key, "upcoming %lld %lld", (long long)asked->minutes,
                   (long long)asked->bucket_ms);
    request->state = asked;
    buf_init(&kept, ANSWERS_BYTES_MAX);
    if (answers_peek(api->answers, asked->key, chrono_mono_ms(), FRESH_MS, &kept)) {
        api_json(request, &jw);
        jw_raw(&jw, buf_str(&kept));
        api_answer_json(request, 200, &jw, NULL);
    } else {
        api_read(request, upcoming_read);
    }
}
