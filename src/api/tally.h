/* tally: what went on in a stretch of time, as counts and two histograms.
 *
 * Plain values: they are added up, and shown.
 *
 * See: docs/openapi.yaml (Tally, Percentiles), tests/unit/api/test_tally.c
 */
#ifndef API_TALLY_H
#define API_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "base/json_write.h"
#include "model/state.h"

/* {"avg":..,"p50":..,"p99":..} */
void histogram_write(struct jw *jw, const char *key, const struct histogram *histogram);

struct tally {
    uint64_t created;                             /* jobs */
    uint64_t fired;                               /* triggers made, of any kind */
    uint64_t started, retried;                    /* attempts; those that were not the first */
    uint64_t attempts[ATTEMPT_CANCELLED + 1];     /* ended, by enum attempt_state */
    uint64_t succeeded, dead, cancelled, skipped; /* triggers that ended so; fires */
    struct histogram duration, lag;
};

void tally_merge(struct tally *sum, const struct tally *other);

/* Attempts that ended, released ones aside; of them those that failed, timed out or were lost. */
uint64_t tally_executed(const struct tally *tally);
uint64_t tally_failed(const struct tally *tally);

/* Those that say how well it goes: succeeded or failed. A cancelled one says nothing of that. */
uint64_t tally_judged(const struct tally *tally);
/* Succeeded by judged, and failed by judged; -1 where none was. */
double tally_success_rate(const struct tally *tally);
double tally_failure_rate(const struct tally *tally);

/* The fields of Tally, into the object that is open; counts that are not known are null, and the tally is empty. */
void tally_write(struct jw *jw, const struct tally *tally, bool is_known);

/* A share, or null where it is negative. */
void tally_put_share(struct jw *jw, const char *key, double share);

#endif
