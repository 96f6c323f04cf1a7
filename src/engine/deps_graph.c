#include "engine/deps_graph.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/deps.h"
#include "engine/gather.h"

struct graph_node *graph_get(struct job *job)
{
    if (job->graph == NULL) {
        job->graph = mem_zalloc(sizeof *job->graph);
        list_init(&job->graph->joins);
        job->graph->is_once = job->rhythm == RHYTHM_UPSTREAM; /* it let go of its upstreams, or will say */
    }
    return job->graph;
}

bool graph_is_once(const struct job *job)
{
    /* A dependent that has no node any more has let go of its upstreams: only one that follows one-time jobs does. */
    return job->rhythm == RHYTHM_ONCE ||
           (job->rhythm == RHYTHM_UPSTREAM && (job->graph == NULL || job->graph->is_once));
}

void graph_free(struct job *job)
{
    struct graph_node *graph = job->graph;

    assert(list_empty(&graph->joins));
    mem_free(graph->up);
    mem_free(graph->down);
    mem_free(graph);
    job->graph = NULL;
}

static void free_if_bare(struct job *job)
{
    if (job->graph->up_count == 0 && job->graph->down_count == 0) {
        graph_free(job);
    }
}

/* ---- walks ---- */

struct graph_walk {
    uint32_t mark;
    struct job **todo;
    size_t count, cap;
};

static struct graph_walk graph_walk_begin(struct engine *engine)
{
    return (struct graph_walk){.mark = ++engine->walk};
}

static void graph_walk_done(struct graph_walk *walk)
{
    mem_free(walk->todo);
}

/* Once each; jobs without a node have no edges to follow, and may come again. */
static void graph_walk_add(struct graph_walk *walk, struct job *job)
{
    if (job->graph != NULL && job->graph->mark == walk->mark) {
        return;
    }
    if (job->graph != NULL) {
        job->graph->mark = walk->mark;
    }
    if (walk->count == walk->cap) {
        walk->cap = walk->cap == 0 ? 16 : walk->cap * 2;
        walk->todo = mem_realloc_array(walk->todo, walk->cap, sizeof(struct job *));
    }
    walk->todo[walk->count++] = job;
}

static struct job *graph_walk_next(struct graph_walk *walk)
{
    return walk->count > 0 ? walk->todo[--walk->count] : NULL;
}

/* ---- edges ---- */

struct upstream *graph_edge(struct job *job, const struct job *upstream)
{
    struct graph_node *graph = job->graph;

    for (size_t i = 0; graph != NULL && i < graph->up_count; i++) {
        if (graph->up[i].job == upstream) {
            return &graph->up[i];
        }
    }
    return NULL;
}

static void add_down(struct job *job, struct job *down)
{
    struct graph_node *graph = graph_get(job);

    if (graph->down_count == graph->down_cap) {
        graph->down_cap = graph->down_cap == 0 ? 4 : graph->down_cap * 2;
        graph->down = mem_realloc_array(graph->down, graph->down_cap, sizeof(struct job *));
    }
    graph->down[graph->down_count++] = down;
}

static void remove_down(struct job *job, const struct job *down)
{
    struct graph_node *graph = job->graph;

    for (size_t i = 0; i < graph->down_count; i++) {
        if (graph->down[i] == down) {
            graph->down[i] = graph->down[--graph->down_count];
            return;
        }
    }
}

/* The job's own newest fire that is decided or under way; now at least. */
static int64_t decided_to(const struct engine *engine, const struct job *job)
{
    int64_t decided_ms = engine->now_ms, prev_ms;

    if (job->rhythm == RHYTHM_REPEAT && job->cursor_ms != TIME_NONE &&
        schedule_prev(job->schedule, job->cursor_ms, &prev_ms)) {
        decided_ms = max_ms(decided_ms, prev_ms);
    }
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        const struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (trigger->kind == TRIGGER_SCHEDULE || (trigger->kind == TRIGGER_DEPENDENCY && trigger->root == 0)) {
            decided_ms = max_ms(decided_ms, trigger->scheduled_ms);
        }
    }
    return decided_ms;
}

int64_t deps_decided_to(struct engine *engine, const struct deps_edge *edges, size_t count)
{
    SCOPE(graph_walk_done) struct graph_walk walk = graph_walk_begin(engine);
    int64_t decided_ms = engine->now_ms;

    for (size_t i = 0; i < count; i++) {
        graph_walk_add(&walk, edges[i].upstream);
    }
    for (struct job *job = graph_walk_next(&walk); job != NULL; job = graph_walk_next(&walk)) {
        decided_ms = max_ms(decided_ms, decided_to(engine, job));
        for (size_t i = 0; job->graph != NULL && i < job->graph->up_count; i++) {
            graph_walk_add(&walk, job->graph->up[i].job);
        }
    }
    return decided_ms;
}

int64_t deps_since_ms(const struct job *job)
{
    return job->graph->since_ms;
}

void deps_attach(struct job *job, const struct deps_edge *edges, size_t count, struct deps_since since)
{
    struct graph_node *graph = graph_get(job);

    graph->since_ms = since.ms;
    graph->since_id = since.id;
    graph->up = mem_realloc_array(graph->up, graph->up_count + count, sizeof *graph->up);
    for (size_t i = 0; i < count; i++) {
        struct job *up = edges[i].upstream;

        graph->up[graph->up_count++] = (struct upstream){.job = up, .on = edges[i].on};
        graph->is_once = graph_is_once(up);
        add_down(up, job);
    }
}

void deps_gather(struct engine *engine, struct job *job)
{
    const struct graph_node *graph = job->graph;

    gather_touch(engine, job);
    for (size_t i = 0; graph != NULL && i < graph->up_count; i++) {
        gather_op(engine, OP_EDGE_INSERT)->edge = (struct edge_row){.upstream = graph->up[i].job->id,
                                                                    .downstream = job->id,
                                                                    .on = graph->up[i].on,
                                                                    .since_ms = graph->since_ms,
                                                                    .since_id = graph->since_id};
    }
}

void graph_drop_ups(struct engine *engine, struct job *job, bool is_gathered)
{
    struct graph_node *graph = job->graph;

    for (size_t i = 0; i < graph->up_count; i++) {
        struct job *up = graph->up[i].job;

        if (is_gathered) {
            gather_touch(engine, job);
            gather_touch(engine, up); /* it may be free to leave then */
            gather_op(engine, OP_EDGE_DELETE)->edge = (struct edge_row){.upstream = up->id, .downstream = job->id};
        }
        remove_down(up, job);
        free_if_bare(up);
    }
    graph->up_count = 0;
    free_if_bare(job);
}

bool graph_reaches(struct engine *engine, struct job *from, const struct job *to)
{
    SCOPE(graph_walk_done) struct graph_walk walk = graph_walk_begin(engine);

    graph_walk_add(&walk, from);
    for (struct job *job = graph_walk_next(&walk); job != NULL; job = graph_walk_next(&walk)) {
        if (job == to) {
            return true;
        }
        for (size_t i = 0; job->graph != NULL && i < job->graph->down_count; i++) {
            graph_walk_add(&walk, job->graph->down[i]);
        }
    }
    return false;
}

void deps_settle_rhythms(struct engine *engine)
{
    size_t pos = 0;
    struct job *job;

    while ((job = idmap_next(&engine->jobs, &pos, NULL)) != NULL) {
        const struct job *root = job;

        while (root->rhythm == RHYTHM_UPSTREAM && root->graph != NULL && root->graph->up_count > 0) {
            root = root->graph->up[0].job; /* ends: there is no cycle */
        }
        if (job->rhythm == RHYTHM_UPSTREAM && job->graph != NULL) {
            /* A dependent without upstreams has let go of them: only one that follows one-time jobs does. */
            job->graph->is_once = root->rhythm == RHYTHM_ONCE || root->rhythm == RHYTHM_UPSTREAM;
        }
    }
}
