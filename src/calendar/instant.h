/* instant: points in time as text.
 *
 * In: RFC 3339 with any offset. Out: UTC, "2026-04-08T09:00:00.000Z". Instants are milliseconds since 1970 (Unix time,
 * without leap seconds: a 60th second is refused).
 */
#ifndef CALENDAR_INSTANT_H
#define CALENDAR_INSTANT_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Room for any instant's text and its NUL. */
#define INSTANT_BYTES 32

/* Refuses what is not exactly RFC 3339, lacks an offset or lies outside the years YEAR_MIN to YEAR_MAX. */
enum err instant_parse(struct str text, int64_t *ret_ms, struct error *reterr) MUST_CHECK;

/* "2026-04-08T09:00:00.000Z" */
const char *instant_format(int64_t utc_ms, char out[INSTANT_BYTES]);

/* The same without milliseconds where they are zero: "2026-04-08T09:00:00Z". */
const char *instant_format_short(int64_t utc_ms, char out[INSTANT_BYTES]);

/* A local time, which names no instant and therefore has no Z: "2026-04-08T09:00:00". */
const char *instant_format_local(int64_t local_s, char out[INSTANT_BYTES]);

#endif
