/* The part of a node that hears from its store: from the acquisition to an engine, and what becomes of commits. */
#include <assert.h>

#include "engine/bug.h"
#include "sim_node.h"

#define COMMIT_TRIES_MAX 3

/* Whether the batch whose commit ended in "unknown" is there: asked under a newer epoch, so that it cannot come later.
 */
static void look_up(struct sim_node *node, const struct rows *rows)
{
    uint64_t number = node->lost_batch;

    if (number == 0) {
        return;
    }
    MARK(node->world, COMMIT_RESOLVED);
    if (node->store->epoch != node->lost_epoch + 1) { /* somebody else was owner meanwhile: that number may be its */
        desk_answer_box(node, ANSWER_UNKNOWN);
    } else if (rows->shard.last_batch >= number) {
        pump_release(node, node->box);
        desk_answer_box(node, ANSWER_UNKNOWN);
    } else {
        desk_answer_box(node, ANSWER_NOT_APPLIED);
    }
}

static void serve(struct sim_node *node, const struct rows *rows)
{
    struct world *world = node->world;
    const struct swarm *swarm = &world->swarm;
    struct error error = {0};
    struct engine_config config = {
        .seed = swarm->seed,
        .zones = world->zones,
        .window_ms = swarm->window_ms,
        .page_rows = swarm->page_rows,
        .jobs_max = swarm->engine_jobs_max,
        .def_bytes_max = swarm->def_bytes_max,
    };

    if (engine_new(&config, rows, sim_node_now(node), &node->engine, &error) != ERR_OK) {
        node->engine = NULL;
        world_find(world, "restore", "node %u: %s", node->index, error.text);
        return;
    }
    if (!engine_check(node->engine, &error)) {
        world_find(world, "engine_check", "node %u right after a restore: %s", node->index, error.text);
        return;
    }
    TRACE(world, "node %u: serves from batch %llu on, epoch %llu", node->index,
          (unsigned long long)rows->shard.last_batch, (unsigned long long)node->store->epoch);
    node->state = NODE_SERVING;
    node->durable = rows->shard.last_batch;
    look_up(node, rows);
    pump_step(node, (struct event){.kind = EVENT_TICK});
    desk_hand_waiting(node);
}

/* ---- outcomes ---- */

static void told_commit(struct sim_node *node, enum store_outcome outcome)
{
    struct world *world = node->world;

    if (outcome == STORE_UNKNOWN && BUG(UNKNOWN_AS_DONE)) {
        outcome = STORE_DONE;
    }
    if (outcome == STORE_UNKNOWN && BUG(UNKNOWN_AS_LOST)) {
        outcome = STORE_AGAIN;
    }
    if (outcome == STORE_AGAIN && node->tries++ < COMMIT_TRIES_MAX) {
        MARK(world, COMMIT_AGAIN);
        sim_store_commit(node->store, node->box);
        return;
    }
    if (outcome == STORE_DONE) {
        pump_committed(node);
        return;
    }
    if (outcome == STORE_DOWN) {
        MARK(world, COMMIT_DOWN);
    }
    if (outcome == STORE_UNKNOWN && world->swarm.is_resolving) {
        node->lost_batch = node->box->outbox->batch.number;
        node->lost_epoch = node->store->epoch;
    }
    sim_node_lose(node, store_outcome_text(outcome));
}

static void told_load(struct sim_node *node, struct sim_store *store, enum store_outcome outcome)
{
    if (outcome == STORE_AGAIN) {
        sim_store_load(store, store->load);
        return;
    }
    if (outcome != STORE_DONE) {
        MARK(node->world, LOAD_FAILED);
        sim_node_lose(node, store_outcome_text(outcome));
    } else if (node->state == NODE_TAKING) {
        serve(node, &store->rows);
    } else {
        pump_loaded(node, &store->rows);
    }
}

void sim_node_told(struct sim_node *node, struct sim_store *store, enum sim_call call, enum store_outcome outcome)
{
    static const struct load start = {.kind = LOAD_START, .after_ms = TIME_NONE};

    assert(store == node->store);
    if (call == CALL_COMMIT) {
        told_commit(node, outcome);
    } else if (call == CALL_LOAD) {
        told_load(node, store, outcome);
    } else if (outcome == STORE_DONE) {
        sim_store_load(store, &start);
    } else {
        sim_node_lose(node, store_outcome_text(outcome));
    }
}
