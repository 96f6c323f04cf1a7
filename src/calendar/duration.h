/* duration: lengths of time as text: "250ms" "30s" "5m" "2h" "7d", or combined "1h30m".
 */
#ifndef CALENDAR_DURATION_H
#define CALENDAR_DURATION_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Room for any duration's text and its NUL. */
#define DURATION_BYTES 64

/* Units from large to small, each at most once, the whole at most DURATION_MAX_MS. "0s" is a duration; "" is not. */
enum err duration_parse(struct str text, int64_t *ret_ms, struct error *reterr) MUST_CHECK;

/* The canonical form, which duration_parse reads back: "1h30m". */
const char *duration_format(int64_t ms, char out[DURATION_BYTES]);

/* For people, in full: "1 h 30 min 15 s". */
const char *duration_format_human(int64_t ms, char out[DURATION_BYTES]);

/* For people, about: two units at most, "3 h 12 min", "5 d 2 h", "45 s". Negative ones are shown as their length. */
const char *duration_format_short(int64_t ms, char out[DURATION_BYTES]);

#endif
