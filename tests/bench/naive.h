/* naive: the next fire as most schedulers find it, minute by minute. What the calendar is measured against.
 *
 * For five fields, and without policies for gaps and folds: what the clock jumps over does not fire.
 */
#ifndef TESTS_BENCH_NAIVE_H
#define TESTS_BENCH_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "calendar/cron.h"
#include "calendar/zone.h"

/* The first fire after an instant; false where there is none before TIME_END_S. */
bool naive_next(const struct cron *cron, const struct zone *zone, int64_t after_s, int64_t *ret_s);

#endif
