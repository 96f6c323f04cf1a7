/* readers: a few threads that read from the store, so that lists and history never wait for the engine, nor it for
 * them.
 *
 * Owns:  its threads, each with a connection of its own to the store.
 * Rules: (1) a job of reading runs once, on one of the threads, in about the order of submission.
 *        (2) at most READERS_WAITING_MAX wait; more are refused.
 *        (3) closed before the store (readers_stop runs what waits, first).
 * See:   store/store.h, tests/unit/server/test_readers.c
 */
#ifndef SERVER_READERS_H
#define SERVER_READERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/list.h"
#include "store/store.h"

#define READERS_THREADS_MAX 16
#define READERS_WAITING_MAX 10000

struct readers;

struct read_job {
    struct list_node node;
    /* The job may be freed in it. */
    void (*run)(struct read_job *job, struct store_reader *reader);
};

/* Before the store has a thread of its own (shard_start). */
enum err readers_start(struct store *store, size_t threads, struct readers **ret_readers,
                       struct error *reterr) MUST_CHECK;

/* False: too many wait; the job is still the caller's. */
bool readers_submit(struct readers *readers, struct read_job *job) MUST_CHECK;

size_t readers_waiting(struct readers *readers);

void readers_stop(struct readers *readers);

#endif
