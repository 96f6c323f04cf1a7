#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "model/settings.h"

static const struct {
    const char *unit;
    int64_t period_ms;
} periods[] = {
    {"s", 1000},
    {"m", 60 * 1000},
    {"h", 3600 * 1000},
    {"d", 24 * 3600 * 1000},
};

#define PERIODS (sizeof periods / sizeof periods[0])

enum err rate_parse(struct str text, int64_t *ret_count, int64_t *ret_period_ms, struct error *reterr)
{
    size_t slash = str_find_char(text, '/');
    struct str unit = str_skip(text, slash + 1);
    int64_t count = 0;
    size_t i = 0;

    while (i < PERIODS && !str_is(unit, periods[i].unit)) {
        i++;
    }
    if (slash == text.len || i == PERIODS) {
        return err_set(reterr, ERR_INVALID, "\"%.*s\" is not a rate; write 100/s, 100/m, 100/h or 100/d",
                       STR_ARGS(text));
    }
    enum err err = str_to_int((struct str){text.ptr, slash}, 1, SETTING_RATE_MAX, &count, reterr);
    if (err == ERR_OK) {
        *ret_count = count;
        *ret_period_ms = periods[i].period_ms;
    }
    return err_add(reterr, err, "; a rate is written 100/s, 100/m, 100/h or 100/d");
}

const char *rate_format(int64_t count, int64_t period_ms, char out[RATE_BYTES])
{
    size_t i = 0;

    while (i < PERIODS && periods[i].period_ms != period_ms) {
        i++;
    }
    assert(i < PERIODS);
    (void)snprintf(out, RATE_BYTES, "%lld/%s", (long long)count, periods[i].unit);
    return out;
}
