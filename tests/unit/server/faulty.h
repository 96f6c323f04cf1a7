/* faulty: a store around another one that fails as the test says.
 *
 * Rules: (1) faults are set from any thread, at any time; the next call of that kind has them.
 *        (2) one that is shared has the other owner, and the clock, that the test makes up.
 */
#ifndef TESTS_UNIT_SERVER_FAULTY_H
#define TESTS_UNIT_SERVER_FAULTY_H

#include <stdatomic.h>

#include "store/store.h"

struct faulty {
    struct store store;
    struct store *real; /* borrowed */
    /* enum store_outcome of the next calls, so many of them; STORE_DONE: none. */
    atomic_int commit_outcome, commit_count;
    atomic_int load_outcome, load_count;
    atomic_int acquire_outcome, acquire_count;
    atomic_bool is_applied;      /* UNKNOWN: the commit is done all the same */
    atomic_bool is_held;         /* commits wait until it is false */
    atomic_uint commits;         /* that were asked for */
    uint64_t nonce[2];           /* of the last acquisition that was asked for; read while the shard serves */
    const char *refused_name;    /* batches with a new job of that name are refused; NULL: none. Set before the start */
    atomic_bool is_load_cut;     /* the next load has more texts than there may be */
    atomic_bool is_skip_refused; /* batches with a skipped fire are refused: nobody asks for those */
    atomic_uint commits_waiting; /* 1 while one is held */
    atomic_bool is_acquire_held; /* acquisitions wait until it is false */
    atomic_uint acquires_waiting;
    /* rule 2 */
    atomic_ullong owner_epoch, last_batch;
    atomic_llong id_high_ms;
    atomic_bool is_marked;       /* store_set_held */
    atomic_llong clock_ahead_ms; /* the store's clock, of the machine's */
    atomic_uint releases;
    atomic_uint looks; /* how often it was asked who owns the shard */
};

/* It may not move. */
void faulty_init(struct faulty *faulty, struct store *real);
/* From now on several servers share it. */
void faulty_share(struct faulty *faulty);

#endif
