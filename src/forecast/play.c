/* The window, fire by fire in the order of time. */
#include <stdlib.h>

#include "base/mem.h"
#include "forecast/inside.h"

/* ---- pools ---- */

/* A run that goes on, by its end. */
struct run {
    struct heap_node node;
    int64_t end_ms;
    struct run *next_free;
};

/* Runs at once, the next to end first. */
struct runs {
    struct heap heap;
    struct run *free;
};

/* Fires in a row that had to wait. */
struct episode {
    int64_t from_ms, to_ms, delay_ms, fires, needed;
};

struct pool {
    struct str name;
    int64_t capacity;    /* 0: as many as come */
    struct runs taken;   /* with so many places */
    struct runs unbound; /* if there were places enough */
    struct episode episode;
    int64_t peak, peak_ms;
    double steady;
};

static bool ends_before(const struct heap_node *a, const struct heap_node *b)
{
    return CONTAINER_OF_CONST(a, struct run, node)->end_ms < CONTAINER_OF_CONST(b, struct run, node)->end_ms;
}

/* The next one that ends; its end. */
static int64_t runs_pop(struct runs *runs)
{
    struct run *run = CONTAINER_OF(heap_pop(&runs->heap), struct run, node);

    run->next_free = runs->free;
    runs->free = run;
    return run->end_ms;
}

static void runs_end(struct runs *runs, int64_t until_ms)
{
    struct heap_node *first;

    while ((first = heap_first(&runs->heap)) != NULL && CONTAINER_OF(first, struct run, node)->end_ms <= until_ms) {
        (void)runs_pop(runs);
    }
}

static void runs_begin(struct runs *runs, struct arena *arena, int64_t end_ms)
{
    struct run *run = runs->free;

    if (heap_count(&runs->heap) >= FORECAST_RUNNING_MAX) {
        return; /* more than any pool has places */
    }
    if (run != NULL) {
        runs->free = run->next_free;
    } else {
        run = arena_zalloc(arena, sizeof *run);
    }
    run->end_ms = end_ms;
    heap_push(&runs->heap, &run->node);
}

/* ---- jobs ---- */

struct playing {
    struct heap_node node;
    const struct forecast_job *job;
    struct pool *pool;
    int64_t fire_ms, due_ms;
    int64_t left;          /* fires that max_fires allows */
    int64_t busy_until_ms; /* of the run that began last */
    int64_t started_ms;    /* of it; -1: none began */
    int64_t before_ms;     /* the fire before; -1: none */
    struct forecast_overlap figures;
};

struct play {
    struct forecast *forecast;
    const struct forecast_input *input;
    struct forecast_minutes *minutes;
    struct pool pools[FORECAST_POOLS_MAX + 1]; /* the last: of all that are not named */
    size_t pool_count;
    struct heap next; /* struct playing, by due time */
};

static bool fires_before(const struct heap_node *key_a, const struct heap_node *key_b)
{
    const struct playing *a = CONTAINER_OF_CONST(key_a, struct playing, node);
    const struct playing *b = CONTAINER_OF_CONST(key_b, struct playing, node);

    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->job->id < b->job->id;
}

static struct pool *pool_of(struct play *play, struct str name)
{
    for (size_t i = 0; i < play->pool_count; i++) {
        if (str_equal(play->pools[i].name, name)) {
            return &play->pools[i];
        }
    }
    return &play->pools[play->pool_count];
}

static void pools_begin(struct play *play)
{
    play->pool_count = play->input->pool_count;
    for (size_t i = 0; i <= play->pool_count; i++) {
        struct pool *pool = &play->pools[i];

        if (i < play->pool_count) {
            pool->name = forecast_keep(play->forecast, play->input->pools[i].name);
            pool->capacity = play->input->pools[i].capacity;
        }
        heap_init(&pool->taken.heap, ends_before);
        heap_init(&pool->unbound.heap, ends_before);
    }
}

bool forecast_is_steady(const struct forecast_input *input, const struct forecast_job *job, int64_t *ret_every_ms)
{
    const struct schedule *schedule = job->schedule;
    int64_t window_ms = input->to_ms - input->now_ms;
    int64_t probe_ms = 24 * 60 * FORECAST_MINUTE_MS < window_ms ? 24 * 60 * FORECAST_MINUTE_MS : window_ms;

    if (schedule->kind == SCHEDULE_ONCE || schedule->after_finish || schedule->max_fires != SCHEDULE_NO_MAX) {
        return false;
    }
    if (schedule->kind == SCHEDULE_EVERY) {
        *ret_every_ms = schedule->every_ms;
    } else {
        int64_t count = schedule_count(schedule, input->now_ms, input->now_ms + probe_ms);

        *ret_every_ms = count > 0 ? probe_ms / count : INT64_MAX;
    }
    return *ret_every_ms < FORECAST_STEADY_MS;
}

/* ---- what is found ---- */

static int worse_overlap(const void *key_a, const void *key_b)
{
    const struct forecast_overlap *a = key_a, *b = key_b;

    if (a->expected != b->expected) {
        return a->expected < b->expected ? 1 : -1;
    }
    return a->possible != b->possible ? (a->possible < b->possible ? 1 : -1) : (a->job.job > b->job.job ? 1 : -1);
}

static void note_overlap(struct play *play, const struct forecast_job *job, struct forecast_overlap figures)
{
    struct forecast *forecast = play->forecast;

    if (figures.expected + figures.possible == 0) {
        return;
    }
    forecast->overlaps_seen++;
    if (forecast->overlap_count == FORECAST_OVERLAPS_MAX) {
        if (worse_overlap(&figures, &forecast->overlaps[forecast->overlap_count - 1]) > 0) {
            return;
        }
        forecast->overlap_count--;
    }
    figures.job = forecast_name_of(forecast, job);
    forecast->overlaps[forecast->overlap_count++] = figures;
    qsort(forecast->overlaps, forecast->overlap_count, sizeof *forecast->overlaps, worse_overlap);
}

static int worse_shortage(const void *key_a, const void *key_b)
{
    const struct forecast_shortage *a = key_a, *b = key_b;

    return a->delay_ms != b->delay_ms ? (a->delay_ms < b->delay_ms ? 1 : -1) : (a->from_ms > b->from_ms ? 1 : -1);
}

/* Nobody waits any more: what was the row of waits worth? */
static void end_episode(struct play *play, struct pool *pool)
{
    struct forecast *forecast = play->forecast;
    const struct episode episode = pool->episode;

    pool->episode = (struct episode){0};
    if (episode.delay_ms < FORECAST_DELAY_MIN_MS) {
        return;
    }
    const struct forecast_shortage shortage = {.pool = pool->name,
                                               .from_ms = episode.from_ms,
                                               .to_ms = episode.to_ms,
                                               .capacity = pool->capacity,
                                               .needed = episode.needed,
                                               .delay_ms = episode.delay_ms,
                                               .fires = episode.fires};

    forecast->shortages_seen++;
    if (forecast->shortage_count == FORECAST_SHORTAGES_MAX) {
        if (worse_shortage(&shortage, &forecast->shortages[forecast->shortage_count - 1]) > 0) {
            return;
        }
        forecast->shortage_count--;
    }
    forecast->shortages[forecast->shortage_count++] = shortage;
    qsort(forecast->shortages, forecast->shortage_count, sizeof *forecast->shortages, worse_shortage);
}

/* ---- a fire ---- */

/* Places that are left beside the stream. */
static int64_t places_of(const struct pool *pool)
{
    int64_t left = pool->capacity - (int64_t)(pool->steady + 0.5);

    return left > 1 ? left : 1;
}

/* When a run that is ready begins in its pool. */
static int64_t take_place(struct play *play, struct pool *pool, int64_t ready_ms, int64_t run_ms)
{
    int64_t start_ms = ready_ms;

    runs_end(&pool->unbound, ready_ms);
    runs_begin(&pool->unbound, &play->forecast->arena, ready_ms + run_ms);
    int64_t at_once = (int64_t)heap_count(&pool->unbound.heap) + (int64_t)(pool->steady + 0.5);

    if (at_once > pool->peak) {
        pool->peak = at_once;
        pool->peak_ms = ready_ms;
    }
    if (pool->capacity <= 0) {
        return start_ms;
    }
    runs_end(&pool->taken, ready_ms);
    if ((int64_t)heap_count(&pool->taken.heap) >= places_of(pool)) {
        start_ms = runs_pop(&pool->taken); /* its place, and no other: others may end then too, for who comes next */
    }
    runs_begin(&pool->taken, &play->forecast->arena, start_ms + run_ms);
    if (start_ms == ready_ms) {
        end_episode(play, pool);
        return start_ms;
    }
    struct episode *episode = &pool->episode;

    episode->from_ms = episode->fires == 0 ? ready_ms : episode->from_ms;
    episode->to_ms = ready_ms;
    episode->fires++;
    episode->needed = at_once > episode->needed ? at_once : episode->needed;
    episode->delay_ms = start_ms - ready_ms > episode->delay_ms ? start_ms - ready_ms : episode->delay_ms;
    return start_ms;
}

static void count_overlap(struct playing *one, bool is_expected)
{
    struct forecast_overlap *figures = &one->figures;

    if (is_expected) {
        figures->expected++;
    } else {
        figures->possible++;
    }
    figures->first_ms = figures->expected + figures->possible == 1 ? one->due_ms : figures->first_ms;
}

/* A fire: whether it meets the run before, and if it runs, when it does. */
static void play_fire(struct play *play, struct playing *one)
{
    const struct forecast_job *job = one->job;
    int64_t ready_ms = one->due_ms;
    bool is_busy = one->started_ms >= 0 && one->busy_until_ms > one->due_ms;

    one->figures.fires++;
    if (one->before_ms >= 0) {
        int64_t apart_ms = one->due_ms - one->before_ms;

        one->figures.shortest_ms =
            one->figures.shortest_ms == 0 || apart_ms < one->figures.shortest_ms ? apart_ms : one->figures.shortest_ms;
    }
    one->before_ms = one->due_ms;
    if (is_busy) {
        count_overlap(one, true);
    } else if (one->started_ms >= 0 && one->started_ms + job->p95_ms > one->due_ms) {
        count_overlap(one, false);
    }
    if (is_busy && job->overlap == OVERLAP_SKIP) {
        return;
    }
    if (is_busy && (job->overlap == OVERLAP_QUEUE || job->overlap == OVERLAP_COLLAPSE)) {
        if (job->overlap == OVERLAP_COLLAPSE && one->started_ms > one->due_ms) {
            return; /* one waits already, and stands for this one too */
        }
        ready_ms = one->busy_until_ms;
    }
    if (job->source == FORECAST_UNKNOWN) {
        return; /* rule 3 */
    }
    one->started_ms = take_place(play, one->pool, ready_ms, job->median_ms);
    one->busy_until_ms = one->started_ms + job->median_ms;
}

static void count_minute(const struct play *play, int64_t due_ms)
{
    size_t minute = (size_t)((due_ms - play->minutes->from_ms) / FORECAST_MINUTE_MS);

    if (due_ms >= play->minutes->from_ms && minute < play->minutes->count) {
        play->minutes->counts[minute]++;
    }
}

/* The next fire of a job; false where there is none in the window. */
static bool step(const struct play *play, struct playing *one)
{
    const struct schedule *schedule = one->job->schedule;

    one->left--;
    if (schedule->kind == SCHEDULE_ONCE || one->left <= 0) {
        return false;
    }
    if (schedule->after_finish) {
        int64_t end_ms = one->busy_until_ms > one->due_ms ? one->busy_until_ms : one->due_ms;

        if (!schedule_next_after_finish(schedule, end_ms, &one->fire_ms)) {
            return false;
        }
    } else if (!schedule_next(schedule, one->fire_ms, &one->fire_ms)) {
        return false;
    }
    one->due_ms = schedule_due_ms(schedule, one->job->id, one->fire_ms);
    return one->due_ms < play->input->to_ms;
}

/* ---- the whole ---- */

static void add_steady(struct play *play, const struct forecast_job *job, int64_t every_ms)
{
    struct pool *pool = pool_of(play, job->pool);
    struct forecast_overlap figures = {.policy = job->overlap,
                                       .source = job->source,
                                       .median_ms = job->median_ms,
                                       .p95_ms = job->p95_ms,
                                       .shortest_ms = every_ms,
                                       .first_ms = play->input->now_ms + every_ms};
    double load = (double)job->median_ms / (double)every_ms;

    play->forecast->steady_jobs++;
    play->forecast->steady_per_minute += (double)FORECAST_MINUTE_MS / (double)every_ms;
    pool->steady += job->overlap != OVERLAP_ALLOW && load > 1 ? 1 : load; /* never beside itself */
    figures.fires = (play->input->to_ms - play->input->now_ms) / every_ms;
    if (job->median_ms > every_ms) {
        figures.expected = figures.fires;
    } else if (job->p95_ms > every_ms) {
        figures.possible = figures.fires;
    }
    note_overlap(play, job, figures);
}

static void add_job(struct play *play, const struct forecast_job *job)
{
    struct playing *one = arena_zalloc(&play->forecast->arena, sizeof *one);
    const struct schedule *schedule = job->schedule;
    bool has_fire = true;

    *one = (struct playing){
        .job = job,
        .pool = pool_of(play, job->pool),
        .fire_ms = job->cursor_ms,
        .left = schedule->max_fires != SCHEDULE_NO_MAX ? schedule->max_fires - job->fired : INT64_MAX,
        .started_ms = -1,
        .before_ms = -1,
        .figures = {.policy = job->overlap, .source = job->source, .median_ms = job->median_ms, .p95_ms = job->p95_ms}};
    if (one->fire_ms < play->input->now_ms && schedule->kind != SCHEDULE_ONCE && !schedule->after_finish) {
        has_fire = schedule_next(schedule, play->input->now_ms, &one->fire_ms); /* what is overdue is no forecast */
    }
    one->due_ms = schedule_due_ms(schedule, job->id, one->fire_ms);
    if (has_fire && one->left > 0 && one->due_ms < play->input->to_ms) {
        heap_push(&play->next, &one->node);
    }
}

static void play_all(struct play *play)
{
    struct heap_node *first;

    while ((first = heap_first(&play->next)) != NULL) {
        struct playing *one = CONTAINER_OF(first, struct playing, node);

        if (play->forecast->fires == FORECAST_FIRES_MAX) {
            int64_t reached_ms = one->due_ms;

            play->forecast->complete_to_ms =
                reached_ms < play->forecast->complete_to_ms ? reached_ms : play->forecast->complete_to_ms;
            break;
        }
        play->forecast->fires++;
        count_minute(play, one->due_ms);
        play_fire(play, one);
        if (step(play, one)) {
            heap_update(&play->next, &one->node);
        } else {
            heap_remove(&play->next, &one->node);
            note_overlap(play, one->job, one->figures);
        }
    }
    while ((first = heap_pop(&play->next)) != NULL) {
        struct playing *one = CONTAINER_OF(first, struct playing, node);

        note_overlap(play, one->job, one->figures);
    }
}

static void pools_end(struct play *play)
{
    struct forecast *forecast = play->forecast;

    for (size_t i = 0; i <= play->pool_count; i++) {
        struct pool *pool = &play->pools[i];

        end_episode(play, pool);
        if (i < play->pool_count) {
            forecast->loads[forecast->load_count++] = (struct forecast_pool_load){.name = pool->name,
                                                                                  .capacity = pool->capacity,
                                                                                  .peak = pool->peak,
                                                                                  .peak_ms = pool->peak_ms,
                                                                                  .steady = pool->steady};
        }
        heap_done(&pool->taken.heap);
        heap_done(&pool->unbound.heap);
    }
}

void forecast_play(struct forecast *forecast, const struct forecast_input *input, struct forecast_minutes *minutes)
{
    struct play *play = arena_zalloc(&forecast->arena, sizeof *play);

    *play = (struct play){.forecast = forecast, .input = input, .minutes = minutes};
    forecast->overlaps = arena_alloc_array(&forecast->arena, FORECAST_OVERLAPS_MAX, sizeof *forecast->overlaps);
    forecast->shortages = arena_alloc_array(&forecast->arena, FORECAST_SHORTAGES_MAX, sizeof *forecast->shortages);
    forecast->loads = arena_alloc_array(&forecast->arena, FORECAST_POOLS_MAX, sizeof *forecast->loads);
    heap_init(&play->next, fires_before);
    pools_begin(play);
    for (size_t i = 0; i < input->job_count; i++) {
        int64_t every_ms;

        if (forecast_is_steady(input, &input->jobs[i], &every_ms)) {
            add_steady(play, &input->jobs[i], every_ms);
        }
    }
    for (size_t i = 0; i < input->job_count; i++) {
        int64_t every_ms;

        if (!forecast_is_steady(input, &input->jobs[i], &every_ms)) {
            add_job(play, &input->jobs[i]);
        }
    }
    play_all(play);
    pools_end(play);
    heap_done(&play->next);
}
