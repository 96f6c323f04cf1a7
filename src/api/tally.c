#include "api/tally.h"

#include "wire/put.h"

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

static void put_ms(struct jw *jw, const char *key, int64_t ms)
{
    if (ms < 0) {
        wire_put_null(jw, key);
    } else {
        wire_put_int(jw, key, ms);
    }
}

void histogram_write(struct jw *jw, const char *key, const struct histogram *histogram)
{
    uint64_t count = histogram_count(histogram);

    jw_key(jw, key);
    jw_begin_object(jw);
    put_ms(jw, "avg", count == 0 ? -1 : (int64_t)((histogram->sum_ms + count / 2) / count));
    put_ms(jw, "p50", histogram_quantile(histogram, 0.5));
    put_ms(jw, "p99", histogram_quantile(histogram, 0.99));
    jw_end_object(jw);
}

void tally_merge(struct tally *sum, const struct tally *other)
{
    sum->created += other->created;
    sum->fired += other->fired;
    sum->started += other->started;
    sum->retried += other->retried;
    for (size_t i = 0; i <= ATTEMPT_CANCELLED; i++) {
        sum->attempts[i] += other->attempts[i];
    }
    sum->succeeded += other->succeeded;
    sum->dead += other->dead;
    sum->cancelled += other->cancelled;
    sum->skipped += other->skipped;
    histogram_merge(&sum->duration, &other->duration);
    histogram_merge(&sum->lag, &other->lag);
}

uint64_t tally_failed(const struct tally *tally)
{
    return tally->attempts[ATTEMPT_FAILED] + tally->attempts[ATTEMPT_TIMED_OUT] + tally->attempts[ATTEMPT_LOST];
}

uint64_t tally_executed(const struct tally *tally)
{
    return tally->attempts[ATTEMPT_SUCCEEDED] + tally->attempts[ATTEMPT_CANCELLED] + tally_failed(tally);
}

double tally_success_rate(const struct tally *tally)
{
    uint64_t executed = tally_executed(tally);

    return executed == 0 ? -1 : (double)tally->attempts[ATTEMPT_SUCCEEDED] / (double)executed;
}

void tally_put_share(struct jw *jw, const char *key, double share)
{
    jw_key(jw, key);
    if (share < 0) {
        jw_null(jw);
    } else {
        jw_double(jw, share);
    }
}

static void put_count(struct jw *jw, const char *key, uint64_t count)
{
    jw_key(jw, key);
    jw_uint(jw, count);
}

void tally_write(struct jw *jw, const struct tally *tally)
{
    put_count(jw, "created", tally->created);
    put_count(jw, "fired", tally->fired);
    put_count(jw, "executed", tally_executed(tally));
    put_count(jw, "succeeded", tally->attempts[ATTEMPT_SUCCEEDED]);
    put_count(jw, "failed", tally->attempts[ATTEMPT_FAILED]);
    put_count(jw, "timed_out", tally->attempts[ATTEMPT_TIMED_OUT]);
    put_count(jw, "lost", tally->attempts[ATTEMPT_LOST]);
    put_count(jw, "released", tally->attempts[ATTEMPT_RELEASED]);
    put_count(jw, "retried", tally->retried);
    put_count(jw, "dead", tally->dead);
    put_count(jw, "skipped", tally->skipped);
    tally_put_share(jw, "success_rate", tally_success_rate(tally));
    histogram_write(jw, "duration_ms", &tally->duration);
    histogram_write(jw, "lag_ms", &tally->lag);
}
