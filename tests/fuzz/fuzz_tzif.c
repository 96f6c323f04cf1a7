/* fuzz_tzif: compiled time zone files, and the rules they end with.
 *
 * Input: the file. The same bytes are also read as a rule (the last line of such a file) by itself.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "calendar/civil.h"
#include "calendar/tzif.h"
#include "calendar/tzrule.h"
#include "fires.h"
#include "fuzz.h"
#include "input.h"

#define SEGMENTS_CHECKED 64

/* An instant's local time leads back to the instant. */
static void check_instant(const struct zone *zone, int64_t utc_s)
{
    size_t index = zone_segment_at(zone, utc_s);
    int64_t local_s = zone_to_local(zone, utc_s);
    struct zone_instants back = zone_from_local(zone, local_s);

    assert(zone->segments[index].start_s <= utc_s);
    assert(index + 1 == zone->count || utc_s < zone_segment_end(zone, index));
    assert(back.kind != ZONE_GAP);
    assert(back.first_s == utc_s || back.second_s == utc_s);
    assert((back.kind == ZONE_UNIQUE) == (back.first_s == back.second_s));
    assert(zone_to_local(zone, back.first_s) == local_s && zone_to_local(zone, back.second_s) == local_s);
}

/* The first and the last local time that the clock jumped over are said to be in the gap. */
static void check_gap(const struct zone *zone, size_t index)
{
    int64_t start_s = zone->segments[index].start_s;
    int64_t offset_before_s = zone->segments[index].offset_s - zone_jump_s(zone, index);
    int64_t local_s = start_s + offset_before_s;
    struct zone_instants found = zone_from_local(zone, local_s);

    assert(found.kind == ZONE_GAP && found.first_s == start_s && found.second_s == start_s);
    found = zone_from_local(zone, local_s + zone_jump_s(zone, index) - 1);
    assert(found.kind == ZONE_GAP && found.first_s == start_s);
    assert(found.second_s == start_s + zone_jump_s(zone, index) - 1);
}

static void check_lookups(const struct zone *zone)
{
    size_t step = zone->count / SEGMENTS_CHECKED + 1;

    check_instant(zone, TIME_START_S);
    check_instant(zone, TIME_END_S - 1);
    for (size_t i = 1; i < zone->count; i += step) {
        int64_t start_s = zone->segments[i].start_s;

        if (start_s < -TIME_END_S || start_s > 2 * TIME_END_S) {
            continue; /* far outside of what Belfry computes with */
        }
        check_instant(zone, start_s - 1);
        check_instant(zone, start_s);
        if (zone_jump_s(zone, i) > 0) {
            check_gap(zone, i);
        }
    }
}

static void check_fires(const struct zone *zone, const char *expression, struct dst dst)
{
    struct cron cron;
    struct cron_clock clock = {.cron = &cron, .zone = zone, .dst = dst};
    int64_t middle_s = zone->count > 1 ? zone->segments[zone->count / 2].start_s : TIME_START_S;
    int64_t instants_s[] = {TIME_START_S - 1, middle_s, TIME_END_S - 40 * SECONDS_PER_DAY};
    bool is_calm = fires_zone_is_calm(zone);

    assert(cron_parse(str_from(expression), STR(""), &cron, NULL) == ERR_OK);
    for (size_t i = 0; i < sizeof instants_s / sizeof instants_s[0]; i++) {
        if (is_calm) {
            fires_check(&clock, instants_s[i]);
        } else {
            fires_check_order(&clock, instants_s[i]);
        }
    }
}

static void check_rule(const char *text, size_t len)
{
    struct tzrule rule;
    struct error error;
    enum err err = tzrule_parse(text, len, &rule, &error);

    if (err != ERR_OK) {
        input_check_error((struct str){text, len}, err, &error, 1);
        return;
    }
    assert(strnlen(rule.standard.abbr, ZONE_ABBR_BYTES) < ZONE_ABBR_BYTES);
    for (int year = YEAR_MIN; rule.has_dst && year <= YEAR_MAX; year += 23) {
        const int64_t slack_s = 9 * SECONDS_PER_DAY; /* a rule's time of day may be a week off */
        int64_t low_s = civil_day_number(year, 1, 1) * SECONDS_PER_DAY - slack_s;
        int64_t high_s = civil_day_number(year + 1, 1, 1) * SECONDS_PER_DAY + slack_s;

        assert(tzrule_dst_begins_s(&rule, year) >= low_s && tzrule_dst_begins_s(&rule, year) < high_s);
        assert(tzrule_dst_ends_s(&rule, year) >= low_s && tzrule_dst_ends_s(&rule, year) < high_s);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zone *zone = NULL;
    struct error error;
    enum err err = tzif_read("Fuzz/Zone", data, size, &zone, &error);

    check_rule((const char *)data, size);
    if (err != ERR_OK) {
        input_check_error((struct str){(const char *)data, size}, err, &error, 0);
        assert(zone == NULL);
        return 0;
    }
    assert(zone_valid(zone) && strcmp(zone->name, "Fuzz/Zone") == 0);
    if (fires_zone_is_calm(zone)) {
        check_lookups(zone);
    }
    check_fires(zone, "*/15 * * * *", (struct dst){DST_GAP_AFTER, DST_FOLD_FIRST});
    check_fires(zone, "30 0-2 * * *", (struct dst){DST_GAP_AFTER, DST_FOLD_FIRST});
    check_fires(zone, "10,50 1-3 * * 0", (struct dst){DST_GAP_SHIFT, DST_FOLD_SECOND});
    check_fires(zone, "0 0 12 29 2 ? 2196", (struct dst){DST_GAP_SKIP, DST_FOLD_BOTH});
    zone_free(zone);
    return 0;
}
