#include <inttypes.h>

#include "engine/core.h"
#include "engine/deps.h"
#include "engine/deps_graph.h"
#include "engine/job.h"
#include "engine/key.h"
#include "engine/line.h"
#include "engine/timers.h"
#include "engine/trigger.h"

/* Rules are those of engine.h. Each check returns false with the rule and the id in reterr. */

static bool fails(struct error *reterr, int rule, uint64_t id, const char *what)
{
    err_set(reterr, ERR_CORRUPT, "rule %d of the engine: %s (%016" PRIx64 ")", rule, what, id);
    return false;
}

/* What must be so in the end. */
static bool holds(bool is_so, struct error *reterr, int rule, uint64_t id, const char *what)
{
    if (!is_so) {
        fails(reterr, rule, id, what);
    }
    return is_so;
}

static bool is_waiting_place(enum entry_place place)
{
    return place == ENTRY_LINE || place == ENTRY_READY || place == ENTRY_KEYED || place == ENTRY_CIRCUIT;
}

/* A due entry stands somewhere; one that is not due has its timer. */
static bool check_entry(const struct engine *engine, const struct entry *entry, uint64_t id, struct error *reterr)
{
    bool is_ready = ready_linked(&entry->ready);

    if ((entry->place == ENTRY_READY) != is_ready) {
        return fails(reterr, 2, id, "an entry's place and the ready queue differ");
    }
    if (entry->place == ENTRY_TIMED && !timer_armed(&entry->timer)) {
        return fails(reterr, 6, id, "it waits for its time without a timer");
    }
    if (is_waiting_place(entry->place) && entry->due_ms > engine->now_ms) {
        return fails(reterr, 3, id, "it is ready before it is due");
    }
    if ((entry->place == ENTRY_KEYED || entry->place == ENTRY_CIRCUIT) && !heap_linked(&entry->node)) {
        return fails(reterr, 6, id, "it waits at a gate that does not know it");
    }
    return true;
}

static bool check_fire(const struct engine *engine, const struct job *job, struct error *reterr)
{
    const struct entry *fire = &job->fire;

    if (job->status != JOB_ACTIVE || job->cursor_ms == TIME_NONE) {
        return holds(fire->place == ENTRY_IDLE, reterr, 2, job->id, "a fire stands without a cursor");
    }
    if (fire->due_ms != job_due_ms(job, job->cursor_ms)) {
        return fails(reterr, 2, job->id, "a fire's due time is not its cursor's");
    }
    if (fire->place == ENTRY_IDLE) {
        return fails(reterr, 2, job->id, "a cursor that nothing will wake");
    }
    return check_entry(engine, fire, job->id, reterr);
}

static bool check_trigger(const struct engine *engine, const struct trigger *trigger, struct error *reterr)
{
    int64_t ended, all;
    const struct job *job = trigger->job;
    bool is_stopped = job->status == JOB_PAUSED || job->status == JOB_CANCELLED;

    switch (trigger->state) {
    case TRIGGER_WAITING:
        if (trigger->join == NULL || trigger->join->trigger != trigger ||
            deps_open_upstream(trigger, &ended, &all) == NULL) {
            return fails(reterr, 6, trigger->id, "it waits for upstreams that have all ended");
        }
        return holds(trigger->entry.place == ENTRY_IDLE, reterr, 6, trigger->id, "a waiting trigger is in a line");
    case TRIGGER_PENDING:
        if (is_stopped != (trigger->entry.place == ENTRY_IDLE)) {
            return fails(reterr, 6, trigger->id, "a pending trigger that nothing will wake");
        }
        return trigger->lease == NULL ? check_entry(engine, &trigger->entry, trigger->id, reterr)
                                      : fails(reterr, 4, trigger->id, "a pending trigger has a lease");
    case TRIGGER_RUNNING:
        if (trigger->lease == NULL || trigger->lease->number <= trigger->attempts) {
            return fails(reterr, 4, trigger->id, "it runs without a lease of a new number");
        }
        if (!timer_armed(&trigger->lease->lease_timer) || !timer_armed(&trigger->lease->timeout_timer)) {
            return fails(reterr, 6, trigger->id, "a lease without its timers");
        }
        return holds(trigger->entry.place == ENTRY_IDLE, reterr, 4, trigger->id, "a running trigger is in a line");
    case TRIGGER_SUCCEEDED:
    case TRIGGER_DEAD:
    case TRIGGER_CANCELLED:
        return fails(reterr, 6, trigger->id, "a trigger that has ended is in memory");
    }
    return true;
}

/* Counts of a job, and that its line has a front unless something holds it. */
static bool check_counts(const struct engine *engine, const struct job *job, struct error *reterr)
{
    uint32_t running = 0, living = 0, retrying = 0, lined = 0;

    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        const struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (!check_trigger(engine, trigger, reterr)) {
            return false;
        }
        living++;
        running += trigger->state == TRIGGER_RUNNING;
        retrying += trigger_is_retry(trigger);
        lined += trigger->entry.place == ENTRY_LINE;
    }
    if (running != job->running || living != job->living || retrying != job->retrying) {
        return fails(reterr, 7, job->id, "a job's counts are not what its triggers say");
    }
    if (job->policy->body.overlap != OVERLAP_ALLOW && running > 0 && job->front != NULL) {
        return fails(reterr, 6, job->id, "a job that runs has something in the ready queue");
    }
    bool is_held = running > 0 || (job->policy->body.overlap == OVERLAP_QUEUE && retrying > 0);

    if (job->front == NULL && !is_held && (lined > 0 || job->fire.place == ENTRY_LINE)) {
        return fails(reterr, 6, job->id, "a line without a front, and nothing holds it");
    }
    return true;
}

static bool check_jobs(const struct engine *engine, size_t *ret_running, struct error *reterr)
{
    size_t pos = 0;
    const struct job *job;

    while ((job = idmap_next(&engine->jobs, &pos, NULL)) != NULL) {
        if (!check_fire(engine, job, reterr) || !check_counts(engine, job, reterr)) {
            return false;
        }
        *ret_running += job->running;
    }
    return true;
}

static bool check_keys(const struct engine *engine, struct error *reterr)
{
    int64_t all = 0, keyed = 0;
    struct trigger_walk walk = {0};
    const struct trigger *trigger;

    for (struct map_node *node = map_first(&engine->keys); node != NULL; node = map_next(&engine->keys, node)) {
        const struct key *key = CONTAINER_OF(node, struct key, node);

        if (!key_valid(key)) {
            return fails(reterr, 6, 0, "something waits at a concurrency key that has room");
        }
        all += key->running;
    }
    while ((trigger = trigger_walk_next(engine, &walk)) != NULL) {
        keyed += trigger->lease != NULL && trigger->lease->key != NULL;
    }
    return holds(all == keyed, reterr, 7, 0, "concurrency keys count more or less than runs");
}

static bool check_windows(const struct engine *engine, struct error *reterr)
{
    size_t jobs = 0;

    for (struct list_node *node = list_first(&engine->windows); node != NULL;
         node = list_next(&engine->windows, node)) {
        const struct window *window = CONTAINER_OF(node, struct window, all);

        jobs += window->jobs;
        if (window->next_ms != TIME_NONE && window->tag == 0 && !timer_armed(&window->timer) &&
            !list_linked(&window->starved) && !list_linked(&window->dirty)) {
            return fails(reterr, 2, 0, "jobs behind the edge of a window that nothing will load");
        }
    }
    return holds(jobs == idmap_count(&engine->jobs), reterr, 7, 0, "windows count more or less than there are jobs");
}

bool engine_check(const struct engine *engine, struct error *reterr)
{
    size_t running = 0;

    if (!check_jobs(engine, &running, reterr) || !check_keys(engine, reterr) || !check_windows(engine, reterr)) {
        return false;
    }
    if (running != engine->running) {
        return fails(reterr, 7, 0, "the number of running triggers");
    }
    if (!wheel_valid(&engine->wall) || !wheel_valid(&engine->mono)) {
        return fails(reterr, 6, 0, "a timing wheel is broken");
    }
    return holds(ready_valid(engine->ready, engine->mono_ms), reterr, 6, 0, "the ready queue is broken");
}
