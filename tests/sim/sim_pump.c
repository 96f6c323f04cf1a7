/* The part of a node that turns requests into steps, steps into batches, and batches into answers. */
#include <assert.h>

#include "base/mem.h"
#include "engine/bug.h"
#include "order.h"
#include "show.h"
#include "sim_node.h"

/* One in so many wake-ups is late, while the fault is on; one in so many steps is followed by one that nobody asked
 * for. */
#define LATE_TICK_ONE_IN 5
/* One in so many commits ends in a crash: before it is applied, before its outcome is known, or just after. */
#define CRASH_ONE_IN 150
/* More operations than this is a big batch. */
#define BIG_BATCH_OPS 100

static void tick(struct sim_timer *timer);

void pump_init(struct sim_node *node)
{
    node->tick_timer.fire = tick;
    effects_init(&node->effects);
}

/* ---- steps ---- */

static void check_engine(struct sim_node *node)
{
    struct world *world = node->world;
    struct error error = {0};

    if (node->steps % world->swarm.check_every == 0 && !engine_check(node->engine, &error)) {
        world_find(world, "engine_check", "node %u after %llu steps: %s", node->index, (unsigned long long)node->steps,
                   error.text);
    }
}

static void arm_tick(struct sim_node *node)
{
    struct world *world = node->world;
    int64_t at_ms = sim_clock_true_ms(&node->clock, node->effects.wake_mono_ms);

    if (at_ms == INT64_MAX) {
        world_disarm(world, &node->tick_timer);
        return;
    }
    at_ms = at_ms > world->now_ms ? at_ms : world->now_ms;
    if (world_faulty(world, FAULT_TICK_LATE) && rng_chance(&node->rng, 1, LATE_TICK_ONE_IN)) {
        at_ms += rng_between(&node->rng, 0, world->swarm.beat_ms);
    }
    world_arm(world, &node->tick_timer, at_ms);
}

void pump_step(struct sim_node *node, struct event event)
{
    struct world *world = node->world;

    event.at = sim_node_now(node);
    show_event(world, node->index, &event);
    effects_reset(&node->effects);
    engine_step(node->engine, &event, &node->effects);
    world->engine_events++;
    node->steps++;
    for (size_t i = 0; i < node->effects.load_count; i++) {
        show_load(world, node->index, &node->effects.loads[i]);
        load_queue_push(&node->loads, &node->effects.loads[i]);
    }
    digest_signed(&world->digest, node->effects.wake_mono_ms);
    arm_tick(node);
    check_engine(node);
    if (!world_over(world)) {
        pump(node);
    }
}

static void tick(struct sim_timer *timer)
{
    struct sim_node *node = CONTAINER_OF(timer, struct sim_node, tick_timer);

    if (sim_node_paused(node)) {
        world_arm(node->world, timer, sim_node_resumes_ms(node));
        return;
    }
    pump_step(node, (struct event){.kind = EVENT_TICK});
}

/* ---- requests and replies ---- */

void pump_request(struct sim_node *node, struct sim_request *request)
{
    struct world *world = node->world;

    list_remove(&request->link);
    world_disarm(world, &request->timer);
    (void)map_insert_number(&node->requests, &request->by_token, sim_request_token(request));
    if (request->message->is_exchange) {
        if (world->acquirer == node) {
            checker_exchange(world->checker, world->now_ms, &request->exchange);
            world_ask_checker(world);
        }
        pump_step(node, (struct event){.kind = EVENT_EXCHANGE, .exchange = &request->exchange});
    } else {
        pump_step(node, (struct event){.kind = EVENT_COMMAND, .command = &request->command});
    }
}

void pump_release(struct sim_node *node, struct sim_outbox *box)
{
    struct world *world = node->world;

    box->durable = node->durable;
    for (const struct reply *reply = box->outbox->first; reply != NULL; reply = reply->next) {
        struct map_node *found = map_find_number(&node->requests, reply->token);
        struct sim_request *request;

        show_reply(world, node->index, reply);
        order_check(world, box->outbox, reply);
        if (found == NULL) {
            /* The engine answered twice, or somebody whom nobody asked. Gone requests stay in the map until answered.
             */
            world_find(world, "one_answer", "node %u answers %llu, which waits for nothing", node->index,
                       (unsigned long long)reply->token);
            return;
        }
        request = CONTAINER_OF(found, struct sim_request, by_token);
        map_remove(&node->requests, found);
        sim_request_answer(request, ANSWER_REPLY, box, reply);
    }
}

/* ---- commits ---- */

/* Replies that needed no operation tell of what is durable already, or of leases in memory: there is nothing to commit,
 * and nothing before them is on its way. */
static bool release_now(struct sim_node *node, struct sim_outbox *box)
{
    struct world *world = node->world;
    bool is_empty = box->outbox->batch.op_count == 0;

    if (!is_empty) {
        return false;
    }
    MARK(world, EMPTY_BATCH);
    if (sim_node_now(node).mono_ms >= node->trusted_until_mono_ms) { /* rule 1 */
        sim_node_lose(node, "its lease has run out");
        return true;
    }
    pump_release(node, box);
    if (!world_over(world)) {
        pump_step(node, (struct event){.kind = EVENT_COMMITTED, .batch = box->outbox->number});
    }
    return true;
}

static bool cut(struct sim_node *node)
{
    struct world *world = node->world;
    struct outbox *outbox = engine_cut(node->engine, sim_node_now(node));

    if (outbox == NULL) {
        return false;
    }
    struct sim_outbox *box = sim_outbox_new(outbox);

    digest_number(&world->digest, outbox->number);
    digest_number(&world->digest, outbox->batch.op_count);
    if (outbox->batch.op_count > BIG_BATCH_OPS) {
        MARK(world, BIG_BATCH);
    }
    if (release_now(node, box)) {
        sim_outbox_drop(box);
        return true;
    }
    if (BUG(REPLY_BEFORE_COMMIT)) {
        pump_release(node, box);
    }
    node->box = box;
    node->tries = 1;
    sim_store_commit(node->store, box);
    if (world_faulty(world, FAULT_CRASH) && rng_chance(&node->rng, 1, CRASH_ONE_IN)) {
        world_arm(world, &node->crash_timer, world->now_ms + rng_between(&node->rng, 0, 2 * world->swarm.commit_ms));
    }
    return true;
}

void pump(struct sim_node *node)
{
    while (sim_node_serves(node) && !sim_store_busy(node->store) && !world_over(node->world)) {
        bool has_loads = node->loads.first != NULL;

        /* Either may come first; a load is never left waiting for long. */
        if ((!has_loads || rng_chance(&node->rng, 1, 2)) && cut(node)) {
            continue;
        }
        if (!has_loads) {
            return;
        }
        sim_store_load(node->store, &node->loads.first->load);
    }
}

void pump_committed(struct sim_node *node)
{
    struct sim_outbox *box = node->box;
    uint64_t number = box->outbox->number;

    node->box = NULL;
    node->durable = box->outbox->batch.number;
    if (!BUG(REPLY_BEFORE_COMMIT)) {
        pump_release(node, box);
    }
    sim_outbox_drop(box);
    if (!world_over(node->world)) {
        pump_step(node, (struct event){.kind = EVENT_COMMITTED, .batch = number});
    }
}

void pump_loaded(struct sim_node *node, const struct rows *rows)
{
    const struct load *load = &node->loads.first->load;
    struct event event = {.kind = EVENT_LOADED, .load_tag = load->tag, .rows = rows};

    if (load->kind == LOAD_WINDOW) {
        MARK(node->world, LOADED_WINDOW);
    } else {
        MARK(node->world, LOADED_KEYS);
    }
    load_queue_pop(&node->loads);
    pump_step(node, event);
}

void pump_done(struct sim_node *node)
{
    load_queue_done(&node->loads);
    world_disarm(node->world, &node->tick_timer);
    engine_free(node->engine);
    node->engine = NULL;
}
