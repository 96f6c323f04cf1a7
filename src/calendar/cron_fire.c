#include "calendar/cron_fire.h"

#include "calendar/civil.h"
#include "calendar/cron_local.h"

/* An instant from anywhere, brought into [low_s, TIME_END_S], where nothing overflows. */
static int64_t within_time(int64_t at_s, int64_t low_s)
{
    return civil_earlier(civil_later(at_s, low_s), TIME_END_S);
}

/* A segment of the zone as the schedule sees it. Local times in [low, high) fire in this segment; those in
 * [gap_low, gap_high) were jumped over when it began. */
struct span {
    int64_t start_s; /* INT64_MIN for the first */
    int64_t offset_s;
    int64_t offset_before_s;
    int64_t low;
    int64_t high;
    int64_t gap_low; /* gap_low == gap_high: no gap, or none that fires */
    int64_t gap_high;
};

static struct span span_of(const struct cron_clock *clock, size_t index)
{
    const struct zone *zone = clock->zone;
    int64_t start_s = zone->segments[index].start_s;
    int64_t offset_s = zone->segments[index].offset_s;
    int32_t jump_s = zone_jump_s(zone, index);
    struct span span = {
        .start_s = start_s,
        .offset_s = offset_s,
        .offset_before_s = offset_s - jump_s,
        .low = civil_later(start_s, TIME_START_S) + offset_s,
        .high = civil_earlier(zone_segment_end(zone, index), TIME_END_S) + offset_s,
    };

    if (clock->cron->follows_clock) {
        return span; /* rule 1 */
    }
    /* Gaps and folds are seen from where the clock changes, which may lie before TIME_START_S or after TIME_END_S. */
    if (jump_s > 0 && clock->dst.gap != DST_GAP_SKIP) {
        span.gap_low = start_s + span.offset_before_s;
        span.gap_high = start_s + offset_s;
    }
    if (jump_s < 0 && clock->dst.fold == DST_FOLD_FIRST) {
        int64_t had_first_pass = start_s + span.offset_before_s;

        span.low = civil_later(span.low, had_first_pass);
    }
    if (index + 1 < zone->count && clock->dst.fold == DST_FOLD_SECOND) {
        int64_t comes_again = zone->segments[index + 1].start_s + zone->segments[index + 1].offset_s;

        span.high = civil_earlier(span.high, comes_again);
    }
    return span;
}

/* cron_local_next with a memory: the years between two fires of a rare expression hold hundreds of segments, and one
 * search answers for all of them. */
struct search {
    const struct cron *cron;
    int64_t from;  /* the answer holds for [from, found] */
    int64_t found; /* found < from: no answer yet */
};

static int64_t search_next(struct search *search, int64_t local_s)
{
    if (local_s < search->from || local_s > search->found) {
        search->from = local_s;
        search->found = cron_local_next(search->cron, local_s);
    }
    return search->found;
}

static int64_t search_prev(struct search *search, int64_t local_s)
{
    if (local_s > search->from || local_s < search->found) {
        search->from = local_s;
        search->found = cron_local_prev(search->cron, local_s);
    }
    return search->found;
}

/* Where a jumped-over local time fires. */
static int64_t gap_fire_s(const struct cron_clock *clock, const struct span *span, int64_t local_s)
{
    return clock->dst.gap == DST_GAP_AFTER ? span->start_s : local_s - span->offset_before_s;
}

/* The first jumped-over local time that can fire at or after from_s; gap_high where none can. */
static int64_t gap_low_from(const struct cron_clock *clock, const struct span *span, int64_t from_s)
{
    if (clock->dst.gap == DST_GAP_SHIFT) {
        return civil_later(span->gap_low, from_s + span->offset_before_s);
    }
    return span->start_s >= from_s ? span->gap_low : span->gap_high;
}

bool cron_next(const struct cron_clock *clock, int64_t after_s, int64_t *ret_s)
{
    const struct zone *zone = clock->zone;
    int64_t from_s = within_time(after_s, TIME_START_S - 1) + 1;
    struct search search = {.cron = clock->cron, .from = INT64_MAX, .found = INT64_MIN};

    for (size_t i = zone_segment_at(zone, from_s); i < zone->count && zone->segments[i].start_s < TIME_END_S; i++) {
        struct span span = span_of(clock, i);
        int64_t best_s = INT64_MAX;

        int64_t gap_low = gap_low_from(clock, &span, from_s);
        if (gap_low < span.gap_high) {
            int64_t found = search_next(&search, gap_low);

            if (found < span.gap_high) {
                best_s = gap_fire_s(clock, &span, found);
            }
        }
        int64_t found = search_next(&search, civil_later(span.low, from_s + span.offset_s));
        if (found < span.high) {
            best_s = civil_earlier(best_s, found - span.offset_s);
        }
        if (best_s < TIME_END_S) {
            *ret_s = best_s;
            return true;
        }
    }
    return false;
}

bool cron_prev(const struct cron_clock *clock, int64_t before_s, int64_t *ret_s)
{
    const struct zone *zone = clock->zone;
    int64_t to_s = within_time(before_s, TIME_START_S) - 1; /* the last instant that counts */
    struct search search = {.cron = clock->cron, .from = INT64_MIN, .found = INT64_MAX};

    for (size_t i = zone_segment_at(zone, to_s) + 1; i-- > 0 && zone_segment_end(zone, i) > TIME_START_S;) {
        struct span span = span_of(clock, i);
        int64_t best_s = INT64_MIN;

        if (span.gap_low < span.gap_high) {
            bool shift = clock->dst.gap == DST_GAP_SHIFT;
            int64_t high = shift ? civil_earlier(span.gap_high, to_s + 1 + span.offset_before_s) : span.gap_high;
            int64_t found = search_prev(&search, high - 1);

            if (found >= span.gap_low) { /* the segment was found by to_s, so it starts by then */
                best_s = gap_fire_s(clock, &span, found);
            }
        }
        int64_t found = search_prev(&search, civil_earlier(span.high, to_s + 1 + span.offset_s) - 1);
        if (found >= span.low) {
            best_s = civil_later(best_s, found - span.offset_s);
        }
        if (best_s >= TIME_START_S) {
            *ret_s = best_s;
            return true;
        }
    }
    return false;
}

/* How many fires come from jumped-over times and do not coincide with an ordinary one. */
static int64_t count_gap(const struct cron_clock *clock, const struct span *span, int64_t from_s, int64_t to_s)
{
    bool shift = clock->dst.gap == DST_GAP_SHIFT;
    int64_t low = gap_low_from(clock, span, from_s);
    int64_t high = shift ? civil_earlier(span->gap_high, to_s + span->offset_before_s) : span->gap_high;
    int64_t count = 0;

    if (low >= high) {
        return 0;
    }
    for (int64_t local_s = cron_local_next(clock->cron, low); local_s < high;
         local_s = cron_local_next(clock->cron, local_s + 1)) {
        int64_t direct = gap_fire_s(clock, span, local_s) + span->offset_s;
        bool coincides = direct >= span->low && direct < span->high && cron_local_matches(clock->cron, direct);

        count += !coincides;
        if (!shift) {
            break; /* they all land on one instant */
        }
    }
    return count;
}

int64_t cron_count(const struct cron_clock *clock, int64_t from_s, int64_t to_s)
{
    const struct zone *zone = clock->zone;
    int64_t count = 0;

    from_s = within_time(from_s, TIME_START_S);
    to_s = within_time(to_s, TIME_START_S);
    for (size_t i = zone_segment_at(zone, from_s); i < zone->count && zone->segments[i].start_s < to_s; i++) {
        struct span span = span_of(clock, i);

        count += cron_local_count(clock->cron, civil_later(span.low, from_s + span.offset_s),
                                  civil_earlier(span.high, to_s + span.offset_s));
        count += count_gap(clock, &span, from_s, to_s);
    }
    return count;
}

size_t cron_list(const struct cron_clock *clock, int64_t from_s, int64_t to_s, int64_t *ret_fires_s, size_t max)
{
    size_t count = 0;
    int64_t after_s = within_time(from_s, TIME_START_S) - 1;

    while (count < max && cron_next(clock, after_s, &after_s) && after_s < to_s) {
        ret_fires_s[count++] = after_s;
    }
    return count;
}
