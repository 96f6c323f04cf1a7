#include "api/counters.h"

#include <string.h>

#include "api/counters_inside.h"
#include "base/container.h"
#include "base/mem.h"
#include "model/name.h"

#define KEY_BYTES_MAX (3 * NAME_BYTES_MAX + 3)

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

/* The first that has the same name, perhaps itself; so that rows are grouped without comparing names. */
static uint32_t first_of(const struct counters *counters, const struct series *series, enum counters_by by)
{
    uint32_t first = 1; /* the one without names is of no row */

    while (first < series->number &&
           !str_equal(counters_name_of(counters->series[first], by), counters_name_of(series, by))) {
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

/* ---- minutes ---- */

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
    struct minute *minute = counters_minute_at(counters, number);

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
