/* zone: a time zone's rules, from UTC to local time and back.
 *
 * A zone is a row of segments, each with one offset, that covers all time Belfry computes with (YEAR_MIN to YEAR_MAX);
 * rules for years that the file does not list are expanded when it is read, so a look-up is one binary search.
 * Where the offset grows, the wall clock jumps and leaves a gap; where it shrinks, local times come twice: a fold.
 *
 * Owns:  its segments. Immutable once made, so any number of threads may read it.
 * Never: reads a clock or libc's one zone per process.
 * Rules: (1) segments are in strictly ascending order of start_s; the first starts at INT64_MIN.
 *        (2) neighbours differ in offset, abbreviation or daylight saving.
 * See:   zone_cache.h (names to zones), tzif.h (files to zones), docs/time.md
 */
#ifndef CALENDAR_ZONE_H
#define CALENDAR_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

#define ZONE_ABBR_BYTES 16

struct zone_segment {
    int64_t start_s;  /* UTC, first second of the segment */
    int32_t offset_s; /* local = UTC + offset */
    bool dst;
    char abbr[ZONE_ABBR_BYTES];
};

struct zone {
    char name[ZONE_NAME_BYTES_MAX + 1];
    uint64_t rules_hash; /* of all segments: equal hashes, equal rules */
    size_t count;        /* at least 1 */
    struct zone_segment *segments;
};

enum zone_local_kind {
    ZONE_UNIQUE, /* the local time comes once */
    ZONE_GAP,    /* the clock jumps over it */
    ZONE_FOLD,   /* it comes twice */
};

struct zone_instants {
    enum zone_local_kind kind;
    int64_t first_s;  /* UNIQUE: the instant. FOLD: in the first pass. GAP: the first instant after the gap */
    int64_t second_s; /* UNIQUE: same as first_s. FOLD: in the second pass. GAP: read with the offset before the gap */
};

/* A zone that never changes; offset_s is 0 for UTC. */
struct zone *zone_new_fixed(const char *name, const char *abbr, int32_t offset_s);

/* Takes the segments (count of them, heap) and puts them into a zone; rules 1 and 2 must hold. */
struct zone *zone_new(const char *name, struct zone_segment *segments, size_t count);
void zone_free(struct zone *zone);

/* The index of the segment that holds the instant. */
size_t zone_segment_at(const struct zone *zone, int64_t utc_s);

/* The first instant after segment index; INT64_MAX for the last one. */
int64_t zone_segment_end(const struct zone *zone, size_t index);

/* How much the wall clock jumps at the start of segment index: > 0 a gap, < 0 a fold, 0 neither. */
int32_t zone_jump_s(const struct zone *zone, size_t index);

int64_t zone_to_local(const struct zone *zone, int64_t utc_s);
struct zone_instants zone_from_local(const struct zone *zone, int64_t local_s);

/* Whether both have the same wall clock from an instant on. */
bool zone_same_from(const struct zone *a, const struct zone *b, int64_t utc_s);

/* Whether the rules above hold. */
bool zone_valid(const struct zone *zone);

#endif
