/* Sums of what was counted. */
#include "api/counters_inside.h"
#include "base/arena.h"

/* Shorter spans are soon summed up. */
#define KEPT_MINUTES_MIN 120

static bool fits(const struct counters_filter *filter, const struct series *series)
{
    return (str_empty(filter->tenant) || str_equal(filter->tenant, series->tenant)) &&
           (str_empty(filter->type) || str_equal(filter->type, series->type)) &&
           (str_empty(filter->pool) || str_equal(filter->pool, series->pool));
}

/* The minutes of a range, at most as many as there are. */
static struct span span_of(int64_t from_ms, int64_t to_ms)
{
    struct span span = {.from = from_ms / MINUTE_MS, .to = (to_ms + MINUTE_MS - 1) / MINUTE_MS};

    span.from = span.to - span.from > COUNTERS_MINUTES ? span.to - COUNTERS_MINUTES : span.from;
    return span;
}

/* Adds up minutes into rows; row_of says in which each series is summed up, -1: in none. */
static void add_minutes(struct counters *counters, struct span span, const int32_t *row_of, struct counters_row *rows)
{
    for (int64_t number = span.from; number < span.to; number++) {
        const struct minute *minute = counters_minute_at(counters, number);

        for (size_t i = 0; minute->number == number && i < minute->count; i++) {
            int32_t row = row_of[minute->samples[i].series];

            if (row >= 0) {
                tally_merge(&rows[row].tally, &minute->samples[i].tally);
            }
            counters->samples_read++;
        }
    }
}

static void keep(struct counters *counters, struct span span)
{
    if (counters->kept.from == span.from && counters->kept.to == span.to) {
        return;
    }
    for (size_t i = 0; i < counters->series_count; i++) {
        counters->series[i]->kept = (struct tally){0};
    }
    for (int64_t number = span.from; number < span.to; number++) {
        const struct minute *minute = counters_minute_at(counters, number);

        for (size_t i = 0; minute->number == number && i < minute->count; i++) {
            tally_merge(&counters->series[minute->samples[i].series]->kept, &minute->samples[i].tally);
            counters->samples_read++;
        }
    }
    counters->kept = span;
}

/* The same; of a long span all but the last minute are kept as sums. */
static void add_up(struct counters *counters, struct span span, const int32_t *row_of, struct counters_row *rows)
{
    if (span.to - span.from >= KEPT_MINUTES_MIN) {
        keep(counters, (struct span){span.from, span.to - 1});
        for (size_t i = 0; i < counters->series_count; i++) {
            if (row_of[i] >= 0) {
                tally_merge(&rows[row_of[i]].tally, &counters->series[i]->kept);
            }
        }
        span.from = span.to - 1;
    }
    add_minutes(counters, span, row_of, rows);
}

void counters_sum(struct counters *counters, const struct counters_filter *filter, int64_t from_ms, int64_t to_ms,
                  struct tally *ret_tally)
{
    *ret_tally = (struct tally){0};
    (void)pthread_mutex_lock(&counters->lock);
    if (from_ms == TIME_NONE) {
        for (size_t i = 0; i < counters->series_count; i++) {
            if (fits(filter, counters->series[i])) {
                tally_merge(ret_tally, &counters->series[i]->total);
            }
        }
    } else {
        int32_t row_of[COUNTERS_SERIES_MAX] = {0};
        struct counters_row sum = {0};

        for (size_t i = 0; i < counters->series_count; i++) {
            row_of[i] = fits(filter, counters->series[i]) ? 0 : -1;
        }
        add_up(counters, span_of(from_ms, to_ms), row_of, &sum);
        *ret_tally = sum.tally;
    }
    (void)pthread_mutex_unlock(&counters->lock);
}

bool counters_noted(struct counters *counters, int64_t from_ms, int64_t to_ms, int64_t *ret_ready, int64_t *ret_running)
{
    struct span span = span_of(from_ms, to_ms);
    bool is_noted = false;

    (void)pthread_mutex_lock(&counters->lock);
    for (int64_t number = span.to - 1; number >= span.from && !is_noted; number--) {
        const struct minute *minute = counters_minute_at(counters, number);

        if (minute->number == number && minute->ready >= 0) {
            *ret_ready = minute->ready;
            *ret_running = minute->running;
            is_noted = true;
        }
    }
    (void)pthread_mutex_unlock(&counters->lock);
    return is_noted;
}

bool counters_kept(struct counters *counters, int64_t from_ms, int64_t to_ms)
{
    struct span span = span_of(from_ms, to_ms);
    bool is_kept = false;

    (void)pthread_mutex_lock(&counters->lock);
    for (int64_t number = span.from; number < span.to && !is_kept; number++) {
        is_kept = counters_minute_at(counters, number)->number == number;
    }
    (void)pthread_mutex_unlock(&counters->lock);
    return is_kept;
}

static struct str copy(struct arena *arena, struct str text)
{
    return (struct str){arena_strdup_str(arena, text), text.len};
}

size_t counters_rows(struct counters *counters, struct arena *arena, struct counters_row **ret_rows)
{
    (void)pthread_mutex_lock(&counters->lock);
    size_t count = counters->series_count;

    *ret_rows = arena_alloc_array(arena, count, sizeof **ret_rows);
    for (size_t i = 0; i < count; i++) {
        const struct series *series = counters->series[i];

        (*ret_rows)[i] = (struct counters_row){.place = {.tenant = copy(arena, series->tenant),
                                                         .type = copy(arena, series->type),
                                                         .pool = copy(arena, series->pool)},
                                               .tally = series->total};
    }
    (void)pthread_mutex_unlock(&counters->lock);
    return count;
}

/* Which row each series is summed up in. */
static size_t group(const struct counters *counters, enum counters_by by, const struct counters_filter *filter,
                    struct arena *arena, struct counters_row *rows, int32_t *row_of)
{
    int32_t row_of_first[COUNTERS_SERIES_MAX] = {0};
    size_t count = 0;

    row_of[0] = -1;
    for (size_t i = 1; i < counters->series_count; i++) {
        const struct series *series = counters->series[i];
        int32_t *row = &row_of_first[series->first_of[by]];

        if (series->first_of[by] == i) {
            *row = -1;
        }
        row_of[i] = -1;
        if (!fits(filter, series)) {
            continue;
        }
        if (*row < 0) {
            struct str kept = copy(arena, counters_name_of(series, by));

            rows[count] = (struct counters_row){.place = {.tenant = by == COUNTERS_BY_TENANT ? kept : STR(""),
                                                          .type = by == COUNTERS_BY_TYPE ? kept : STR("")}};
            *row = (int32_t)count++;
        }
        row_of[i] = *row;
    }
    return count;
}

size_t counters_rows_by(struct counters *counters, enum counters_by by, const struct counters_filter *filter,
                        int64_t from_ms, int64_t to_ms, struct arena *arena, struct counters_row **ret_rows)
{
    int32_t row_of[COUNTERS_SERIES_MAX] = {0};

    (void)pthread_mutex_lock(&counters->lock);
    *ret_rows = arena_alloc_array(arena, counters->series_count, sizeof **ret_rows);
    size_t count = group(counters, by, filter, arena, *ret_rows, row_of);

    add_up(counters, span_of(from_ms, to_ms), row_of, *ret_rows);
    (void)pthread_mutex_unlock(&counters->lock);
    return count;
}

void counters_batches(struct counters *counters, struct counters_batches *ret_batches)
{
    (void)pthread_mutex_lock(&counters->lock);
    *ret_batches = counters->batches;
    (void)pthread_mutex_unlock(&counters->lock);
}

uint64_t counters_samples_read(struct counters *counters)
{
    (void)pthread_mutex_lock(&counters->lock);
    uint64_t count = counters->samples_read;

    (void)pthread_mutex_unlock(&counters->lock);
    return count;
}
