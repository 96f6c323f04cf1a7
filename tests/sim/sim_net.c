#include "sim_net.h"

#include <assert.h>

#include "base/mem.h"
#include "sim_node.h"

#define MESSAGE_BLOCK_BYTES 4096
#define MESSAGE_BYTES_MAX (16UL * 1024 * 1024)

/* One in so many, while the fault is on. */
#define LOSS_ONE_IN 20
#define DOUBLE_ONE_IN 20
#define SLOW_ONE_IN 10

struct sim_message *sim_message_new(bool is_exchange)
{
    struct sim_message *message = mem_zalloc(sizeof *message);

    message->holds = 1;
    message->is_exchange = is_exchange;
    arena_init(&message->arena, MESSAGE_BLOCK_BYTES, MESSAGE_BYTES_MAX);
    return message;
}

struct sim_message *sim_message_hold(struct sim_message *message)
{
    message->holds++;
    return message;
}

void sim_message_drop(struct sim_message *message)
{
    if (message != NULL && --message->holds == 0) {
        arena_done(&message->arena);
        mem_free(message);
    }
}

struct sim_outbox *sim_outbox_new(struct outbox *outbox)
{
    struct sim_outbox *box = mem_zalloc(sizeof *box);

    box->holds = 1;
    box->outbox = outbox;
    return box;
}

struct sim_outbox *sim_outbox_hold(struct sim_outbox *box)
{
    box->holds++;
    return box;
}

void sim_outbox_drop(struct sim_outbox *box)
{
    if (box != NULL && --box->holds == 0) {
        outbox_free(box->outbox);
        mem_free(box);
    }
}

/* ---- requests ---- */

static int64_t delay_ms(struct world *world)
{
    int64_t usual_ms = rng_between(&world->net_rng, 0, world->swarm.net_ms);

    if (world_faulty(world, FAULT_NET_DELAY) && rng_chance(&world->net_rng, 1, SLOW_ONE_IN)) {
        return usual_ms + rng_between(&world->net_rng, 0, 40 * world->swarm.net_ms + 4 * world->swarm.beat_ms);
    }
    return usual_ms;
}

void sim_request_free(struct sim_request *request)
{
    world_disarm(request->world, &request->timer);
    list_remove(&request->all);
    sim_outbox_drop(request->box);
    sim_message_drop(request->message);
    mem_free(request);
}

static void arrive(struct sim_timer *timer)
{
    struct sim_request *request = CONTAINER_OF(timer, struct sim_request, timer);

    request->stage = STAGE_HELD;
    sim_node_take(request->node, request);
}

static void come_back(struct sim_timer *timer)
{
    struct sim_request *request = CONTAINER_OF(timer, struct sim_request, timer);
    struct world *world = request->world;

    if (request->sender != NULL) {
        void *sender = request->sender;

        request->sender = NULL;
        if (request->answer == ANSWER_REPLY) {
            checker_reply(world->checker, world->now_ms, request->reply, request->box->outbox->batch.number,
                          request->box->durable);
            world_ask_checker(world);
        }
        if (!world_over(world)) {
            request->answered(sender, request, request->answer, request->reply);
        }
    }
    sim_request_free(request);
}

static struct sim_request *request_new(struct world *world, struct sim_message *message, struct sim_node *node)
{
    struct sim_request *request = mem_zalloc(sizeof *request);
    uint64_t token = world_token(world);

    request->world = world;
    request->message = sim_message_hold(message);
    message->asked++;
    request->node = node;
    request->command = message->command;
    request->command.token = token;
    request->exchange = message->exchange;
    request->exchange.token = token;
    list_node_init(&request->link);
    list_node_init(&request->all);
    list_push_back(&world->requests, &request->all);
    if (!message->is_exchange) {
        checker_command(world->checker, world->now_ms, &request->command);
        world_ask_checker(world);
    }
    return request;
}

static void set_out(struct sim_request *request)
{
    struct world *world = request->world;

    if (world_faulty(world, FAULT_NET_LOSS) && rng_chance(&world->net_rng, 1, LOSS_ONE_IN)) {
        MARK(world, REQUEST_LOST);
        TRACE(world, "net: request %llu is lost", (unsigned long long)sim_request_token(request));
        if (request->sender == NULL) {
            sim_request_free(request);
        } else {
            request->stage = STAGE_LOST;
        }
        return;
    }
    request->stage = STAGE_GOING;
    request->timer.fire = arrive;
    world_arm(world, &request->timer, world->now_ms + delay_ms(world));
}

struct sim_request *sim_request_send(struct world *world, struct sim_message *message, struct sim_node *node,
                                     void *sender,
                                     void (*answered)(void *sender, struct sim_request *request, enum sim_answer answer,
                                                      const struct reply *reply))
{
    struct sim_request *request = request_new(world, message, node);

    request->sender = sender;
    request->answered = answered;
    set_out(request);
    if (world_faulty(world, FAULT_NET_DOUBLE) && rng_chance(&world->net_rng, 1, DOUBLE_ONE_IN)) {
        MARK(world, REQUEST_DOUBLED);
        set_out(request_new(world, message, node));
    }
    return request;
}

void sim_request_let_go(struct sim_request *request)
{
    request->sender = NULL;
    if (request->stage == STAGE_LOST) {
        sim_request_free(request);
    } else if (request->stage == STAGE_HELD) {
        sim_node_gone(request->node, request);
    }
}

void sim_request_answer(struct sim_request *request, enum sim_answer answer, struct sim_outbox *box,
                        const struct reply *reply)
{
    struct world *world = request->world;

    assert(request->stage == STAGE_HELD);
    if (request->sender == NULL) {
        sim_request_free(request);
        return;
    }
    if (world_faulty(world, FAULT_NET_LOSS) && rng_chance(&world->net_rng, 1, LOSS_ONE_IN)) {
        MARK(world, ANSWER_LOST);
        if (answer == ANSWER_REPLY && reply->grant_count > 0) {
            MARK(world, GRANT_UNHEARD);
        }
        TRACE(world, "net: answer to %llu is lost", (unsigned long long)sim_request_token(request));
        request->stage = STAGE_LOST;
        return;
    }
    request->stage = STAGE_RETURNING;
    request->answer = answer;
    request->reply = reply;
    request->box = box != NULL ? sim_outbox_hold(box) : NULL;
    request->timer.fire = come_back;
    world_arm(world, &request->timer, world->now_ms + delay_ms(world));
}
