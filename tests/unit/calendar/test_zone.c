#include "calendar_test.h"

/* 2026 in New York, as far as it matters. */
static struct zone *new_york(void)
{
    struct zone_segment *segments = mem_alloc_array(3, sizeof *segments);

    segments[0] = (struct zone_segment){.start_s = INT64_MIN, .offset_s = -18000, .abbr = "EST"};
    segments[1] =
        (struct zone_segment){.start_s = utc_s("2026-03-08T07:00:00Z"), .offset_s = -14400, .dst = true, .abbr = "EDT"};
    segments[2] = (struct zone_segment){.start_s = utc_s("2026-11-01T06:00:00Z"), .offset_s = -18000, .abbr = "EST"};
    return zone_new("America/New_York", segments, 3);
}

static void a_fixed_zone_has_one_offset_for_ever(void **state)
{
    (void)state;
    struct zone *zone = zone_new_fixed("Etc/GMT-2", "+02", 7200);

    assert_true(zone_valid(zone));
    assert_string_equal(zone->name, "Etc/GMT-2");
    assert_int_equal(zone->count, 1);
    assert_string_equal(zone->segments[0].abbr, "+02");
    assert_int_equal(zone_to_local(zone, 0), 7200);
    assert_int_equal(zone_to_local(zone, TIME_END_S), TIME_END_S + 7200);
    assert_int_equal(zone_segment_end(zone, 0), INT64_MAX);
    struct zone_instants instants = zone_from_local(zone, 7200);
    assert_int_equal(instants.kind, ZONE_UNIQUE);
    assert_int_equal(instants.first_s, 0);
    assert_int_equal(instants.second_s, 0);
    zone_free(zone);
}

static void names_and_abbreviations_that_are_too_long_are_cut(void **state)
{
    (void)state;
    char name[200];

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct zone *zone = zone_new_fixed(name, name, 0);
    assert_int_equal(strlen(zone->name), ZONE_NAME_BYTES_MAX);
    assert_int_equal(strlen(zone->segments[0].abbr), ZONE_ABBR_BYTES - 1);
    zone_free(zone);
}

static void nothing_can_be_freed(void **state)
{
    (void)state;
    zone_free(NULL);
}

static void a_segment_holds_its_first_second_and_not_its_end(void **state)
{
    (void)state;
    struct zone *zone = new_york();
    int64_t spring_s = utc_s("2026-03-08T07:00:00Z");
    int64_t autumn_s = utc_s("2026-11-01T06:00:00Z");

    assert_int_equal(zone_segment_at(zone, INT64_MIN), 0);
    assert_int_equal(zone_segment_at(zone, spring_s - 1), 0);
    assert_int_equal(zone_segment_at(zone, spring_s), 1);
    assert_int_equal(zone_segment_at(zone, autumn_s - 1), 1);
    assert_int_equal(zone_segment_at(zone, autumn_s), 2);
    assert_int_equal(zone_segment_at(zone, INT64_MAX), 2);
    assert_int_equal(zone_segment_end(zone, 0), spring_s);
    assert_int_equal(zone_segment_end(zone, 1), autumn_s);
    assert_int_equal(zone_segment_end(zone, 2), INT64_MAX);
    zone_free(zone);
}

static void the_clock_jumps_forward_in_spring_and_back_in_autumn(void **state)
{
    (void)state;
    struct zone *zone = new_york();

    assert_int_equal(zone_jump_s(zone, 0), 0);
    assert_int_equal(zone_jump_s(zone, 1), 3600);
    assert_int_equal(zone_jump_s(zone, 2), -3600);
    assert_same_instant(zone_to_local(zone, utc_s("2026-03-08T06:59:59Z")), local_s("2026-03-08T01:59:59"));
    assert_same_instant(zone_to_local(zone, utc_s("2026-03-08T07:00:00Z")), local_s("2026-03-08T03:00:00"));
    assert_same_instant(zone_to_local(zone, utc_s("2026-11-01T05:59:59Z")), local_s("2026-11-01T01:59:59"));
    assert_same_instant(zone_to_local(zone, utc_s("2026-11-01T06:00:00Z")), local_s("2026-11-01T01:00:00"));
    zone_free(zone);
}

static void assert_instants(const struct zone *zone, const char *local, enum zone_local_kind kind, const char *first,
                            const char *second)
{
    struct zone_instants instants = zone_from_local(zone, local_s(local));

    assert_int_equal(instants.kind, kind);
    assert_same_instant(instants.first_s, utc_s(first));
    assert_same_instant(instants.second_s, utc_s(second));
}

static void a_local_time_outside_of_changes_comes_once(void **state)
{
    (void)state;
    struct zone *zone = new_york();

    assert_instants(zone, "2026-01-01T00:00:00", ZONE_UNIQUE, "2026-01-01T05:00:00Z", "2026-01-01T05:00:00Z");
    assert_instants(zone, "2026-03-08T01:59:59", ZONE_UNIQUE, "2026-03-08T06:59:59Z", "2026-03-08T06:59:59Z");
    assert_instants(zone, "2026-03-08T03:00:00", ZONE_UNIQUE, "2026-03-08T07:00:00Z", "2026-03-08T07:00:00Z");
    assert_instants(zone, "2026-07-01T12:00:00", ZONE_UNIQUE, "2026-07-01T16:00:00Z", "2026-07-01T16:00:00Z");
    assert_instants(zone, "2026-11-01T00:59:59", ZONE_UNIQUE, "2026-11-01T04:59:59Z", "2026-11-01T04:59:59Z");
    assert_instants(zone, "2026-11-01T02:00:00", ZONE_UNIQUE, "2026-11-01T07:00:00Z", "2026-11-01T07:00:00Z");
    zone_free(zone);
}

static void a_local_time_in_a_gap_names_what_follows_and_how_it_would_have_gone_on(void **state)
{
    (void)state;
    struct zone *zone = new_york();

    assert_instants(zone, "2026-03-08T02:00:00", ZONE_GAP, "2026-03-08T07:00:00Z", "2026-03-08T07:00:00Z");
    assert_instants(zone, "2026-03-08T02:30:00", ZONE_GAP, "2026-03-08T07:00:00Z", "2026-03-08T07:30:00Z");
    assert_instants(zone, "2026-03-08T02:59:59", ZONE_GAP, "2026-03-08T07:00:00Z", "2026-03-08T07:59:59Z");
    zone_free(zone);
}

static void a_local_time_in_a_fold_names_both_passes(void **state)
{
    (void)state;
    struct zone *zone = new_york();

    assert_instants(zone, "2026-11-01T01:00:00", ZONE_FOLD, "2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z");
    assert_instants(zone, "2026-11-01T01:30:00", ZONE_FOLD, "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z");
    assert_instants(zone, "2026-11-01T01:59:59", ZONE_FOLD, "2026-11-01T05:59:59Z", "2026-11-01T06:59:59Z");
    zone_free(zone);
}

static void a_change_of_name_alone_is_neither_gap_nor_fold(void **state)
{
    (void)state;
    struct zone_segment *segments = mem_alloc_array(2, sizeof *segments);

    segments[0] = (struct zone_segment){.start_s = INT64_MIN, .offset_s = 10800, .abbr = "MSK"};
    segments[1] = (struct zone_segment){.start_s = 1000000, .offset_s = 10800, .abbr = "TRT"};
    struct zone *zone = zone_new("Test/Zone", segments, 2);
    assert_int_equal(zone_jump_s(zone, 1), 0);
    for (int64_t local = 1010799; local <= 1010801; local++) {
        struct zone_instants instants = zone_from_local(zone, local);

        assert_int_equal(instants.kind, ZONE_UNIQUE);
        assert_int_equal(instants.first_s, local - 10800);
    }
    zone_free(zone);
}

/* No real zone does this, but a file may say so: the clock jumps an hour ahead, and back again half an hour later. */
static void a_jump_that_is_soon_taken_back_hides_only_what_never_comes(void **state)
{
    (void)state;
    struct zone_segment *segments = mem_alloc_array(3, sizeof *segments);

    segments[0] = (struct zone_segment){.start_s = INT64_MIN, .offset_s = 0, .abbr = "AAA"};
    segments[1] = (struct zone_segment){.start_s = 10000, .offset_s = 3600, .abbr = "BBB"};
    segments[2] = (struct zone_segment){.start_s = 11800, .offset_s = 0, .abbr = "AAA"};
    struct zone *zone = zone_new("Test/Zone", segments, 3);
    struct zone_instants instants = zone_from_local(zone, 11799);
    assert_int_equal(instants.kind, ZONE_GAP);
    assert_int_equal(instants.first_s, 10000);
    assert_int_equal(instants.second_s, 11799);
    instants = zone_from_local(zone, 11800);
    assert_int_equal(instants.kind, ZONE_UNIQUE);
    assert_int_equal(instants.first_s, 11800);
    instants = zone_from_local(zone, 13600);
    assert_int_equal(instants.kind, ZONE_FOLD);
    assert_int_equal(instants.first_s, 10000);
    assert_int_equal(instants.second_s, 13600);
    zone_free(zone);
}

/* What zone_from_local promises, by trying every segment. */
static struct zone_instants instants_by_trying(const struct zone *zone, int64_t local)
{
    struct zone_instants found = {.kind = ZONE_GAP};
    size_t passes = 0;

    for (size_t i = 0; i < zone->count; i++) {
        int64_t utc = local - zone->segments[i].offset_s;

        if (utc >= zone->segments[i].start_s && (i + 1 == zone->count || utc < zone->segments[i + 1].start_s)) {
            found.kind = passes == 0 ? ZONE_UNIQUE : ZONE_FOLD;
            found.first_s = passes == 0 ? utc : found.first_s;
            found.second_s = utc;
            passes++;
        }
    }
    for (size_t i = 1; passes == 0 && i < zone->count; i++) {
        int64_t gap_start = zone->segments[i].start_s + zone->segments[i - 1].offset_s;
        int64_t gap_end = zone->segments[i].start_s + zone->segments[i].offset_s;

        if (local >= gap_start && local < gap_end) {
            found.first_s = zone->segments[i].start_s;
            found.second_s = local - zone->segments[i - 1].offset_s;
        }
    }
    return found;
}

static void assert_local_is_as_tried(const struct zone *zone, int64_t local)
{
    struct zone_instants got = zone_from_local(zone, local);
    struct zone_instants expected = instants_by_trying(zone, local);

    assert_int_equal(got.kind, expected.kind);
    assert_same_instant(got.first_s, expected.first_s);
    assert_same_instant(got.second_s, expected.second_s);
}

static void random_local_times_are_found_as_by_trying_every_segment(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int zones = 0; zones < 200; zones++) {
        size_t count = 1 + rng_below(&rng, 40);
        struct zone *zone = random_zone(&rng, 1000000000, count, (int32_t)rng_between(&rng, 1, 24 * 3600));

        for (size_t i = 0; i < 3 * count; i++) {
            int64_t near = zone->segments[rng_below(&rng, count)].start_s;
            int64_t base = near == INT64_MIN ? 1000000000 : near;

            assert_local_is_as_tried(zone, base + rng_between(&rng, -3 * 86400, 3 * 86400));
        }
        for (size_t i = 1; i < count; i++) {
            int64_t before = zone->segments[i].start_s + zone->segments[i - 1].offset_s;
            int64_t after = zone->segments[i].start_s + zone->segments[i].offset_s;

            for (int64_t beside = -1; beside <= 1; beside++) {
                assert_local_is_as_tried(zone, before + beside);
                assert_local_is_as_tried(zone, after + beside);
            }
        }
        zone_free(zone);
    }
}

static void every_instant_goes_to_local_time_and_back(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int zones = 0; zones < 100; zones++) {
        struct zone *zone = random_zone(&rng, 1000000000, 20, (int32_t)rng_between(&rng, 1, 24 * 3600));

        for (int i = 0; i < 200; i++) {
            int64_t utc = 1000000000 + rng_between(&rng, -100000, 20 * 4 * 86400);
            struct zone_instants instants = zone_from_local(zone, zone_to_local(zone, utc));

            assert_int_not_equal(instants.kind, ZONE_GAP);
            assert_true(instants.first_s == utc || instants.second_s == utc);
            assert_true(instants.first_s <= instants.second_s);
        }
        zone_free(zone);
    }
}

static void an_instant_is_found_in_the_last_segment_that_started(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (size_t count = 1; count <= 70; count++) {
        struct zone *zone = random_zone(&rng, 1000000000, count, 3600);

        for (size_t i = 0; i < count; i++) {
            assert_int_equal(zone_segment_at(zone, zone->segments[i].start_s), i);
            assert_int_equal(zone_segment_at(zone, zone_segment_end(zone, i) - 1), i);
        }
        zone_free(zone);
    }
}

static struct zone valid_zone(struct zone_segment segments[2])
{
    segments[0] = (struct zone_segment){.start_s = INT64_MIN, .offset_s = 0, .abbr = "GMT"};
    segments[1] = (struct zone_segment){.start_s = 1000, .offset_s = 3600, .dst = true, .abbr = "BST"};
    return (struct zone){.name = "Test/Zone", .count = 2, .segments = segments};
}

static void a_zone_is_valid_only_if_its_rules_hold(void **state)
{
    (void)state;
    struct zone_segment segments[2];
    struct zone zone = valid_zone(segments);

    assert_true(zone_valid(&zone));
    zone.count = 0;
    assert_false(zone_valid(&zone));
    zone = valid_zone(segments);
    segments[0].start_s = INT64_MIN + 1;
    assert_false(zone_valid(&zone));
    zone = valid_zone(segments);
    segments[1].start_s = INT64_MIN;
    assert_false(zone_valid(&zone));
    zone = valid_zone(segments);
    segments[1] = segments[0];
    segments[1].start_s = 1000;
    assert_false(zone_valid(&zone));
}

static void neighbours_may_differ_in_offset_name_or_daylight_saving_alone(void **state)
{
    (void)state;
    struct zone_segment segments[2];
    struct zone zone = valid_zone(segments);

    segments[1] = (struct zone_segment){.start_s = 1000, .offset_s = 1, .abbr = "GMT"};
    assert_true(zone_valid(&zone));
    segments[1] = (struct zone_segment){.start_s = 1000, .offset_s = 0, .dst = true, .abbr = "GMT"};
    assert_true(zone_valid(&zone));
    segments[1] = (struct zone_segment){.start_s = 1000, .offset_s = 0, .abbr = "UTC"};
    assert_true(zone_valid(&zone));
}

static uint64_t hash_of(struct zone_segment first, struct zone_segment second, const char *name)
{
    struct zone_segment *segments = mem_alloc_array(2, sizeof *segments);

    segments[0] = first;
    segments[1] = second;
    struct zone *zone = zone_new(name, segments, 2);
    uint64_t hash = zone->rules_hash;
    zone_free(zone);
    return hash;
}

static void equal_rules_have_equal_hashes_whatever_the_name(void **state)
{
    (void)state;
    const struct zone_segment first = {.start_s = INT64_MIN, .offset_s = 0, .abbr = "GMT"};
    const struct zone_segment second = {.start_s = 1000, .offset_s = 3600, .dst = true, .abbr = "BST"};
    uint64_t hash = hash_of(first, second, "Europe/London");
    struct zone_segment other = second;

    assert_true(hash == hash_of(first, second, "Europe/Belfast"));
    other.start_s++;
    assert_true(hash != hash_of(first, other, "Europe/London"));
    other = second;
    other.offset_s++;
    assert_true(hash != hash_of(first, other, "Europe/London"));
    other = second;
    other.dst = false;
    assert_true(hash != hash_of(first, other, "Europe/London"));
    other = second;
    other.abbr[2] = 'X';
    assert_true(hash != hash_of(first, other, "Europe/London"));
    struct zone *alone = zone_new_fixed("Europe/London", "GMT", 0);
    assert_true(hash != alone->rules_hash);
    zone_free(alone);
}

/* Stores keep these hashes to tell which rules a schedule was computed with: a change here is a bug in the code. */
static void hashes_of_rules_never_change(void **state)
{
    (void)state;
    const struct zone_segment first = {.start_s = INT64_MIN, .offset_s = 0, .abbr = "GMT"};
    const struct zone_segment second = {.start_s = 1000, .offset_s = -3600, .dst = true, .abbr = "BST"};
    struct zone *utc = zone_new_fixed("UTC", "UTC", 0);

    assert_true(utc->rules_hash == UINT64_C(0x2f5bed595c7d94cd));
    assert_true(hash_of(first, second, "Europe/London") == UINT64_C(0x69759380a950b4ab));
    zone_free(utc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_zone_has_one_offset_for_ever),
        cmocka_unit_test(names_and_abbreviations_that_are_too_long_are_cut),
        cmocka_unit_test(nothing_can_be_freed),
        cmocka_unit_test(a_segment_holds_its_first_second_and_not_its_end),
        cmocka_unit_test(the_clock_jumps_forward_in_spring_and_back_in_autumn),
        cmocka_unit_test(a_local_time_outside_of_changes_comes_once),
        cmocka_unit_test(a_local_time_in_a_gap_names_what_follows_and_how_it_would_have_gone_on),
        cmocka_unit_test(a_local_time_in_a_fold_names_both_passes),
        cmocka_unit_test(a_change_of_name_alone_is_neither_gap_nor_fold),
        cmocka_unit_test(a_jump_that_is_soon_taken_back_hides_only_what_never_comes),
        cmocka_unit_test(random_local_times_are_found_as_by_trying_every_segment),
        cmocka_unit_test(every_instant_goes_to_local_time_and_back),
        cmocka_unit_test(an_instant_is_found_in_the_last_segment_that_started),
        cmocka_unit_test(a_zone_is_valid_only_if_its_rules_hold),
        cmocka_unit_test(neighbours_may_differ_in_offset_name_or_daylight_saving_alone),
        cmocka_unit_test(equal_rules_have_equal_hashes_whatever_the_name),
        cmocka_unit_test(hashes_of_rules_never_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
