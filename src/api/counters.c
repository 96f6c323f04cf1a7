#include "api/counters.h"

#include <pthread.h>
#include <string.h>

#include "base/container.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/name.h"

#define MINUTE_MS INT64_C(60000)
/* Shorter spans are soon summed up. */
#define KEPT_MINUTES_MIN 120
#define KEY_BYTES_MAX (3 * NAME_BYTES_MAX + 3)

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

/* ---- series ---- */

static size_t write_key(char out[static KEY_BYTES_MAX], const struct place *place)
{
    const struct str parts[] = {place->tenant, place->type, place->pool};
    size_t len = 0;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t bytes = parts[i].len < NAME_BYTES_MAX ? parts[i].len : NAME_BYTES_MAX;

        if (bytes > 0) {
            memcpy(out + len, parts[i].ptr, bytes);
        }
        len += bytes;
        out[len++] = '\0';
    }
    return len;
}

static struct str name_of(const struct series *series, enum counters_by by)
{
    return by == COUNTERS_BY_TENANT ? series->tenant : series->type;
}

/* The first that has the same name, perhaps itself; so that rows are grouped without comparing names. */
static uint32_t first_of(const struct counters *counters, const struct series *series, enum counters_by by)
{
    uint32_t first = 1; /* the one without names is of no row */

    while (first < series->number && !str_equal(name_of(counters->series[first], by), name_of(series, by))) {
        first++;
    }
    return first;
}

static struct series *series_new(struct counters *counters, struct str key)
{
    struct series *series = mem_zalloc(sizeof *series + key.len);

    memcpy(series->key, key.ptr, key.len);
    series->tenant = str_from(series->key);
    series->type = str_from(series->key + series->tenant.len + 1);
    series->pool = str_from(series->key + series->tenant.len + series->type.len + 2);
    series->number = (uint32_t)counters->series_count;
    series->minute = -1;
    (void)map_insert_text(&counters->by_key, &series->node, (struct str){series->key, key.len});
    counters->series[counters->series_count++] = series;
    series->first_of[COUNTERS_BY_TENANT] = first_of(counters, series, COUNTERS_BY_TENANT);
    series->first_of[COUNTERS_BY_TYPE] = first_of(counters, series, COUNTERS_BY_TYPE);
    return series;
}

static struct series *series_of(struct counters *counters, const struct place *place)
{
    char key[KEY_BYTES_MAX];
    size_t len = write_key(key, place);
    struct map_node *node = map_find_text(&counters->by_key, (struct str){key, len});

    if (node != NULL) {
        return CONTAINER_OF(node, struct series, node);
    }
    if (counters->series_count == COUNTERS_SERIES_MAX) { /* rule 1 */
        return counters->series[0];
    }
    return series_new(counters, (struct str){key, len});
}

static bool fits(const struct counters_filter *filter, const struct series *series)
{
    return (str_empty(filter->tenant) || str_equal(filter->tenant, series->tenant)) &&
           (str_empty(filter->type) || str_equal(filter->type, series->type)) &&
           (str_empty(filter->pool) || str_equal(filter->pool, series->pool));
}

/* ---- minutes ---- */

static struct minute *minute_at(struct counters *counters, int64_t number)
{
    return &counters->minutes[(uint64_t)number % COUNTERS_MINUTES];
}

static size_t minute_add(struct counters *counters, struct minute *minute, uint32_t series)
{
    if (minute->count == minute->cap) {
        minute->cap = minute->cap == 0 ? 4 : minute->cap * 2;
        minute->samples = mem_realloc_array(minute->samples, minute->cap, sizeof *minute->samples);
    }
    minute->samples[minute->count] = (struct sample){.series = series};
    counters->sample_count++;
    return minute->count++;
}

static void forget_kept(struct counters *counters, int64_t number)
{
    if (number >= counters->kept.from && number < counters->kept.to) {
        counters->kept = (struct span){0, 0};
    }
}

static void minute_begin(struct counters *counters, int64_t now_ms)
{
    int64_t number = now_ms / MINUTE_MS;
    struct minute *minute = minute_at(counters, number);

    counters->now = minute;
    forget_kept(counters, number);
    if (minute->number == number) {
        return;
    }
    forget_kept(counters, minute->number);
    counters->sample_count -= minute->count;
    mem_free(minute->samples);
    *minute = (struct minute){.number = number, .ready = -1, .running = -1};
    (void)minute_add(counters, minute, 0);
}

/* Also where a clock that went to and fro has begun the minute anew meanwhile. */
static bool has_sample(const struct series *series, const struct minute *minute)
{
    return series->minute == minute->number && series->sample < minute->count &&
           minute->samples[series->sample].series == series->number;
}

static struct tally *tally_now(struct counters *counters, struct series *series)
{
    struct minute *minute = counters->now;

    if (series->number == 0) {
        return &minute->samples[0].tally;
    }
    if (!has_sample(series, minute)) {
        if (counters->sample_count >= COUNTERS_SAMPLES_MAX) { /* rule 2 */
            return &minute->samples[0].tally;
        }
        series->minute = minute->number;
        series->sample = minute_add(counters, minute, series->number);
    }
    return &minute->samples[series->sample].tally;
}

/* ---- life ---- */

struct counters *counters_new(uint64_t seed)
{
    struct counters *counters = mem_zalloc(sizeof *counters);
    static const char no_names[3] = {0};

    (void)pthread_mutex_init(&counters->lock, NULL);
    map_init(&counters->by_key, MAP_KEYS_TEXT, seed);
    (void)series_new(counters, (struct str){no_names, sizeof no_names});
    return counters;
}

void counters_free(struct counters *counters)
{
    if (counters == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNTERS_MINUTES; i++) {
        mem_free(counters->minutes[i].samples);
    }
    map_done(&counters->by_key);
    for (size_t i = 0; i < counters->series_count; i++) {
        mem_free(counters->series[i]);
    }
    (void)pthread_mutex_destroy(&counters->lock);
    mem_free(counters);
}

/* ---- counting ---- */

void counters_begin(struct counters *counters, int64_t now_ms)
{
    (void)pthread_mutex_lock(&counters->lock);
    minute_begin(counters, now_ms);
}

struct counted counters_of(struct counters *counters, const struct place *place)
{
    struct series *series = series_of(counters, place);

    return (struct counted){.total = &series->total, .minute = tally_now(counters, series)};
}

struct counted counters_of_none(struct counters *counters)
{
    return (struct counted){.total = &counters->series[0]->total, .minute = &counters->now->samples[0].tally};
}

void counters_batch(struct counters *counters, size_t op_count, size_t bytes, int64_t commit_us)
{
    counters->batches.batches++;
    counters->batches.operations += op_count;
    counters->batches.bytes += bytes;
    histogram_add(&counters->batches.sizes, (int64_t)op_count);
    histogram_add(&counters->batches.commits_us, commit_us);
}

void counters_skipped(struct counters *counters, enum skip_reason reason, int64_t count)
{
    counters->batches.skipped[reason] += (uint64_t)count;
}

void counters_end(struct counters *counters)
{
    (void)pthread_mutex_unlock(&counters->lock);
}

void counters_note(struct counters *counters, int64_t now_ms, int64_t ready, int64_t running)
{
    counters_begin(counters, now_ms);
    counters->now->ready = ready;
    counters->now->running = running;
    counters_end(counters);
}

/* ---- asking ---- */

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
        const struct minute *minute = minute_at(counters, number);

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
        const struct minute *minute = minute_at(counters, number);

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
        const struct minute *minute = minute_at(counters, number);

        if (minute->number == number && minute->ready >= 0) {
            *ret_ready = minute->ready;
            *ret_running = minute->running;
            is_noted = true;
        }
    }
    (void)pthread_mutex_unlock(&counters->lock);
    return is_noted;
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
            struct str kept = copy(arena, name_of(series, by));

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
