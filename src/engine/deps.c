#include "engine/deps.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/deps_graph.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/line.h"
#include "engine/trigger.h"

/* Dependents of skipped fires are decided one by one for this many, the newest. */
#define SKIPPED_FIRES_MAX 1000
/* And fewer where that would be more than this, with all that depends on dependents: it is one batch. */
#define SKIPPED_BYTES_MAX (64UL * 1024 * 1024)

/* ---- joins ---- */

static struct join *join_find(struct job *job, int64_t scheduled_ms, uint64_t root)
{
    struct list *joins = &job->graph->joins;

    for (struct list_node *node = list_last(joins); node != NULL;
         node = node->prev == &joins->head ? NULL : node->prev) {
        struct join *join = CONTAINER_OF(node, struct join, link);

        if (join->root == root && (root != 0 || job->graph->is_once || join->scheduled_ms == scheduled_ms)) {
            return join;
        }
    }
    return NULL;
}

static struct join *join_new(struct job *job, int64_t scheduled_ms, uint64_t root)
{
    struct join *join = mem_zalloc(sizeof *join);

    join->job = job;
    join->scheduled_ms = scheduled_ms;
    join->root = root;
    join->ended = mem_alloc_array(job->graph->up_count + 1, sizeof *join->ended);
    list_node_init(&join->link);
    list_push_back(&job->graph->joins, &join->link);
    return join;
}

static void join_free(struct join *join)
{
    list_remove(&join->link);
    if (join->trigger != NULL) {
        join->trigger->join = NULL;
    }
    mem_free(join->ended);
    mem_free(join);
}

static bool join_has(const struct join *join, uint64_t upstream)
{
    for (size_t i = 0; i < join->ended_count; i++) {
        if (join->ended[i] == upstream) {
            return true;
        }
    }
    return false;
}

/* The trigger that waits. */
static void join_begin(struct engine *engine, struct join *join, const struct ended *ended, uint64_t root_job)
{
    struct job *job = join->job;
    struct trigger *trigger = trigger_new(engine, job, gather_id(engine), TRIGGER_DEPENDENCY, join->scheduled_ms,
                                          job->graph->is_once ? engine->now_ms : ended->scheduled_ms);

    trigger->state = TRIGGER_WAITING;
    trigger->root = join->root;
    trigger->replay_of = join->root != 0 ? root_job : 0;
    trigger->join = join;
    join->trigger = trigger;
    join->trigger_id = trigger->id;
    if (join->root == 0) {
        job->fired++;
        gather_job(engine, job);
    }
    gather_trigger(engine, trigger, NULL, STR("dependencies"));
}

static bool is_met(enum job_edge on, enum trigger_state state)
{
    switch (on) {
    case EDGE_SUCCESS:
        return state == TRIGGER_SUCCEEDED;
    case EDGE_FAILURE:
        return state == TRIGGER_DEAD;
    case EDGE_DONE:
        return true;
    }
    return false;
}

/* Which of its upstreams a join asks: all, or those that its root reaches. */
static bool is_asked(struct engine *engine, const struct join *join, const struct upstream *up, uint64_t root_job)
{
    if (join->root == 0) {
        return true;
    }
    struct job *root = job_by_id(engine, root_job);

    return root != NULL && graph_reaches(engine, root, up->job); /* without dependents it may be out of memory */
}

static bool all_ended(struct engine *engine, const struct join *join, uint64_t root_job)
{
    const struct graph_node *graph = join->job->graph;

    for (size_t i = 0; i < graph->up_count; i++) {
        if (!join_has(join, graph->up[i].job->id) && is_asked(engine, join, &graph->up[i], root_job)) {
            return false;
        }
    }
    return true;
}

static void set_free(struct engine *engine, struct join *join)
{
    struct trigger *trigger = join->trigger;

    trigger->join = NULL;
    join->trigger = NULL;
    trigger->entry.due_ms = engine->now_ms;
    trigger_become(trigger, TRIGGER_PENDING);
    gather_trigger(engine, trigger, NULL, STR(""));
    job_rewake(engine, join->job);
    entry_set_trigger(engine, trigger);
}

/* One upstream of the join has ended so. The join may be gone afterwards. */
static void join_ended(struct engine *engine, struct join *join, const struct upstream *up, enum trigger_state state,
                       uint64_t root_job)
{
    struct job *job = join->job;

    if (join_has(join, up->job->id)) {
        return;
    }
    join->ended[join->ended_count++] = up->job->id;
    gather_touch(engine, job);

    struct trigger *doomed = NULL;
    bool is_complete = all_ended(engine, join, root_job);

    if (join->trigger != NULL && !is_met(up->on, state)) {
        doomed = join->trigger;
        doomed->join = NULL;
        join->trigger = NULL;
    } else if (join->trigger != NULL && is_complete && !BUG(WAIT_FORGOTTEN)) {
        set_free(engine, join);
    }
    if (is_complete) {
        if (join->is_stored) {
            gather_join_delete(engine, join);
        }
        join_free(join);
    } else {
        gather_join(engine, join);
        join->is_stored = true;
    }
    if (doomed != NULL && !BUG(CHILDREN_NOT_CANCELLED)) {
        trigger_end(engine, doomed, TRIGGER_CANCELLED, NULL, STR("upstream")); /* rule 3 */
    }
}

/* ---- ends ---- */

/* Rule 4: upstreams that will never have this fire. A dependent that is over still passes on what its own upstreams
 * say, unless none of them will say anything. */
// NOLINTNEXTLINE(misc-no-recursion): as deep as the graph
static bool is_never(const struct job *upstream)
{
    bool is_over = upstream->status == JOB_CANCELLED || upstream->status == JOB_COMPLETED;

    if (upstream->rhythm != RHYTHM_UPSTREAM) {
        return is_over;
    }
    for (size_t i = 0; is_over && i < upstream->graph->up_count; i++) {
        is_over = is_never(upstream->graph->up[i].job);
    }
    return is_over;
}

/* Upstreams that are over say nothing of a fire that came after their end. The job is a recurring one: it keeps its
 * upstreams. */
static void close_never(struct engine *engine, struct job *job, int64_t scheduled_ms)
{
    for (size_t i = 0; i < job->graph->up_count; i++) {
        struct upstream up = job->graph->up[i];
        struct join *join = join_find(job, scheduled_ms, 0);

        if (join == NULL) {
            return;
        }
        if (is_never(up.job)) {
            join_ended(engine, join, &up, TRIGGER_CANCELLED, 0);
        }
    }
}

/* An upstream of the job has ended so, for the fire that root and ended name. The job's node may be gone afterwards. */
// NOLINTNEXTLINE(misc-no-recursion): as deep as the graph
static void tell(struct engine *engine, struct job *job, const struct job *upstream, const struct ended *ended,
                 uint64_t root, uint64_t root_job)
{
    struct upstream up = *graph_edge(job, upstream);
    struct join *join = join_find(job, ended->scheduled_ms, root);
    bool is_once = job->graph->is_once;
    bool is_new = join == NULL;
    bool is_over = job->status == JOB_CANCELLED;

    /* A dependent of one-time jobs that is over has let go of them, and another never completes. */
    assert(job->status != JOB_COMPLETED && !job->is_ending && !(is_once && is_over));
    if (is_new) {
        if (is_once && job->fired > 0) {
            return; /* it had its one trigger */
        }
        join = join_new(job, is_once ? engine->now_ms : ended->scheduled_ms, root);
        if (!is_over) {
            join_begin(engine, join, ended, root_job);
        }
    }
    int64_t scheduled_ms = join->scheduled_ms;

    join_ended(engine, join, &up, ended->state, root_job);
    if (is_new && is_over) { /* it would have had this fire: those who wait for it must not */
        struct ended own = {.kind = TRIGGER_DEPENDENCY,
                            .state = TRIGGER_CANCELLED,
                            .scheduled_ms = scheduled_ms,
                            .root = root,
                            .root_job = root_job};

        deps_ended(engine, job, &own);
    }
    /* What follows a manual, backfill or replay trigger is told of it by all that the root reaches, over or not. */
    if (is_new && !is_once && root == 0) {
        close_never(engine, job, scheduled_ms);
    }
}

/* Rule 4: whether the dependent was there when this fire began. */
static bool is_from_before(const struct job *job, const struct ended *ended, uint64_t root)
{
    if (job->graph->is_once) {
        return false;
    }
    return root != 0 ? root <= job->graph->since_id : ended->scheduled_ms <= job->graph->since_ms;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the graph
void deps_ended(struct engine *engine, struct job *job, const struct ended *ended)
{
    struct graph_node *graph = job->graph;

    if (graph == NULL || graph->down_count == 0) {
        return;
    }
    bool is_own_root =
        ended->kind == TRIGGER_MANUAL || ended->kind == TRIGGER_BACKFILL || ended->kind == TRIGGER_REPLAY;
    uint64_t root = is_own_root ? ended->id : ended->root;
    uint64_t root_job = is_own_root ? job->id : ended->root_job;
    /* Those who are told may end, and leave the list. */
    size_t count = graph->down_count;
    struct job **down = arena_alloc_array(&engine->scratch, count, sizeof(struct job *));

    memcpy(down, graph->down, count * sizeof(struct job *));
    for (size_t i = 0; i < count; i++) {
        if (graph_edge(down[i], job) == NULL || (down[i]->graph->is_once && root != 0) ||
            is_from_before(down[i], ended, root)) {
            continue;
        }
        tell(engine, down[i], job, ended, root, root_job);
    }
}

void deps_skipped(struct engine *engine, struct job *job, int64_t from_ms, int64_t to_ms)
{
    int64_t fire_ms = to_ms;

    if (job->graph == NULL || BUG(SKIP_NOT_TOLD)) {
        return;
    }
    size_t before = gather_bytes(engine);

    for (int i = 0; i < SKIPPED_FIRES_MAX && gather_bytes(engine) - before <= SKIPPED_BYTES_MAX; i++) {
        struct ended ended = {.kind = TRIGGER_SCHEDULE, .state = TRIGGER_CANCELLED, .scheduled_ms = fire_ms, .root = 0};

        deps_ended(engine, job, &ended);
        if (job->rhythm != RHYTHM_REPEAT || !schedule_prev(job->schedule, fire_ms, &fire_ms) || fire_ms < from_ms) {
            return;
        }
    }
}

/* A dependent of one-time jobs that is over asks for nothing any more. */
static void release_once(struct engine *engine, struct job *job)
{
    if (job->graph != NULL && job->graph->is_once) {
        deps_detach(engine, job, true);
    }
}

/* The job has ended without a fire: a dependent of one-time jobs hears of it now. */
static void over_once(struct engine *engine, struct job *job, struct job *down)
{
    struct ended ended = {.kind = TRIGGER_SCHEDULE, .state = TRIGGER_CANCELLED, .scheduled_ms = engine->now_ms};

    if (job->fired == 0) {
        tell(engine, down, job, &ended, 0, 0);
    }
}

/* Fires that the job will never have are not waited for. */
static void over_recurring(struct engine *engine, struct job *job, struct job *down)
{
    bool is_found = true;

    while (is_found) { /* each round takes one off; ends may change the list */
        is_found = false;
        for (struct list_node *node = list_first(&down->graph->joins); node != NULL;
             node = list_next(&down->graph->joins, node)) {
            struct join *join = CONTAINER_OF(node, struct join, link);
            struct upstream up = *graph_edge(down, job);

            if (join->root == 0 && !join_has(join, job->id)) {
                join_ended(engine, join, &up, TRIGGER_CANCELLED, 0);
                is_found = true;
                break;
            }
        }
    }
}

void deps_job_over(struct engine *engine, struct job *job)
{
    size_t count = job->graph != NULL ? job->graph->down_count : 0;
    struct job **down = arena_alloc_array(&engine->scratch, count + 1, sizeof(struct job *));

    if (count > 0) {
        memcpy(down, job->graph->down, count * sizeof(struct job *));
    }
    for (size_t i = 0; i < count; i++) {
        if (graph_edge(down[i], job) == NULL) {
            continue;
        }
        if (down[i]->graph->is_once) {
            over_once(engine, job, down[i]);
        } else if (is_never(job)) {
            over_recurring(engine, job, down[i]);
        }
    }
    release_once(engine, job);
}

void deps_ended_before(struct engine *engine, struct job *job, struct job *upstream, enum trigger_state state)
{
    struct ended ended = {.kind = TRIGGER_SCHEDULE, .state = state, .scheduled_ms = engine->now_ms};

    if (graph_edge(job, upstream) != NULL) {
        tell(engine, job, upstream, &ended, 0, 0);
    }
}

void deps_left(struct engine *engine, struct trigger *trigger)
{
    struct join *join = trigger->join;

    trigger->join = NULL;
    join->trigger = NULL;
    gather_join(engine, join);
    join->is_stored = true;
}

void deps_restore(struct engine *engine, const struct wait_row *row)
{
    struct job *job = job_by_id(engine, row->job);

    if (job == NULL || job->graph == NULL) {
        return;
    }
    struct join *join = join_new(job, row->scheduled_ms, row->root);

    join->is_stored = true;
    join->trigger_id = row->trigger;
    for (size_t i = 0; i < row->ended_count && i < job->graph->up_count; i++) {
        join->ended[join->ended_count++] = row->ended[i];
    }
    struct trigger *trigger = row->is_over ? NULL : trigger_by_id(engine, row->trigger);

    if (trigger != NULL) {
        assert(trigger->state == TRIGGER_WAITING); /* what went on is over for its row */
        join->trigger = trigger;
        trigger->join = join;
    }
}

const struct job *deps_open_upstream(const struct trigger *trigger, int64_t *ret_ended, int64_t *ret_all)
{
    const struct join *join = trigger->join;
    const struct job *open = NULL;

    *ret_ended = *ret_all = 0;
    for (size_t i = 0; join != NULL && i < join->job->graph->up_count; i++) {
        const struct job *upstream = join->job->graph->up[i].job;

        if (join_has(join, upstream->id)) {
            (*ret_ended)++;
        } else if (open == NULL) {
            open = upstream;
        }
        (*ret_all)++;
    }
    return open;
}

/* ---- edges ---- */

void deps_detach(struct engine *engine, struct job *job, bool is_gathered)
{
    struct graph_node *graph = job->graph;

    if (graph == NULL) {
        return;
    }
    for (struct list_node *node = list_first(&graph->joins); node != NULL; node = list_first(&graph->joins)) {
        struct join *join = CONTAINER_OF(node, struct join, link);
        struct trigger *trigger = join->trigger;

        assert(is_gathered && join->is_stored); /* a job that is not made after all has none yet */
        gather_join_delete(engine, join);
        join_free(join);
        if (trigger != NULL) {
            trigger_end(engine, trigger, TRIGGER_CANCELLED, NULL, STR("edited"));
        }
    }
    graph_drop_ups(engine, job, is_gathered);
}

bool deps_has_dependents(const struct job *job)
{
    return job->graph != NULL && job->graph->down_count > 0;
}

void deps_free_all(struct engine *engine)
{
    size_t pos = 0;
    struct job *job;

    while ((job = idmap_next(&engine->jobs, &pos, NULL)) != NULL) {
        if (job->graph != NULL) {
            struct list *joins = &job->graph->joins;

            for (struct list_node *node = list_first(joins); node != NULL; node = list_first(joins)) {
                join_free(CONTAINER_OF(node, struct join, link));
            }
            graph_free(job);
        }
    }
}
