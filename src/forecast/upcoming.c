#include "forecast/upcoming.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "model/rows.h"

/* Names with a count for each bucket, twice 500 of them: 6 MiB; buckets with three examples each: 2 MiB. */
#define BYTES_MAX (32 * 1024 * 1024)

/* ---- names: a row of counts for each ---- */

struct name_counts {
    struct map_node node;
    struct name_counts *next;
    struct str name;
    uint32_t counts[];
};

struct upcoming_names {
    struct map by_name;
    struct name_counts *first;
    struct arena *arena;
    size_t bucket_count;
};

static struct upcoming_names *names_new(struct arena *arena, size_t bucket_count)
{
    struct upcoming_names *names = arena_zalloc(arena, sizeof *names);

    map_init(&names->by_name, MAP_KEYS_TEXT, 0);
    names->arena = arena;
    names->bucket_count = bucket_count;
    return names;
}

static struct str keep(struct arena *arena, struct str text)
{
    return (struct str){arena_strdup_str(arena, text), text.len};
}

static void names_add(struct upcoming_names *names, struct str name, size_t bucket, int64_t count)
{
    struct map_node *node = map_find_text(&names->by_name, name);
    struct name_counts *one = node != NULL ? CONTAINER_OF(node, struct name_counts, node) : NULL;

    if (one == NULL) {
        if (map_count(&names->by_name) >= UPCOMING_NAMES_MAX) {
            return; /* rule 1 */
        }
        one = arena_zalloc(names->arena, sizeof *one + names->bucket_count * sizeof one->counts[0]);
        one->name = keep(names->arena, name);
        one->next = names->first;
        names->first = one;
        (void)map_insert_text(&names->by_name, &one->node, one->name);
    }
    one->counts[bucket] += (uint32_t)count;
}

/* Puts a share among the largest, if it is one of them; of equal ones the name decides. */
static void shares_take(struct upcoming_share shares[UPCOMING_SHOWN], struct str name, int64_t count)
{
    struct upcoming_share taken = {name, count};

    for (size_t i = 0; i < UPCOMING_SHOWN && taken.count > 0; i++) {
        bool is_larger = taken.count > shares[i].count ||
                         (taken.count == shares[i].count && str_compare(taken.name, shares[i].name) < 0);

        if (is_larger) {
            struct upcoming_share out = shares[i];

            shares[i] = taken;
            taken = out;
        }
    }
}

/* ---- buckets ---- */

struct upcoming *upcoming_new(int64_t now_ms, int64_t to_ms, int64_t bucket_ms)
{
    struct upcoming *upcoming = mem_zalloc(sizeof *upcoming);
    int64_t first_ms = wake_step(now_ms, bucket_ms);

    assert(bucket_ms > 0 && to_ms > now_ms && (to_ms - first_ms) / bucket_ms < UPCOMING_BUCKETS_MAX);
    upcoming->now_ms = now_ms;
    upcoming->to_ms = to_ms;
    upcoming->bucket_ms = bucket_ms;
    upcoming->bucket_count = (size_t)((to_ms - first_ms + bucket_ms - 1) / bucket_ms);
    arena_init(&upcoming->arena, 64 * 1024, BYTES_MAX);
    upcoming->buckets = arena_zalloc(&upcoming->arena, upcoming->bucket_count * sizeof *upcoming->buckets);
    for (size_t i = 0; i < upcoming->bucket_count; i++) {
        upcoming->buckets[i].from_ms = first_ms + (int64_t)i * bucket_ms;
    }
    upcoming->types = names_new(&upcoming->arena, upcoming->bucket_count);
    upcoming->tenants = names_new(&upcoming->arena, upcoming->bucket_count);
    upcoming->complete_to_ms = to_ms;
    upcoming->fires_left = UPCOMING_FIRES_MAX;
    return upcoming;
}

void upcoming_free(struct upcoming *upcoming)
{
    map_done(&upcoming->types->by_name);
    map_done(&upcoming->tenants->by_name);
    arena_done(&upcoming->arena);
    mem_free(upcoming);
}

static size_t bucket_of(const struct upcoming *upcoming, int64_t ms)
{
    return (size_t)((ms - upcoming->buckets[0].from_ms) / upcoming->bucket_ms);
}

static bool is_within(const struct upcoming *upcoming, int64_t ms)
{
    return ms > upcoming->now_ms && ms < upcoming->to_ms;
}

static void add(struct upcoming *upcoming, const struct place *place, size_t bucket, int64_t count)
{
    upcoming->buckets[bucket].count += count;
    names_add(upcoming->types, place->type, bucket, count);
    names_add(upcoming->tenants, place->tenant, bucket, count);
}

void upcoming_wakes(struct upcoming *upcoming, const struct place *place, int64_t from_ms, int64_t count)
{
    if (from_ms >= upcoming->buckets[0].from_ms && from_ms < upcoming->to_ms) {
        add(upcoming, place, bucket_of(upcoming, from_ms), count);
    }
}

void upcoming_cut(struct upcoming *upcoming, int64_t from_ms)
{
    int64_t later_ms = from_ms > upcoming->now_ms ? from_ms : upcoming->now_ms;

    upcoming->complete_to_ms = later_ms < upcoming->complete_to_ms ? later_ms : upcoming->complete_to_ms;
}

/* ---- jobs ---- */

static void note_example(struct upcoming *upcoming, const struct job_row *job, int64_t ms)
{
    struct upcoming_bucket *bucket = &upcoming->buckets[bucket_of(upcoming, ms)];

    for (size_t i = 0; i < UPCOMING_SHOWN; i++) {
        struct upcoming_example *example = &bucket->examples[i];

        if (example->job == job->id) {
            return;
        }
        if (example->job == 0) {
            example->job = job->id;
            example->tenant = keep(&upcoming->arena, job->place.tenant);
            example->name = keep(&upcoming->arena, job->name);
            return;
        }
    }
}

/* Fires that come faster than buckets are counted bucket by bucket; jitter is too small to matter then. */
static void count_fires(struct upcoming *upcoming, const struct job_row *job, const struct schedule *schedule,
                        int64_t from_ms, int64_t fires_max)
{
    for (size_t i = 0; i < upcoming->bucket_count && fires_max > 0; i++) {
        int64_t begin_ms = upcoming->buckets[i].from_ms;
        int64_t end_ms = begin_ms + upcoming->bucket_ms;

        begin_ms = begin_ms > from_ms ? begin_ms : from_ms;
        end_ms = end_ms < upcoming->to_ms ? end_ms : upcoming->to_ms;
        int64_t count = begin_ms < end_ms ? schedule_count(schedule, begin_ms, end_ms) : 0;

        count = count < fires_max ? count : fires_max;
        fires_max -= count;
        if (count > 0) {
            add(upcoming, &job->place, i, count);
            note_example(upcoming, job, upcoming->buckets[i].from_ms);
        }
    }
}

static void list_fires(struct upcoming *upcoming, const struct job_row *job, const struct schedule *schedule,
                       int64_t fires_max)
{
    int64_t fire_ms = job->cursor_ms;
    bool has_next = true;

    for (; has_next && fire_ms < upcoming->to_ms && fires_max > 0; fires_max--) {
        int64_t due_ms = schedule_due_ms(schedule, job->id, fire_ms);

        if (upcoming->fires_left == 0) {
            upcoming_cut(upcoming, fire_ms);
            return;
        }
        upcoming->fires_left--;
        if (is_within(upcoming, due_ms)) {
            if (due_ms != job->wake_ms) { /* that one was counted */
                add(upcoming, &job->place, bucket_of(upcoming, due_ms), 1);
            }
            note_example(upcoming, job, due_ms);
        }
        has_next = schedule_next(schedule, fire_ms, &fire_ms);
    }
}

void upcoming_job(struct upcoming *upcoming, const struct job_row *job, const struct schedule *schedule)
{
    struct job_row from_now = *job;
    bool repeats = schedule != NULL && schedule->kind != SCHEDULE_ONCE && !schedule->after_finish;

    upcoming->jobs++;
    if (job->wake_ms != TIME_NONE && is_within(upcoming, job->wake_ms)) {
        note_example(upcoming, job, job->wake_ms);
    }
    if (!repeats || job->cursor_ms == TIME_NONE || job->status != JOB_ACTIVE) {
        return;
    }
    int64_t left = schedule->max_fires != SCHEDULE_NO_MAX ? schedule->max_fires - job->fired : INT64_MAX;
    bool has_next = true;

    /* What is overdue is decided as one run or another; none of it comes again. */
    if (job->cursor_ms <= upcoming->now_ms - schedule->jitter_ms) {
        has_next = schedule_next(schedule, upcoming->now_ms - schedule->jitter_ms, &from_now.cursor_ms);
    }
    if (!has_next || left <= 0) {
        return;
    }
    if (schedule->kind == SCHEDULE_EVERY && schedule->every_ms < upcoming->bucket_ms) {
        bool is_counted = is_within(upcoming, job->wake_ms) && job->wake_ms >= from_now.cursor_ms;

        count_fires(upcoming, &from_now, schedule, from_now.cursor_ms + (is_counted ? 1 : 0), left);
    } else {
        list_fires(upcoming, &from_now, schedule, left);
    }
}

/* ---- what comes out ---- */

static int by_count(const void *key_a, const void *key_b)
{
    int64_t a = *(const int64_t *)key_a, b = *(const int64_t *)key_b;

    return (a > b) - (a < b);
}

static int64_t median_of(const struct upcoming *upcoming)
{
    SCOPE_FREE int64_t *counts = mem_alloc_array(upcoming->bucket_count, sizeof *counts);

    for (size_t i = 0; i < upcoming->bucket_count; i++) {
        counts[i] = upcoming->buckets[i].count;
    }
    qsort(counts, upcoming->bucket_count, sizeof *counts, by_count);
    return counts[upcoming->bucket_count / 2];
}

static void settle_shares(struct upcoming *upcoming, size_t bucket)
{
    for (const struct name_counts *one = upcoming->types->first; one != NULL; one = one->next) {
        shares_take(upcoming->buckets[bucket].types, one->name, one->counts[bucket]);
    }
    for (const struct name_counts *one = upcoming->tenants->first; one != NULL; one = one->next) {
        shares_take(upcoming->buckets[bucket].tenants, one->name, one->counts[bucket]);
    }
}

void upcoming_settle(struct upcoming *upcoming)
{
    upcoming->median = median_of(upcoming);
    upcoming->herd_above = UPCOMING_HERD_FACTOR * upcoming->median > UPCOMING_HERD_MIN
                               ? UPCOMING_HERD_FACTOR * upcoming->median
                               : UPCOMING_HERD_MIN;
    for (size_t i = 0; i < upcoming->bucket_count; i++) {
        upcoming->total += upcoming->buckets[i].count;
        upcoming->buckets[i].is_herd = upcoming->buckets[i].count > upcoming->herd_above;
        settle_shares(upcoming, i);
    }
}

int64_t upcoming_fair_limit(const int64_t *counts, size_t count, int64_t max)
{
    int64_t limit = 1;

    /* The largest limit is found by doubling and halving: sums grow with it. */
    for (int64_t step = INT64_C(1) << 40; step > 0; step /= 2) {
        int64_t sum = 0;

        for (size_t i = 0; i < count && sum <= max; i++) {
            sum += counts[i] < limit + step ? counts[i] : limit + step;
        }
        limit += sum <= max ? step : 0;
    }
    return limit;
}
