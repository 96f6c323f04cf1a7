/* sqlite_inside: the store and its readers, as the files of this folder see them.
 *
 * Rules: (1) is_broken is set once and for ever, by whoever met the failure; every call asks it first.
 *        (2) the list of readers is guarded by its mutex, which is held for moments only: to add, remove or interrupt.
 */
#ifndef STORE_SQLITE_SQLITE_INSIDE_H
#define STORE_SQLITE_SQLITE_INSIDE_H

#include <pthread.h>

#include "base/buf.h"
#include "base/list.h"
#include "store/old_round.h"
#include "store/sqlite/sqlite_sql.h"
#include "store/sqlite/sqlite_store.h"

/* The WAL: from here on a checkpoint is due between batches; is made by the commit itself if nobody tidies; readers are
 * cut off, since one of them must hold it back. In bytes. 4 MiB take some ms to check in. */
#define WAL_DUE_BYTES (4 << 20)
#define WAL_LATE_BYTES (8 << 20)
#define WAL_CUT_BYTES (32 << 20)
/* When nothing else is to be done, so little is worth a checkpoint. */
#define WAL_IDLE_BYTES (256 << 10)

#define SQLITE_STORE_PAGE_BYTES 4096

/* How long a write waits for a lock that another program holds. */
#define BUSY_WAIT_MS 500

/* A read is cut off after this. */
#define READ_MAX_MS 1000
/* A page whose filter lets little through is shown as it is then: whoever looks at it can go on. */
#define SEEK_MAX_MS 50

struct backup;

struct sqlite_store {
    struct store store;
    struct sql_conn conn; /* the writer's: all writes, all checkpoints */
    char *path;
    char *vfs; /* NULL: the operating system's */
    uint32_t shard;
    int lock_fd; /* -1: none */
    bool is_broken;
    bool has_acquired;
    uint64_t epoch; /* ours; valid once acquired */
    uint64_t nonce[2];
    int64_t wal_bytes;     /* of the WAL, after the last commit */
    struct buf packed;     /* claims, while they are bound */
    struct backup *backup; /* one that is under way; NULL */
    struct old_round old;
    pthread_mutex_t readers_mutex;
    struct list readers;
};

struct sqlite_reader {
    struct store_reader reader;
    struct sql_conn conn;
    struct sqlite_store *store;
    struct list_node link;
    int64_t deadline_mono_ms; /* of the read that goes on */
};

static inline struct sqlite_store *sqlite_store_of(struct store *store)
{
    return CONTAINER_OF(store, struct sqlite_store, store);
}

/* Passes the outcome of a call on the writer's connection on, and remembers a broken one (rule 1). */
enum store_outcome sqlite_note(struct sqlite_store *store, enum store_outcome outcome);

/* STORE_BROKEN, saying that it was broken before. */
enum store_outcome sqlite_is_broken(const struct sqlite_store *store, struct error *reterr);

/* BEGIN IMMEDIATE. What was begun is ended by one of the others, whatever happens in between. */
enum store_outcome sqlite_begin(struct sqlite_store *store, struct error *reterr);
enum store_outcome sqlite_commit_end(struct sqlite_store *store, struct error *reterr);
void sqlite_rollback(struct sqlite_store *store);

/* The shard's row. */
enum store_outcome sqlite_take_shard(struct sql_conn *conn, uint32_t number, struct shard_row *ret_shard,
                                     struct error *reterr);

/* The methods of the store. */
enum store_outcome sqlite_commit(struct store *base, const struct batch *batch, struct error *reterr);
enum store_outcome sqlite_load(struct store *base, const struct load *load, struct rows *rows, struct error *reterr);
bool sqlite_tidy(struct store *base, bool is_idle);
enum store_outcome sqlite_old(struct store *base, const struct store_ages *ages, struct rows *rows, bool *ret_has_more,
                              struct error *reterr);
enum store_outcome sqlite_forget(struct store *base, const struct rows *rows, struct error *reterr);
enum store_outcome sqlite_backup(struct store *base, const char *path, struct error *reterr);
enum store_outcome sqlite_reader_open(struct store *base, struct store_reader **ret_reader, struct error *reterr);

/* Keeps the WAL's size known and, after each commit, small. */
void sqlite_wal_watch(struct sqlite_store *store);
void sqlite_wal_bound(struct sqlite_store *store);

/* Ends a backup that is under way, without a result. */
void sqlite_backup_abandon(struct sqlite_store *store);

/* Makes read-only connections stop what they do. */
void sqlite_readers_cut(struct sqlite_store *store);

#endif
