/* sim_node: a server: an engine, its store, and the rules of the shell around them.
 *
 * A node takes the shard when nobody holds it, builds an engine from the store, steps it with what comes, commits what
 * it gathers one batch after another, and lets replies go when their batch is durable. When a commit fails it throws
 * the engine away, acquires anew and builds another. It may crash at any point, be paused and go on as a zombie, lose
 * its way to the store, or be drained.
 *
 * Owns:  its engine, its connection, and the requests it holds.
 * Rules: (1) a reply leaves after its batch is durable; one that needed no commit only while the lease is trusted.
 *        (2) one call to the store at a time: loads in their order, commits in theirs.
 *        (3) polls that reported nothing are handed to the next engine; whoever else waited gets "unknown".
 *        (4) trust counts from the moment the renewal was sent, by the monotonic clock, and ends before the lease does.
 * See:   sim_node.c (standing by, taking over, losing, crashing), sim_restore.c (what the store says), sim_pump.c
 * (stepping and committing), sim_desk.c (requests)
 */
#ifndef TESTS_SIM_SIM_NODE_H
#define TESTS_SIM_SIM_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/map.h"
#include "engine/engine.h"
#include "load_queue.h"
#include "sim_clock.h"
#include "sim_net.h"
#include "sim_store.h"
#include "world.h"

enum node_state {
    NODE_DEAD,
    NODE_STANDBY, /* waits for its chance */
    NODE_TAKING,  /* acquires, then loads */
    NODE_SERVING,
    NODE_DRAINING, /* serves, grants nothing, stops soon */
};

struct sim_node {
    struct world *world;
    unsigned index;
    enum node_state state;
    struct rng rng;
    struct sim_clock clock;
    struct sim_store *store; /* NULL unless it acquires or serves */
    struct engine *engine;   /* SERVING, DRAINING */
    struct effects effects;
    uint64_t steps;
    uint64_t durable;    /* highest batch that it knows to be durable */
    uint64_t lost_batch; /* of the last unknown commit; 0: none to look up */
    uint64_t lost_epoch;
    struct sim_outbox *box;       /* being committed, or looked up; NULL */
    unsigned tries;               /* of that commit */
    struct load_queue loads;      /* that the engine asked for */
    struct map requests;          /* that the engine has, by token */
    struct list waiting;          /* that no engine has yet, or that wait for the next one */
    struct sim_timer tick_timer;  /* the engine wants to be woken */
    struct sim_timer life_timer;  /* STANDBY: look again; DEAD: start; DRAINING: stop */
    struct sim_timer renew_timer; /* of the lease */
    struct sim_timer crash_timer; /* a crash around a commit */
    int64_t trusted_until_mono_ms;
    int64_t paused_until_ms;
    int64_t cut_off_until_ms; /* from the store */
    bool was_paused;          /* since it last renewed: for the mark */
};

void sim_node_init(struct sim_node *node, struct world *world, unsigned index);
void sim_node_done(struct sim_node *node);

/* ---- what the world does to it ---- */

/* A request arrives. */
void sim_node_take(struct sim_node *node, struct sim_request *request);

/* Nobody waits for this request any more; it may notice. */
void sim_node_gone(struct sim_node *node, struct sim_request *request);

/* The store has answered. */
void sim_node_told(struct sim_node *node, struct sim_store *store, enum sim_call call, enum store_outcome outcome);

void sim_node_crash(struct sim_node *node, int64_t down_ms);
void sim_node_pause(struct sim_node *node, int64_t for_ms);
void sim_node_cut(struct sim_node *node, int64_t for_ms);
void sim_node_drain(struct sim_node *node, int64_t for_ms);

/* Its clocks are right from now on, it is neither paused nor cut off. */
void sim_node_heal(struct sim_node *node);

/* ---- what others ask ---- */

bool sim_node_paused(const struct sim_node *node);
int64_t sim_node_resumes_ms(const struct sim_node *node);
bool sim_node_cut_off(const struct sim_node *node);

static inline bool sim_node_serves(const struct sim_node *node)
{
    return node->state == NODE_SERVING || node->state == NODE_DRAINING;
}

struct moment sim_node_now(const struct sim_node *node);

/* ---- between its files ---- */

/* The engine is gone: who waited for it? Those that a lookup may still answer stay. */
void desk_settle(struct sim_node *node);

/* Everybody in the batch that was being committed hears the same. */
void desk_answer_box(struct sim_node *node, enum sim_answer answer);

/* There is an engine: it gets those that waited for one. */
void desk_hand_waiting(struct sim_node *node);

void pump_init(struct sim_node *node);

/* Gives a request to the engine. */
void pump_request(struct sim_node *node, struct sim_request *request);

/* Steps the engine, then commits or loads if there is something. The time is filled in. */
void pump_step(struct sim_node *node, struct event event);

/* A call of the engine's ended well. */
void pump_committed(struct sim_node *node);
void pump_loaded(struct sim_node *node, const struct rows *rows);

/* Starts a call where the store is idle and there is something to do. */
void pump(struct sim_node *node);

/* Lets the replies of a batch go. */
void pump_release(struct sim_node *node, struct sim_outbox *box);

/* Throws away what was gathered and asked for. */
void pump_done(struct sim_node *node);

/* The engine is gone, for whatever reason: the node becomes a standby and tries again after a while. */
void sim_node_lose(struct sim_node *node, const char *why);

#endif
