#include "calendar_test.h"

#include "calendar/tzif.h"

/* What is to stand in a file. */
struct type {
    int32_t offset_s;
    uint8_t dst;
    uint8_t abbr; /* where it begins in chars */
};

struct change {
    int64_t at;
    uint8_t type;
};

struct leap {
    int64_t at;
    int32_t correction_s;
};

struct plan {
    char version; /* 0 for version 1, else '2' to '4' */
    bool slim;    /* the 32-bit block of version 2 and later is left empty */
    bool marks;   /* with standard and UT indicators */
    size_t change_count;
    struct change changes[8];
    size_t type_count;
    struct type types[8];
    size_t char_count;
    const char *chars;
    size_t leap_count;
    struct leap leaps[4];
    const char *footer;
};

struct file {
    size_t len;
    size_t second; /* where the second header begins, from version 2 on */
    uint8_t bytes[4096];
};

/* Offsets within a header, and of what follows a header without changes. */
enum {
    AT_VERSION = 4,
    AT_ISUT_COUNT = 20,
    AT_ISSTD_COUNT = 24,
    AT_LEAP_COUNT = 28,
    AT_TIME_COUNT = 32,
    AT_TYPE_COUNT = 36,
    AT_CHAR_COUNT = 40,
    HEADER_BYTES = 44,
};

static const struct plan new_york = {
    .version = '2',
    .change_count = 3,
    .changes = {{-1000000000, 1}, {1173596400, 2}, {1194156000, 1}}, /* 1938; 2007-03-11, 2007-11-04 */
    .type_count = 3,
    .types = {{-17762, 0, 0}, {-18000, 0, 4}, {-14400, 1, 8}},
    .char_count = 12,
    .chars = "LMT\0EST\0EDT",
    .footer = "EST5EDT,M3.2.0,M11.1.0",
};

static void put(struct file *file, const void *bytes, size_t len)
{
    assert_true(file->len + len <= sizeof file->bytes);
    memcpy(file->bytes + file->len, bytes, len);
    file->len += len;
}

static void put_number(struct file *file, int64_t number, size_t bytes)
{
    for (size_t i = bytes; i-- > 0;) {
        uint8_t byte = (uint8_t)((uint64_t)number >> (8 * i));

        put(file, &byte, 1);
    }
}

static void put_block(struct file *file, const struct plan *plan, size_t time_bytes)
{
    static const uint8_t zeros[15];
    size_t mark_count = plan->marks ? plan->type_count : 0;

    put(file, "TZif", 4);
    put(file, &plan->version, 1);
    put(file, zeros, sizeof zeros);
    put_number(file, (int64_t)mark_count, 4);
    put_number(file, (int64_t)mark_count, 4);
    put_number(file, (int64_t)plan->leap_count, 4);
    put_number(file, (int64_t)plan->change_count, 4);
    put_number(file, (int64_t)plan->type_count, 4);
    put_number(file, (int64_t)plan->char_count, 4);
    for (size_t i = 0; i < plan->change_count; i++) {
        put_number(file, plan->changes[i].at, time_bytes);
    }
    for (size_t i = 0; i < plan->change_count; i++) {
        put(file, &plan->changes[i].type, 1);
    }
    for (size_t i = 0; i < plan->type_count; i++) {
        put_number(file, plan->types[i].offset_s, 4);
        put(file, &plan->types[i].dst, 1);
        put(file, &plan->types[i].abbr, 1);
    }
    put(file, plan->chars, plan->char_count);
    for (size_t i = 0; i < plan->leap_count; i++) {
        put_number(file, plan->leaps[i].at, time_bytes);
        put_number(file, plan->leaps[i].correction_s, 4);
    }
    put(file, zeros, 2 * mark_count);
}

static struct file file_of(const struct plan *plan)
{
    struct file file = {0};
    struct plan empty = {.version = plan->version, .type_count = 1, .char_count = 1, .chars = ""};

    put_block(&file, plan->version != 0 && plan->slim ? &empty : plan, 4);
    if (plan->version != 0) {
        file.second = file.len;
        put_block(&file, plan, 8);
        put(&file, "\n", 1);
        put(&file, plan->footer, strlen(plan->footer));
        put(&file, "\n", 1);
    }
    return file;
}

/* The bytes in a block of their own, so that AddressSanitizer sees every step beyond them. */
static enum err read_bytes(const uint8_t *bytes, size_t len, struct zone **ret_zone, struct error *reterr)
{
    SCOPE_FREE uint8_t *copy = mem_dup(bytes, len);

    return tzif_read("Test/Zone", copy, len, ret_zone, reterr);
}

static struct zone *read_plan(const struct plan *plan)
{
    struct file file = file_of(plan);
    struct error error = {0};
    struct zone *zone = NULL;

    if (read_bytes(file.bytes, file.len, &zone, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    return zone;
}

static void assert_corrupt(const struct file *file, const char *why)
{
    struct error error = {0};
    struct zone *zone = NULL;

    assert_int_equal(read_bytes(file->bytes, file->len, &zone, &error), ERR_CORRUPT);
    assert_null(zone);
    assert_contains(error.text, why);
}

static void assert_plan_corrupt(const struct plan *plan, const char *why)
{
    struct file file = file_of(plan);

    assert_corrupt(&file, why);
}

/* From start on the zone has this offset; one second before it had another. */
static void assert_changes_at(const struct zone *zone, const char *start, int32_t offset_s, const char *abbr)
{
    size_t index = zone_segment_at(zone, utc_s(start));

    assert_same_instant(zone->segments[index].start_s, utc_s(start));
    assert_int_equal(zone->segments[index].offset_s, offset_s);
    assert_string_equal(zone->segments[index].abbr, abbr);
}

static void assert_never_changes_after(const struct zone *zone, const char *start)
{
    size_t index = zone_segment_at(zone, utc_s(start));

    assert_true(zone_segment_end(zone, index) > TIME_END_S);
}

static void a_version_1_file_is_its_list_of_changes(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.version = 0;
    struct zone *zone = read_plan(&plan);
    assert_string_equal(zone->name, "Test/Zone");
    assert_int_equal(zone->count, 4);
    assert_int_equal(zone->segments[0].start_s, INT64_MIN);
    assert_int_equal(zone->segments[0].offset_s, -17762);
    assert_int_equal(zone->segments[1].start_s, -1000000000);
    assert_changes_at(zone, "2007-03-11T07:00:00Z", -14400, "EDT");
    assert_true(zone->segments[2].dst);
    assert_changes_at(zone, "2007-11-04T06:00:00Z", -18000, "EST");
    assert_false(zone->segments[3].dst);
    assert_never_changes_after(zone, "2007-11-04T06:00:00Z");
    zone_free(zone);
}

static void versions_2_to_4_have_their_changes_in_64_bits(void **state)
{
    (void)state;
    for (int version = '2'; version <= '4'; version++) {
        for (int slim = 0; slim < 2; slim++) {
            struct plan plan = new_york;

            plan.version = (char)version;
            plan.slim = slim == 1;
            plan.changes[0].at = -2717650800; /* 1883: too early for 32 bits */
            struct zone *zone = read_plan(&plan);
            assert_int_equal(zone->segments[1].start_s, -2717650800);
            assert_changes_at(zone, "2007-03-11T07:00:00Z", -14400, "EDT");
            zone_free(zone);
        }
    }
}

static void indicators_and_several_types_are_passed_over(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.marks = true;
    plan.leap_count = 1;
    plan.leaps[0] = (struct leap){4000000000, 1};
    struct zone *zone = read_plan(&plan);
    assert_changes_at(zone, "2026-03-08T07:00:00Z", -14400, "EDT");
    zone_free(zone);
}

static void the_footer_rules_every_year_up_to_2200(void **state)
{
    (void)state;
    struct zone *zone = read_plan(&new_york);

    assert_changes_at(zone, "2008-03-09T07:00:00Z", -14400, "EDT");
    assert_changes_at(zone, "2008-11-02T06:00:00Z", -18000, "EST");
    assert_changes_at(zone, "2200-03-09T07:00:00Z", -14400, "EDT");
    assert_changes_at(zone, "2200-11-02T06:00:00Z", -18000, "EST");
    size_t first = zone_segment_at(zone, utc_s("2008-03-09T07:00:00Z"));
    size_t last = zone_segment_at(zone, utc_s("2200-11-02T06:00:00Z"));
    assert_int_equal(last - first, 2 * (2200 - 2008) + 1);
    zone_free(zone);
}

static void a_footer_without_daylight_saving_changes_nothing(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.footer = "EST5";
    struct zone *zone = read_plan(&plan);
    assert_never_changes_after(zone, "2007-11-04T06:00:00Z");
    zone_free(zone);
}

static void an_empty_footer_leaves_the_last_change_for_ever(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.footer = "";
    struct zone *zone = read_plan(&plan);
    assert_never_changes_after(zone, "2007-11-04T06:00:00Z");
    zone_free(zone);
}

static void a_footer_may_stand_without_any_change(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.change_count = 0;
    plan.types[0] = (struct type){-18000, 0, 4};
    struct zone *zone = read_plan(&plan);
    assert_changes_at(zone, "1970-03-08T07:00:00Z", -14400, "EDT");
    assert_changes_at(zone, "1970-11-01T06:00:00Z", -18000, "EST");
    assert_changes_at(zone, "2200-03-09T07:00:00Z", -14400, "EDT");
    assert_int_equal(zone_to_local(zone, 0), -18000);
    zone_free(zone);
}

static void the_footer_takes_over_in_the_middle_of_a_year(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.change_count = 2;
    plan.changes[1] = (struct change){1782864000, 2}; /* 2026-07-01: into daylight saving later than the rule has it */
    struct zone *zone = read_plan(&plan);
    assert_changes_at(zone, "2026-07-01T00:00:00Z", -14400, "EDT");
    assert_changes_at(zone, "2026-11-01T06:00:00Z", -18000, "EST");
    assert_changes_at(zone, "2027-03-14T07:00:00Z", -14400, "EDT");
    zone_free(zone);
}

static void a_last_change_beyond_2200_leaves_nothing_to_the_footer(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.slim = true;
    plan.changes[2] = (struct change){7400000000, 1}; /* 2204 */
    struct zone *zone = read_plan(&plan);
    assert_never_changes_after(zone, "2007-03-11T07:00:00Z");
    assert_int_equal(zone->segments[zone->count - 1].start_s, 7400000000);
    zone_free(zone);
}

static void footers_may_count_days_of_the_year(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.footer = "EST5EDT,J60/0,J300/0"; /* always March 1 and October 27 */
    struct zone *julian = read_plan(&plan);
    assert_changes_at(julian, "2027-03-01T05:00:00Z", -14400, "EDT");
    assert_changes_at(julian, "2028-03-01T05:00:00Z", -14400, "EDT");
    assert_changes_at(julian, "2028-10-27T04:00:00Z", -18000, "EST");
    zone_free(julian);

    plan.footer = "EST5EDT,59/0,300/0"; /* in leap years a day earlier */
    struct zone *counted = read_plan(&plan);
    assert_changes_at(counted, "2027-03-01T05:00:00Z", -14400, "EDT");
    assert_changes_at(counted, "2028-02-29T05:00:00Z", -14400, "EDT");
    assert_changes_at(counted, "2027-10-28T04:00:00Z", -18000, "EST");
    assert_changes_at(counted, "2028-10-27T04:00:00Z", -18000, "EST");
    zone_free(counted);
}

static void footers_may_have_negative_times_and_times_beyond_midnight(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.version = '3';
    plan.footer = "EST5EDT,M3.5.0/-1,M10.4.4/50";
    struct zone *zone = read_plan(&plan);
    assert_changes_at(zone, "2026-03-29T04:00:00Z", -14400, "EDT"); /* Saturday 23:00 */
    assert_changes_at(zone, "2026-10-24T06:00:00Z", -18000, "EST"); /* Thursday the 22nd and two days and two hours */
    zone_free(zone);
}

static void on_the_southern_half_a_year_begins_in_summer(void **state)
{
    (void)state;
    struct plan plan = {
        .version = '2',
        .change_count = 1,
        .changes = {{1700000000, 1}}, /* 2023-11-14, in summer */
        .type_count = 2,
        .types = {{37800, 0, 0}, {39600, 1, 6}},
        .char_count = 10,
        .chars = "+1030\0+11",
        .footer = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    };
    struct zone *zone = read_plan(&plan);

    assert_changes_at(zone, "2024-04-06T15:00:00Z", 37800, "+1030");
    assert_changes_at(zone, "2024-10-05T15:30:00Z", 39600, "+11");
    assert_changes_at(zone, "2200-04-05T15:00:00Z", 37800, "+1030");
    zone_free(zone);
}

static void permanent_daylight_saving_has_no_seams(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.version = '3';
    plan.change_count = 2; /* ends with daylight saving */
    plan.footer = "EST5EDT,0/0,J365/25";
    struct zone *zone = read_plan(&plan);
    assert_changes_at(zone, "2007-03-11T07:00:00Z", -14400, "EDT");
    assert_never_changes_after(zone, "2007-03-11T07:00:00Z");
    zone_free(zone);
}

static void a_change_to_the_same_is_no_change(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.footer = "";
    plan.changes[2].type = 2;
    struct zone *zone = read_plan(&plan);
    assert_int_equal(zone->count, 3);
    zone_free(zone);
}

/* Some files begin with what they call the big bang; RFC 9636 has nothing before it, and nothing as far ahead. */
static void changes_lie_between_the_big_bang_and_as_far_ahead(void **state)
{
    (void)state;
    const int64_t big_bang = -(INT64_C(1) << 59);
    const int64_t outside[] = {INT64_MIN, INT64_MIN + 1, big_bang - 1};
    struct plan plan = new_york;

    plan.slim = true;
    plan.changes[0].at = big_bang;
    plan.changes[2].at = -big_bang;
    struct zone *zone = read_plan(&plan);
    assert_int_equal(zone->segments[1].start_s, big_bang);
    assert_int_equal(zone->segments[zone->count - 1].start_s, -big_bang);
    zone_free(zone);
    for (size_t i = 0; i < COUNT_OF(outside); i++) {
        plan = new_york;
        plan.slim = true;
        plan.changes[0].at = outside[i];
        assert_plan_corrupt(&plan, "transition");
        plan = new_york;
        plan.slim = true;
        plan.changes[2].at = outside[i] == INT64_MIN ? INT64_MAX : -outside[i];
        assert_plan_corrupt(&plan, "transition");
    }
}

static void leap_seconds_are_taken_out(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.leap_count = 3;
    plan.leaps[0] = (struct leap){78796800, 1}; /* 1972-06-30 */
    plan.leaps[1] = (struct leap){94694401, 2};
    plan.leaps[2] = (struct leap){126230402, 3};
    plan.changes[1].at = 1173596400 + 3;
    plan.changes[2].at = 1194156000 + 3;
    for (int version = 0; version < 2; version++) {
        plan.version = version == 0 ? '\0' : '2';
        struct zone *zone = read_plan(&plan);
        assert_int_equal(zone->segments[1].start_s, -1000000000);
        assert_changes_at(zone, "2007-03-11T07:00:00Z", -14400, "EDT");
        assert_changes_at(zone, "2007-11-04T06:00:00Z", -18000, "EST");
        zone_free(zone);
    }
}

static void the_count_grows_with_each_leap_second(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.footer = "";
    plan.leap_count = 2;
    plan.leaps[0] = (struct leap){1000000000, 1};
    plan.leaps[1] = (struct leap){1180000000, 2};
    plan.changes[1].at = 1173596400 + 1;
    plan.changes[2].at = 1194156000 + 2;
    struct zone *zone = read_plan(&plan);
    assert_changes_at(zone, "2007-03-11T07:00:00Z", -14400, "EDT");
    assert_changes_at(zone, "2007-11-04T06:00:00Z", -18000, "EST");
    zone_free(zone);
}

static void a_leap_second_may_be_negative_and_a_table_may_be_cut_at_its_start(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.version = '4';
    plan.footer = "";
    plan.leap_count = 3;
    plan.leaps[0] = (struct leap){1000000000, 20}; /* version 4: what lies before is left out */
    plan.leaps[1] = (struct leap){1180000000, 19};
    plan.leaps[2] = (struct leap){1500000000, 19}; /* version 4: when the table expires */
    plan.changes[1].at = 1173596400 + 20;
    plan.changes[2].at = 1194156000 + 19;
    struct zone *zone = read_plan(&plan);
    assert_changes_at(zone, "2007-03-11T07:00:00Z", -14400, "EDT");
    assert_changes_at(zone, "2007-11-04T06:00:00Z", -18000, "EST");
    zone_free(zone);
}

static void changes_that_leap_seconds_push_together_leave_the_last(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.footer = "";
    plan.leap_count = 1;
    plan.leaps[0] = (struct leap){1173596401, 1};
    plan.changes[2].at = 1173596401; /* the leap second itself: one instant with the change before */
    struct zone *zone = read_plan(&plan);
    assert_true(zone_valid(zone));
    assert_int_equal(zone->count, 2);
    assert_string_equal(zone->segments[1].abbr, "EST");
    zone_free(zone);
}

/* A correction must not carry an instant beyond the numbers there are. */
static void absurd_leap_seconds_do_no_harm(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.slim = true;
    plan.leap_count = 1;
    plan.changes[0].at = -(INT64_C(1) << 59);
    plan.changes[2].at = INT64_C(1) << 59;
    for (int sign = -1; sign <= 1; sign += 2) {
        plan.leaps[0] = (struct leap){INT64_MIN, sign < 0 ? INT32_MIN : INT32_MAX};
        struct zone *zone = read_plan(&plan);

        assert_true(zone_valid(zone));
        zone_free(zone);
    }
}

static void abbreviations_may_share_their_ends(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.version = 0;
    plan.chars = "AHST\0";
    plan.char_count = 5;
    plan.types[0].abbr = 0;
    plan.types[1].abbr = 1;
    plan.types[2].abbr = 4;
    struct zone *zone = read_plan(&plan);
    assert_string_equal(zone->segments[0].abbr, "AHST");
    assert_string_equal(zone->segments[1].abbr, "HST");
    assert_string_equal(zone->segments[2].abbr, "");
    zone_free(zone);
}

static void offsets_from_minus_25_to_26_hours_are_possible(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.version = 0;
    plan.types[0].offset_s = -25 * 3600;
    plan.types[1].offset_s = 26 * 3600;
    zone_free(read_plan(&plan));
    plan.types[0].offset_s = -25 * 3600 - 1;
    assert_plan_corrupt(&plan, "impossible offset");
    plan.types[0].offset_s = INT32_MIN;
    assert_plan_corrupt(&plan, "impossible offset");
    plan.types[0].offset_s = 0;
    plan.types[1].offset_s = 26 * 3600 + 1;
    assert_plan_corrupt(&plan, "impossible offset");
    plan.types[1].offset_s = INT32_MAX;
    assert_plan_corrupt(&plan, "impossible offset");
}

static void types_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.types[2].dst = 2;
    assert_plan_corrupt(&plan, "impossible offset or flag");
    plan = new_york;
    plan.changes[1].type = 3;
    assert_plan_corrupt(&plan, "a type that is not there");
    plan = new_york;
    plan.type_count = 0;
    plan.change_count = 0;
    assert_plan_corrupt(&plan, "a type that is not there");
    plan = new_york;
    plan.types[1].abbr = 12;
    assert_plan_corrupt(&plan, "no proper abbreviation");
    plan = new_york;
    plan.types[1].abbr = 255;
    assert_plan_corrupt(&plan, "no proper abbreviation");
    plan = new_york;
    plan.char_count = 11; /* the last abbreviation does not end */
    assert_plan_corrupt(&plan, "no proper abbreviation");
    plan.char_count = 0;
    assert_plan_corrupt(&plan, "no proper abbreviation");
}

static void an_abbreviation_has_at_most_15_characters(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.chars = "LMT\0EST\0EDT\0abcdefghijklmno\0";
    plan.char_count = 28;
    plan.types[0].abbr = 12;
    zone_free(read_plan(&plan));
    plan.chars = "LMT\0EST\0EDT\0abcdefghijklmnop\0";
    plan.char_count = 29;
    assert_plan_corrupt(&plan, "no proper abbreviation");
}

static void changes_out_of_order_are_refused(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.changes[2].at = plan.changes[1].at;
    assert_plan_corrupt(&plan, "not in order");
    plan.changes[2].at = plan.changes[1].at - 1;
    assert_plan_corrupt(&plan, "not in order");
}

static void headers_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const size_t counts[] = {AT_ISUT_COUNT, AT_ISSTD_COUNT, AT_LEAP_COUNT, AT_TIME_COUNT, AT_TYPE_COUNT, AT_CHAR_COUNT};

    for (int second = 0; second < 2; second++) {
        for (size_t i = 0; i < COUNT_OF(counts); i++) {
            struct file file = file_of(&new_york);

            memset(file.bytes + (second == 1 ? file.second : 0) + counts[i], 0xff, 4);
            assert_corrupt(&file, "out of bounds");
        }
        struct file no_magic = file_of(&new_york);
        no_magic.bytes[second == 1 ? no_magic.second : 0] = 't';
        assert_corrupt(&no_magic, "TZif header");
    }
    for (int version = 1; version < 256; version++) {
        struct file file = file_of(&new_york);

        file.bytes[AT_VERSION] = (uint8_t)version;
        if (version < '2' || version > 127) {
            assert_corrupt(&file, "unknown version");
        }
    }
}

static void counts_are_bounded_before_they_are_used(void **state)
{
    (void)state;
    const struct {
        size_t at;
        uint32_t most; /* the largest count that is only found to be cut short */
    } rows[] = {
        {AT_LEAP_COUNT, TZIF_TRANSITIONS_MAX},
        {AT_TIME_COUNT, TZIF_TRANSITIONS_MAX},
        {AT_TYPE_COUNT, 256},
        {AT_CHAR_COUNT, 4096},
        {AT_ISUT_COUNT, 3},
        {AT_ISSTD_COUNT, 3},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (uint32_t over = 0; over < 2; over++) {
            struct plan plan = new_york;
            uint32_t count = rows[i].most + over;

            plan.version = 0;
            struct file file = file_of(&plan);
            file.bytes[rows[i].at + 2] = (uint8_t)(count >> 8);
            file.bytes[rows[i].at + 3] = (uint8_t)count;
            assert_corrupt(&file, over == 1 ? "out of bounds" : "cut short");
        }
    }
}

static void as_many_changes_as_allowed_can_be_read(void **state)
{
    (void)state;
    static uint8_t bytes[HEADER_BYTES + TZIF_TRANSITIONS_MAX * 5 + 64];
    struct plan plan = new_york;

    plan.version = 0;
    plan.change_count = 0;
    struct file file = file_of(&plan);
    memcpy(bytes, file.bytes, HEADER_BYTES);
    bytes[AT_TIME_COUNT + 2] = TZIF_TRANSITIONS_MAX >> 8;
    bytes[AT_TIME_COUNT + 3] = TZIF_TRANSITIONS_MAX & 0xff;
    for (size_t i = 0; i < TZIF_TRANSITIONS_MAX; i++) {
        uint8_t *time = bytes + HEADER_BYTES + 4 * i;

        time[1] = (uint8_t)(i >> 8);
        time[2] = (uint8_t)i;
        bytes[HEADER_BYTES + 4 * TZIF_TRANSITIONS_MAX + i] = (uint8_t)(1 + i % 2);
    }
    size_t rest = file.len - HEADER_BYTES;
    memcpy(bytes + HEADER_BYTES + TZIF_TRANSITIONS_MAX * 5, file.bytes + HEADER_BYTES, rest);
    struct zone *zone = NULL;
    assert_int_equal(read_bytes(bytes, HEADER_BYTES + TZIF_TRANSITIONS_MAX * 5 + rest, &zone, NULL), ERR_OK);
    assert_int_equal(zone->count, TZIF_TRANSITIONS_MAX + 1);
    assert_true(zone_valid(zone));
    zone_free(zone);
}

static void footers_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.footer = "EST5EDT";
    assert_plan_corrupt(&plan, "not a POSIX time zone rule");
    plan.footer = "rubbish";
    assert_plan_corrupt(&plan, "not a POSIX time zone rule");
    struct file file = file_of(&new_york);
    file.bytes[file.len - strlen(new_york.footer) - 2] = ' ';
    assert_corrupt(&file, "footer is missing");
    file = file_of(&new_york);
    file.bytes[file.len - 1] = ' ';
    assert_corrupt(&file, "footer is cut short");
}

static void a_file_cut_short_at_any_byte_is_refused(void **state)
{
    (void)state;
    for (int version = 0; version < 4; version++) {
        struct plan plan = new_york;

        plan.version = (const char[]){'\0', '2', '3', '4'}[version];
        plan.marks = true;
        plan.leap_count = 2;
        plan.leaps[0] = (struct leap){78796800, 1};
        plan.leaps[1] = (struct leap){94694401, 2};
        struct file file = file_of(&plan);
        for (size_t len = 0; len < file.len; len++) {
            struct error error = {0};
            struct zone *zone = NULL;

            assert_int_equal(read_bytes(file.bytes, len, &zone, &error), ERR_CORRUPT);
            assert_null(zone);
            assert_true(error.text[0] != '\0');
        }
        zone_free(read_plan(&plan));
    }
}

static void a_file_with_any_one_bit_flipped_is_refused_or_still_a_zone(void **state)
{
    (void)state;
    struct plan plan = new_york;

    plan.marks = true;
    plan.leap_count = 1;
    plan.leaps[0] = (struct leap){78796800, 1};
    struct file file = file_of(&plan);
    for (size_t bit = 0; bit < 8 * file.len; bit++) {
        struct zone *zone = NULL;

        file.bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
        if (read_bytes(file.bytes, file.len, &zone, NULL) == ERR_OK) {
            assert_true(zone_valid(zone));
            zone_free(zone);
        }
        file.bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
    }
}

static void random_damage_is_refused_or_still_a_zone(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int i = 0; i < 1500; i++) {
        struct plan plan = new_york;

        plan.leap_count = rng_below(&rng, 3);
        plan.leaps[0] = (struct leap){(int64_t)rng_next(&rng), (int32_t)rng_next(&rng)};
        plan.leaps[1] = (struct leap){(int64_t)rng_next(&rng), (int32_t)rng_next(&rng)};
        struct file file = file_of(&plan);
        struct zone *zone = NULL;

        for (uint64_t damages = rng_below(&rng, 6); damages > 0; damages--) {
            file.bytes[rng_below(&rng, file.len)] = (uint8_t)rng_next(&rng);
        }
        if (read_bytes(file.bytes, file.len, &zone, NULL) == ERR_OK) {
            assert_true(zone_valid(zone));
            zone_free(zone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_1_file_is_its_list_of_changes),
        cmocka_unit_test(versions_2_to_4_have_their_changes_in_64_bits),
        cmocka_unit_test(indicators_and_several_types_are_passed_over),
        cmocka_unit_test(the_footer_rules_every_year_up_to_2200),
        cmocka_unit_test(a_footer_without_daylight_saving_changes_nothing),
        cmocka_unit_test(an_empty_footer_leaves_the_last_change_for_ever),
        cmocka_unit_test(a_footer_may_stand_without_any_change),
        cmocka_unit_test(the_footer_takes_over_in_the_middle_of_a_year),
        cmocka_unit_test(a_last_change_beyond_2200_leaves_nothing_to_the_footer),
        cmocka_unit_test(footers_may_count_days_of_the_year),
        cmocka_unit_test(footers_may_have_negative_times_and_times_beyond_midnight),
        cmocka_unit_test(on_the_southern_half_a_year_begins_in_summer),
        cmocka_unit_test(permanent_daylight_saving_has_no_seams),
        cmocka_unit_test(a_change_to_the_same_is_no_change),
        cmocka_unit_test(changes_lie_between_the_big_bang_and_as_far_ahead),
        cmocka_unit_test(leap_seconds_are_taken_out),
        cmocka_unit_test(the_count_grows_with_each_leap_second),
        cmocka_unit_test(a_leap_second_may_be_negative_and_a_table_may_be_cut_at_its_start),
        cmocka_unit_test(changes_that_leap_seconds_push_together_leave_the_last),
        cmocka_unit_test(absurd_leap_seconds_do_no_harm),
        cmocka_unit_test(abbreviations_may_share_their_ends),
        cmocka_unit_test(offsets_from_minus_25_to_26_hours_are_possible),
        cmocka_unit_test(types_that_make_no_sense_are_refused),
        cmocka_unit_test(an_abbreviation_has_at_most_15_characters),
        cmocka_unit_test(changes_out_of_order_are_refused),
        cmocka_unit_test(headers_that_make_no_sense_are_refused),
        cmocka_unit_test(counts_are_bounded_before_they_are_used),
        cmocka_unit_test(as_many_changes_as_allowed_can_be_read),
        cmocka_unit_test(footers_that_make_no_sense_are_refused),
        cmocka_unit_test(a_file_cut_short_at_any_byte_is_refused),
        cmocka_unit_test(a_file_with_any_one_bit_flipped_is_refused_or_still_a_zone),
        cmocka_unit_test(random_damage_is_refused_or_still_a_zone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
