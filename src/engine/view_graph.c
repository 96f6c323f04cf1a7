#include <stdlib.h>

#include "engine/core.h"
#include "engine/job.h"
#include "engine/view.h"

/* Jobs that were found, in the order they were found; places by id, plus one, since 0 is nobody's. */
struct found {
    const struct job *jobs[VIEW_MAX];
    size_t waits_for[VIEW_MAX]; /* upstreams among them that are not in order yet */
    size_t count;
    struct idmap places;
    bool is_truncated;
};

static size_t place_of(const struct found *found, const struct job *job)
{
    const void *place = idmap_find(&found->places, job->id);

    return (size_t)(uintptr_t)place; /* 0: not among them */
}

static void find(struct found *found, const struct job *job)
{
    if (place_of(found, job) != 0) {
        return;
    }
    if (found->count == VIEW_MAX) {
        found->is_truncated = true;
        return;
    }
    found->jobs[found->count++] = job;
    idmap_put(&found->places, job->id, (void *)(uintptr_t)found->count); /* NOLINT: a number, as idmap takes it */
}

/* Everything upstream of the first job, then everything downstream of it: both ends of an edge have nodes. */
static void walk(struct found *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct graph_node *graph = found->jobs[i]->graph;

        for (size_t k = 0; k < graph->up_count; k++) {
            find(found, graph->up[k].job);
        }
    }
    size_t behind_ups = found->count;

    for (size_t i = 0; i < found->count; i = i == 0 ? behind_ups : i + 1) {
        const struct graph_node *graph = found->jobs[i]->graph;

        for (size_t k = 0; k < graph->down_count; k++) {
            find(found, graph->down[k]);
        }
    }
}

static void take_edges(struct found *found, size_t edge_max, struct arena *arena, struct view_graph *graph)
{
    size_t room = 0;

    for (size_t i = 0; i < found->count; i++) {
        room += found->jobs[i]->graph->up_count;
    }
    room = room < edge_max ? room : edge_max;
    graph->edges = arena_alloc_array(arena, room + 1, sizeof *graph->edges);
    for (size_t i = 0; i < found->count; i++) {
        const struct graph_node *node = found->jobs[i]->graph;

        for (size_t k = 0; k < node->up_count; k++) {
            if (place_of(found, node->up[k].job) == 0) {
                continue;
            }
            found->waits_for[i]++;
            if (graph->edge_count < room) {
                graph->edges[graph->edge_count++] = (struct view_edge){
                    .upstream = node->up[k].job->id, .downstream = found->jobs[i]->id, .on = node->up[k].on};
            } else {
                found->is_truncated = true;
            }
        }
    }
}

/* Upstream jobs first: who waits for nobody any more is next. The graph has no cycle. */
static void put_in_order(struct found *found, struct arena *arena, struct view_graph *graph)
{
    graph->jobs = arena_alloc_array(arena, found->count + 1, sizeof *graph->jobs);
    for (size_t i = 0; i < found->count; i++) {
        if (found->waits_for[i] == 0) {
            graph->jobs[graph->job_count++] = found->jobs[i]->id;
        }
    }
    for (size_t i = 0; i < graph->job_count; i++) {
        size_t place = (size_t)(uintptr_t)idmap_find(&found->places, graph->jobs[i]);
        const struct graph_node *node = found->jobs[place - 1]->graph;

        for (size_t k = 0; k < node->down_count; k++) {
            size_t down = place_of(found, node->down[k]);

            if (down != 0 && --found->waits_for[down - 1] == 0) {
                graph->jobs[graph->job_count++] = node->down[k]->id;
            }
        }
    }
}

bool engine_view_graph(const struct engine *engine, uint64_t job_id, size_t edge_max, struct arena *arena,
                       struct view_graph *ret_graph)
{
    const struct job *job = job_by_id(engine, job_id);

    *ret_graph = (struct view_graph){0};
    if (job == NULL || job->graph == NULL) {
        return false;
    }
    struct found *found = arena_zalloc(arena, sizeof *found);

    idmap_init(&found->places, engine->config.seed);
    find(found, job);
    walk(found);
    take_edges(found, edge_max, arena, ret_graph);
    put_in_order(found, arena, ret_graph);
    ret_graph->is_truncated = found->is_truncated;
    idmap_done(&found->places);
    return true;
}
