/* error_shape: what errors that differ only in their numbers have in common.
 *
 * "connect to 10.0.0.7:5432 timed out after 1500 ms" and the same of another host have one shape: "connect to # timed
 * out after # ms". Numbers, addresses, hexadecimal words and long words with a digit in them (ids) become #.
 *
 * Owns:  nothing.
 * Rules: (1) a shape is well-formed UTF-8 of at most ERROR_SHAPE_BYTES_MAX bytes.
 *        (2) the shape of a shape is itself.
 * See:   api/dead_groups.c, web/src/pages/dead/ (who shows them), tests/unit/api/test_error_shape.c
 */
#ifndef API_ERROR_SHAPE_H
#define API_ERROR_SHAPE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "model/record.h"

#define ERROR_SHAPE_BYTES_MAX 240

/* Appended to a buffer that has the room. */
void error_shape(struct str message, struct buf *out);

/* Which group of dead letters a trigger belongs to: a number made of the code and the shape of its last error (of its
 * reason where there is no message); never 0. Appends the shape to shape. */
uint64_t error_group(const struct trigger_row *row, struct buf *shape);

#endif
