/* shard_inside: what the two threads of a shard have in common. Only for src/server/shard*.c.
 *
 * Rules: (1) each field belongs to one thread, as it says, or is behind the lock.
 *        (2) letters to the store are done in their order; after a failure it drops them until LETTER_START.
 */
#ifndef SERVER_SHARD_INSIDE_H
#define SERVER_SHARD_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/idmap.h"
#include "server/mailbox.h"
#include "server/shard.h"

enum letter_kind {
    /* to the engine */
    LETTER_CALL,
    LETTER_GONE,
    LETTER_DRAIN,
    LETTER_LEAVE,
    LETTER_STOP,
    LETTER_LOADED,
    LETTER_COMMITTED,
    LETTER_FAILED, /* a commit or a load */
    LETTER_STARTED,
    LETTER_NOT_STARTED,
    LETTER_ACCEPTED,
    /* to the store */
    LETTER_START,
    LETTER_LOOK,    /* who owns the shard? */
    LETTER_RELEASE, /* nobody does; and then the same */
    LETTER_LOADS,
    LETTER_COMMIT,
    LETTER_ACCEPT, /* the mark of rule 9 of shard.h goes */
    LETTER_BACKUP,
    LETTER_END,
};

/* A batch on its way, with those who wait for it. */
struct shard_batch {
    struct outbox *outbox;
    struct shard_call **calls; /* in the order of the replies */
    size_t call_count;
};

struct backup_wait;

/* Calls are letters, too (LETTER_CALL). */
struct letter {
    struct shard_letter letter;
    uint64_t token;             /* GONE, ACCEPT, ACCEPTED; LOADED: the load's tag */
    uint64_t number;            /* COMMITTED */
    struct effects effects;     /* LOADS */
    struct rows *rows;          /* LOADED, STARTED */
    struct shard_batch *batch;  /* COMMIT, FAILED */
    enum store_outcome outcome; /* FAILED, NOT_STARTED, ACCEPTED */
    struct error error;
    uint64_t epoch;               /* STARTED */
    struct store_ownership owner; /* STARTED; NOT_STARTED, FENCED: who has it */
    struct backup_wait *backup;
};

struct shard {
    struct shard_config config;
    struct mailbox to_engine, to_store;
    pthread_t engine_thread, store_thread;
    atomic_uint_fast64_t next_token;
    atomic_uint_fast64_t calls;  /* under way: rule 4 of shard.h */
    atomic_uint_fast64_t naming; /* those of them that are commands and name triggers */

    /* the engine's thread */
    struct engine *engine; /* NULL: down */
    struct effects effects;
    struct idmap pending; /* calls by token */
    bool is_committing, is_stopping, is_draining, is_starting;
    bool is_leaving;       /* rule 8 of shard.h */
    int leave_cuts;        /* is_leaving: so many more batches */
    int64_t retry_mono_ms; /* DOWN: when to try again */
    int64_t retry_wait_ms;
    int64_t viewed_mono_ms;
    int64_t stepped_mono_ms; /* the engine's last step */
    struct histogram lag;    /* of every turn that the time asked for; see the view */
    int64_t careful_mono_ms; /* until when each command gets a batch of its own */
    int64_t started_mono_ms; /* when this engine was made */
    bool is_stuck;           /* rule 7 of shard.h */
    struct error told;       /* what was last told by config.changed; ERR_OK: it serves; ERR_NO_OWNER: it stands by */

    /* of stores that are shared; from the store's thread to the engine's */
    atomic_int_fast64_t trusted_mono_ms; /* what is in memory may be told until then */
    atomic_int_fast64_t ahead_ms;        /* the store's clock, ahead of the monotonic one */
    atomic_bool has_clock;

    /* the store's thread */
    bool has_failed;
    bool has_compared; /* what is there with what was seen before, since the start */
    bool wants_hold;   /* --hold: until the store is marked */
    struct lineage seen;
    int64_t renew_mono_ms; /* when the store is to be told that we live */
    int64_t idle_mono_ms;  /* when config.idle is wanted */

    pthread_mutex_t lock; /* of the view, and of the first start */
    pthread_cond_t has_started;
    struct shard_view view;
};

/* The letter that a node of a mailbox is. */
#define LETTER_OF(node_) CONTAINER_OF(node_, struct letter, letter.node)

struct letter *letter_new(enum letter_kind kind);
/* A mailbox that is closed frees it. */
void letter_post(struct mailbox *mailbox, struct letter *letter);
/* With all that it holds; of a batch nobody is told. */
void letter_free(struct letter *letter);

/* ---- shard_engine.c ---- */

struct moment shard_now(struct shard *shard);
void shard_step(struct shard *shard, struct event event);
/* Sends off what was gathered, if nothing is on its way. */
void shard_cut(struct shard *shard);

/* ---- shard_start.c ---- */

/* Asks the store for the shard, or (is_leaving) who has it. */
void shard_begin(struct shard *shard);
/* LETTER_STARTED, LETTER_NOT_STARTED, LETTER_FAILED, LETTER_LEAVE. */
void shard_take_started(struct shard *shard, struct letter *letter);
void shard_take_failed(struct shard *shard, struct letter *letter);
void shard_take_leave(struct shard *shard);
/* When the last batch is committed the shard is given away. */
void shard_go_on_leaving(struct shard *shard);
/* Everybody whom no batch has. */
void shard_fail_pending(struct shard *shard, const struct error *error);
/* Rule 6 of shard.h. */
bool shard_is_careful(const struct shard *shard);

/* ---- shard_view.c ---- */

void shard_publish(struct shard *shard, enum shard_state state, const struct error *error);
/* Now and then. */
void shard_publish_figures(struct shard *shard);

/* ---- shard_lineage.c: rule 9 of shard.h; on the store's thread ---- */

/* The shard is ours; into letter->owner.held, whether something holds it. */
enum store_outcome shard_lineage_check(struct shard *shard, struct letter *letter);
/* It is another's. */
void shard_lineage_stand_by(struct shard *shard, const struct store_ownership *ownership);
/* With the lock held. */
void shard_lineage_committed(struct shard *shard, const struct batch *batch);

void *shard_engine_run(void *arg);
void *shard_store_run(void *arg);

/* Answers a call with a failure. */
void shard_fail(struct shard *shard, struct shard_call *call, const struct error *error, bool is_not_applied);
void shard_answer(struct shard *shard, struct shard_call *call, const struct reply *reply);
void shard_show(struct shard *shard, struct shard_call *call, const struct engine *engine);

/* Tells all who wait for the batch, which is durable; frees it. */
void shard_batch_deliver(struct shard *shard, struct shard_batch *batch);
void shard_batch_fail(struct shard *shard, struct shard_batch *batch, const struct error *error, bool is_not_applied);

#endif
