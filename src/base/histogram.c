#include "base/histogram.h"

const int64_t histogram_bounds_ms[HISTOGRAM_BOUNDS] = {
    1,     2,     3,     5,     7,      10,     15,     20,      30,      50,      70,       100,
    150,   200,   300,   500,   700,    1000,   1500,   2000,    3000,    5000,    7000,     10000,
    15000, 20000, 30000, 60000, 120000, 300000, 600000, 1200000, 1800000, 3600000, 21600000, 86400000,
};

static size_t bucket_of(int64_t ms)
{
    size_t low = 0, high = HISTOGRAM_BOUNDS;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (ms <= histogram_bounds_ms[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void histogram_add(struct histogram *histogram, int64_t ms)
{
    ms = ms > 0 ? ms : 0;
    histogram->buckets[bucket_of(ms)]++;
    histogram->sum_ms += (uint64_t)ms;
}

void histogram_merge(struct histogram *sum, const struct histogram *other)
{
    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        sum->buckets[i] += other->buckets[i];
    }
    sum->sum_ms += other->sum_ms;
}

uint64_t histogram_count(const struct histogram *histogram)
{
    uint64_t count = 0;

    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        count += histogram->buckets[i];
    }
    return count;
}

int64_t histogram_quantile(const struct histogram *histogram, double share)
{
    uint64_t count = histogram_count(histogram), below = 0;
    double wanted = share * (double)count;

    if (count == 0) {
        return -1;
    }
    for (size_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
        uint64_t here = histogram->buckets[i];

        if (here > 0 && (double)(below + here) >= wanted) {
            int64_t from = i == 0 ? 0 : histogram_bounds_ms[i - 1];
            double part = (wanted - (double)below) / (double)here;

            return from + (int64_t)(part * (double)(histogram_bounds_ms[i] - from) + 0.5);
        }
        below += here;
    }
    return histogram_bounds_ms[HISTOGRAM_BOUNDS - 1];
}
