/* calendar_test: what the tests of time have in common.
 *
 * Instants and local times are written as people write them, expressions as text, zones by their names; what does not
 * read as such fails the test at once. Random tests take their numbers from seed_rng, which prints its seed.
 */
#ifndef TESTS_UNIT_CALENDAR_CALENDAR_TEST_H
#define TESTS_UNIT_CALENDAR_CALENDAR_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../seed.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "calendar/cron.h"
#include "calendar/instant.h"
#include "calendar/zone.h"
#include "calendar/zone_cache.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* "2026-04-08T09:00:00Z" in milliseconds, and in seconds. */
static inline int64_t utc_ms(const char *text)
{
    struct error error = {0};
    int64_t ms = 0;

    if (instant_parse(str_from(text), &ms, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    return ms;
}

static inline int64_t utc_s(const char *text)
{
    return utc_ms(text) / 1000;
}

/* "2026-04-08T09:00:00", a time on a wall clock. */
static inline int64_t local_s(const char *text)
{
    char with_offset[INSTANT_BYTES];

    (void)snprintf(with_offset, sizeof with_offset, "%sZ", text);
    return utc_s(with_offset);
}

/* Two instants are the same; when they are not, the message shows both as people write them. */
static inline void assert_same_instant(int64_t got_s, int64_t expected_s)
{
    char got[INSTANT_BYTES];
    char expected[INSTANT_BYTES];

    if (got_s != expected_s) {
        fail_msg("got %s, expected %s", instant_format_short(got_s * 1000, got),
                 instant_format_short(expected_s * 1000, expected));
    }
}

static inline void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
    }
}

static inline struct cron cron_of(const char *text)
{
    struct error error = {0};
    struct cron cron = {0};

    if (cron_parse(str_from(text), STR("seed"), &cron, &error) != ERR_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return cron;
}

/* One cache for a whole test program: a group's setup and teardown. */
static struct zone_cache *test_zones;

static inline int open_zones(void **state)
{
    (void)state;
    test_zones = zone_cache_new(NULL);
    return 0;
}

static inline int close_zones(void **state)
{
    (void)state;
    zone_cache_free(test_zones);
    return 0;
}

static inline const struct zone *zone_of(const char *name)
{
    struct error error = {0};
    const struct zone *zone = NULL;

    if (zone_cache_get(test_zones, str_from(name), &zone, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    return zone;
}

/* A zone nobody lives in: count segments from start_s on, with jumps of any size up to jump_max_s in both directions.
 * As in every real zone, each segment is longer than the jumps at its ends. */
static inline struct zone *random_zone(struct rng *rng, int64_t start_s, size_t count, int32_t jump_max_s)
{
    struct zone_segment *segments = mem_alloc_array(count, sizeof *segments);
    int32_t offset_s = (int32_t)rng_between(rng, -12 * 3600, 12 * 3600);

    memset(segments, 0, count * sizeof *segments);
    for (size_t i = 0; i < count; i++) {
        segments[i].start_s = i == 0 ? INT64_MIN : start_s;
        segments[i].offset_s = offset_s;
        segments[i].dst = i % 2 == 1;
        (void)snprintf(segments[i].abbr, sizeof segments[i].abbr, "Z%u", (unsigned)i);

        int32_t jump_s = (int32_t)rng_between(rng, -jump_max_s, jump_max_s);
        /* Back towards UTC from far away: no clock has more than a day and a bit. */
        if (offset_s + jump_s > 14 * 3600 || offset_s + jump_s < -14 * 3600) {
            jump_s = offset_s > 0 ? -abs(jump_s) : abs(jump_s);
        }
        offset_s += rng_chance(rng, 1, 10) ? 0 : jump_s;
        start_s += 2LL * jump_max_s + rng_between(rng, 0, 36 * 3600);
    }
    return zone_new("Test/Random", segments, count);
}

#endif
