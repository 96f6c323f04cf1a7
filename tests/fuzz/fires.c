#include "fires.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "calendar/cron_local.h"

#define LISTED 8
#define SAMPLES 4
#define MATCHES 3

bool fires_zone_is_calm(const struct zone *zone)
{
    for (size_t i = 1; i + 1 < zone->count; i++) {
        int64_t reach_s = llabs(zone_jump_s(zone, i)) + llabs(zone_jump_s(zone, i + 1));

        if (zone->segments[i].start_s < zone->segments[i + 1].start_s - reach_s) {
            continue;
        }
        return false;
    }
    return true;
}

/* Whether the instant's own local time makes it fire (rule 1; rule 2 outside of gaps). */
static bool fires_directly(const struct cron_clock *clock, int64_t utc_s)
{
    int64_t local_s = zone_to_local(clock->zone, utc_s);
    struct zone_instants instants = zone_from_local(clock->zone, local_s);

    if (!cron_local_matches(clock->cron, local_s)) {
        return false;
    }
    if (clock->cron->follows_clock || instants.kind != ZONE_FOLD || clock->dst.fold == DST_FOLD_BOTH) {
        return true;
    }
    return utc_s == (clock->dst.fold == DST_FOLD_FIRST ? instants.first_s : instants.second_s);
}

/* Whether a local time that the clock jumped over fires here (rule 2). */
static bool fires_for_gap(const struct cron_clock *clock, int64_t utc_s)
{
    size_t index = zone_segment_at(clock->zone, utc_s);
    int64_t start_s = clock->zone->segments[index].start_s;
    int64_t jump_s = zone_jump_s(clock->zone, index);

    if (clock->cron->follows_clock || clock->dst.gap == DST_GAP_SKIP || jump_s <= 0 || start_s < TIME_START_S ||
        utc_s - start_s >= jump_s) {
        return false;
    }
    int64_t gap_low = start_s + clock->zone->segments[index - 1].offset_s;
    if (clock->dst.gap == DST_GAP_AFTER) {
        return utc_s == start_s && cron_local_next(clock->cron, gap_low) < gap_low + jump_s;
    }
    return cron_local_matches(clock->cron, gap_low + (utc_s - start_s));
}

bool fires_at(const struct cron_clock *clock, int64_t utc_s)
{
    if (utc_s < TIME_START_S || utc_s >= TIME_END_S) {
        return false; /* rule 3 */
    }
    return fires_directly(clock, utc_s) || fires_for_gap(clock, utc_s);
}

void fires_check_order(const struct cron_clock *clock, int64_t after_s)
{
    int64_t fires_s[LISTED];
    int64_t fire_s;
    int64_t from_s = after_s < INT64_MAX ? after_s + 1 : after_s;
    size_t count = cron_list(clock, from_s, TIME_END_S, fires_s, LISTED);

    assert(count <= LISTED);
    for (size_t i = 0; i < count; i++) {
        assert(fires_s[i] >= TIME_START_S && fires_s[i] < TIME_END_S);
        assert(fires_s[i] > (i > 0 ? fires_s[i - 1] : after_s));
    }
    assert(cron_next(clock, after_s, &fire_s) == (count > 0));
    assert(count == 0 || fire_s == fires_s[0]);
    if (cron_prev(clock, from_s, &fire_s)) {
        assert(fire_s >= TIME_START_S && fire_s < TIME_END_S && fire_s < from_s);
    }
}

/* Some instants of [low_s, high_s), always the same ones. */
static void check_samples(const struct cron_clock *clock, int64_t low_s, int64_t high_s)
{
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t ahead = hash64(&high_s, sizeof high_s, i) % (uint64_t)(high_s - low_s);

        assert(!fires_at(clock, low_s + (int64_t)ahead));
    }
    assert(!fires_at(clock, low_s) && !fires_at(clock, high_s - 1));
}

/* The first few instants of [low_s, high_s) that look like fires, since their local times match. */
static void check_matches(const struct cron_clock *clock, int64_t low_s, int64_t high_s)
{
    int64_t offset_s = zone_to_local(clock->zone, low_s) - low_s;

    for (int i = 0; i < MATCHES; i++) {
        low_s = cron_local_next(clock->cron, low_s + offset_s);
        if (low_s == CRON_LOCAL_NEVER || low_s - offset_s >= high_s) {
            return;
        }
        low_s -= offset_s;
        assert(!fires_at(clock, low_s));
        low_s++;
    }
}

/* Nothing may fire between two instants. Looks where it is likeliest: in the segments at both ends. */
static void check_nothing_between(const struct cron_clock *clock, int64_t after_s, int64_t before_s)
{
    int64_t low_s = after_s < TIME_START_S ? TIME_START_S : after_s < TIME_END_S ? after_s + 1 : TIME_END_S;

    if (low_s >= before_s) {
        return;
    }
    size_t first = zone_segment_at(clock->zone, low_s);
    size_t last = zone_segment_at(clock->zone, before_s - 1);
    check_samples(clock, low_s, before_s);
    for (size_t i = first; i <= last; i += i == first + 1 && last > first + 3 ? last - first - 2 : 1) {
        int64_t start_s = clock->zone->segments[i].start_s;
        int64_t end_s = zone_segment_end(clock->zone, i);

        start_s = start_s > low_s ? start_s : low_s;
        check_matches(clock, start_s, end_s < before_s ? end_s : before_s);
        assert(!fires_at(clock, start_s));
    }
}

static void check_no_more(const struct cron_clock *clock, int64_t after_s)
{
    int64_t last_s;

    assert(!cron_prev(clock, INT64_MAX, &last_s) || last_s <= after_s);
    assert(after_s == INT64_MAX || cron_count(clock, after_s + 1, INT64_MAX) == 0);
    check_nothing_between(clock, after_s, TIME_END_S);
}

static void check_one(const struct cron_clock *clock, int64_t after_s, int64_t next_s)
{
    int64_t fire_s;

    assert(next_s > after_s && next_s >= TIME_START_S && next_s < TIME_END_S);
    assert(fires_at(clock, next_s));
    check_nothing_between(clock, after_s, next_s);
    assert(cron_count(clock, after_s + 1, next_s) == 0);
    assert(cron_count(clock, after_s + 1, next_s + 1) == 1);
    assert(cron_prev(clock, next_s + 1, &fire_s) && fire_s == next_s);
    if (cron_prev(clock, next_s, &fire_s)) {
        assert(fire_s <= after_s && fires_at(clock, fire_s));
        assert(cron_next(clock, fire_s, &fire_s) && fire_s == next_s);
    } else {
        assert(cron_count(clock, INT64_MIN, next_s) == 0);
    }
}

void fires_check(const struct cron_clock *clock, int64_t after_s)
{
    int64_t fires_s[LISTED];
    int64_t next_s;

    fires_check_order(clock, after_s);
    if (!cron_next(clock, after_s, &next_s)) {
        check_no_more(clock, after_s);
        return;
    }
    check_one(clock, after_s, next_s);
    size_t count = cron_list(clock, next_s, TIME_END_S, fires_s, LISTED);
    for (size_t i = 1; i < count; i++) {
        check_one(clock, fires_s[i - 1], fires_s[i]);
    }
    assert(cron_count(clock, next_s, fires_s[count - 1] + 1) == (int64_t)count);
    assert(count == LISTED || cron_count(clock, next_s, INT64_MAX) == (int64_t)count);
}
