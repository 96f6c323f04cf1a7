/* shard: an engine at work, with its clock, its store and everybody who asks it something.
 *
 * Two threads. One steps the engine: calls, loaded rows, committed batches and the time come to it as letters. The
 * other has the store: it commits a batch, tells those who waited for it, and reads rows. While a batch is being
 * committed the next one gathers.
 *
 * Owns:  the engine and both threads. Borrows the store, which nobody else uses between start and stop (but for its
 *        readers, server/readers.h).
 * Rules: (1) nobody is answered before the batch that made it true is durable.
 *        (2) a call is answered exactly once, from a thread of the shard (or in shard_submit, where it cannot be
 *            taken), and is the caller's again then. answered() does not block.
 *        (3) crash-only: after a commit that failed or whose outcome is unknown the engine is thrown away, everybody
 *            who waits is told, and an engine is made anew of what the store has. Meanwhile calls fail at once.
 *        (4) at most SHARD_CALLS_MAX calls are under way; more fail at once.
 *        (5) a medium that failed ends it all: broken() is told, and nothing is answered any more but failures.
 *        (6) a batch that the store refuses for what is in it is a bug of ours: for some seconds after it each command
 *            gets a batch of its own, so that whose fault it is is told so (internal), and nobody else.
 *        (7) one that nobody asked for, which the time made, would be refused again and again: the waits before the
 *            engine is made anew get longer, and the view says so until it has served for careful_ms.
 *        (8) a shard that several servers share is left in order: what was decided is committed, then it is anybody's,
 *            and from there on it is only asked who has it. Exchanges that wait are answered; whom no batch has fails
 *            with ERR_NO_OWNER, as does whoever finds that somebody else took it: the same may be asked there.
 *        (9) a shared store that is behind what was seen of it is told of (behind()). If that is found when this server
 *            begins, or it went back by more than moments, nothing is given to workers until COMMAND_ACCEPT_HELD: the
 *            store is marked so, for whoever has it next.
 * See:   engine/engine.h, store/store.h, tests/unit/server/test_shard.c
 */
#ifndef SERVER_SHARD_H
#define SERVER_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/histogram.h"
#include "base/list.h"
#include "engine/engine.h"
#include "server/lineage.h"
#include "store/store.h"

/* Polls of workers included. */
#define SHARD_CALLS_MAX 65536

#define SHARD_CAREFUL_MS 10000

struct shard;
struct shard_call;

/* What became of a call: a reply, or a failure that says whether anything was applied. */
struct shard_answer {
    const struct reply *reply;   /* NULL: it failed, or looks. Valid during answered() only */
    const struct error *error;   /* where it failed */
    const struct engine *engine; /* SHARD_LOOK: between two steps, during answered() only */
    bool is_not_applied;         /* it failed, and certainly nothing of it was applied */
};

enum shard_call_kind {
    SHARD_COMMAND,
    SHARD_EXCHANGE,
    SHARD_LOOK, /* answered with the engine, to look at, on its thread */
};

/* What goes into a mailbox of the shard: its own. */
struct shard_letter {
    struct list_node node;
    int kind;
};

/* Made by who asks, zeroed but for what is named; holds until answered(). */
struct shard_call {
    struct shard_letter letter;
    enum shard_call_kind kind;
    struct command command;   /* SHARD_COMMAND; what it points to holds as long */
    struct exchange exchange; /* SHARD_EXCHANGE; likewise */
    void (*answered)(struct shard_call *call, const struct shard_answer *answer);
    uint64_t token; /* the shard's, for shard_gone; set by shard_submit */
};

/* Rule 9. */
struct shard_behind {
    struct lineage seen, now;
    bool is_held; /* nothing is given to workers */
};

struct shard_config {
    struct store *store;         /* borrowed */
    struct engine_config engine; /* zones: used by the engine's thread alone */
    struct str name, url;        /* of the owner, for people; borrowed */
    struct lineage seen;         /* of a store that is shared: what was seen of it last */
    struct str place;            /* and where it is, for people; borrowed */
    int64_t careful_ms;          /* rules 6 and 7: how long a refused batch is remembered; 0: SHARD_CAREFUL_MS */
    void *context;
    /* A batch is durable; from the store's thread, before its calls are answered. May be NULL. */
    void (*committed)(void *context, const struct batch *batch);
    /* Rule 5. From the store's thread. */
    void (*broken)(void *context, const struct error *error);
    /* The store has nothing to do, and no command that names triggers is under way: so no engine has rows of triggers
     * that ended in its hands, and they may be removed (server/retention.h). From the store's thread. Returns after how
     * many milliseconds it wants to be called again, at the earliest. May be NULL. */
    int64_t (*idle)(void *context, struct store *store);
    /* The shard serves (again), or does not, or for another reason; without an error it stands by. From the engine's
     * thread. May be NULL. */
    void (*changed)(void *context, bool is_serving, const struct error *error);
    /* Rule 9. From the store's thread. May be NULL. */
    void (*behind)(void *context, const struct shard_behind *behind);
};

enum shard_state { SHARD_STARTING, SHARD_SERVING, SHARD_STANDBY, SHARD_DOWN, SHARD_STOPPED };

struct shard_view {
    enum shard_state state;
    struct store_ownership owner; /* SHARD_STANDBY: who has it, as last heard */
    uint64_t epoch;
    bool is_stuck;      /* rule 7, whatever the state */
    int64_t retry_ms;   /* SHARD_DOWN: how long it waits before it tries again */
    struct error error; /* SHARD_DOWN, or is_stuck: why */
    struct engine_figures figures;
    uint64_t batches, operations;        /* committed since the start */
    uint64_t restarts;                   /* of the engine, after failures */
    uint64_t failures[STORE_BROKEN + 1]; /* of commits, loads, renewals and starts, by enum store_outcome */
    struct histogram lag;                /* how late the engine's thread was for what the time brings */
    uint64_t calls;                      /* under way */
    int64_t commit_last_us, commit_max_us;
    struct lineage seen;         /* of a store that is shared */
    uint64_t rewinds;            /* rule 9: times that the store was found behind, */
    uint64_t lost_batches;       /* and what was missing of it, in all */
    char held[STORE_HELD_BYTES]; /* why nothing is given to workers, where figures.is_held */
};

/* Acquires the shard and loads it; returns when it serves, or stands by while another server owns it (a store that is
 * shared: store_is_shared). It takes over when that one has gone. */
enum err shard_start(const struct shard_config *config, struct shard **ret_shard, struct error *reterr) MUST_CHECK;

/* Hands the call in. Returns its token. */
uint64_t shard_submit(struct shard *shard, struct shard_call *call);

/* The client of an exchange has gone: the engine gives it nothing more. It is answered all the same. */
void shard_gone(struct shard *shard, uint64_t token);

/* From now on nothing is granted, waiting workers are answered, and told to give up what they have not begun. */
void shard_drain(struct shard *shard);

/* Rule 8; only where the store is shared. The view is a standby's from then on; owner is_owned when another has it. */
void shard_leave(struct shard *shard);

/* The last figures, some milliseconds old. */
void shard_look(struct shard *shard, struct shard_view *ret_view);

/* The time that the engine believes: what it decided and stored is compared with this, and not with the wall clock. */
int64_t shard_now_ms(struct shard *shard);

/* A copy of the store into a new file, while it works. Blocks the caller. */
enum err shard_backup(struct shard *shard, const char *path, struct error *reterr) MUST_CHECK;

/* What was decided is committed; calls that still wait fail; both threads end. Calls that come afterwards fail at once,
 * in shard_submit: who may still call does not have to be stopped before. */
void shard_close(struct shard *shard);

/* After shard_close, when nobody calls any more. */
void shard_free(struct shard *shard);

/* Both. */
void shard_stop(struct shard *shard);

/* Whether the engine's thread answers within that time: for watchdogs. Not after shard_close. */
bool shard_answers(struct shard *shard, int64_t within_ms);

#endif
