/* worst: the search for the expression that takes longest.
 *
 * Tries rare expressions, thought of and random ones, in the zone with the most changes, under all policies, from the
 * beginning of time and from places where the search has far to go. What looked slow is measured again, with more
 * repetitions, so that only what is slow every time is called slow.
 */
#ifndef TESTS_BENCH_WORST_H
#define TESTS_BENCH_WORST_H

#include "calendar/zone_cache.h"

/* Prints what was found beside the target. */
void worst_print(struct zone_cache *zones);

#endif
