#include "cli/when.h"

#include <stdio.h>

#include "calendar/duration.h"
#include "calendar/instant.h"

const char *when_relative(int64_t at_ms, int64_t now_ms, char out[WHEN_BYTES])
{
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{24LL * 3600 * 1000, "d"}, {3600LL * 1000, "h"}, {60LL * 1000, "min"}, {1000, "s"}};
    int64_t away_ms = at_ms > now_ms ? at_ms - now_ms : now_ms - at_ms;

    if (at_ms == WHEN_NONE) {
        (void)snprintf(out, WHEN_BYTES, "-");
        return out;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (away_ms >= units[i].ms) {
            (void)snprintf(out, WHEN_BYTES, at_ms > now_ms ? "in %lld %s" : "%lld %s ago",
                           (long long)(away_ms / units[i].ms), units[i].name);
            return out;
        }
    }
    (void)snprintf(out, WHEN_BYTES, "now");
    return out;
}

const char *when_length(int64_t length_ms, char out[WHEN_BYTES])
{
    char length[DURATION_BYTES];

    if (length_ms < 0) {
        (void)snprintf(out, WHEN_BYTES, "-");
    } else if (length_ms < 1000) {
        (void)snprintf(out, WHEN_BYTES, "%lld ms", (long long)length_ms);
    } else if (length_ms < 60 * 1000) {
        (void)snprintf(out, WHEN_BYTES, "%lld.%lld s", (long long)(length_ms / 1000),
                       (long long)(length_ms % 1000 / 100));
    } else {
        (void)snprintf(out, WHEN_BYTES, "%s", duration_format_short(length_ms, length));
    }
    return out;
}

const char *when_exact(int64_t at_ms, char out[WHEN_BYTES])
{
    char text[INSTANT_BYTES];

    if (at_ms == WHEN_NONE) {
        (void)snprintf(out, WHEN_BYTES, "-");
        return out;
    }
    (void)snprintf(out, WHEN_BYTES, "%s", instant_format_short(at_ms, text));
    for (char *c = out; *c != '\0'; c++) {
        *c = *c == 'T' ? ' ' : *c;
    }
    return out;
}

int64_t when_field(struct jr object, const char *field)
{
    struct str text = {0};
    int64_t at_ms = 0;

    if (jr_str(object, field, &text, NULL) != ERR_OK || instant_parse(text, &at_ms, NULL) != ERR_OK) {
        return WHEN_NONE;
    }
    return at_ms;
}
