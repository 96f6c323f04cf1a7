/* sim_net: what clients and workers send to nodes, and what comes back.
 *
 * A message is what is said; a request is one journey of it to a node and back. Messages may be sent again: every
 * journey has a token of its own. On the way there and back a request may be late, lost, or doubled.
 *
 * Owns:  requests, from sim_request_send until they are answered and gone. A message lives as long as anybody holds it.
 * Rules: (1) whoever sent a request hears of it once, or never: who wants to wait no longer lets it go.
 *        (2) an answer that was let go, or never reached anybody, is not shown to the checker.
 */
#ifndef TESTS_SIM_SIM_NET_H
#define TESTS_SIM_SIM_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"
#include "engine/engine.h"
#include "world.h"

/* What a client knows of a definition that it sends, besides the definition. */
struct def_tag {
    int family;   /* of draw_def.h */
    bool is_once; /* or depends on such */
};

struct sim_message {
    unsigned holds;
    unsigned asked;     /* how many journeys it has made */
    struct arena arena; /* of all texts below */
    bool is_exchange;
    struct command command;   /* the token is the request's */
    struct def_tag *tags;     /* CREATE: one for each definition */
    struct exchange exchange; /* likewise */
};

struct sim_message *sim_message_new(bool is_exchange);
struct sim_message *sim_message_hold(struct sim_message *message);
void sim_message_drop(struct sim_message *message); /* NULL is fine */

/* A batch and its replies, held by everybody who still reads one of them. */
struct sim_outbox {
    unsigned holds;
    struct outbox *outbox;
    uint64_t durable; /* what its owner knew to be durable when it let the replies go */
};

struct sim_outbox *sim_outbox_new(struct outbox *outbox);
struct sim_outbox *sim_outbox_hold(struct sim_outbox *box);
void sim_outbox_drop(struct sim_outbox *box); /* NULL is fine */

enum sim_answer {
    ANSWER_REPLY,       /* the owner's */
    ANSWER_NOT_APPLIED, /* certainly nothing was done */
    ANSWER_UNKNOWN,     /* perhaps something was done */
};

enum sim_stage { STAGE_GOING, STAGE_HELD, STAGE_RETURNING, STAGE_LOST };

struct sim_request {
    struct list_node all; /* in world.requests */
    struct sim_timer timer;
    struct list_node link;    /* HELD: in its node's list */
    struct map_node by_token; /* HELD by an engine: in its node's map */
    struct world *world;
    struct sim_message *message;
    struct command command;   /* the message's, with this token */
    struct exchange exchange; /* likewise */
    struct sim_node *node;
    enum sim_stage stage;
    /* Whom to tell; NULL: nobody waits. answered may send again. */
    void *sender;
    void (*answered)(void *sender, struct sim_request *request, enum sim_answer answer, const struct reply *reply);
    enum sim_answer answer; /* RETURNING */
    const struct reply *reply;
    struct sim_outbox *box;
};

static inline uint64_t sim_request_token(const struct sim_request *request)
{
    return request->command.token;
}

/* Sends a message to a node. */
struct sim_request *sim_request_send(struct world *world, struct sim_message *message, struct sim_node *node,
                                     void *sender,
                                     void (*answered)(void *sender, struct sim_request *request, enum sim_answer answer,
                                                      const struct reply *reply));

/* The sender waits no longer. A node that has it may notice. */
void sim_request_let_go(struct sim_request *request);

/* A node answers. box and reply only for ANSWER_REPLY. */
void sim_request_answer(struct sim_request *request, enum sim_answer answer, struct sim_outbox *box,
                        const struct reply *reply);

/* For the end of the world. */
void sim_request_free(struct sim_request *request);

#endif
