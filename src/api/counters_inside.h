/* counters_inside: how counters are kept, for those who count (counters.c) and those who ask (counters_ask.c).
 *
 * See: api/counters.h (the rules)
 */
#ifndef API_COUNTERS_INSIDE_H
#define API_COUNTERS_INSIDE_H

#include <pthread.h>

#include "api/counters.h"
#include "base/map.h"

#define MINUTE_MS INT64_C(60000)

struct series {
    struct map_node node; /* key: tenant, NUL, type, NUL, pool */
    struct str tenant, type, pool;
    struct tally total, kept;
    uint32_t number;
    uint32_t first_of[COUNTERS_BY_TYPE + 1]; /* the first series of the same tenant, of the same type */
    /* Its sample in the minute at hand. */
    int64_t minute;
    size_t sample;
    char key[];
};

struct sample {
    uint32_t series;
    struct tally tally;
};

struct minute {
    int64_t number;         /* since 1970; 0: nothing yet */
    int64_t ready, running; /* -1: not noted */
    struct sample *samples; /* the first is of the first series */
    size_t count, cap;
};

struct span {
    int64_t from, to;
};

struct counters {
    pthread_mutex_t lock;
    struct map by_key;
    struct series *series[COUNTERS_SERIES_MAX];
    size_t series_count;
    struct minute minutes[COUNTERS_MINUTES];
    struct minute *now;
    size_t sample_count;
    struct span kept; /* the minutes whose sums the series keep (rule 4) */
    uint64_t samples_read;
    struct counters_batches batches;
};

static inline struct minute *counters_minute_at(struct counters *counters, int64_t number)
{
    return &counters->minutes[(uint64_t)number % COUNTERS_MINUTES];
}

static inline struct str counters_name_of(const struct series *series, enum counters_by by)
{
    return by == COUNTERS_BY_TENANT ? series->tenant : series->type;
}

#endif
