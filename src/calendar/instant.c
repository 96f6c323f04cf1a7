#include "calendar/instant.h"

#include <stdbool.h>
#include <stdio.h>

#include "calendar/civil.h"

#define EXAMPLE "write it as 2026-04-08T09:00:00Z or 2026-04-08T09:00:00+02:00"

/* Reads digits exactly as many as asked for. */
static bool read_digits(struct str *text, size_t digits, int *ret_number)
{
    int number = 0;

    if (text->len < digits) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        if (text->ptr[i] < '0' || text->ptr[i] > '9') {
            return false;
        }
        number = number * 10 + (text->ptr[i] - '0');
    }
    text->ptr += digits;
    text->len -= digits;
    *ret_number = number;
    return true;
}

static bool take(struct str *text, const char *any_of)
{
    for (const char *c = any_of; text->len > 0 && *c != '\0'; c++) {
        if (text->ptr[0] == *c) {
            text->ptr++;
            text->len--;
            return true;
        }
    }
    return false;
}

/* ".250": to milliseconds; finer digits are cut off. */
static bool read_fraction(struct str *text, int *ret_ms)
{
    int scale = 100;
    size_t digits = 0;

    *ret_ms = 0;
    for (; text->len > 0 && text->ptr[0] >= '0' && text->ptr[0] <= '9'; digits++) {
        *ret_ms += (text->ptr[0] - '0') * scale;
        scale /= 10;
        text->ptr++;
        text->len--;
    }
    return digits > 0;
}

static bool read_offset(struct str *text, int *ret_offset_s)
{
    int hours;
    int minutes;

    if (take(text, "Zz")) {
        *ret_offset_s = 0;
        return true;
    }
    int sign = take(text, "-") ? -1 : 1;
    if (sign == 1 && !take(text, "+")) {
        return false;
    }
    if (!read_digits(text, 2, &hours) || !take(text, ":") || !read_digits(text, 2, &minutes) || hours > 23 ||
        minutes > 59) {
        return false;
    }
    *ret_offset_s = sign * (hours * 3600 + minutes * 60);
    return true;
}

enum err instant_parse(struct str text, int64_t *ret_ms, struct error *reterr)
{
    struct str rest = text;
    struct civil civil;
    int fraction_ms = 0;
    int offset_s = 0;
    bool shaped = read_digits(&rest, 4, &civil.year) && take(&rest, "-") && read_digits(&rest, 2, &civil.month) &&
                  take(&rest, "-") && read_digits(&rest, 2, &civil.day) && take(&rest, "Tt ") &&
                  read_digits(&rest, 2, &civil.hour) && take(&rest, ":") && read_digits(&rest, 2, &civil.minute) &&
                  take(&rest, ":") && read_digits(&rest, 2, &civil.second) &&
                  (!take(&rest, ".") || read_fraction(&rest, &fraction_ms));
    int shown = (int)(text.len < 60 ? text.len : 60);

    if (shaped && rest.len == 0) {
        return err_set_at(reterr, (int)text.len + 1, ERR_INVALID_TIME, "\"%.*s\" names no offset from UTC: " EXAMPLE,
                          shown, text.ptr);
    }
    if (!shaped || !read_offset(&rest, &offset_s) || rest.len > 0) {
        return err_set_at(reterr, (int)(rest.ptr - text.ptr) + 1, ERR_INVALID_TIME,
                          "\"%.*s\" is not an RFC 3339 time: " EXAMPLE, shown, text.ptr);
    }
    if (!civil_exists(civil)) {
        return err_set(reterr, ERR_INVALID_TIME, "\"%.*s\" is not a date and time of the calendar", shown, text.ptr);
    }
    int64_t utc_ms = (civil_to_local(civil) - offset_s) * 1000 + fraction_ms;
    if (utc_ms < TIME_START_S * 1000 || utc_ms >= TIME_END_S * 1000) {
        return err_set(reterr, ERR_INVALID_TIME, "\"%.*s\" is outside the years %d to %d", shown, text.ptr, YEAR_MIN,
                       YEAR_MAX);
    }
    *ret_ms = utc_ms;
    return ERR_OK;
}

static char *put_digits(char *at, int number, int digits)
{
    for (int i = digits - 1; i >= 0; i--) {
        at[i] = (char)('0' + number % 10);
        number /= 10;
    }
    return at + digits;
}

static char *put_civil(char *at, int64_t local_s)
{
    struct civil civil = civil_from_local(local_s);

    at = put_digits(at, civil.year, 4);
    *at++ = '-';
    at = put_digits(at, civil.month, 2);
    *at++ = '-';
    at = put_digits(at, civil.day, 2);
    *at++ = 'T';
    at = put_digits(at, civil.hour, 2);
    *at++ = ':';
    at = put_digits(at, civil.minute, 2);
    *at++ = ':';
    return put_digits(at, civil.second, 2);
}

static const char *format(int64_t utc_ms, bool always_ms, char out[INSTANT_BYTES])
{
    int64_t utc_s = civil_floor_div(utc_ms, 1000);
    int ms = (int)(utc_ms - utc_s * 1000);
    char *at = put_civil(out, utc_s);

    if (always_ms || ms != 0) {
        *at++ = '.';
        at = put_digits(at, ms, 3);
    }
    *at++ = 'Z';
    *at = '\0';
    return out;
}

const char *instant_format(int64_t utc_ms, char out[INSTANT_BYTES])
{
    return format(utc_ms, true, out);
}

const char *instant_format_short(int64_t utc_ms, char out[INSTANT_BYTES])
{
    return format(utc_ms, false, out);
}

const char *instant_format_local(int64_t local_s, char out[INSTANT_BYTES])
{
    *put_civil(out, local_s) = '\0';
    return out;
}
