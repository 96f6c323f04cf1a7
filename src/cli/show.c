#include "cli/show.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/json_write.h"
#include "calendar/civil.h"
#include "calendar/duration.h"
#include "cli/command.h"
#include "cli/lines.h"

const char *show_safe(struct str text, char out[SHOW_SAFE_BYTES])
{
    size_t len = 0;

    while (text.len > 0 && len + ESCAPE_BYTES_MAX < SHOW_SAFE_BYTES) {
        if (text.ptr[0] == '"' || text.ptr[0] == '\\') { /* harmless here, and hard to read escaped */
            out[len++] = text.ptr[0];
            text = str_skip(text, 1);
        } else {
            len += escape_step(&text, out + len);
        }
    }
    out[len] = '\0';
    return out;
}

const char *show_weekday(int64_t local_s)
{
    return civil_weekday_name(civil_weekday(civil_floor_div(local_s, SECONDS_PER_DAY)));
}

const char *show_local(int64_t local_s, bool with_seconds, char out[SHOW_TIME_BYTES])
{
    struct civil c = civil_from_local(local_s);
    int len = snprintf(out, SHOW_TIME_BYTES, "%.3s %04d-%02d-%02d %02d:%02d", show_weekday(local_s), c.year, c.month,
                       c.day, c.hour, c.minute);

    if (with_seconds && len > 0 && len < SHOW_TIME_BYTES) {
        (void)snprintf(out + len, (size_t)(SHOW_TIME_BYTES - len), ":%02d", c.second);
    }
    return out;
}

const char *show_offset(int32_t offset_s, char out[SHOW_TIME_BYTES])
{
    int32_t length_s = offset_s < 0 ? -offset_s : offset_s;
    int len =
        snprintf(out, SHOW_TIME_BYTES, "%c%02d:%02d", offset_s < 0 ? '-' : '+', length_s / 3600, length_s / 60 % 60);

    if (length_s % 60 != 0 && len > 0 && len < SHOW_TIME_BYTES) {
        (void)snprintf(out + len, (size_t)(SHOW_TIME_BYTES - len), ":%02d", length_s % 60);
    }
    return out;
}

const char *show_from_now(int64_t at_ms, int64_t now_ms, char out[SHOW_TIME_BYTES])
{
    char length[DURATION_BYTES];
    int64_t ahead_ms = at_ms - now_ms;
    int64_t whole_ms = ahead_ms / 1000 * 1000; /* nobody waits for milliseconds */

    (void)duration_format_short(whole_ms, length);
    if (whole_ms == 0) {
        (void)snprintf(out, SHOW_TIME_BYTES, "now");
    } else {
        (void)snprintf(out, SHOW_TIME_BYTES, whole_ms > 0 ? "in %s" : "%s ago", length);
    }
    return out;
}

void show_error_in(const char *name, struct str expr, const struct error *error)
{
    (void)command_refuse(name, error);
    if (error->position <= 0 || (size_t)error->position > expr.len + 1 || expr.len > STR_PRINT_BYTES_MAX) {
        return;
    }
    (void)fputs("  ", stderr);
    for (size_t i = 0; i < expr.len; i++) {
        bool printable = expr.ptr[i] >= ' ' && expr.ptr[i] < 127;

        char shown = expr.ptr[i] == '\t' ? ' ' : '?'; /* one column each, and nothing a terminal obeys */

        (void)fputc(printable ? expr.ptr[i] : shown, stderr);
    }
    (void)fprintf(stderr, "\n  %*s\n", error->position, "^");
}

void show_error_json(const struct error *error)
{
    struct buf out;

    buf_init(&out, 4 * ERROR_TEXT_BYTES_MAX);
    lines_put_error(&out, error);
    (void)fputs(buf_text(&out), stdout);
    buf_done(&out);
}
