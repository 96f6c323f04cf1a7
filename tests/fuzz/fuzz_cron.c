/* fuzz_cron: expressions, from their text to their fires.
 *
 * Input: the expression; behind the last newline one byte for the zone, one for the policies of gap and fold, one for
 * the way to choose the instant, the bytes of the instant, and the seed for H.
 */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "calendar/civil.h"
#include "calendar/describe.h"
#include "calendar/dst_note.h"
#include "calendar/expression.h"
#include "fires.h"
#include "fuzz.h"
#include "input.h"
#include "odd_zones.h"

#define YEAR_BITS (YEAR_MAX + 2 - CRON_YEAR_BASE)

static void check_refusal(struct str text, struct str seed, enum err err, const struct error *error)
{
    union {
        struct expression expression;
        uint8_t bytes[sizeof(struct expression)];
    } untouched;

    assert(err == ERR_INVALID_CRON || err == ERR_INVALID_TIME || err == ERR_UNKNOWN_ZONE || err == ERR_NEVER_FIRES ||
           err == ERR_TOO_LARGE);
    input_check_error(text, err, error, 1);

    memset(untouched.bytes, 0x5a, sizeof untouched.bytes);
    assert(expression_parse(text, seed, &untouched.expression, NULL) == err);
    for (size_t i = 0; i < sizeof untouched.bytes; i++) {
        assert(untouched.bytes[i] == 0x5a);
    }
}

static bool within(uint64_t mask, int first, int last)
{
    uint64_t allowed = (last == 63 ? UINT64_MAX : (UINT64_C(1) << (last + 1)) - 1) & ~((UINT64_C(1) << first) - 1);

    return mask != 0 && (mask & ~allowed) == 0;
}

static void check_years(const struct cron *cron)
{
    uint64_t any = 0;

    for (int i = 0; i < CRON_YEAR_WORDS; i++) {
        int bits = YEAR_BITS - 64 * i < 64 ? YEAR_BITS - 64 * i : 64;

        any |= cron->years[i];
        assert(cron->years[i] == 0 || within(cron->years[i], 0, bits - 1));
    }
    assert(any != 0);
}

static void check_day_rule(const struct cron *cron)
{
    switch (cron->day_rule) {
    case CRON_DAY_BOTH:
        break;
    case CRON_DAY_EITHER:
        assert(cron->dialect == CRON_UNIX);
        break;
    case CRON_DAY_LAST:
    case CRON_DAY_LAST_WEEKDAY:
        assert(cron->day_number >= 0 && cron->day_number <= 30);
        break;
    case CRON_DAY_NEAREST_WEEKDAY:
        assert(cron->day_number >= 1 && cron->day_number <= 31);
        break;
    case CRON_DAY_NTH:
        assert(cron->day_number >= 1 && cron->day_number <= 5);
        assert(cron->day_weekday >= 0 && cron->day_weekday <= 6);
        break;
    case CRON_DAY_LAST_OF:
        assert(cron->day_weekday >= 0 && cron->day_weekday <= 6);
        break;
    }
}

static void check_bounds(const struct cron *cron)
{
    assert(within(cron->seconds, 0, 59) && within(cron->minutes, 0, 59) && within(cron->hours, 0, 23));
    assert(within(cron->month_days, 1, 31) && within(cron->months, 1, 12) && within(cron->weekdays, 0, 6));
    assert(cron->dialect == CRON_QUARTZ || cron->seconds == 1);
    assert(cron->warnings >> CRON_WARNINGS == 0);
    check_years(cron);
    check_day_rule(cron);
    for (int first = 0; first < 7; first++) {
        for (int day = 1; day <= 31; day++) {
            assert((cron->by_first[first] >> day & 1) == (cron->weekdays >> (first + day - 1) % 7 & 1));
        }
    }
}

static void check_warnings(const struct cron *cron)
{
    for (unsigned i = 0; i < CRON_WARNINGS; i++) {
        if ((cron->warnings >> i & 1) != 0) {
            assert(cron_warning_text((enum cron_warning)(1U << i))[0] != '\0');
        }
    }
}

/* The zone's name is what stands between "TZID=" and the colon, all of it. */
static void check_zone(struct str text, const struct expression *expression)
{
    struct str name = {expression->zone, strnlen(expression->zone, sizeof expression->zone)};

    assert(name.len < sizeof expression->zone);
    if (expression->zone_position == 0) {
        assert(name.len == 0);
        return;
    }
    struct str rest = str_skip(text, (size_t)expression->zone_position - 1);
    assert(name.len > 0 && str_starts_with(rest, name) && str_starts_with(str_skip(rest, name.len), STR(":")));
}

/* A description is a sentence of plain characters that fits where the header says it fits. */
static void check_description(const struct expression *expression, const struct zone *zone)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, DESCRIBE_BYTES_MAX);
    describe_expression(expression, zone, &out);
    assert(!buf_overflowed(&out) && buf_str(&out).len > 0 && buf_valid(&out));
    for (size_t i = 0; i < buf_str(&out).len; i++) {
        assert(buf_text(&out)[i] >= ' ' && buf_text(&out)[i] <= '~');
    }
}

/* What is noted about a fire agrees with the zone. */
static void check_note(const struct cron_clock *clock, int64_t after_s)
{
    char text[DST_NOTE_BYTES];
    int64_t fire_s;

    if (!cron_next(clock, after_s, &fire_s)) {
        return;
    }
    struct dst_note note = dst_note_of(clock, after_s, fire_s);
    size_t len = strlen(dst_note_text(&note, text));
    assert(len < sizeof text - 1);
    assert((len == 0) == (note.jump_s == 0 && note.pass == DST_PASS_ONLY && !note.is_moved && !note.is_lost));
    if (note.is_moved) {
        assert(!clock->cron->follows_clock && zone_jump_s(clock->zone, zone_segment_at(clock->zone, fire_s)) > 0);
    }
}

/* Anywhere in time, near a change of the zone's clock, or at an edge. */
static int64_t choose_instant(struct input *input, const struct zone *zone)
{
    static const int64_t edges[] = {INT64_MIN,      INT64_MIN + 1,  TIME_START_S - 1, TIME_START_S,  TIME_START_S + 1,
                                    TIME_END_S - 2, TIME_END_S - 1, TIME_END_S,       INT64_MAX - 1, INT64_MAX};
    const int64_t week_s = 7 * SECONDS_PER_DAY;

    switch (input_below(input, 4)) {
    case 0:
    case 1:
        return TIME_START_S - week_s + (int64_t)input_below(input, (uint64_t)(TIME_END_S + 2 * week_s));
    case 2: {
        size_t index = input_below(input, zone->count);

        if (index == 0) {
            return TIME_START_S;
        }
        return zone->segments[index].start_s - week_s + (int64_t)input_below(input, (uint64_t)(2 * week_s));
    }
    default:
        return edges[input_below(input, sizeof edges / sizeof edges[0])];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = input_split(data, size);
    const struct zone *zone = odd_zone(input_below(&input, ODD_ZONES));
    uint64_t policies = input_below(&input, 9);
    int64_t after_s = choose_instant(&input, zone);
    struct expression expression;
    struct error error;
    enum err err = expression_parse(input.text, input.choices, &expression, &error);

    if (err != ERR_OK) {
        check_refusal(input.text, input.choices, err, &error);
        return 0;
    }
    check_zone(input.text, &expression);
    check_description(&expression, zone);
    if (expression.kind == EXPRESSION_EVERY) {
        assert(expression.every_ms >= EVERY_MIN_MS && expression.every_ms <= DURATION_MAX_MS);
        return 0;
    }
    check_bounds(&expression.cron);
    check_warnings(&expression.cron);
    struct cron_clock clock = {
        .cron = &expression.cron,
        .zone = zone,
        .dst = {.gap = (enum dst_gap)(policies % 3), .fold = (enum dst_fold)(policies / 3)},
    };
    fires_check(&clock, after_s);
    check_note(&clock, after_s);
    return 0;
}
