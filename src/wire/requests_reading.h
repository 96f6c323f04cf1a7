/* requests_reading: what the readers of small bodies share. Used by them alone.
 *
 * A field that is missing or null keeps what stands in its place already; every error names its field.
 */
#ifndef WIRE_REQUESTS_READING_H
#define WIRE_REQUESTS_READING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

/* A body that is an object with no other fields than known (NULL-terminated). */
enum err requests_open(struct str body, const struct jscan_limits *limits, const char *const known[],
                       struct jr_doc *ret_doc, struct jr *ret_object, struct error *reterr) MUST_CHECK;

struct str requests_keep(struct arena *arena, struct str text);

/* A text of 1 to bytes_max bytes. */
enum err requests_text(struct jr object, const char *field, size_t bytes_max, struct arena *arena, struct str *ret_text,
                       struct error *reterr) MUST_CHECK;
enum err requests_instant(struct jr object, const char *field, int64_t *ret_ms, struct error *reterr) MUST_CHECK;

#endif
