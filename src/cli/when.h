/* when: times and lengths of time as a person says them in a table: "in 4 min", "2 h ago", "1.3 s".
 *
 * Pure. The exact ones are in --json.
 */
#ifndef CLI_WHEN_H
#define CLI_WHEN_H

#include <stdint.h>

#include "base/json.h"

#define WHEN_BYTES 64
#define WHEN_NONE INT64_MIN

/* "in 4 min", "2 h ago", "now" (less than a second away), "-" for WHEN_NONE. One unit, rounded down. */
const char *when_relative(int64_t at_ms, int64_t now_ms, char out[WHEN_BYTES]);

/* "840 ms", "1.3 s", "2 min 5 s"; "-" where it is negative. */
const char *when_length(int64_t length_ms, char out[WHEN_BYTES]);

/* "2026-04-08 13:00:00Z", with milliseconds where there are any; "-" for WHEN_NONE. */
const char *when_exact(int64_t at_ms, char out[WHEN_BYTES]);

/* The instant in a field of an answer; WHEN_NONE where there is none. */
int64_t when_field(struct jr object, const char *field);

#endif
