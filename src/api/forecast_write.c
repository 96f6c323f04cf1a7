/* A forecast as the contract's JSON. */
#include "api/forecast.h"
#include "calendar/instant.h"
#include "model/job_words.h"
#include "wire/put.h"

#define SENTENCES_MAX 80

static void put_double(struct jw *jw, const char *key, double value)
{
    jw_key(jw, key);
    jw_double(jw, (double)(int64_t)(value * 100 + 0.5) / 100);
}

/* The fields of a job in an object that is open. */
static void put_job(struct jw *jw, const struct forecast_name *job)
{
    wire_put_id(jw, "job", ID_JOB, job->job);
    wire_put_text(jw, "tenant", job->tenant);
    wire_put_name(jw, "name", job->name, job->job);
}

static void put_sentences(struct jw *jw, struct forecast *forecast)
{
    const char *sentences[SENTENCES_MAX];
    size_t count = forecast_sentences(forecast, sentences, SENTENCES_MAX);

    jw_key(jw, "sentences");
    jw_begin_array(jw);
    for (size_t i = 0; i < count; i++) {
        jw_text(jw, sentences[i]);
    }
    jw_end_array(jw);
}

static void put_moves(struct jw *jw, const struct forecast_herd *herd)
{
    jw_key(jw, "flatten");
    jw_begin_object(jw);
    wire_put_int(jw, "movable", herd->movable);
    wire_put_int(jw, "peak", herd->peak_after);
    if (herd->jitter_ms > 0) {
        wire_put_duration(jw, "jitter", herd->jitter_ms);
    } else {
        wire_put_null(jw, "jitter");
    }
    jw_key(jw, "moves");
    jw_begin_array(jw);
    for (size_t i = 0; i < herd->move_count; i++) {
        jw_begin_object(jw);
        put_job(jw, &herd->moves[i].job);
        wire_put_duration(jw, "by", herd->moves[i].by_ms);
        jw_end_object(jw);
    }
    jw_end_array(jw);
    jw_end_object(jw);
}

static void put_herds(struct jw *jw, const struct forecast *forecast)
{
    jw_key(jw, "herds");
    jw_begin_array(jw);
    for (size_t i = 0; i < forecast->herd_count; i++) {
        const struct forecast_herd *herd = &forecast->herds[i];

        jw_begin_object(jw);
        wire_put_instant(jw, "at", herd->at_ms);
        wire_put_int(jw, "count", herd->count);
        jw_key(jw, "types");
        jw_begin_array(jw);
        for (size_t k = 0; k < UPCOMING_SHOWN && herd->types[k].count > 0; k++) {
            jw_begin_object(jw);
            wire_put_text(jw, "type", herd->types[k].name);
            wire_put_int(jw, "count", herd->types[k].count);
            jw_end_object(jw);
        }
        jw_end_array(jw);
        jw_key(jw, "examples");
        jw_begin_array(jw);
        for (size_t k = 0; k < UPCOMING_SHOWN && herd->examples[k].job != 0; k++) {
            jw_begin_object(jw);
            put_job(jw, &herd->examples[k]);
            jw_end_object(jw);
        }
        jw_end_array(jw);
        put_moves(jw, herd);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_overlaps(struct jw *jw, const struct forecast *forecast)
{
    jw_key(jw, "overlaps");
    jw_begin_array(jw);
    for (size_t i = 0; i < forecast->overlap_count; i++) {
        const struct forecast_overlap *overlap = &forecast->overlaps[i];

        jw_begin_object(jw);
        put_job(jw, &overlap->job);
        wire_put_word(jw, "overlap", job_overlap_text(overlap->policy));
        wire_put_bool(jw, "measured", overlap->source == FORECAST_MEASURED);
        wire_put_int(jw, "median_ms", overlap->median_ms);
        wire_put_int(jw, "p95_ms", overlap->p95_ms);
        wire_put_duration(jw, "shortest_interval", overlap->shortest_ms);
        wire_put_int(jw, "fires", overlap->fires);
        wire_put_int(jw, "expected", overlap->expected);
        wire_put_int(jw, "possible", overlap->possible);
        wire_put_instant(jw, "first_at", overlap->first_ms);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_turns(struct jw *jw, const struct forecast *forecast)
{
    char text[INSTANT_BYTES];

    jw_key(jw, "clock_changes");
    jw_begin_array(jw);
    for (size_t i = 0; i < forecast->turn_count; i++) {
        const struct forecast_turn *turn = &forecast->turns[i];

        jw_begin_object(jw);
        wire_put_text(jw, "timezone", turn->zone);
        wire_put_instant(jw, "at", turn->at_ms);
        wire_put_word(jw, "local", instant_format_local(turn->local_s, text));
        wire_put_int(jw, "jump_seconds", turn->jump_s);
        wire_put_int(jw, "jobs", turn->jobs);
        wire_put_int(jw, "moved", turn->moved);
        wire_put_int(jw, "skipped", turn->skipped);
        wire_put_int(jw, "doubled", turn->doubled);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_changes(struct jw *jw, const struct forecast *forecast)
{
    char text[INSTANT_BYTES];

    put_turns(jw, forecast);
    jw_key(jw, "changed_fires");
    jw_begin_array(jw);
    for (size_t i = 0; i < forecast->change_count; i++) {
        const struct forecast_change *change = &forecast->changes[i];

        jw_begin_object(jw);
        put_job(jw, &change->job);
        wire_put_word(jw, "kind", forecast_change_text(change->kind));
        wire_put_text(jw, "timezone", change->zone);
        wire_put_instant(jw, "at", change->at_ms);
        wire_put_word(jw, "local", instant_format_local(change->local_s, text));
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_pools(struct jw *jw, const struct forecast *forecast)
{
    jw_key(jw, "shortages");
    jw_begin_array(jw);
    for (size_t i = 0; i < forecast->shortage_count; i++) {
        const struct forecast_shortage *shortage = &forecast->shortages[i];

        jw_begin_object(jw);
        wire_put_text(jw, "pool", shortage->pool);
        wire_put_instant(jw, "from", shortage->from_ms);
        wire_put_instant(jw, "to", shortage->to_ms);
        wire_put_int(jw, "capacity", shortage->capacity);
        wire_put_int(jw, "needed", shortage->needed);
        wire_put_int(jw, "fires", shortage->fires);
        wire_put_int(jw, "delay_ms", shortage->delay_ms);
        jw_end_object(jw);
    }
    jw_end_array(jw);
    jw_key(jw, "pools");
    jw_begin_array(jw);
    for (size_t i = 0; i < forecast->load_count; i++) {
        const struct forecast_pool_load *load = &forecast->loads[i];

        jw_begin_object(jw);
        wire_put_text(jw, "pool", load->name);
        wire_put_int(jw, "capacity", load->capacity);
        wire_put_int(jw, "peak", load->peak);
        wire_put_instant(jw, "peak_at", load->peak > 0 ? load->peak_ms : TIME_NONE);
        put_double(jw, "steady", load->steady);
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_figures(struct jw *jw, const struct forecast *forecast)
{
    wire_put_instant(jw, "at", forecast->now_ms);
    wire_put_instant(jw, "until", forecast->to_ms);
    wire_put_bool(jw, "complete", forecast->complete_to_ms >= forecast->to_ms);
    wire_put_instant(jw, "complete_until", forecast->complete_to_ms);
    wire_put_int(jw, "jobs", (int64_t)forecast->jobs);
    wire_put_int(jw, "fires", forecast->fires);
    jw_key(jw, "durations");
    jw_begin_object(jw);
    wire_put_int(jw, "measured", (int64_t)forecast->measured);
    wire_put_int(jw, "by_type", (int64_t)forecast->by_type);
    wire_put_int(jw, "unknown", (int64_t)forecast->unknown);
    jw_end_object(jw);
    jw_key(jw, "steady");
    jw_begin_object(jw);
    wire_put_int(jw, "jobs", (int64_t)forecast->steady_jobs);
    put_double(jw, "fires_per_minute", forecast->steady_per_minute);
    jw_end_object(jw);
    wire_put_int(jw, "median", forecast->median);
    wire_put_int(jw, "herd_above", forecast->herd_above);
    wire_put_int(jw, "herds_found", forecast->herds_seen);
    wire_put_int(jw, "overlaps_found", (int64_t)forecast->overlaps_seen);
    wire_put_int(jw, "changed_fires_found", (int64_t)forecast->changes_seen);
    wire_put_int(jw, "shortages_found", (int64_t)forecast->shortages_seen);
}

void forecast_write(struct jw *jw, struct forecast *forecast)
{
    jw_begin_object(jw);
    put_figures(jw, forecast);
    put_sentences(jw, forecast);
    put_herds(jw, forecast);
    put_overlaps(jw, forecast);
    put_changes(jw, forecast);
    put_pools(jw, forecast);
    jw_end_object(jw);
}
