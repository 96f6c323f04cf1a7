#include "calendar_test.h"

#include "calendar/civil.h"
#include "calendar/cron_local.h"

/* The first and the last local time that Belfry computes with, and the first after it. */
#define LOCAL_FIRST local_at(CRON_YEAR_BASE, 1, 1)
#define LOCAL_END local_at(YEAR_MAX + 2, 1, 1)

static int64_t local_at(int year, int month, int day)
{
    return civil_day_number(year, month, day) * SECONDS_PER_DAY;
}

/* An expression as text, and what it means, said independently of the parser: one flag for each value of a field. */
struct meaning {
    bool quartz;
    bool seconds[60];
    bool minutes[60];
    bool hours[24];
    bool month_days[32];
    bool months[13];
    bool weekdays[7];
    bool years[YEAR_MAX + 2 - CRON_YEAR_BASE];
    bool either;  /* day of month or day of week */
    char special; /* 0, or one of L (last), W (last weekday), N (nearest weekday), # (nth), F (last of a weekday) */
    int number;
    int weekday;
    char text[512];
};

/* Whether the day that is said to be special is this one, by the words of its definition. */
static bool is_special_day(const struct meaning *meaning, int year, int month, int day)
{
    int last = civil_month_days(year, month);
    int64_t first_number = civil_day_number(year, month, 1);
    int target = meaning->special == 'N' ? meaning->number : last - meaning->number;
    int nearest = 0;
    int nth = 0;
    int last_of = 0;

    for (int d = 1; d <= last; d++) {
        int weekday = civil_weekday(first_number + d - 1);

        if (weekday >= 1 && weekday <= 5 && (nearest == 0 || abs(d - target) < abs(nearest - target))) {
            nearest = d;
        }
        if (weekday == meaning->weekday) {
            nth += d <= day;
            last_of = d;
        }
    }
    bool is_weekday = civil_weekday(first_number + day - 1) == meaning->weekday;
    switch (meaning->special) {
    case 'L':
        return day == target;
    case 'W':
    case 'N':
        return target >= 1 && target <= last && day == nearest;
    case '#':
        return is_weekday && nth == meaning->number;
    default:
        return day == last_of;
    }
}

static bool means_day(const struct meaning *meaning, int64_t day_number)
{
    struct civil c = civil_from_local(day_number * SECONDS_PER_DAY);
    bool month_day = meaning->month_days[c.day];
    bool weekday = meaning->weekdays[civil_weekday(day_number)];

    if (c.year < CRON_YEAR_BASE || c.year > YEAR_MAX + 1 || !meaning->years[c.year - CRON_YEAR_BASE] ||
        !meaning->months[c.month]) {
        return false;
    }
    if (meaning->special != 0) {
        return is_special_day(meaning, c.year, c.month, c.day);
    }
    return meaning->either ? month_day || weekday : month_day && weekday;
}

static bool means_time(const struct meaning *meaning, int second_of_day)
{
    return meaning->hours[second_of_day / 3600] && meaning->minutes[second_of_day / 60 % 60] &&
           meaning->seconds[second_of_day % 60];
}

static void append(struct meaning *meaning, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct meaning *meaning, const char *format, ...)
{
    size_t len = strlen(meaning->text);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(meaning->text + len, sizeof meaning->text - len, format, args);
    va_end(args);
}

/* One item of a list; sets its flags. flags[i] is the value i + base. */
static void random_item(struct rng *rng, struct meaning *meaning, int min, int max, bool *flags, int base)
{
    int first = (int)rng_between(rng, min, max);
    int last = (int)rng_between(rng, min, max);
    int step = (int)rng_between(rng, 1, (max - min) / 2 + 1);
    bool wraps = meaning->quartz && base == 0 && first > last;

    if (first > last && !wraps) {
        int swap = first;

        first = last;
        last = swap;
    }
    uint64_t kind = rng_below(rng, meaning->quartz ? 4 : 3);
    if (kind == 0) {
        step = 1;
        append(meaning, "%d-%d", first, last);
    } else if (kind == 1) {
        append(meaning, "%d-%d/%d", first, last, step);
    } else if (kind == 2) {
        last = first;
        wraps = false;
        append(meaning, "%d", first);
    } else { /* 5/2 is Quartz's */
        last = max;
        wraps = false;
        append(meaning, "%d/%d", first, step);
    }
    int size = max - min + 1;
    for (int value = first; value <= (wraps ? last + size : last); value += step) {
        flags[(value > max ? value - size : value) - base] = true;
    }
}

/* Writes one field and sets its flags; returns whether it begins with a star. */
static bool random_field(struct rng *rng, struct meaning *meaning, int min, int max, bool *flags, int base)
{
    uint64_t kind = rng_below(rng, 5);

    if (meaning->text[0] != '\0') {
        append(meaning, " ");
    }
    if (kind <= 1) { /* a star, perhaps with a step */
        int step = kind == 0 ? 1 : (int)rng_between(rng, 1, (max - min) / 2 + 1);

        append(meaning, kind == 0 ? "*" : "*/%d", step);
        for (int value = min; value <= max; value += step) {
            flags[value - base] = true;
        }
        return true;
    }
    for (uint64_t items = 1 + rng_below(rng, 3); items > 0; items--) {
        random_item(rng, meaning, min, max, flags, base);
        append(meaning, items > 1 ? "," : "");
    }
    return false;
}

static void set_all(bool *flags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        flags[i] = true;
    }
}

static struct meaning random_unix(struct rng *rng)
{
    struct meaning meaning = {.seconds = {true}};
    bool weekdays[8] = {false};

    set_all(meaning.years, COUNT_OF(meaning.years));
    (void)random_field(rng, &meaning, 0, 59, meaning.minutes, 0);
    (void)random_field(rng, &meaning, 0, 23, meaning.hours, 0);
    bool month_day_star = random_field(rng, &meaning, 1, 31, meaning.month_days, 0);
    (void)random_field(rng, &meaning, 1, 12, meaning.months, 0);
    bool weekday_star = random_field(rng, &meaning, 0, 7, weekdays, 0);
    for (int i = 0; i <= 7; i++) {
        meaning.weekdays[i % 7] |= weekdays[i];
    }
    meaning.either = !month_day_star && !weekday_star;
    return meaning;
}

static void random_special_day(struct rng *rng, struct meaning *meaning)
{
    static const char *const names[] = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

    set_all(meaning->month_days, 32);
    set_all(meaning->weekdays, 7);
    meaning->special = "LWN#F"[rng_below(rng, 5)];
    meaning->number =
        meaning->special == '#' ? (int)rng_between(rng, 1, 5) : (int)rng_between(rng, meaning->special == 'N', 30);
    meaning->weekday = (int)rng_below(rng, 7);
    switch (meaning->special) {
    case 'L':
    case 'W':
        append(meaning, " L-%d%s", meaning->number, meaning->special == 'W' ? "W" : "");
        break;
    case 'N':
        append(meaning, " %dW", meaning->number);
        break;
    default:
        append(meaning, " ?");
        break;
    }
    (void)random_field(rng, meaning, 1, 12, meaning->months, 0);
    if (meaning->special == '#') {
        append(meaning, " %s#%d", names[meaning->weekday], meaning->number);
    } else {
        append(meaning, meaning->special == 'F' ? " %dL" : " ?", meaning->weekday + 1);
    }
}

static struct meaning random_quartz(struct rng *rng)
{
    struct meaning meaning = {.quartz = true};
    bool weekdays[8] = {false};

    (void)random_field(rng, &meaning, 0, 59, meaning.seconds, 0);
    (void)random_field(rng, &meaning, 0, 59, meaning.minutes, 0);
    (void)random_field(rng, &meaning, 0, 23, meaning.hours, 0);
    switch (rng_below(rng, 3)) {
    case 0:
        random_special_day(rng, &meaning);
        break;
    case 1: /* days of the month */
        (void)random_field(rng, &meaning, 1, 31, meaning.month_days, 0);
        (void)random_field(rng, &meaning, 1, 12, meaning.months, 0);
        append(&meaning, " ?");
        set_all(meaning.weekdays, 7);
        break;
    default:
        append(&meaning, " ?");
        (void)random_field(rng, &meaning, 1, 12, meaning.months, 0);
        (void)random_field(rng, &meaning, 1, 7, weekdays, 0);
        memcpy(meaning.weekdays, weekdays + 1, sizeof meaning.weekdays);
        set_all(meaning.month_days, 32);
        break;
    }
    if (rng_chance(rng, 1, 3)) {
        (void)random_field(rng, &meaning, YEAR_MIN, YEAR_MAX, meaning.years, CRON_YEAR_BASE);
    } else {
        set_all(meaning.years, COUNT_OF(meaning.years));
    }
    if (strcmp(strrchr(meaning.text, ' '), " *") == 0) { /* an unrestricted year reaches a year further on both sides */
        set_all(meaning.years, COUNT_OF(meaning.years));
    }
    return meaning;
}

/* Reads the expression; false where it can never fire, which must be true of what it means as well. */
static bool read_meaning(const struct meaning *meaning, struct cron *ret_cron)
{
    struct error error = {0};
    enum err err = cron_parse(str_from(meaning->text), STR("seed"), ret_cron, &error);

    if (err != ERR_OK && err != ERR_NEVER_FIRES) {
        fail_msg("%s: %s", meaning->text, error.text);
    }
    if (err == ERR_NEVER_FIRES) {
        for (int64_t day = civil_day_number(YEAR_MIN, 1, 1); day < civil_day_number(YEAR_MAX + 1, 1, 1); day++) {
            if (means_day(meaning, day)) {
                fail_msg("%s was refused, but fires on day %lld", meaning->text, (long long)day);
            }
        }
    }
    return err == ERR_OK;
}

static void assert_local(const struct meaning *meaning, const char *what, int64_t got, int64_t expected)
{
    if (got != expected) {
        fail_msg("%s: %s is %lld, expected %lld", meaning->text, what, (long long)got, (long long)expected);
    }
}

/* Goes through [from, to) step by step, and asks of every match that next, prev and count know it. */
static void walk(const struct meaning *meaning, const struct cron *cron, int64_t from, int64_t to)
{
    int64_t step = meaning->quartz ? 1 : 60;
    int64_t last = from - 1;
    int64_t count = 0;
    bool day_matches = false;

    for (int64_t at = from; at < to; at += step) {
        int second_of_day = (int)(at - civil_floor_div(at, SECONDS_PER_DAY) * SECONDS_PER_DAY);

        if (second_of_day < step || at == from) {
            day_matches = means_day(meaning, civil_floor_div(at, SECONDS_PER_DAY));
        }
        if (!day_matches || !means_time(meaning, second_of_day)) {
            continue;
        }
        count++;
        assert_local(meaning, "next", cron_local_next(cron, last + 1), at);
        if (count > 1) {
            assert_local(meaning, "prev", cron_local_prev(cron, at - 1), last);
            assert_local(meaning, "count", cron_local_count(cron, last, at + 1), 2);
        }
        assert_local(meaning, "next at itself", cron_local_next(cron, at), at);
        assert_local(meaning, "prev at itself", cron_local_prev(cron, at), at);
        last = at;
    }
    assert_local(meaning, "count", cron_local_count(cron, from, to), count);
    int64_t after = cron_local_next(cron, last + 1);
    if (after < to) {
        fail_msg("%s: a match at %lld that should not be", meaning->text, (long long)after);
    }
    if (count > 0) {
        assert_local(meaning, "prev", cron_local_prev(cron, to - 1), last);
    } else if (cron_local_prev(cron, to - 1) >= from) {
        fail_msg("%s: a match at %lld that should not be", meaning->text, (long long)cron_local_prev(cron, to - 1));
    }
}

/* Random seconds match exactly if they should. */
static void probe(struct rng *rng, const struct meaning *meaning, const struct cron *cron, int64_t from, int64_t to)
{
    for (int i = 0; i < 50; i++) {
        int64_t at = rng_between(rng, from, to - 1);
        int64_t day = civil_floor_div(at, SECONDS_PER_DAY);
        bool expected = means_day(meaning, day) && means_time(meaning, (int)(at - day * SECONDS_PER_DAY));

        assert_local(meaning, "match", cron_local_matches(cron, at), expected);
    }
}

static void unix_expressions_match_as_walking_minute_by_minute_does(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int i = 0; i < 300; i++) {
        struct meaning meaning = random_unix(&rng);
        int64_t from = rng_between(&rng, LOCAL_FIRST, LOCAL_END - 30 * SECONDS_PER_DAY) / 60 * 60;
        struct cron cron;

        if (read_meaning(&meaning, &cron)) {
            walk(&meaning, &cron, from, from + rng_between(&rng, 1, 10) * SECONDS_PER_DAY);
            probe(&rng, &meaning, &cron, from, from + 10 * SECONDS_PER_DAY);
        }
    }
}

static void quartz_expressions_match_as_walking_second_by_second_does(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int i = 0; i < 150; i++) {
        struct meaning meaning = random_quartz(&rng);
        int64_t from = rng_between(&rng, LOCAL_FIRST, LOCAL_END - 30 * SECONDS_PER_DAY);
        struct cron cron;

        if (read_meaning(&meaning, &cron)) {
            walk(&meaning, &cron, from, from + rng_between(&rng, 1, 20 * 3600));
            probe(&rng, &meaning, &cron, from, from + 10 * SECONDS_PER_DAY);
        }
    }
}

/* Over all years: the expression's days are the ones it means, one after the other and back. */
static void walk_all_days(const struct meaning *meaning, const struct cron *cron)
{
    int64_t end = civil_day_number(YEAR_MAX + 2, 1, 1);
    int64_t first_of_day = cron_local_next(cron, LOCAL_FIRST) % SECONDS_PER_DAY;
    int64_t next = cron_local_next(cron, LOCAL_FIRST);
    int64_t last = CRON_LOCAL_NEVER_BEFORE;
    int64_t days = 0;

    first_of_day = first_of_day < 0 ? first_of_day + SECONDS_PER_DAY : first_of_day;
    for (int64_t day = civil_day_number(CRON_YEAR_BASE, 1, 1); day < end; day++) {
        if (!means_day(meaning, day)) {
            continue;
        }
        days++;
        assert_local(meaning, "first of the day", next, day * SECONDS_PER_DAY + first_of_day);
        int64_t before = cron_local_prev(cron, day * SECONDS_PER_DAY - 1);
        assert_local(meaning, "day before", before == CRON_LOCAL_NEVER_BEFORE ? before : civil_floor_div(before, 86400),
                     last);
        last = day;
        next = cron_local_next(cron, (day + 1) * SECONDS_PER_DAY);
    }
    assert_local(meaning, "after the last day", next, CRON_LOCAL_NEVER);
    int64_t a_day = cron_local_count(cron, last * SECONDS_PER_DAY, (last + 1) * SECONDS_PER_DAY);
    assert_local(meaning, "count of all", cron_local_count(cron, INT64_MIN, INT64_MAX), days * a_day);
}

static void all_days_of_all_years_are_the_ones_an_expression_means(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int i = 0; i < 30; i++) {
        struct meaning meaning = i % 2 == 0 ? random_unix(&rng) : random_quartz(&rng);
        struct cron cron;

        if (read_meaning(&meaning, &cron)) {
            walk_all_days(&meaning, &cron);
        }
    }
}

static void counts_of_two_halves_are_the_count_of_the_whole(void **state)
{
    (void)state;
    struct rng rng;

    seed_rng(&rng);
    for (int i = 0; i < 200; i++) {
        struct meaning meaning = i % 2 == 0 ? random_unix(&rng) : random_quartz(&rng);
        struct cron cron;

        for (int j = 0; j < 10 && read_meaning(&meaning, &cron); j++) {
            int64_t from = rng_between(&rng, LOCAL_FIRST - 100, LOCAL_END);
            int64_t to = rng_between(&rng, from, LOCAL_END + 100);
            int64_t middle = rng_between(&rng, from, to);

            assert_local(&meaning, "sum", cron_local_count(&cron, from, middle) + cron_local_count(&cron, middle, to),
                         cron_local_count(&cron, from, to));
        }
    }
}

static void assert_days(const char *text, int year, int month, const char *expected)
{
    struct cron cron = cron_of(text);
    char got[256] = "";

    for (int day = 1; day <= civil_month_days(year, month); day++) {
        int64_t start = local_at(year, month, day);

        if (cron_local_count(&cron, start, start + SECONDS_PER_DAY) > 0) {
            size_t len = strlen(got);

            (void)snprintf(got + len, sizeof got - len, "%s%d", len > 0 ? " " : "", day);
        }
    }
    assert_string_equal(got, expected);
}

static void unix_days_match_one_field_or_the_other_or_both_at_once(void **state)
{
    (void)state;
    /* April 2026 begins on a Wednesday. */
    assert_days("0 0 13 * 5", 2026, 4, "3 10 13 17 24");
    assert_days("0 0 13 * *", 2026, 4, "13");
    assert_days("0 0 * * 5", 2026, 4, "3 10 17 24");
    assert_days("0 0 */10 * 5", 2026, 7, "31"); /* 1, 11, 21, 31 and Friday */
    assert_days("0 0 13 * */7", 2026, 9, "13"); /* the 13th and Sunday */
    assert_days("0 0 13 * */7", 2026, 10, "");
}

static void the_last_day_moves_with_the_month(void **state)
{
    (void)state;
    assert_days("0 0 0 L * ?", 2026, 2, "28");
    assert_days("0 0 0 L * ?", 2028, 2, "29");
    assert_days("0 0 0 L * ?", 2026, 4, "30");
    assert_days("0 0 0 L-3 * ?", 2026, 4, "27");
    assert_days("0 0 0 L-30 * ?", 2026, 1, "1");
    assert_days("0 0 0 L-30 * ?", 2026, 4, "");
    assert_days("0 0 0 LW * ?", 2026, 5, "29");   /* the 31st is a Sunday */
    assert_days("0 0 0 LW * ?", 2026, 2, "27");   /* the 28th is a Saturday */
    assert_days("0 0 0 LW * ?", 2026, 4, "30");   /* a Thursday */
    assert_days("0 0 0 L-1W * ?", 2026, 5, "29"); /* the 30th is a Saturday */
    assert_days("0 0 0 L-2W * ?", 2026, 6, "29"); /* the 28th is a Sunday */
    assert_days("0 0 0 L-30W * ?", 2026, 4, "");
}

static void the_nearest_weekday_stays_in_its_month(void **state)
{
    (void)state;
    assert_days("0 0 0 15W * ?", 2026, 4, "15"); /* a Wednesday */
    assert_days("0 0 0 15W * ?", 2026, 8, "14"); /* a Saturday */
    assert_days("0 0 0 15W * ?", 2026, 3, "16"); /* a Sunday */
    assert_days("0 0 0 1W * ?", 2026, 8, "3");   /* a Saturday: not back into July */
    assert_days("0 0 0 1W * ?", 2026, 2, "2");   /* a Sunday */
    assert_days("0 0 0 31W * ?", 2026, 5, "29"); /* a Sunday: not on into June */
    assert_days("0 0 0 31W * ?", 2026, 1, "30"); /* a Saturday */
    assert_days("0 0 0 30W * ?", 2026, 2, "");   /* no such day, no such fire */
    assert_days("0 0 0 31W * ?", 2026, 4, "");
    assert_days("0 0 0 29W * ?", 2028, 2, "29"); /* a Tuesday */
}

static void weekdays_are_counted_within_the_month(void **state)
{
    (void)state;
    assert_days("0 0 0 ? * 6#3", 2026, 4, "17");
    assert_days("0 0 0 ? * 4#1", 2026, 4, "1");
    assert_days("0 0 0 ? * 4#5", 2026, 4, "29");
    assert_days("0 0 0 ? * 6#5", 2026, 4, "");
    assert_days("0 0 0 ? * 6L", 2026, 4, "24");
    assert_days("0 0 0 ? * 5L", 2026, 4, "30");
    assert_days("0 0 0 ? * 1L", 2026, 5, "31");
    assert_days("0 0 0 ? * L", 2026, 4, "4 11 18 25");
}

static void leap_days_come_when_they_come(void **state)
{
    (void)state;
    struct cron cron = cron_of("0 0 29 2 *");

    assert_same_instant(cron_local_next(&cron, local_s("2026-01-01T00:00:00")), local_s("2028-02-29T00:00:00"));
    assert_same_instant(cron_local_next(&cron, local_s("2096-03-01T00:00:00")), local_s("2104-02-29T00:00:00"));
    assert_same_instant(cron_local_prev(&cron, local_s("2104-02-28T23:59:59")), local_s("2096-02-29T00:00:00"));
    assert_int_equal(cron_local_count(&cron, local_s("1970-01-01T00:00:00"), TIME_END_S), 56);
}

static void a_search_starts_with_the_very_second_asked_for(void **state)
{
    (void)state;
    struct cron cron = cron_of("0 9 * * *");
    int64_t nine = local_s("2026-04-08T09:00:00");

    assert_same_instant(cron_local_next(&cron, nine), nine);
    assert_same_instant(cron_local_next(&cron, nine + 1), nine + SECONDS_PER_DAY);
    assert_same_instant(cron_local_prev(&cron, nine), nine);
    assert_same_instant(cron_local_prev(&cron, nine - 1), nine - SECONDS_PER_DAY);
    assert_int_equal(cron_local_count(&cron, nine, nine + 1), 1);
    assert_int_equal(cron_local_count(&cron, nine, nine), 0);
    assert_int_equal(cron_local_count(&cron, nine + 1, nine + SECONDS_PER_DAY), 0);
    assert_int_equal(cron_local_count(&cron, nine + SECONDS_PER_DAY, nine), 0);
    assert_true(cron_local_matches(&cron, nine));
    assert_false(cron_local_matches(&cron, nine + 1));
}

static void years_come_to_an_end_on_both_sides(void **state)
{
    (void)state;
    struct cron every_second = cron_of("* * * * * ?");
    struct cron one_year = cron_of("0 0 0 1 7 ? 2026");
    int64_t fire = local_s("2026-07-01T00:00:00");

    assert_int_equal(cron_local_next(&every_second, LOCAL_FIRST - 1), LOCAL_FIRST);
    assert_int_equal(cron_local_next(&every_second, LOCAL_END - 1), LOCAL_END - 1);
    assert_int_equal(cron_local_next(&every_second, LOCAL_END), CRON_LOCAL_NEVER);
    assert_int_equal(cron_local_prev(&every_second, LOCAL_FIRST), LOCAL_FIRST);
    assert_int_equal(cron_local_prev(&every_second, LOCAL_FIRST - 1), CRON_LOCAL_NEVER_BEFORE);
    assert_int_equal(cron_local_prev(&every_second, LOCAL_END), LOCAL_END - 1);
    assert_int_equal(cron_local_count(&every_second, INT64_MIN, INT64_MAX), LOCAL_END - LOCAL_FIRST);
    assert_false(cron_local_matches(&every_second, LOCAL_FIRST - 1));
    assert_true(cron_local_matches(&every_second, LOCAL_FIRST));
    assert_false(cron_local_matches(&every_second, LOCAL_END));

    assert_same_instant(cron_local_next(&one_year, LOCAL_FIRST), fire);
    assert_int_equal(cron_local_next(&one_year, fire + 1), CRON_LOCAL_NEVER);
    assert_same_instant(cron_local_prev(&one_year, LOCAL_END), fire);
    assert_int_equal(cron_local_prev(&one_year, fire - 1), CRON_LOCAL_NEVER_BEFORE);
}

static void the_ends_of_time_have_answers_too(void **state)
{
    (void)state;
    struct cron cron = cron_of("* * * * * ?");

    assert_int_equal(cron_local_next(&cron, INT64_MIN), LOCAL_FIRST);
    assert_int_equal(cron_local_next(&cron, INT64_MAX), CRON_LOCAL_NEVER);
    assert_int_equal(cron_local_prev(&cron, INT64_MAX), LOCAL_END - 1);
    assert_int_equal(cron_local_prev(&cron, INT64_MIN), CRON_LOCAL_NEVER_BEFORE);
    assert_int_equal(cron_local_count(&cron, INT64_MAX, INT64_MIN), 0);
    assert_int_equal(cron_local_count(&cron, INT64_MIN, INT64_MIN), 0);
    assert_false(cron_local_matches(&cron, INT64_MIN));
    assert_false(cron_local_matches(&cron, INT64_MAX));
}

/* 2026 plus a multiple of 2^32 years, which a narrow number would take for 2026. */
static void years_that_only_look_like_ours_match_nothing(void **state)
{
    (void)state;
    struct cron cron = cron_of("* * * * * ?");
    int64_t wrapped_years_s = INT64_C(146097) * SECONDS_PER_DAY / 400 * (INT64_C(1) << 32);

    for (int64_t s = -2; s <= 2; s++) {
        int64_t at = s == 0 ? LOCAL_END : local_s("2026-04-08T09:00:00") + s * wrapped_years_s;

        assert_false(cron_local_matches(&cron, at));
        assert_int_equal(cron_local_next(&cron, at), s < 0 ? LOCAL_FIRST : CRON_LOCAL_NEVER);
        assert_int_equal(cron_local_prev(&cron, at), s < 0 ? CRON_LOCAL_NEVER_BEFORE : LOCAL_END - 1);
    }
}

static void an_expression_has_a_day_if_one_lies_in_the_promised_years(void **state)
{
    (void)state;
    struct cron cron = cron_of("0 0 0 1 1 ? 2026");

    assert_true(cron_local_has_day(&cron));
    memset(cron.years, 0, sizeof cron.years);
    assert_false(cron_local_has_day(&cron));
    cron.years[0] = 1; /* 1969 */
    assert_false(cron_local_has_day(&cron));
    cron.years[0] = 0;
    cron.years[(YEAR_MAX + 1 - CRON_YEAR_BASE) / 64] = UINT64_C(1) << ((YEAR_MAX + 1 - CRON_YEAR_BASE) % 64);
    assert_false(cron_local_has_day(&cron));
    cron.years[(YEAR_MAX - CRON_YEAR_BASE) / 64] |= UINT64_C(1) << ((YEAR_MAX - CRON_YEAR_BASE) % 64);
    assert_true(cron_local_has_day(&cron));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unix_expressions_match_as_walking_minute_by_minute_does),
        cmocka_unit_test(quartz_expressions_match_as_walking_second_by_second_does),
        cmocka_unit_test(all_days_of_all_years_are_the_ones_an_expression_means),
        cmocka_unit_test(counts_of_two_halves_are_the_count_of_the_whole),
        cmocka_unit_test(unix_days_match_one_field_or_the_other_or_both_at_once),
        cmocka_unit_test(the_last_day_moves_with_the_month),
        cmocka_unit_test(the_nearest_weekday_stays_in_its_month),
        cmocka_unit_test(weekdays_are_counted_within_the_month),
        cmocka_unit_test(leap_days_come_when_they_come),
        cmocka_unit_test(a_search_starts_with_the_very_second_asked_for),
        cmocka_unit_test(years_come_to_an_end_on_both_sides),
        cmocka_unit_test(the_ends_of_time_have_answers_too),
        cmocka_unit_test(years_that_only_look_like_ours_match_nothing),
        cmocka_unit_test(an_expression_has_a_day_if_one_lies_in_the_promised_years),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
