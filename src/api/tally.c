#include "api/tally.h"

#include "wire/put.h"

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

uint64_t tally_judged(const struct tally *tally)
{
    return tally->attempts[ATTEMPT_SUCCEEDED] + tally_failed(tally);
}

double tally_success_rate(const struct tally *tally)
{
    uint64_t judged = tally_judged(tally);

    return judged == 0 ? -1 : (double)tally->attempts[ATTEMPT_SUCCEEDED] / (double)judged;
}

double tally_failure_rate(const struct tally *tally)
{
    uint64_t judged = tally_judged(tally);

    return judged == 0 ? -1 : (double)tally_failed(tally) / (double)judged;
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

static void put_count(struct jw *jw, const char *key, uint64_t count, bool is_known)
{
    jw_key(jw, key);
    if (is_known) {
        jw_uint(jw, count);
    } else {
        jw_null(jw);
    }
}

void tally_write(struct jw *jw, const struct tally *tally, bool is_known)
{
    put_count(jw, "created", tally->created, is_known);
    put_count(jw, "fired", tally->fired, is_known);
    put_count(jw, "executed", tally_executed(tally), is_known);
    put_count(jw, "succeeded", tally->attempts[ATTEMPT_SUCCEEDED], is_known);
    put_count(jw, "failed", tally->attempts[ATTEMPT_FAILED], is_known);
    put_count(jw, "timed_out", tally->attempts[ATTEMPT_TIMED_OUT], is_known);
    put_count(jw, "lost", tally->attempts[ATTEMPT_LOST], is_known);
    put_count(jw, "released", tally->attempts[ATTEMPT_RELEASED], is_known);
    put_count(jw, "retried", tally->retried, is_known);
    put_count(jw, "dead", tally->dead, is_known);
    put_count(jw, "skipped", tally->skipped, is_known);
    tally_put_share(jw, "success_rate", tally_success_rate(tally));
    histogram_write(jw, "duration_ms", &tally->duration);
    histogram_write(jw, "lag_ms", &tally->lag);
}
