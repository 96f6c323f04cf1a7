#include "calendar/describe.h"

#include <string.h>

#include "calendar/describe_parts.h"
#include "calendar/duration.h"

struct pattern pattern_of(uint64_t mask, int min, int max)
{
    struct pattern pattern = {
        .kind = PATTERN_LIST,
        .first = __builtin_ctzll(mask),
        .last = 63 - __builtin_clzll(mask),
    };
    uint64_t rest = mask & (mask - 1);

    if (rest == 0) {
        pattern.kind = PATTERN_ONE;
        return pattern;
    }
    pattern.step = __builtin_ctzll(rest) - pattern.first;
    uint64_t even = 0;
    for (int i = pattern.first; i <= pattern.last; i += pattern.step) {
        even |= 1ULL << i;
    }
    bool halves = pattern.first == min && 2 * pattern.step == max - min + 1; /* 0 and 30: every 30 minutes */
    if (even != mask || (pattern.last - pattern.first < 2 * pattern.step && !halves)) {
        return pattern;
    }
    if (pattern.step == 1) {
        pattern.kind = pattern.first == min && pattern.last == max ? PATTERN_ALL : PATTERN_RANGE;
    } else if (pattern.last + pattern.step > max) {
        pattern.kind = PATTERN_STEP;
    }
    return pattern;
}

void describe_number(struct buf *out, int value)
{
    buf_append_int(out, value);
}

void describe_list(struct buf *out, uint64_t mask, describe_value *value, const char *last)
{
    bool first = true;

    while (mask != 0) {
        int start = __builtin_ctzll(mask);
        uint64_t inverted = ~(mask >> start);
        int length = inverted == 0 ? 64 : __builtin_ctzll(inverted);
        int taken = length >= 3 ? length : 1;

        mask &= ~((taken == 64 ? ~0ULL : (1ULL << taken) - 1) << start);
        if (!first) {
            buf_append_text(out, mask == 0 ? last : ", ");
        }
        first = false;
        value(out, start);
        if (taken > 1) {
            buf_append_text(out, " to ");
            value(out, start + taken - 1);
        }
    }
}

/* "New York time" for America/New_York; UTC, CET and Etc/GMT+5 as they are (that one is five hours behind, and "GMT+5"
 * would say the opposite). */
static void describe_zone(const struct zone *zone, struct buf *out)
{
    const char *slash = strrchr(zone->name, '/');
    bool is_place = slash != NULL && strncmp(zone->name, "Etc/", 4) != 0;

    if (!is_place) {
        buf_printf(out, ", %s", zone->name);
        return;
    }
    buf_append_text(out, ", ");
    for (const char *c = slash + 1; *c != '\0'; c++) {
        buf_append_char(out, *c == '_' ? ' ' : *c);
    }
    buf_append_text(out, " time");
}

void describe_cron(const struct cron *cron, const struct zone *zone, struct buf *out)
{
    describe_days(cron, describe_time(cron, out), out);
    if (zone != NULL) {
        describe_zone(zone, out);
    }
}

void describe_expression(const struct expression *expression, const struct zone *zone, struct buf *out)
{
    char text[DURATION_BYTES];

    if (expression->kind == EXPRESSION_EVERY) {
        buf_printf(out, "every %s", duration_format_human(expression->every_ms, text));
    } else {
        describe_cron(&expression->cron, zone, out);
    }
}
