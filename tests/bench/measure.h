/* measure: how long something takes, on a machine that has other things to do.
 *
 * Everything is run several times and the shortest time counts: others can only make it longer.
 */
#ifndef TESTS_BENCH_MEASURE_H
#define TESTS_BENCH_MEASURE_H

#include <stddef.h>

/* Does what is measured, calls times. */
typedef void measured(void *context, size_t calls);

/* Nanoseconds for each call; the shortest of repeats runs. */
double measure_ns(measured *run, void *context, size_t calls, int repeats);

/* Millions a second. */
double measure_millions(double ns);

/* "met" or "missed", for people: a benchmark never fails because of time. */
const char *measure_verdict(double value, double value_max);

#endif
