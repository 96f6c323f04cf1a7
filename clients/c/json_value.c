/* What JSON values mean: text, numbers, durations. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

char *bf_json_copy(struct json value)
{
    char *copy = bf_zalloc(value.length + 1, 1);

    if (value.length > 0) {
        memcpy(copy, value.at, value.length);
    }
    return copy;
}

static unsigned hex4(const char *at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], '\0'};

    return (unsigned)strtoul(digits, NULL, 16);
}

static size_t put_utf8(char *out, unsigned point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0U | point >> 6);
        out[1] = (char)(0x80U | (point & 0x3fU));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0U | point >> 12);
        out[1] = (char)(0x80U | (point >> 6 & 0x3fU));
        out[2] = (char)(0x80U | (point & 0x3fU));
        return 3;
    }
    out[0] = (char)(0xf0U | point >> 18);
    out[1] = (char)(0x80U | (point >> 12 & 0x3fU));
    out[2] = (char)(0x80U | (point >> 6 & 0x3fU));
    out[3] = (char)(0x80U | (point & 0x3fU));
    return 4;
}

/* \uXXXX, or two of them that make one character. Half a pair, and NUL, become U+FFFD. */
static unsigned code_point(const char **at, const char *end)
{
    unsigned point = hex4(*at + 2);

    *at += 6;
    if (point >= 0xd800 && point < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        unsigned low = hex4(*at + 2);

        if (low >= 0xdc00 && low < 0xe000) {
            *at += 6;
            return 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return point == 0 || (point >= 0xd800 && point < 0xe000) ? 0xfffd : point;
}

static char plain_escape(char letter)
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *found = strchr(letters, letter);

    return found != NULL ? meanings[found - letters] : letter;
}

char *bf_json_string(struct json value)
{
    char *string = bf_zalloc(value.length + 1, 1); /* escapes are longer than what they mean */
    size_t length = 0;

    if (value.length < 2 || value.at[0] != '"') {
        return string;
    }
    const char *end = value.at + value.length - 1;

    for (const char *at = value.at + 1; at < end;) {
        if (*at != '\\') {
            string[length++] = *at++;
        } else if (at[1] == 'u') {
            length += put_utf8(string + length, code_point(&at, end));
        } else {
            string[length++] = plain_escape(at[1]);
            at += 2;
        }
    }
    return string;
}

int64_t bf_json_integer(struct json value, int64_t by_default)
{
    int64_t number = 0;

    if (value.length == 0 || value.length > 18) {
        return by_default;
    }
    for (size_t i = 0; i < value.length; i++) {
        if (value.at[i] < '0' || value.at[i] > '9') {
            return by_default;
        }
        number = number * 10 + (value.at[i] - '0');
    }
    return number;
}

/* The unit at *at, in milliseconds, and steps over it; 0: none. */
static int64_t unit_ms(const char **at)
{
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = strlen(units[i].name);

        if (strncmp(*at, units[i].name, length) == 0) {
            *at += length;
            return units[i].ms;
        }
    }
    return 0;
}

int64_t bf_json_duration_ms(struct json value, int64_t by_default)
{
    char text[64] = "";
    int64_t sum_ms = 0;

    if (value.length < 3 || value.length >= sizeof text || value.at[0] != '"') {
        return by_default;
    }
    memcpy(text, value.at + 1, value.length - 2);
    for (const char *at = text; *at != '\0';) {
        size_t digits = strspn(at, "0123456789");
        int64_t number = bf_json_integer((struct json){.at = at, .length = digits}, -1);

        at += digits;
        int64_t unit = unit_ms(&at);

        if (number < 0 || unit == 0 || number > INT64_MAX / 2 / unit || sum_ms > INT64_MAX / 2) {
            return by_default;
        }
        sum_ms += number * unit;
    }
    return sum_ms;
}
