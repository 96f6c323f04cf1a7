/* fuzz_time: instants and durations as text, there and back.
 *
 * Input: the text; behind the last newline up to five bytes for an instant and five for a duration, which are written
 * and read back.
 */
#include <assert.h>
#include <string.h>

#include "calendar/civil.h"
#include "calendar/duration.h"
#include "calendar/instant.h"
#include "fuzz.h"
#include "input.h"

static void check_instant(int64_t utc_ms)
{
    char text[INSTANT_BYTES];
    int64_t again_ms = -1;

    assert(utc_ms >= TIME_START_S * 1000 && utc_ms < TIME_END_S * 1000);
    assert(strlen(instant_format(utc_ms, text)) == strlen("2026-04-08T09:00:00.000Z"));
    assert(instant_parse(str_from(text), &again_ms, NULL) == ERR_OK && again_ms == utc_ms);
    assert(strlen(instant_format_short(utc_ms, text)) < INSTANT_BYTES);
    assert(instant_parse(str_from(text), &again_ms, NULL) == ERR_OK && again_ms == utc_ms);
    assert(strlen(instant_format_local(utc_ms / 1000, text)) == strlen("2026-04-08T09:00:00"));
    assert(instant_parse(str_from(text), &again_ms, NULL) == ERR_INVALID_TIME); /* it names no offset */
}

/* "+02:00" or "Z" at the end of an instant. */
static int64_t offset_of(struct str text)
{
    const char *sign = text.ptr + text.len - strlen("+02:00");

    if (text.ptr[text.len - 1] == 'Z' || text.ptr[text.len - 1] == 'z') {
        return 0;
    }
    int minutes = (sign[1] - '0') * 600 + (sign[2] - '0') * 60 + (sign[4] - '0') * 10 + (sign[5] - '0');
    return (sign[0] == '-' ? -60 : 60) * minutes;
}

/* An instant that was read shows, at the offset it was written with, the date and time that was written. */
static void check_wall_clock(struct str text, int64_t utc_ms)
{
    char shown[INSTANT_BYTES];
    size_t len = strlen(instant_format_local(utc_ms / 1000 + offset_of(text), shown));

    for (size_t i = 0; i < len; i++) {
        assert(shown[i] == text.ptr[i] || shown[i] == 'T'); /* which may also be written t or blank */
    }
}

static void check_civil(int64_t local_s)
{
    struct civil civil = civil_from_local(local_s);

    assert(civil_exists(civil) && civil_to_local(civil) == local_s);
    int64_t day_number = civil_day_number(civil.year, civil.month, civil.day);
    assert(day_number == civil_floor_div(local_s, SECONDS_PER_DAY));
    assert((civil_weekday(day_number) + 1) % 7 == civil_weekday(day_number + 1));
}

static void check_duration(int64_t ms)
{
    char text[DURATION_BYTES];
    int64_t again_ms = -1;

    assert(ms >= 0 && ms <= DURATION_MAX_MS);
    assert(strlen(duration_format(ms, text)) < DURATION_BYTES - 1);
    assert(duration_parse(str_from(text), &again_ms, NULL) == ERR_OK && again_ms == ms);
    assert(strlen(duration_format_human(ms, text)) > 0 && strlen(text) < DURATION_BYTES - 1);
    assert(strlen(duration_format_short(-ms, text)) > 0 && strlen(text) < DURATION_BYTES - 1);
}

static void check_text(struct str text)
{
    int64_t ms = -7;
    struct error error;
    enum err err = instant_parse(text, &ms, &error);

    if (err == ERR_OK) {
        check_instant(ms);
        check_wall_clock(text, ms);
    } else {
        input_check_error(text, err, &error, 0);
        assert(err == ERR_INVALID_TIME && ms == -7);
    }
    ms = -7;
    err = duration_parse(text, &ms, &error);
    if (err == ERR_OK) {
        check_duration(ms);
    } else {
        input_check_error(text, err, &error, 1);
        assert(err == ERR_INVALID_TIME && ms == -7);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = input_split(data, size);

    check_text(input.text);
    check_instant((int64_t)input_below(&input, (uint64_t)TIME_END_S * 1000));
    check_duration((int64_t)input_below(&input, (uint64_t)DURATION_MAX_MS + 1));
    check_civil((int64_t)input_below(&input, (uint64_t)TIME_END_S * 8) - TIME_END_S);
    return 0;
}
