/* work_reading: what the parts of the reader of POST /v1/work share. Used by them alone.
 *
 * A field that is null keeps what stands in its place already; errors name fields from the inside out.
 */
#ifndef WIRE_WORK_READING_H
#define WIRE_WORK_READING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "wire/walk.h"
#include "wire/work_read.h"

struct work_reading {
    struct walk walk;
    struct arena *arena;
    struct error *reterr;
};

/* Reads a field's value, which is not null, into what is being filled. */
typedef enum err work_field_read(struct work_reading *reading, void *into);

struct work_field {
    struct str name; /* a literal: ends in NUL */
    work_field_read *read;
};

/* The object that the walk stands before: known fields by their readers, each once at most. *ret_seen gets a bit for
 * each of fields that was given; there are at most 32. */
enum err work_read_object(struct work_reading *reading, const struct work_field *fields, size_t count, void *into,
                          unsigned *ret_seen) MUST_CHECK;

/* The array that the walk stands before, of at most max elements of size bytes, each zeroed and then read by read. */
enum err work_read_list(struct work_reading *reading, size_t max, size_t size, work_field_read *read, void **ret_items,
                        size_t *ret_count) MUST_CHECK;

/* A list's index in a field's name: field[3]. */
enum err work_in_item(struct work_reading *reading, enum err err, size_t index);

enum err work_missing(struct work_reading *reading, const char *field) MUST_CHECK;

enum err work_read_text(struct work_reading *reading, struct str *ret_text) MUST_CHECK;
enum err work_read_duration(struct work_reading *reading, int64_t max_ms, int64_t *ret_ms) MUST_CHECK;
enum err work_read_attempt(struct work_reading *reading, struct wire_attempt_ref *ret_attempt) MUST_CHECK;

/* The beginning of a text, or its end, of at most max bytes, cut between characters. */
struct str work_cut_end(struct str text, size_t max);
struct str work_cut_beginning(struct str text, size_t max);

/* Elements of finished and progress. */
work_field_read work_read_report;
work_field_read work_read_progress;

#endif
