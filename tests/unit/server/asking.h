/* asking: a shard on a real SQLite file, and calls to it from a test's thread.
 *
 * Whatever fails here fails the test. Waits end with the test's own time-out, not with one here.
 */
#ifndef TESTS_UNIT_SERVER_ASKING_H
#define TESTS_UNIT_SERVER_ASKING_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "faulty.h"
#include "folder.h"
#include "server/shard.h"

struct rig {
    struct store *real;
    struct faulty faulty;
    struct zone_cache *zones;
    struct shard *shard;      /* NULL: not started */
    atomic_uint broken;       /* how often it was told */
    atomic_ullong committed;  /* number of the last batch it was told of */
    atomic_uint ups;          /* how often it was told that the shard serves */
    atomic_uint downs;        /* how often it was told that the shard does not serve */
    int64_t careful_ms;       /* of the shard; set before its start */
    struct lineage seen;      /* likewise */
    bool wants_hold;          /* likewise: --hold */
    bool is_breaking_allowed; /* a broken store does not fail the test */
};

/* A call and what became of it. */
struct asked {
    struct shard_call call;
    struct arena arena;
    struct job_def def;
    struct str pool;
    pthread_mutex_t lock;
    pthread_cond_t is_over;
    unsigned answers; /* how often it was answered */
    bool has_failed;
    bool is_not_applied;
    enum err code; /* of the failure, or of the reply's error */
    enum reply_kind kind;
    uint64_t job;             /* REPLY_JOBS: the first one's */
    bool is_draining;         /* REPLY_WORK */
    struct attempt_ref grant; /* REPLY_WORK: the first one; 0: none */
};

/* ---- the shard ---- */

struct rig *rig_open(void);  /* the store alone */
struct rig *rig_start(void); /* and the shard on it */
enum err rig_try_start(struct rig *rig, struct error *error);
void rig_close(struct rig *rig);

/* Until the shard is in that state. */
void rig_await(struct rig *rig, enum shard_state state);
/* Until commits are stuck in the store (faulty.is_held). */
void rig_await_held(struct rig *rig);

/* Jobs in the store, by a connection of its own. */
size_t rig_count_jobs(struct rig *rig);

/* ---- calls ---- */

/* Each is freed by asked_free, after it was answered. */
struct asked *ask_create(struct rig *rig, const char *definition);
struct asked *ask_poll(struct rig *rig, const char *worker, int64_t wait_ms);
struct asked *ask_poll_with(struct rig *rig, const char *worker, int64_t wait_ms, const struct report *reports,
                            size_t count);
struct asked *ask_look(struct rig *rig);

struct asked *await(struct asked *asked);
bool is_answered(struct asked *asked);
void asked_free(struct asked *asked);

/* Create and wait; the job's id. */
uint64_t create(struct rig *rig, const char *definition);

#endif
