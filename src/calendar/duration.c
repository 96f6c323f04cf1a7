#include "calendar/duration.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *text;
    const char *human;
    int64_t ms;
};

/* Large to small: the order in which a combined duration must name them. */
static const struct unit units[] = {
    {"d", "d", 24 * 3600 * 1000}, {"h", "h", 3600 * 1000}, {"m", "min", 60 * 1000}, {"s", "s", 1000}, {"ms", "ms", 1},
};
#define UNITS (sizeof units / sizeof units[0])
#define SECONDS 3 /* where they stand in units */

static size_t unit_named(struct str name)
{
    size_t i = 0;

    while (i < UNITS && !(strlen(units[i].text) == name.len && memcmp(units[i].text, name.ptr, name.len) == 0)) {
        i++;
    }
    return i;
}

enum err duration_parse(struct str text, int64_t *ret_ms, struct error *reterr)
{
    int64_t total_ms = 0;
    size_t next_unit = 0;
    size_t i = 0;
    int shown = (int)(text.len < 60 ? text.len : 60);

    while (i < text.len || i == 0) {
        int position = (int)i + 1;
        int64_t number = 0;
        size_t digits = i;

        for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
            number = number * 10 + (text.ptr[i] - '0');
            if (number > DURATION_MAX_MS) {
                return err_set_at(reterr, position, ERR_INVALID_TIME, "\"%.*s\" is too long: at most 100 years", shown,
                                  text.ptr);
            }
        }
        size_t name = i;
        for (; i < text.len && text.ptr[i] >= 'a' && text.ptr[i] <= 'z'; i++) {
        }
        size_t unit = unit_named((struct str){text.ptr + name, i - name});
        if (name == digits || unit < next_unit || unit >= UNITS) {
            return err_set_at(reterr, position, ERR_INVALID_TIME,
                              "\"%.*s\" is not a duration: write a number and a unit (d, h, m, s or ms), such as 90s, "
                              "5m or 1h30m",
                              shown, text.ptr);
        }
        next_unit = unit + 1;
        if (number > (DURATION_MAX_MS - total_ms) / units[unit].ms) {
            return err_set_at(reterr, position, ERR_INVALID_TIME, "\"%.*s\" is too long: at most 100 years", shown,
                              text.ptr);
        }
        total_ms += number * units[unit].ms;
    }
    *ret_ms = total_ms;
    return ERR_OK;
}

/* Appends "5m", or "5 min" for people. */
static size_t put(char out[DURATION_BYTES], size_t len, int64_t number, const struct unit *unit, bool for_people)
{
    int written = for_people ? snprintf(out + len, DURATION_BYTES - len, "%s%lld %s", len > 0 ? " " : "",
                                        (long long)number, unit->human)
                             : snprintf(out + len, DURATION_BYTES - len, "%lld%s", (long long)number, unit->text);

    return len + (size_t)written;
}

/* All units that are not zero, or the first two of them without a hole: "2 d 0 h" is "2 d", since more would only look
 * exact. */
static const char *format(int64_t ms, bool for_people, bool is_short, char out[DURATION_BYTES])
{
    size_t len = 0;
    int count = 0;

    assert(ms >= 0);
    for (size_t i = 0; i < UNITS && !(is_short && count == 2); i++) {
        int64_t number = ms / units[i].ms;

        if (number > 0) {
            len = put(out, len, number, &units[i], for_people);
            count++;
        } else if (is_short && count > 0) {
            break;
        }
        ms %= units[i].ms;
    }
    if (count == 0) {
        (void)put(out, 0, 0, &units[SECONDS], for_people);
    }
    return out;
}

const char *duration_format(int64_t ms, char out[DURATION_BYTES])
{
    return format(ms, false, false, out);
}

const char *duration_format_human(int64_t ms, char out[DURATION_BYTES])
{
    return format(ms, true, false, out);
}

const char *duration_format_short(int64_t ms, char out[DURATION_BYTES])
{
    int64_t length_ms = ms == INT64_MIN ? INT64_MAX : ms < 0 ? -ms : ms;

    return format(length_ms, true, true, out);
}
