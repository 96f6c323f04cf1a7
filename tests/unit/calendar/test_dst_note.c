#include "calendar_test.h"

#include "calendar/dst_note.h"

/* The note on the fire at an instant, as a phrase, when the one before it was at another. */
static void assert_note(const char *text, const char *zone, struct dst dst, const char *before, const char *fire,
                        const char *expected)
{
    struct cron cron = cron_of(text);
    struct cron_clock clock = {&cron, zone_of(zone), dst};
    struct dst_note note = dst_note_of(&clock, utc_s(before), utc_s(fire));
    char out[DST_NOTE_BYTES];

    memset(out, 'x', sizeof out);
    assert_string_equal(dst_note_text(&note, out), expected);
}

static const struct dst after_first = {DST_GAP_AFTER, DST_FOLD_FIRST};
static const struct dst shift_second = {DST_GAP_SHIFT, DST_FOLD_SECOND};

static void most_fires_are_not_worth_a_note(void **state)
{
    (void)state;
    assert_note("0 9 * * *", "America/New_York", after_first, "2026-04-07T13:00:00Z", "2026-04-08T13:00:00Z", "");
    assert_note("0 9 * * *", "UTC", after_first, "2026-03-07T09:00:00Z", "2026-11-08T09:00:00Z", "");
}

static void the_first_fire_after_a_change_says_how_the_clock_moved(void **state)
{
    (void)state;
    assert_note("0 9 * * *", "America/New_York", after_first, "2026-03-07T14:00:00Z", "2026-03-08T13:00:00Z",
                "clocks went forward 1 h");
    assert_note("0 9 * * *", "America/New_York", after_first, "2026-10-31T13:00:00Z", "2026-11-01T14:00:00Z",
                "clocks went back 1 h");
    assert_note("0 9 * * *", "America/New_York", after_first, "2026-03-08T13:00:00Z", "2026-03-09T13:00:00Z", "");
    assert_note("0 9 * * *", "Australia/Lord_Howe", after_first, "2026-10-02T22:30:00Z", "2026-10-03T22:00:00Z",
                "clocks went forward 30 min");
    assert_note("0 9 * * *", "Antarctica/Troll", after_first, "2026-10-24T07:00:00Z", "2026-10-25T09:00:00Z",
                "clocks went back 2 h");
    assert_note("0 9 * * *", "Pacific/Apia", after_first, "2011-12-29T19:00:00Z", "2011-12-30T19:00:00Z",
                "clocks went forward 1 d");
}

static void changes_that_make_up_for_each_other_are_none(void **state)
{
    (void)state;
    assert_note("0 0 1 1 *", "America/New_York", after_first, "2026-01-01T05:00:00Z", "2027-01-01T05:00:00Z", "");
}

static void a_fire_whose_time_was_jumped_over_says_so(void **state)
{
    (void)state;
    assert_note("30 2 * * *", "America/New_York", after_first, "2026-03-07T07:30:00Z", "2026-03-08T07:00:00Z",
                "clocks went forward 1 h; its own time was jumped over");
    assert_note("30 2 * * *", "America/New_York", shift_second, "2026-03-07T07:30:00Z", "2026-03-08T07:30:00Z",
                "clocks went forward 1 h; its own time was jumped over");
    assert_note("0 2,3 * * *", "America/New_York", after_first, "2026-03-07T08:00:00Z", "2026-03-08T07:00:00Z",
                "clocks went forward 1 h"); /* three o'clock is its own time */
}

static void a_fire_whose_time_comes_twice_says_which_it_is(void **state)
{
    (void)state;
    const struct dst both = {DST_GAP_AFTER, DST_FOLD_BOTH};

    assert_note("30 1 * * *", "America/New_York", both, "2026-10-31T05:30:00Z", "2026-11-01T05:30:00Z",
                "this time comes twice, first pass");
    assert_note("30 1 * * *", "America/New_York", both, "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z",
                "clocks went back 1 h; this time comes twice, second pass");
    assert_note("30 1 * * *", "America/New_York", shift_second, "2026-10-31T05:30:00Z", "2026-11-01T06:30:00Z",
                "clocks went back 1 h; this time comes twice, second pass");
}

static void a_note_says_when_the_clock_jumped(void **state)
{
    (void)state;
    struct cron cron = cron_of("0 0 1 * *");
    struct cron_clock clock = {&cron, zone_of("America/New_York"), after_first};
    struct dst_note note = dst_note_of(&clock, utc_s("2026-03-01T05:00:00Z"), utc_s("2026-04-01T04:00:00Z"));

    assert_int_equal(note.jump_s, 3600);
    assert_int_equal(note.pass, DST_PASS_ONLY);
    assert_false(note.is_moved);
    note = dst_note_of(&clock, utc_s("2026-04-01T04:00:00Z"), utc_s("2026-05-01T04:00:00Z"));
    assert_int_equal(note.jump_s, 0);
}

/* Between the jump and the fire the zone changes its name, which is no jump. */
static void a_change_of_name_alone_is_passed_over(void **state)
{
    (void)state;
    struct zone_segment *segments = mem_alloc_array(3, sizeof *segments);
    struct cron cron = cron_of("0 * * * *");

    segments[0] = (struct zone_segment){.start_s = INT64_MIN, .offset_s = 0, .abbr = "AAA"};
    segments[1] = (struct zone_segment){.start_s = 1000000800, .offset_s = 7200, .abbr = "BBB"};
    segments[2] = (struct zone_segment){.start_s = 1100000800, .offset_s = 7200, .abbr = "CCC"};
    struct zone *zone = zone_new("Test/Zone", segments, 3);
    struct cron_clock clock = {&cron, zone, after_first};
    struct dst_note note = dst_note_of(&clock, 999997200, 1200002400);
    assert_int_equal(note.jump_s, 7200);
    note = dst_note_of(&clock, 1000004400, 1200002400);
    assert_int_equal(note.jump_s, 0);
    zone_free(zone);
}

static void the_smallest_jump_is_one(void **state)
{
    (void)state;
    const struct dst_note forward = {.jump_s = 1};
    const struct dst_note back = {.jump_s = -1};
    char out[DST_NOTE_BYTES];

    assert_string_equal(dst_note_text(&forward, out), "clocks went forward 1 s");
    assert_string_equal(dst_note_text(&back, out), "clocks went back 1 s");
}

static void the_longest_note_fits(void **state)
{
    (void)state;
    const struct dst_note note = {.jump_s = INT32_MIN, .pass = DST_PASS_SECOND, .is_moved = true};
    char out[DST_NOTE_BYTES];

    assert_string_equal(
        dst_note_text(&note, out),
        "clocks went back 24855 d 3 h; its own time was jumped over; this time comes twice, second pass");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_fires_are_not_worth_a_note),
        cmocka_unit_test(the_first_fire_after_a_change_says_how_the_clock_moved),
        cmocka_unit_test(changes_that_make_up_for_each_other_are_none),
        cmocka_unit_test(a_fire_whose_time_was_jumped_over_says_so),
        cmocka_unit_test(a_fire_whose_time_comes_twice_says_which_it_is),
        cmocka_unit_test(a_note_says_when_the_clock_jumped),
        cmocka_unit_test(a_change_of_name_alone_is_passed_over),
        cmocka_unit_test(the_smallest_jump_is_one),
        cmocka_unit_test(the_longest_note_fits),
    };
    return cmocka_run_group_tests(tests, open_zones, close_zones);
}
