#include "calendar/zone.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Hashed field by field, as little-endian numbers: padding has no meaning, and the hash is kept in stores that may move
 * to another machine. */
static uint64_t hash_segments(const struct zone_segment *segments, size_t count)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t numbers[] = {htole64((uint64_t)segments[i].start_s), htole64((uint64_t)segments[i].offset_s)};

        hash = hash64(numbers, sizeof numbers, hash);
        hash = hash64(segments[i].abbr, strlen(segments[i].abbr) + 1, hash + segments[i].dst);
    }
    return hash;
}

struct zone *zone_new(const char *name, struct zone_segment *segments, size_t count)
{
    struct zone *zone = mem_zalloc(sizeof *zone);

    (void)snprintf(zone->name, sizeof zone->name, "%s", name);
    zone->segments = segments;
    zone->count = count;
    zone->rules_hash = hash_segments(segments, count);
    assert(zone_valid(zone));
    return zone;
}

struct zone *zone_new_fixed(const char *name, const char *abbr, int32_t offset_s)
{
    struct zone_segment *segment = mem_zalloc(sizeof *segment);

    segment->start_s = INT64_MIN;
    segment->offset_s = offset_s;
    (void)snprintf(segment->abbr, sizeof segment->abbr, "%s", abbr);
    return zone_new(name, segment, 1);
}

void zone_free(struct zone *zone)
{
    if (zone != NULL) {
        mem_free(zone->segments);
        mem_free(zone);
    }
}

size_t zone_segment_at(const struct zone *zone, int64_t utc_s)
{
    size_t low = 0;
    size_t count = zone->count;

    /* The last segment with start_s <= utc_s; segment 0 always qualifies (rule 1). No branch to mispredict. */
    while (count > 1) {
        size_t half = count / 2;

        low = zone->segments[low + half].start_s <= utc_s ? low + half : low;
        count -= half;
    }
    return low;
}

int64_t zone_segment_end(const struct zone *zone, size_t index)
{
    return index + 1 < zone->count ? zone->segments[index + 1].start_s : INT64_MAX;
}

int32_t zone_jump_s(const struct zone *zone, size_t index)
{
    return index == 0 ? 0 : zone->segments[index].offset_s - zone->segments[index - 1].offset_s;
}

int64_t zone_to_local(const struct zone *zone, int64_t utc_s)
{
    return utc_s + zone->segments[zone_segment_at(zone, utc_s)].offset_s;
}

/* No offset exceeds a day and a bit, so only segments within two days can show a local time. */
#define NEAR_S (2 * 86400)

struct zone_instants zone_from_local(const struct zone *zone, int64_t local_s)
{
    struct zone_instants found = {.kind = ZONE_GAP};
    bool gap_seen = false;
    size_t index = zone_segment_at(zone, local_s - NEAR_S);

    for (; index < zone->count && zone->segments[index].start_s <= local_s + NEAR_S; index++) {
        const struct zone_segment *segment = &zone->segments[index];
        int64_t utc_s = local_s - segment->offset_s;

        if (utc_s >= segment->start_s && utc_s < zone_segment_end(zone, index)) {
            bool first = found.kind == ZONE_GAP;

            found.first_s = first ? utc_s : found.first_s;
            found.second_s = utc_s;
            found.kind = first ? ZONE_UNIQUE : ZONE_FOLD;
        } else if (utc_s < segment->start_s && found.kind == ZONE_GAP && !gap_seen) {
            /* the segment before ended too early, this one starts too late: jumped over, unless it comes later */
            gap_seen = true;
            found.first_s = segment->start_s;
            found.second_s = local_s - zone->segments[index - 1].offset_s;
        }
    }
    return found;
}

static bool same_segment(const struct zone_segment *a, const struct zone_segment *b)
{
    return a->offset_s == b->offset_s && a->dst == b->dst && strcmp(a->abbr, b->abbr) == 0;
}

bool zone_same_from(const struct zone *a, const struct zone *b, int64_t utc_s)
{
    size_t i = zone_segment_at(a, utc_s);
    size_t k = zone_segment_at(b, utc_s);
    bool is_same = a->count - i == b->count - k && same_segment(&a->segments[i], &b->segments[k]);

    for (i++, k++; is_same && i < a->count; i++, k++) {
        is_same = a->segments[i].start_s == b->segments[k].start_s && same_segment(&a->segments[i], &b->segments[k]);
    }
    return is_same;
}

bool zone_valid(const struct zone *zone)
{
    const struct zone_segment *segments = zone->segments;

    if (zone->count == 0 || segments[0].start_s != INT64_MIN) {
        return false;
    }
    for (size_t i = 1; i < zone->count; i++) {
        if (segments[i].start_s <= segments[i - 1].start_s || same_segment(&segments[i], &segments[i - 1])) {
            return false;
        }
    }
    return true;
}
