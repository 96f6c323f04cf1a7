/* The part of a node that holds requests: until an engine has them, and when their engine is gone. */
#include "sim_node.h"

/* An answer may be kept from a request that arrives where nobody serves: so many are taken from there at once, and so
 * long they wait at most. */
#define WAITING_MAX 64
#define WAITING_MS_MAX 10000

/* Nobody could be found to serve it. */
static void give_up(struct sim_timer *timer)
{
    struct sim_request *request = CONTAINER_OF(timer, struct sim_request, timer);

    list_remove(&request->link);
    sim_request_answer(request, ANSWER_NOT_APPLIED, NULL, NULL);
}

/* Until there is an engine, but not for ever: another node may have one. */
static void keep_waiting(struct sim_node *node, struct sim_request *request)
{
    struct world *world = node->world;

    list_push_back(&node->waiting, &request->link);
    request->timer.fire = give_up;
    world_arm(world, &request->timer, world->now_ms + rng_between(&node->rng, 1, WAITING_MS_MAX));
}

void sim_node_take(struct sim_node *node, struct sim_request *request)
{
    struct world *world = node->world;

    if (sim_node_paused(node)) { /* the kernel has it, nobody reads it */
        request->stage = STAGE_GOING;
        world_arm(world, &request->timer, sim_node_resumes_ms(node));
        return;
    }
    if (sim_node_serves(node)) {
        if (world->acquirer != node && node->was_paused) {
            MARK(world, ZOMBIE);
        }
        pump_request(node, request);
        return;
    }
    if (node->state == NODE_TAKING || (node->state == NODE_STANDBY && rng_chance(&node->rng, 1, 4))) {
        keep_waiting(node, request);
        return;
    }
    sim_request_answer(request, ANSWER_NOT_APPLIED, NULL, NULL);
}

void sim_node_gone(struct sim_node *node, struct sim_request *request)
{
    if (list_linked(&request->link)) { /* no engine has it */
        list_remove(&request->link);
        sim_request_free(request);
        return;
    }
    if (request->message->is_exchange && sim_node_serves(node) && !sim_node_paused(node) &&
        rng_chance(&node->rng, 1, 2)) {
        MARK(node->world, GONE_NOTICED);
        pump_step(node, (struct event){.kind = EVENT_GONE, .token = sim_request_token(request)});
    }
}

static bool is_in_box(const struct sim_node *node, uint64_t token)
{
    if (node->box != NULL) {
        for (const struct reply *reply = node->box->outbox->first; reply != NULL; reply = reply->next) {
            if (reply->token == token) {
                return true;
            }
        }
    }
    return false;
}

static bool is_bare_poll(const struct sim_request *request)
{
    return request->message->is_exchange && request->exchange.report_count == 0;
}

void desk_settle(struct sim_node *node)
{
    struct map_node *next;

    for (struct map_node *at = map_first(&node->requests); at != NULL; at = next) {
        struct sim_request *request = CONTAINER_OF(at, struct sim_request, by_token);

        next = map_next(&node->requests, at);
        if (is_in_box(node, sim_request_token(request))) {
            continue;
        }
        map_remove(&node->requests, at);
        if (request->sender != NULL && is_bare_poll(request)) { /* rule 3 */
            keep_waiting(node, request);
        } else {
            sim_request_answer(request, ANSWER_UNKNOWN, NULL, NULL);
        }
    }
}

void desk_answer_box(struct sim_node *node, enum sim_answer answer)
{
    struct map_node *next;

    for (struct map_node *at = map_first(&node->requests); at != NULL; at = next) {
        struct sim_request *request = CONTAINER_OF(at, struct sim_request, by_token);

        next = map_next(&node->requests, at);
        map_remove(&node->requests, at);
        sim_request_answer(request, answer, NULL, NULL);
    }
    sim_outbox_drop(node->box);
    node->box = NULL;
    node->lost_batch = 0;
}

void desk_hand_waiting(struct sim_node *node)
{
    struct list_node *link;

    for (int i = 0; i < WAITING_MAX && sim_node_serves(node) && !world_over(node->world); i++) {
        struct sim_request *request;

        if ((link = list_pop_front(&node->waiting)) == NULL) {
            return;
        }
        request = CONTAINER_OF(link, struct sim_request, link);
        if (is_bare_poll(request)) { /* a new engine, a new question */
            MARK(node->world, POLL_KEPT);
            request->exchange.token = world_token(node->world);
            request->command.token = request->exchange.token;
        }
        pump_request(node, request);
    }
}
