/* problem: an error as RFC 9457 has it, application/problem+json.
 *
 * See: base/err.h (codes and their statuses), docs/openapi.yaml (Problem), tests/unit/wire/test_problem.c
 */
#ifndef WIRE_PROBLEM_H
#define WIRE_PROBLEM_H

#include <stdint.h>

#include "base/err.h"
#include "base/json_write.h"

/* No job of a batch. */
#define WIRE_NO_INDEX INT64_C(-1)

/* error is a failure; its code says the status (err_http_status). field and position are left out where there are none,
 * index (which job of a batch, from 0) where it is WIRE_NO_INDEX. */
void wire_problem(struct jw *jw, const struct error *error, int64_t index);

/* "Not Found" for 404; "Error" for what has no name here. */
const char *wire_status_title(int status);

#endif
