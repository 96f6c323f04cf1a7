/* problem: a refusal of the server (RFC 9457, application/problem+json) as a struct error.
 *
 * Owns:  nothing; a problem is a plain value.
 * Rules: (1) every answer that is not 2xx becomes a problem with a sentence, also one that no Belfry wrote (a proxy's
 *            HTML page, an empty body).
 * See:   docs/openapi.yaml (Problem), base/err.h, tests/unit/client/test_problem.c
 */
#ifndef CLIENT_PROBLEM_H
#define CLIENT_PROBLEM_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define PROBLEM_CODE_BYTES 64
#define PROBLEM_NO_INDEX (-1)

struct problem {
    int status;                    /* of HTTP */
    char code[PROBLEM_CODE_BYTES]; /* the stable word; "" where the server gave none */
    int64_t index;                 /* which job of a batch, PROBLEM_NO_INDEX where it does not say */
    struct error error;            /* detail, field and position; code is the nearest that base knows */
};

/* What an answer with this status and body says. */
struct problem problem_read(int status, struct str body);

#endif
