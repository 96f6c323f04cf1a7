/* json_write: JSON, written straight into a buffer.
 *
 * Owns:  nothing; borrows the buffer, whose maximum and overflow mark say how large the result may be and
 *        whether all of it is there.
 * Rules: (1) the calls in order spell one well-formed value; a call out of place is a bug and asserted.
 *        (2) whatever bytes a string has, the result is valid JSON (base/escape).
 * See:   tests/unit/base/test_json_write.c
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct jw {
    struct buf *buf;
    uint64_t objects; /* bit n: what is open at depth n is an object */
    unsigned depth;   /* objects and arrays open, at most JSON_WRITE_DEPTH_MAX */
    bool needs_comma; /* a value stands before, at this depth */
    bool has_key;     /* a key waits for its value */
    bool is_complete; /* the outermost value has been written */
};

/* Writes at the end of buf: several values may follow each other there, each with a jw_init of its own. */
void jw_init(struct jw *jw, struct buf *buf);

/* Asserts that exactly one value was written. The caller looks at buf_overflowed. */
void jw_done(const struct jw *jw);

void jw_begin_object(struct jw *jw);
void jw_end_object(struct jw *jw);
void jw_begin_array(struct jw *jw);
void jw_end_array(struct jw *jw);

/* Inside an object, before each value. */
void jw_key(struct jw *jw, const char *key);
void jw_key_str(struct jw *jw, struct str key);

void jw_str(struct jw *jw, struct str value);
void jw_text(struct jw *jw, const char *value); /* NULL is written as null */
void jw_int(struct jw *jw, int64_t value);
void jw_uint(struct jw *jw, uint64_t value);
void jw_double(struct jw *jw, double value); /* finite; the shortest text that reads back as the same */
void jw_bool(struct jw *jw, bool value);
void jw_null(struct jw *jw);

/* A value that is JSON already, such as a payload that was checked when it came in. */
void jw_raw(struct jw *jw, struct str json);

#endif
