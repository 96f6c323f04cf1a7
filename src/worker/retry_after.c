#include "worker/retry_after.h"

#include "calendar/civil.h"
#include "worker/limits_worker.h"

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
#define DATE_BYTES 29

static int64_t clamp(int64_t ms)
{
    int64_t at_most = ms < RETRY_AFTER_MAX_MS ? ms : RETRY_AFTER_MAX_MS;

    return at_most > 0 ? at_most : 0;
}

static bool is_all_digits(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

/* The number that stands at offset, in len digits; -1 where there is none. */
static int number_at(struct str text, size_t offset, size_t len)
{
    int64_t value = -1;
    struct str digits = {text.ptr + offset, len};

    return str_to_int(digits, 0, 9999, &value, NULL) == ERR_OK ? (int)value : -1;
}

static int month_at(struct str text, size_t offset)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
                                        "Aug", "Sep", "Oct", "Nov", "Dec", NULL};

    return str_index_in((struct str){text.ptr + offset, 3}, names) + 1;
}

static int64_t from_date(struct str text, int64_t now_wall_ms)
{
    if (text.len != DATE_BYTES || !str_ends_with(text, STR(" GMT")) || text.ptr[3] != ',' || text.ptr[4] != ' ' ||
        text.ptr[19] != ':' || text.ptr[22] != ':') {
        return 0;
    }
    struct civil civil = {
        .year = number_at(text, 12, 4),
        .month = month_at(text, 8),
        .day = number_at(text, 5, 2),
        .hour = number_at(text, 17, 2),
        .minute = number_at(text, 20, 2),
        .second = number_at(text, 23, 2),
    };
    return civil_exists(civil) ? clamp(civil_to_local(civil) * 1000 - now_wall_ms) : 0;
}

int64_t retry_after_ms(struct str value, int64_t now_wall_ms)
{
    struct str text = str_trim(value);
    int64_t seconds = 0;

    if (!is_all_digits(text)) {
        return from_date(text, now_wall_ms);
    }
    if (str_to_int(text, 0, RETRY_AFTER_MAX_MS / 1000, &seconds, NULL) != ERR_OK) {
        return RETRY_AFTER_MAX_MS; /* more than the maximum, however many digits it has */
    }
    return seconds * 1000;
}
