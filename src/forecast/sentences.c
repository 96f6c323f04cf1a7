/* A forecast in plain sentences, the nearest and worst first. */
#include <stdio.h>

#include "calendar/civil.h"
#include "calendar/duration.h"
#include "forecast/inside.h"

struct sentences {
    struct forecast *forecast;
    const char **items;
    size_t count, max;
};

#define WHEN_BYTES 48

/* "Sun 29 Mar 2027 02:00" */
static const char *local_text(int64_t local_s, char out[WHEN_BYTES])
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct civil civil = civil_from_local(local_s);
    const char *weekday = civil_weekday_name(civil_weekday(civil_floor_div(local_s, SECONDS_PER_DAY)));

    (void)snprintf(out, WHEN_BYTES, "%.3s %d %s %d %02d:%02d", weekday, civil.day, months[civil.month - 1], civil.year,
                   civil.hour, civil.minute);
    return out;
}

static const char *utc_text(int64_t ms, char out[WHEN_BYTES])
{
    char local[WHEN_BYTES];

    (void)snprintf(out, WHEN_BYTES, "%.40s UTC", local_text(civil_floor_div(ms, 1000), local));
    return out;
}

#define SAY(sentences, ...)                                                                                            \
    do {                                                                                                               \
        if ((sentences)->count < (sentences)->max) {                                                                   \
            (sentences)->items[(sentences)->count++] = arena_printf(&(sentences)->forecast->arena, __VA_ARGS__);       \
        }                                                                                                              \
    } while (0)

static const char *name_text(const struct sentences *sentences, const struct forecast_name *name)
{
    struct arena *arena = &sentences->forecast->arena;

    if (name->name.len == 0) {
        return arena_printf(arena, "a job without a name of tenant %.*s", STR_ARGS(name->tenant));
    }
    return arena_printf(arena, "%.*s/%.*s", STR_ARGS(name->tenant), STR_ARGS(name->name));
}

static const char *fires_text(int64_t count)
{
    return count == 1 ? "fire" : "fires";
}

static void say_turns(struct sentences *sentences)
{
    const struct forecast *forecast = sentences->forecast;

    for (size_t i = 0; i < forecast->turn_count; i++) {
        const struct forecast_turn *turn = &forecast->turns[i];
        char when[WHEN_BYTES], jump[DURATION_BYTES];

        SAY(sentences,
            "On %s clocks in %.*s go %s by %s: %lld %s moved, %lld skipped, %lld doubled, of %lld jobs that follow "
            "them.",
            local_text(turn->local_s, when), STR_ARGS(turn->zone), turn->jump_s > 0 ? "forward" : "back",
            duration_format_short(turn->jump_s * INT64_C(1000), jump), (long long)turn->moved, fires_text(turn->moved),
            (long long)turn->skipped, (long long)turn->doubled, (long long)turn->jobs);
    }
}

static void say_shortages(struct sentences *sentences)
{
    const struct forecast *forecast = sentences->forecast;

    for (size_t i = 0; i < forecast->shortage_count && i < 3; i++) {
        const struct forecast_shortage *shortage = &forecast->shortages[i];
        char when[WHEN_BYTES], delay[DURATION_BYTES];

        SAY(sentences, "On %s pool %.*s needs %lld places and has %lld: %lld %s wait, the longest for %s.",
            utc_text(shortage->from_ms, when), STR_ARGS(shortage->pool), (long long)shortage->needed,
            (long long)shortage->capacity, (long long)shortage->fires, fires_text(shortage->fires),
            duration_format_short(shortage->delay_ms, delay));
    }
}

static void say_herds(struct sentences *sentences)
{
    const struct forecast *forecast = sentences->forecast;
    const struct forecast_herd *largest = NULL;
    char when[WHEN_BYTES];

    for (size_t i = 0; i < forecast->herd_count; i++) {
        largest = largest == NULL || forecast->herds[i].count > largest->count ? &forecast->herds[i] : largest;
    }
    if (largest == NULL) {
        SAY(sentences, "No herds: no minute has more than %lld fires.", (long long)forecast->herd_above);
        return;
    }
    SAY(sentences, "%lld %s more than %lld fires; the largest is on %s with %lld.", (long long)forecast->herds_seen,
        forecast->herds_seen == 1 ? "minute has" : "minutes have", (long long)forecast->herd_above,
        utc_text(largest->at_ms, when), (long long)largest->count);
    if (largest->peak_after < largest->count && largest->movable > 0) {
        SAY(sentences, "Spread over the half hour behind it (%lld jobs can move), its fullest minute would have %lld.",
            (long long)largest->movable, (long long)largest->peak_after);
    }
}

/* What becomes of a fire that finds the one before still running. */
static const char *outcome_text(enum job_overlap policy)
{
    switch (policy) {
    case OVERLAP_SKIP:
        return "are skipped";
    case OVERLAP_QUEUE:
        return "wait and run one after the other";
    case OVERLAP_COLLAPSE:
        return "wait, and the newest runs for all";
    case OVERLAP_ALLOW:
        return "run beside it";
    }
    return "wait";
}

static void say_overlaps(struct sentences *sentences)
{
    const struct forecast *forecast = sentences->forecast;

    for (size_t i = 0; i < forecast->overlap_count && i < 5; i++) {
        const struct forecast_overlap *overlap = &forecast->overlaps[i];
        char run[DURATION_BYTES], apart[DURATION_BYTES];
        bool is_expected = overlap->expected > 0;

        SAY(sentences, "%s runs for %s%s and fires every %s at the closest: %lld of %lld fires %s overlap and %s.",
            name_text(sentences, &overlap->job),
            duration_format_short(is_expected ? overlap->median_ms : overlap->p95_ms, run),
            is_expected ? "" : " at times", duration_format_short(overlap->shortest_ms, apart),
            (long long)(is_expected ? overlap->expected : overlap->possible), (long long)overlap->fires,
            is_expected ? "will" : "may", outcome_text(overlap->policy));
    }
    if (forecast->overlaps_seen > 5) {
        SAY(sentences, "%zu jobs are expected to overlap with themselves in all.", forecast->overlaps_seen);
    }
}

static void say_bounds(struct sentences *sentences)
{
    const struct forecast *forecast = sentences->forecast;
    char when[WHEN_BYTES];

    if (forecast->complete_to_ms < forecast->to_ms) {
        SAY(sentences, "This is a sample: there is more to come than was played through; nothing is missing up to %s.",
            utc_text(forecast->complete_to_ms, when));
    }
    if (forecast->unknown > 0) {
        SAY(sentences, "Of %zu of %zu jobs no run was measured yet: they count in herds, and nowhere else.",
            forecast->unknown, forecast->jobs);
    }
}

size_t forecast_sentences(struct forecast *forecast, const char **ret_sentences, size_t max)
{
    struct sentences sentences = {.forecast = forecast, .items = ret_sentences, .max = max};

    say_turns(&sentences);
    say_shortages(&sentences);
    say_herds(&sentences);
    say_overlaps(&sentences);
    say_bounds(&sentences);
    return sentences.count;
}
