/* sim_store: an owner's connection to the disk, with everything that can happen to one.
 *
 * Stands between a node and a memory store: calls take time and may be refused, find the store down, end in an unknown
 * outcome, or be applied long after whoever sent them has given up.
 *
 * Owns:  a memory store: one connection, one acquisition. When its node lets go of it, what is under way goes on, or
 * not; it frees itself when nothing is. Rules: (1) one call at a time, until its outcome was told. (2) a call that is
 * applied is applied at one instant, between the call and its outcome, or after an UNKNOWN.
 */
#ifndef TESTS_SIM_SIM_STORE_H
#define TESTS_SIM_SIM_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/load.h"
#include "model/rows.h"
#include "sim_net.h"
#include "store/store.h"
#include "world.h"

enum sim_call { CALL_NONE, CALL_ACQUIRE, CALL_COMMIT, CALL_LOAD };

/* What will become of a commit. */
enum sim_fate {
    FATE_DONE,
    FATE_AGAIN,
    FATE_DOWN,
    FATE_UNKNOWN_DONE, /* applied, but the answer is "unknown" */
    FATE_UNKNOWN_LOST, /* not applied, and the answer is "unknown" */
    FATE_LATE,         /* "unknown", and applied some time after that */
};

struct sim_store {
    struct list_node all; /* in world.stores */
    struct world *world;
    struct sim_node *node; /* NULL: it has let go */
    struct store *store;
    uint64_t epoch; /* of its acquisition; 0: none yet */
    uint64_t nonce;
    enum sim_call call;
    enum sim_fate fate;
    struct sim_timer apply_timer, told_timer;
    int64_t rest_ms;         /* from the instant at which it is applied to its outcome */
    struct sim_outbox *box;  /* COMMIT */
    const struct load *load; /* LOAD: the node's, until it lets go */
    struct rows rows;        /* LOAD: what was read */
    bool has_rows;
    enum store_outcome outcome;
    struct error error;
};

struct sim_store *sim_store_open(struct world *world, struct sim_node *node);

/* The node waits for nothing any more. */
void sim_store_let_go(struct sim_store *store);

/* Frees it at once; for the end of the world. */
void sim_store_free(struct sim_store *store);

/* Each ends in sim_node_told with its outcome. */
void sim_store_acquire(struct sim_store *store);
void sim_store_commit(struct sim_store *store, struct sim_outbox *box);
void sim_store_load(struct sim_store *store, const struct load *load);

static inline bool sim_store_busy(const struct sim_store *store)
{
    return store->call != CALL_NONE;
}

#endif
