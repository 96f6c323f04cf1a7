/* retry_after: what an answer's Retry-After asks for.
 *
 * Never: reads a clock; the present is an argument.
 * See:   tests/unit/worker/test_retry_after.c
 */
#ifndef WORKER_RETRY_AFTER_H
#define WORKER_RETRY_AFTER_H

#include <stdint.h>

#include "base/str.h"

/* Whole seconds, or a date as RFC 9110 wants it written ("Sun, 06 Nov 1994 08:49:37 GMT"). The result lies between 0
 * and RETRY_AFTER_MAX_MS: an absurd number is cut, and what is past, negative or unreadable is 0. */
int64_t retry_after_ms(struct str value, int64_t now_wall_ms);

#endif
