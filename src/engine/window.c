#include "engine/window.h"

#include <assert.h>

#include "base/mem.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/restore.h"
#include "engine/timers.h"

/* Due jobs that a place may have in memory although that is full, so that it is served at all. */
#define WINDOW_STARVED_ROWS 64
/* Windows that wait for room are looked at again when memory has come down to this share. */
#define WINDOW_ROOM_PERCENT 90

static struct window *window_of(const struct job *job)
{
    return ready_bucket_user(job->bucket);
}

static struct window *window_get(struct engine *engine, struct ready_bucket *bucket)
{
    struct window *window = ready_bucket_user(bucket);

    if (window == NULL) {
        window = mem_zalloc(sizeof *window);
        window->bucket = ready_bucket_again(bucket);
        window->edge_ms = INT64_MAX; /* nothing is in the store, until we hear otherwise */
        window->edge_id = UINT64_MAX;
        window->next_ms = TIME_NONE;
        timer_init(&window->timer, TIMER_PLACE);
        list_init(&window->members);
        list_node_init(&window->dirty);
        list_node_init(&window->starved);
        list_node_init(&window->all);
        list_push_back(&engine->windows, &window->all);
        ready_bucket_set_user(bucket, window);
    }
    return window;
}

static void set_dirty(struct engine *engine, struct window *window)
{
    if (!list_linked(&window->dirty)) {
        list_push_back(&engine->dirty_windows, &window->dirty);
    }
}

void window_join(struct engine *engine, struct job *job)
{
    struct window *window = window_get(engine, job->bucket);

    window->jobs++;
    list_push_back(&window->members, &job->of_window);
}

void window_leave(struct engine *engine, struct job *job)
{
    struct window *window = window_of(job);

    assert(window->jobs > 0);
    window->jobs--;
    list_remove(&job->of_window);
    set_dirty(engine, window);
}

static bool is_behind(const struct window *window, int64_t wake_ms, uint64_t id)
{
    return wake_ms > window->edge_ms || (wake_ms == window->edge_ms && id > window->edge_id);
}

static bool is_full(const struct engine *engine)
{
    return idmap_count(&engine->jobs) > engine->config.jobs_max;
}

bool window_is_behind(const struct engine *engine, const struct job *job)
{
    const struct window *window = window_of(job);

    if (job->wake_ms > engine->now_ms + engine->config.window_ms) {
        return true;
    }
    return is_full(engine) &&
           (is_behind(window, job->wake_ms, job->id) || window->jobs > WINDOW_STARVED_ROWS); /* rule 4 */
}

void window_note_gone(struct engine *engine, struct job *job)
{
    struct window *window = window_of(job);

    if (job->wake_ms == TIME_NONE) {
        return;
    }
    if (!is_behind(window, job->wake_ms, job->id)) { /* rule 1 */
        window->edge_ms = job->wake_ms;
        window->edge_id = job->id - 1;
        window->is_cut = is_full(engine);
    }
    window->next_ms = earlier_or_none(window->next_ms, job->wake_ms); /* rule 2 */
    set_dirty(engine, window);
}

void window_restore(struct engine *engine, const struct place_row *row)
{
    struct ready_place place = {
        .pool = row->place.pool, .tenant = row->place.tenant, .type = row->place.type, .priority = row->place.priority};
    struct ready_bucket *bucket = ready_bucket_get(engine->ready, &place);
    struct window *window = window_get(engine, bucket);

    ready_bucket_put(engine->ready, bucket);
    window->edge_ms = INT64_MIN;
    window->edge_id = 0;
    window->next_ms = row->wake_ms;
    set_dirty(engine, window);
}

static void ask(struct engine *engine, struct window *window, size_t limit)
{
    struct load *load = effects_add_load(engine->effects);
    struct ready_place place = ready_bucket_place(window->bucket);

    window->tag = engine->next_tag++;
    window->asked_ms = window->edge_ms;
    window->asked_id = window->edge_id;
    window->asked_until_ms = plus_ms(engine->now_ms, engine->config.window_ms);
    idmap_put(&engine->windows_by_tag, window->tag, window);
    *load = (struct load){
        .kind = LOAD_WINDOW,
        .tag = window->tag,
        .place = {.pool = effects_text(engine->effects, place.pool),
                  .tenant = effects_text(engine->effects, place.tenant),
                  .type = effects_text(engine->effects, place.type),
                  .priority = place.priority},
        .after_ms = window->edge_ms == INT64_MIN ? TIME_NONE : window->edge_ms,
        .after_id = window->edge_id,
        .until_ms = window->asked_until_ms,
        .limit = limit,
    };
}

/* Frees a window that nothing needs. */
static bool window_is_over(const struct window *window)
{
    return window->jobs == 0 && window->next_ms == TIME_NONE && window->tag == 0;
}

static void window_free(struct engine *engine, struct window *window)
{
    timer_stop(engine, &window->timer);
    list_remove(&window->dirty);
    list_remove(&window->starved);
    list_remove(&window->all);
    ready_bucket_set_user(window->bucket, NULL);
    ready_bucket_put(engine->ready, window->bucket);
    mem_free(window);
}

/* Jobs behind the edge keep memory from those that are due before them. */
static void let_go_behind(struct engine *engine, struct window *window)
{
    struct list_node *next;

    window->is_cut = false;
    for (struct list_node *node = list_first(&window->members); node != NULL; node = next) {
        struct job *job = CONTAINER_OF(node, struct job, of_window);

        next = list_next(&window->members, node);
        if (job->wake_ms != TIME_NONE && is_behind(window, job->wake_ms, job->id)) {
            job_leave_if_free(engine, job);
        }
    }
}

/* Whether the place has work enough in memory to go on with. */
static bool has_due(const struct engine *engine, const struct window *window)
{
    size_t due = 0;

    if (window->jobs < WINDOW_STARVED_ROWS) {
        return false;
    }
    for (struct list_node *node = list_first(&window->members); node != NULL && due < WINDOW_STARVED_ROWS;
         node = list_next(&window->members, node)) {
        const struct job *job = CONTAINER_OF(node, struct job, of_window);

        due += job->wake_ms != TIME_NONE && job->wake_ms <= engine->now_ms ? 1 : 0;
    }
    return due == WINDOW_STARVED_ROWS;
}

static void update_one(struct engine *engine, struct window *window)
{
    size_t room = engine->config.page_rows;

    if (window->is_cut) {
        let_go_behind(engine, window);
    }
    timer_stop(engine, &window->timer);
    if (window->tag != 0) {
        return;
    }
    if (window_is_over(window)) {
        window_free(engine, window);
        return;
    }
    if (window->next_ms == TIME_NONE) {
        return;
    }
    if (window->next_ms > plus_ms(engine->now_ms, engine->config.window_ms)) {
        if (BUG(WINDOW_NEVER_MOVES)) {
            return;
        }
        timer_arm_wall(engine, &window->timer, window->next_ms - engine->config.window_ms);
        return;
    }
    if (idmap_count(&engine->jobs) + room > engine->config.jobs_max) {
        bool is_early = window->next_ms > engine->now_ms;

        if (is_early) {
            timer_arm_wall(engine, &window->timer, window->next_ms);
        }
        if (is_early || has_due(engine, window)) {
            if (!list_linked(&window->starved)) {
                list_push_back(&engine->starved, &window->starved);
            }
            return; /* rule 4 */
        }
        room = WINDOW_STARVED_ROWS;
    }
    list_remove(&window->starved);
    ask(engine, window, room);
}

void window_timer(struct engine *engine, struct window *window)
{
    set_dirty(engine, window);
}

void window_update(struct engine *engine)
{
    size_t low = engine->config.jobs_max / 100 * WINDOW_ROOM_PERCENT;

    if (idmap_count(&engine->jobs) < low || engine->config.jobs_max < 100) {
        for (struct list_node *node = list_pop_front(&engine->starved); node != NULL;
             node = list_pop_front(&engine->starved)) {
            set_dirty(engine, CONTAINER_OF(node, struct window, starved));
        }
    }
    for (struct list_node *node = list_pop_front(&engine->dirty_windows); node != NULL;
         node = list_pop_front(&engine->dirty_windows)) {
        update_one(engine, CONTAINER_OF(node, struct window, dirty));
    }
}

void window_loaded(struct engine *engine, struct window *window, const struct rows *rows)
{
    idmap_remove(&engine->windows_by_tag, window->tag);
    window->tag = 0;
    if (window->edge_ms != window->asked_ms || window->edge_id != window->asked_id) {
        /* It came back meanwhile: what lies between was not asked for. */
        window->next_ms = earlier_or_none(window->next_ms, rows->next_wake_ms);
    } else if (rows->has_more && !BUG(EDGE_SKIPPED)) {
        window->edge_ms = rows->jobs.items[rows->jobs.count - 1].wake_ms;
        window->edge_id = rows->jobs.items[rows->jobs.count - 1].id;
        window->next_ms = rows->next_wake_ms;
    } else {
        window->edge_ms = max_ms(window->edge_ms, window->asked_until_ms);
        window->edge_id = UINT64_MAX;
        window->next_ms = rows->next_wake_ms;
    }
    restore_jobs(engine, rows);
    set_dirty(engine, window);
}

void window_free_all(struct engine *engine)
{
    for (struct list_node *node = list_first(&engine->windows); node != NULL; node = list_first(&engine->windows)) {
        window_free(engine, CONTAINER_OF(node, struct window, all));
    }
}
