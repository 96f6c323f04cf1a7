/* histogram: how values are spread, in buckets of fixed bounds.
 *
 * Plain values: they are added up, and shown. Made for milliseconds; any other unit does that suits the bounds.
 *
 * Never: locks. Who shares one guards it.
 * See:   tests/unit/base/test_histogram.c
 */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Buckets of a histogram; what lies above the last bound is in one more. */
#define HISTOGRAM_BOUNDS 36

struct histogram {
    uint64_t buckets[HISTOGRAM_BOUNDS + 1]; /* since a start that may be months ago */
    uint64_t sum_ms;
};

/* Upper bounds in milliseconds, each in its bucket. */
extern const int64_t histogram_bounds_ms[HISTOGRAM_BOUNDS];

void histogram_add(struct histogram *histogram, int64_t ms); /* negative ones count as 0 */
void histogram_merge(struct histogram *sum, const struct histogram *other);
uint64_t histogram_count(const struct histogram *histogram);

/* What a share of them (0 to 1) lies at or below, between the bounds of its bucket by proportion; -1 where there are
 * none. */
int64_t histogram_quantile(const struct histogram *histogram, double share);

#endif
