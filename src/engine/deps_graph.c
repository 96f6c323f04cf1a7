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

void deps_attach(struct engine *engine, struct job *job, const struct deps_edge *edges, size_t count, bool is_gathered)
{
    struct graph_node *graph = graph_get(job);

    graph->up = mem_realloc_array(graph->up, graph->up_count + count, sizeof *graph->up);
    for (size_t i = 0; i < count; i++) {
        struct job *up = edges[i].upstream;

        graph->up[graph->up_count++] = (struct upstream){.job = up, .on = edges[i].on};
        graph->is_once = graph_is_once(up);
        add_down(up, job);
        if (is_gathered) {
            gather_touch(engine, job);
            gather_op(engine, OP_EDGE_INSERT)->edge =
                (struct edge_row){.upstream = up->id, .downstream = job->id, .on = edges[i].on};
        }
    }
}

void graph_drop_ups(struct engine *engine, struct job *job, bool is_gathered)
{
    struct graph_node *graph = job->graph;

    if (graph == NULL) {
        return;
    }
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
    size_t cap = 64, count = 0;
    struct job **todo = mem_alloc_array(cap, sizeof(struct job *));
    bool is_found = from == to;

    engine->walk++;
    todo[count++] = from;
    while (count > 0 && !is_found) {
        struct job *job = todo[--count];

        for (size_t i = 0; job->graph != NULL && i < job->graph->down_count && !is_found; i++) {
            struct job *down = job->graph->down[i];

            is_found = down == to;
            if (down->graph->mark == engine->walk) {
                continue;
            }
            down->graph->mark = engine->walk;
            if (count == cap) {
                cap *= 2;
                todo = mem_realloc_array(todo, cap, sizeof(struct job *));
            }
            todo[count++] = down;
        }
    }
    mem_free(todo);
    return is_found;
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
