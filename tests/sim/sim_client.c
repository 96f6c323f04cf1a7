#include "sim_client.h"

#include <stdio.h>

#include "base/mem.h"
#include "sim_node.h"

#define PATIENCE_MS 5000
#define TRIES_MAX 5
#define AGAIN_MS 1000

static void act(struct sim_timer *timer);
static void lose_patience(struct sim_timer *timer);

void sim_client_init(struct sim_client *client, struct world *world, unsigned index)
{
    char stream[32];

    *client = (struct sim_client){.world = world, .index = index};
    (void)snprintf(stream, sizeof stream, "client.%u", index);
    swarm_rng(world->swarm.seed, stream, &client->rng);
    client->jobs = mem_alloc_array(world->swarm.jobs_max, sizeof *client->jobs);
    client->timer.fire = act;
    for (unsigned i = 0; i < CLIENT_SLOTS; i++) {
        client->slots[i].client = client;
        client->slots[i].patience.fire = lose_patience;
    }
    world_arm(world, &client->timer, world->now_ms + rng_between(&client->rng, 0, world->swarm.op_every_ms));
}

void sim_client_done(struct sim_client *client)
{
    for (unsigned i = 0; i < CLIENT_SLOTS; i++) {
        sim_message_drop(client->slots[i].message);
    }
    for (unsigned i = 0; i < CLIENT_OLD_MAX; i++) {
        sim_message_drop(client->old[i]);
    }
    mem_free(client->jobs);
}

/* ---- asking ---- */

static struct sim_node *pick_node(struct sim_client *client)
{
    struct world *world = client->world;

    if (world->holder != NULL && !rng_chance(&client->rng, 1, 6)) {
        return world->holder;
    }
    return &world->nodes[rng_below(&client->rng, world->swarm.nodes)];
}

static void free_slot(struct client_slot *slot)
{
    sim_message_drop(slot->message);
    slot->message = NULL;
    slot->request = NULL;
    world_disarm(slot->client->world, &slot->patience);
}

static void answered(void *sender, struct sim_request *request, enum sim_answer answer, const struct reply *reply)
{
    struct client_slot *slot = sender;
    struct sim_client *client = slot->client;
    struct world *world = client->world;
    bool is_over = slot->tries >= TRIES_MAX || rng_chance(&client->rng, 1, 5);

    slot->request = NULL;
    (void)request;
    if (answer == ANSWER_REPLY) {
        client_learn(client, slot->message, slot->subject, reply);
        free_slot(slot);
    } else if (is_over && !slot->must_end) {
        free_slot(slot);
    } else { /* rule 1 */
        world_arm(world, &slot->patience, world->now_ms + rng_between(&client->rng, 1, AGAIN_MS));
    }
}

static void ask(struct client_slot *slot)
{
    struct sim_client *client = slot->client;
    struct world *world = client->world;

    slot->tries++;
    world_arm(world, &slot->patience, world->now_ms + PATIENCE_MS + rng_between(&client->rng, 0, PATIENCE_MS));
    slot->request = sim_request_send(world, slot->message, pick_node(client), slot, answered);
}

static void lose_patience(struct sim_timer *timer)
{
    struct client_slot *slot = CONTAINER_OF(timer, struct client_slot, patience);
    struct sim_client *client = slot->client;
    struct sim_request *request = slot->request;

    if (request != NULL) {
        slot->request = NULL;
        sim_request_let_go(request);
        if (world_over(client->world)) {
            return;
        }
        if (!slot->must_end && (slot->tries >= TRIES_MAX || rng_chance(&client->rng, 1, 5))) {
            free_slot(slot);
            return;
        }
    }
    ask(slot);
}

static struct client_slot *free_one(struct sim_client *client)
{
    for (unsigned i = 0; i < CLIENT_SLOTS; i++) {
        if (client->slots[i].message == NULL) {
            return &client->slots[i];
        }
    }
    return NULL;
}

static bool is_idle(const struct sim_client *client)
{
    for (unsigned i = 0; i < CLIENT_SLOTS; i++) {
        if (client->slots[i].message != NULL) {
            return false;
        }
    }
    return true;
}

/* Questions that are worth asking again stay. */
static void remember(struct sim_client *client, struct sim_message *message)
{
    unsigned at = client->old_count++ % CLIENT_OLD_MAX;

    sim_message_drop(client->old[at]);
    client->old[at] = sim_message_hold(message);
}

static void act_healed(struct sim_client *client)
{
    struct world *world = client->world;
    struct client_slot *slot = free_one(client);
    struct sim_message *message = slot != NULL ? client_heal_question(client, client->healing) : NULL;

    if (message != NULL) {
        client->healing++;
        *slot =
            (struct client_slot){.client = client, .patience = slot->patience, .message = message, .must_end = true};
        ask(slot);
    } else if (slot != NULL && is_idle(client)) {
        client->is_done = true;
        return;
    }
    if (!world_over(world)) {
        world_arm(world, &client->timer, world->now_ms + 10);
    }
}

static void act(struct sim_timer *timer)
{
    struct sim_client *client = CONTAINER_OF(timer, struct sim_client, timer);
    struct world *world = client->world;
    struct client_slot *slot;
    uint64_t subject = 0;

    if (world_healed(world)) {
        act_healed(client);
        return;
    }
    slot = free_one(client);
    if (slot != NULL) {
        struct sim_message *message = client_draw(client, &subject);

        if (world_over(world)) {
            return;
        }
        if (message != NULL) {
            remember(client, message);
            slot->message = message;
            slot->tries = 0;
            slot->must_end = false;
            slot->subject = subject;
            ask(slot);
        }
    }
    if (!world_over(world)) {
        world_arm(world, &client->timer, world->now_ms + rng_between(&client->rng, 1, 2 * world->swarm.op_every_ms));
    }
}

void sim_client_heal(struct sim_client *client)
{
    struct world *world = client->world;

    /* What is still on its way may pause something: it gets time to arrive first. */
    for (unsigned i = 0; i < CLIENT_SLOTS; i++) {
        struct client_slot *slot = &client->slots[i];

        if (slot->message != NULL) {
            struct sim_request *request = slot->request;

            free_slot(slot);
            if (request != NULL) {
                sim_request_let_go(request);
            }
        }
    }
    if (!world_over(world)) {
        world_arm(world, &client->timer, world->now_ms + 10 * (PATIENCE_MS + world->swarm.beat_ms));
    }
}
