/* The dependency graph around a job, and how each job of it stands for one fire. */
#include "api/handlers.h"
#include "api/running.h"
#include "api/show.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "engine/view.h"
#include "wire/put.h"

#define EDGES_MAX 10000
/* Of a job's newest triggers so many are looked at for the one of the fire. */
#define TRIGGERS_LOOKED_AT 100

struct node {
    uint64_t job;
    struct rows job_rows;
    const struct job_row *row; /* NULL: it is gone */
    const char *state;
    bool has_ended;
    enum trigger_state ended_as;
    uint64_t trigger;
    int64_t started_ms, finished_ms;
};

struct graph {
    struct job_ref ref;
    uint64_t job;
    int64_t at_ms; /* TIME_NONE: the latest */
    struct view_graph view;
    struct node *nodes;
    struct running running;
};

/* ---- the state of a node ---- */

static void take_trigger(struct node *node, const struct trigger_row *row, const struct claim *claim)
{
    node->trigger = row->id;
    node->state = trigger_state_text(claim != NULL ? TRIGGER_RUNNING : row->state);
    node->has_ended = trigger_ended(row->state);
    node->ended_as = row->state;
    node->started_ms = claim != NULL ? claim->started_ms : row->last.number > 0 ? row->last.started_ms : TIME_NONE;
    node->finished_ms = row->ended_ms;
}

static bool read_trigger(struct api_request *request, struct store_reader *reader, const struct graph *graph,
                         struct node *node)
{
    SCOPE(rows_done) struct rows rows;
    const struct query query = {.kind = QUERY_TRIGGERS,
                                .id = node->job,
                                .limit = TRIGGERS_LOOKED_AT,
                                .after_ms = TIME_NONE,
                                .since_ms = TIME_NONE};
    const struct claim *claim = node->row != NULL ? running_newest_of(&graph->running, node->row) : NULL;

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return false;
    }
    for (size_t i = 0; i < rows.triggers.count && node->trigger == 0; i++) {
        const struct trigger_row *row = &rows.triggers.items[i];

        if (graph->at_ms == TIME_NONE || row->scheduled_ms == graph->at_ms) {
            take_trigger(node, row, running_of(&graph->running, row->id, row, node->row));
        }
    }
    if (claim != NULL && claim->trigger > node->trigger &&
        (graph->at_ms == TIME_NONE || claim->scheduled_ms == graph->at_ms)) {
        const struct trigger_row claimed = wire_claimed_row(node->row, claim);

        take_trigger(node, &claimed, claim);
    }
    return true;
}

static bool read_skip(struct api_request *request, struct store_reader *reader, const struct graph *graph,
                      struct node *node)
{
    SCOPE(rows_done) struct rows rows;
    const struct query query = {.kind = QUERY_SKIPS,
                                .id = node->job,
                                .limit = 1,
                                .after_ms = graph->at_ms == TIME_NONE ? TIME_NONE : graph->at_ms + 1,
                                .since_ms = TIME_NONE};

    rows_init(&rows);
    if (node->trigger != 0 || graph->at_ms == TIME_NONE) {
        return true;
    }
    if (!api_query(request, reader, &query, &rows)) {
        return false;
    }
    if (rows.skips.count > 0 && rows.skips.items[0].to_ms >= graph->at_ms) {
        node->state = "skipped";
        node->has_ended = true;
        node->ended_as = TRIGGER_CANCELLED;
    }
    return true;
}

static bool read_node(struct api_request *request, struct store_reader *reader, const struct graph *graph,
                      struct node *node)
{
    const struct query query = {
        .kind = QUERY_JOB, .id = node->job, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};

    if (!api_query(request, reader, &query, &node->job_rows)) {
        return false;
    }
    node->row = node->job_rows.jobs.count > 0 ? &node->job_rows.jobs.items[0] : NULL;
    if (node->row != NULL) {
        running_settle(&graph->running, &node->job_rows.jobs.items[0]);
    }
    node->state = "none";
    if (node->row != NULL && node->row->cursor_ms != TIME_NONE &&
        node->row->cursor_ms <= shard_now_ms(request->config->shard) &&
        (graph->at_ms == TIME_NONE || graph->at_ms >= node->row->cursor_ms)) {
        node->state = "due";
    }
    return read_trigger(request, reader, graph, node) && read_skip(request, reader, graph, node);
}

/* ---- writing ---- */

static void put_node(struct jw *jw, const struct node *node)
{
    jw_begin_object(jw);
    wire_put_id(jw, "job", ID_JOB, node->job);
    wire_put_name(jw, "name", node->row->name, node->job);
    wire_put_text(jw, "type", node->row->place.type);
    wire_put_word(jw, "status", job_status_text(node->row->status));
    wire_put_word(jw, "state", node->state);
    wire_put_id(jw, "trigger", ID_TRIGGER, node->trigger);
    wire_put_instant(jw, "started_at", node->started_ms);
    wire_put_instant(jw, "finished_at", node->finished_ms);
    jw_end_object(jw);
}

static const char *edge_state(const struct node *upstream, enum job_edge on)
{
    if (!upstream->has_ended) {
        return "open";
    }
    bool is_met = on == EDGE_DONE || (on == EDGE_SUCCESS && upstream->ended_as == TRIGGER_SUCCEEDED) ||
                  (on == EDGE_FAILURE && upstream->ended_as == TRIGGER_DEAD);

    return is_met ? "met" : "impossible";
}

static const struct node *find_node(const struct graph *graph, uint64_t job)
{
    for (size_t i = 0; i < graph->view.job_count; i++) {
        if (graph->nodes[i].job == job) {
            return graph->nodes[i].row != NULL ? &graph->nodes[i] : NULL;
        }
    }
    return NULL;
}

static void put_edges(struct jw *jw, const struct graph *graph)
{
    static const char *const words[] = {"success", "failure", "done"};

    jw_key(jw, "edges");
    jw_begin_array(jw);
    for (size_t i = 0; i < graph->view.edge_count; i++) {
        const struct view_edge *edge = &graph->view.edges[i];
        const struct node *upstream = find_node(graph, edge->upstream);

        if (upstream != NULL && find_node(graph, edge->downstream) != NULL) {
            jw_begin_object(jw);
            wire_put_id(jw, "upstream", ID_JOB, edge->upstream);
            wire_put_id(jw, "downstream", ID_JOB, edge->downstream);
            wire_put_word(jw, "on", words[edge->on]);
            wire_put_word(jw, "state", edge_state(upstream, edge->on));
            jw_end_object(jw);
        }
    }
    jw_end_array(jw);
}

static void answer(struct api_request *request, const struct graph *graph)
{
    struct jw jw;

    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_id(&jw, "job", ID_JOB, graph->job);
    wire_put_instant(&jw, "at", graph->at_ms);
    jw_key(&jw, "nodes");
    jw_begin_array(&jw);
    for (size_t i = 0; i < graph->view.job_count; i++) {
        if (graph->nodes[i].row != NULL) {
            put_node(&jw, &graph->nodes[i]);
        }
    }
    jw_end_array(&jw);
    put_edges(&jw, graph);
    wire_put_bool(&jw, "truncated", graph->view.is_truncated);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

/* ---- reading ---- */

/* The latest fire of the graph's first root, where none was asked for. */
static bool find_at(struct api_request *request, struct store_reader *reader, struct graph *graph)
{
    struct node root = {.job = graph->view.jobs[0], .started_ms = TIME_NONE, .finished_ms = TIME_NONE};
    SCOPE(rows_done) struct rows rows;
    const struct query query = {
        .kind = QUERY_TRIGGERS, .id = root.job, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    const struct claim *claim = idmap_find(&graph->running.by_job, root.job);

    rows_init(&rows);
    if (graph->at_ms != TIME_NONE) {
        return true;
    }
    if (!api_query(request, reader, &query, &rows)) {
        return false;
    }
    if (rows.triggers.count > 0) {
        graph->at_ms = rows.triggers.items[0].scheduled_ms;
    }
    if (claim != NULL && (rows.triggers.count == 0 || claim->trigger > rows.triggers.items[0].id)) {
        graph->at_ms = claim->scheduled_ms;
    }
    return true;
}

static void graph_read(struct api_request *request, struct store_reader *reader)
{
    struct graph graph = *(struct graph *)request->state;
    bool is_read = true;

    running_init(&graph.running);
    graph.nodes = arena_zalloc(request->arena, graph.view.job_count * sizeof *graph.nodes);
    for (size_t i = 0; i < graph.view.job_count; i++) {
        graph.nodes[i] = (struct node){.job = graph.view.jobs[i], .started_ms = TIME_NONE, .finished_ms = TIME_NONE};
        rows_init(&graph.nodes[i].job_rows);
    }
    is_read = running_read(request, reader, &graph.running) && find_at(request, reader, &graph);
    for (size_t i = 0; is_read && i < graph.view.job_count; i++) {
        is_read = read_node(request, reader, &graph, &graph.nodes[i]);
    }
    /* The request's memory may go with its answer: the rows are ended from here. */
    struct rows *rows = mem_alloc_array(graph.view.job_count, sizeof *rows);
    size_t count = graph.view.job_count;

    for (size_t i = 0; i < count; i++) {
        rows[i] = graph.nodes[i].job_rows;
    }
    if (is_read) {
        answer(request, &graph);
    }
    for (size_t i = 0; i < count; i++) {
        rows_done(&rows[i]);
    }
    mem_free(rows);
    running_done(&graph.running);
}

static void graph_look(struct api_request *request, const struct engine *engine)
{
    struct graph *graph = request->state;

    if (!engine_view_graph(engine, graph->job, EDGES_MAX, request->arena, &graph->view)) {
        graph->view.jobs = arena_alloc_array(request->arena, 1, sizeof *graph->view.jobs);
        graph->view.jobs[0] = graph->job;
        graph->view.job_count = 1;
    }
    api_read(request, graph_read);
}

static void find_job(struct api_request *request, struct store_reader *reader)
{
    struct graph *graph = request->state;
    struct shown_job shown;

    if (show_job_read(request, reader, &graph->ref, false, &shown)) {
        graph->job = shown.job.row->id;
        shown_job_done(&shown);
        api_look(request, graph_look);
    }
}

void api_job_graph(struct api *api, struct api_request *request)
{
    struct graph *graph = arena_zalloc(request->arena, sizeof *graph);
    struct error error;
    struct str at;

    (void)api;
    graph->at_ms = TIME_NONE;
    if (!api_params_only(request, "tenant", "at", NULL) || !api_job_ref(request, 0, &graph->ref)) {
        return;
    }
    if (api_param(request, "at", &at) && instant_parse(at, &graph->at_ms, &error) != ERR_OK) {
        err_in_field(&error, error.code, "at");
        api_problem(request, &error);
        return;
    }
    request->state = graph;
    api_read(request, find_job);
}
