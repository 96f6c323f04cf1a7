/* show: how times look to a person at a terminal.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "calendar/zone.h"

#define SHOW_TIME_BYTES 64

/* Room for a safe text: every byte may become an escape of six. */
#define SHOW_SAFE_BYTES (6 * ERROR_TEXT_BYTES_MAX + 1)

/* Text that may hold anything, made fit for a terminal: control characters and the like become escapes. */
const char *show_safe(struct str text, char out[SHOW_SAFE_BYTES]);

/* "Monday" */
const char *show_weekday(int64_t local_s);

/* "Mon 2026-11-16 09:00" or, with seconds, "Mon 2026-11-16 09:00:30". */
const char *show_local(int64_t local_s, bool with_seconds, char out[SHOW_TIME_BYTES]);

/* "+05:30", "-00:44:30" */
const char *show_offset(int32_t offset_s, char out[SHOW_TIME_BYTES]);

/* "in 3 h 12 min", "5 d ago", "now" */
const char *show_from_now(int64_t at_ms, int64_t now_ms, char out[SHOW_TIME_BYTES]);

/* The error on standard error, with the expression and a caret under the place where it names one. */
void show_error_in(const char *name, struct str expr, const struct error *error);

/* {"error":...,"position":n} on standard output. */
void show_error_json(const struct error *error);

#endif
