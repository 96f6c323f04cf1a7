/* counters: what has been committed, counted: since the start, and minute by minute for a day.
 *
 * Kept by series, one for each (tenant, type, pool) that was seen, so that figures can be asked for by any of them.
 *
 * Owns:  its series and minutes. Safe from every thread.
 * Rules: (1) at most COUNTERS_SERIES_MAX series; what comes later is counted in the first, which has no names.
 *        (2) at most COUNTERS_SAMPLES_MAX samples of a series in a minute are kept; beyond that a minute's are counted
 *            in the first series alone.
 *        (3) everything that was counted is in one series, so sums over all of them are exact.
 *        (4) sums of a day are asked for again and again, and who counts waits meanwhile: the sum of all its minutes
 * but the last is kept by series until one of them changes. What is answered is as new as without that. See:
 * api/committed.c (who counts), tests/unit/api/test_counters.c
 */
#ifndef API_COUNTERS_H
#define API_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/tally.h"
#include "base/arena.h"
#include "base/str.h"
#include "model/record.h"

#define COUNTERS_SERIES_MAX 1024
/* About 40 MB. */
#define COUNTERS_SAMPLES_MAX 50000
#define COUNTERS_MINUTES (24 * 60 + 1)
#define COUNTERS_SKIP_REASONS (SKIP_MOVED + 1)

struct counters;

struct counters *counters_new(uint64_t seed);
void counters_free(struct counters *counters);

/* ---- counting: between begin and end nobody else looks ---- */

void counters_begin(struct counters *counters, int64_t now_ms);
/* Where to count what happens to work of this place: since the start, and in this minute. */
struct counted {
    struct tally *total, *minute;
};
struct counted counters_of(struct counters *counters, const struct place *place);
/* Of a place that is not known. */
struct counted counters_of_none(struct counters *counters);
void counters_batch(struct counters *counters, size_t op_count, size_t bytes, int64_t commit_us);
void counters_skipped(struct counters *counters, enum skip_reason reason, int64_t count);
void counters_end(struct counters *counters);

/* How many stand and run now; the last one of a minute is its mark. */
void counters_note(struct counters *counters, int64_t now_ms, int64_t ready, int64_t running);

/* ---- asking ---- */

struct counters_filter {
    struct str tenant, type, pool; /* empty: any */
};

/* The sum from from_ms to before to_ms, in whole minutes; of all time since the start where from_ms is TIME_NONE. */
void counters_sum(struct counters *counters, const struct counters_filter *filter, int64_t from_ms, int64_t to_ms,
                  struct tally *ret_tally);

/* What stood and ran at the end of a range; false where it was not noted. */
bool counters_noted(struct counters *counters, int64_t from_ms, int64_t to_ms, int64_t *ret_ready,
                    int64_t *ret_running);

/* Whether any minute of the range was counted, and is kept. None is from before the start, from when this server did
 * not serve, or from longer ago than a day.
 */
bool counters_kept(struct counters *counters, int64_t from_ms, int64_t to_ms);

/* One row for each series since the start, in the arena; how many. Names are "" in the first. */
struct counters_row {
    struct place place;
    struct tally tally;
};
size_t counters_rows(struct counters *counters, struct arena *arena, struct counters_row **ret_rows);

/* The same of a range of minutes, summed by tenant, or by type. */
enum counters_by { COUNTERS_BY_TENANT, COUNTERS_BY_TYPE };
size_t counters_rows_by(struct counters *counters, enum counters_by by, const struct counters_filter *filter,
                        int64_t from_ms, int64_t to_ms, struct arena *arena, struct counters_row **ret_rows);

struct counters_batches {
    uint64_t batches, operations, bytes;
    struct histogram sizes;      /* operations, in the place of milliseconds */
    struct histogram commits_us; /* microseconds, likewise */
    uint64_t skipped[COUNTERS_SKIP_REASONS];
};
void counters_batches(struct counters *counters, struct counters_batches *ret_batches);

/* How many samples were read for sums until now; tests look at it. */
uint64_t counters_samples_read(struct counters *counters);

#endif
