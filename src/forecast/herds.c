/* Minutes with many fires at once, and how they could be made smaller. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "forecast/inside.h"

static int by_size(const void *key_a, const void *key_b)
{
    uint32_t a = *(const uint32_t *)key_a, b = *(const uint32_t *)key_b;

    return (a > b) - (a < b);
}

/* Of all minutes: where most have none, it is 0. */
static int64_t median_of(const struct forecast_minutes *minutes)
{
    SCOPE_FREE uint32_t *counts = mem_alloc_array(minutes->count, sizeof *counts);

    for (size_t i = 0; i < minutes->count; i++) {
        counts[i] = minutes->counts[i];
    }
    qsort(counts, minutes->count, sizeof *counts, by_size);
    return counts[minutes->count / 2];
}

static int larger_first(const void *key_a, const void *key_b)
{
    const struct forecast_herd *a = key_a, *b = key_b;

    return a->count != b->count ? (a->count < b->count ? 1 : -1) : (a->at_ms > b->at_ms ? 1 : -1);
}

static int earlier_first(const void *key_a, const void *key_b)
{
    const struct forecast_herd *a = key_a, *b = key_b;

    return (a->at_ms > b->at_ms) - (a->at_ms < b->at_ms);
}

/* The largest ones. */
static void list_herds(struct forecast *forecast, const struct forecast_minutes *minutes)
{
    for (size_t i = 0; i < minutes->count; i++) {
        struct forecast_herd herd = {.at_ms = minutes->from_ms + (int64_t)i * FORECAST_MINUTE_MS,
                                     .count = minutes->counts[i]};

        if (herd.count <= forecast->herd_above) {
            continue;
        }
        forecast->herds_seen++;
        if (forecast->herd_count == FORECAST_HERDS_MAX) {
            if (larger_first(&herd, &forecast->herds[forecast->herd_count - 1]) > 0) {
                continue;
            }
            forecast->herd_count--;
        }
        forecast->herds[forecast->herd_count++] = herd;
        qsort(forecast->herds, forecast->herd_count, sizeof *forecast->herds, larger_first);
    }
    if (forecast->herd_count > 0) {
        qsort(forecast->herds, forecast->herd_count, sizeof *forecast->herds, earlier_first);
    }
}

/* ---- who is in one ---- */

/* Whether a job is due within the minute. */
static bool is_in(const struct forecast_input *input, const struct forecast_job *job, int64_t at_ms)
{
    const struct schedule *schedule = job->schedule;
    int64_t fire_ms = job->cursor_ms;
    int64_t every_ms;

    if (forecast_is_steady(input, job, &every_ms)) {
        return false;
    }
    if (schedule->kind != SCHEDULE_ONCE && !schedule->after_finish && (at_ms - schedule->jitter_ms > fire_ms) &&
        !schedule_next(schedule, at_ms - schedule->jitter_ms - 1, &fire_ms)) {
        return false;
    }
    while (fire_ms < at_ms + FORECAST_MINUTE_MS) {
        if (schedule_due_ms(schedule, job->id, fire_ms) >= at_ms) {
            return schedule_due_ms(schedule, job->id, fire_ms) < at_ms + FORECAST_MINUTE_MS;
        }
        if (schedule->kind == SCHEDULE_ONCE || schedule->after_finish || !schedule_next(schedule, fire_ms, &fire_ms)) {
            return false;
        }
    }
    return false;
}

static bool can_move(const struct forecast_job *job)
{
    return job->schedule->kind != SCHEDULE_ONCE && !job->schedule->after_finish;
}

/* Counts of types, of which there are few in a herd; others are not named. */
struct type_counts {
    struct upcoming_share shares[64];
    size_t count;
};

static void count_type(struct type_counts *types, struct str type)
{
    for (size_t i = 0; i < types->count; i++) {
        if (str_equal(types->shares[i].name, type)) {
            types->shares[i].count++;
            return;
        }
    }
    if (types->count < sizeof types->shares / sizeof types->shares[0]) {
        types->shares[types->count++] = (struct upcoming_share){type, 1};
    }
}

static int larger_share(const void *key_a, const void *key_b)
{
    const struct upcoming_share *a = key_a, *b = key_b;

    return a->count != b->count ? (a->count < b->count ? 1 : -1) : str_compare(a->name, b->name);
}

static void put_types(struct forecast *forecast, struct forecast_herd *herd, struct type_counts *types)
{
    if (types->count > 0) {
        qsort(types->shares, types->count, sizeof types->shares[0], larger_share);
    }
    for (size_t i = 0; i < types->count && i < UPCOMING_SHOWN; i++) {
        herd->types[i].name = forecast_keep(forecast, types->shares[i].name);
        herd->types[i].count = types->shares[i].count;
    }
}

/* ---- advice ---- */

/* Counts of the minutes that a herd may be spread over, from its own on. */
struct spread {
    uint32_t counts[FORECAST_MOVE_MINUTES + 1];
    size_t count;
};

static size_t emptiest(const struct spread *spread)
{
    size_t least = 0;

    for (size_t i = 1; i < spread->count; i++) {
        least = spread->counts[i] < spread->counts[least] ? i : least;
    }
    return least;
}

/* A job goes where there is most room, if that is better than where it is. */
static void advise(struct forecast *forecast, struct forecast_herd *herd, const struct forecast_job *job,
                   struct spread *spread)
{
    size_t to = emptiest(spread);

    herd->movable++;
    if (spread->counts[to] + 1 >= spread->counts[0]) {
        return;
    }
    spread->counts[0]--;
    spread->counts[to]++;
    if (herd->move_count < FORECAST_MOVES_MAX) {
        herd->moves[herd->move_count++] =
            (struct forecast_move){forecast_name_of(forecast, job), (int64_t)to * FORECAST_MINUTE_MS};
    }
}

static void look_at(struct forecast *forecast, const struct forecast_input *input,
                    const struct forecast_minutes *minutes, struct forecast_herd *herd)
{
    struct type_counts types = {.count = 0};
    struct spread spread = {.count = 0};
    size_t minute = (size_t)((herd->at_ms - minutes->from_ms) / FORECAST_MINUTE_MS);
    size_t examples = 0;

    for (; spread.count <= FORECAST_MOVE_MINUTES && minute + spread.count < minutes->count; spread.count++) {
        spread.counts[spread.count] = minutes->counts[minute + spread.count];
    }
    for (size_t i = 0; i < input->job_count; i++) {
        const struct forecast_job *job = &input->jobs[i];

        if (!is_in(input, job, herd->at_ms)) {
            continue;
        }
        count_type(&types, job->type);
        if (examples < UPCOMING_SHOWN) {
            herd->examples[examples++] = forecast_name_of(forecast, job);
        }
        if (can_move(job)) {
            advise(forecast, herd, job, &spread);
        }
    }
    for (size_t i = 0; i < spread.count; i++) {
        herd->peak_after = spread.counts[i] > herd->peak_after ? spread.counts[i] : herd->peak_after;
    }
    put_types(forecast, herd, &types);
    if (herd->movable > 1) {
        int64_t wanted = herd->count / (forecast->herd_above / 2 + 1) + 1;

        herd->jitter_ms = FORECAST_MINUTE_MS * (wanted < FORECAST_MOVE_MINUTES ? wanted : FORECAST_MOVE_MINUTES);
    }
}

void forecast_find_herds(struct forecast *forecast, const struct forecast_input *input,
                         struct forecast_minutes *minutes)
{
    forecast->herds = arena_zalloc(&forecast->arena, FORECAST_HERDS_MAX * sizeof *forecast->herds);
    forecast->median = median_of(minutes);
    forecast->herd_above = UPCOMING_HERD_FACTOR * forecast->median > UPCOMING_HERD_MIN
                               ? UPCOMING_HERD_FACTOR * forecast->median
                               : UPCOMING_HERD_MIN;
    list_herds(forecast, minutes);
    for (size_t i = 0; i < forecast->herd_count; i++) {
        look_at(forecast, input, minutes, &forecast->herds[i]);
    }
}
