#include "store/sqlite/sqlite_store.h"

#include <assert.h>
#include <pthread.h>

#include "base/mem.h"
#include "store/claims_pack.h"
#include "store/sqlite/sqlite_files.h"
#include "store/sqlite/sqlite_inside.h"
#include "store/sqlite/sqlite_schema.h"
#include "store/sqlite/sqlite_wal.h"

/* Measured: counting every allocation under one lock costs a twelfth of a batch. */
static void configure_sqlite(void)
{
    /* Refused where SQLite has been used before; then it is only slower. */
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    (void)sqlite3_initialize();
}

static void configure_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, configure_sqlite);
}

/* ---- opening ---- */

/* How the writer's connection works. The cache holds the hot ends of tables and indexes; secure_delete (on in Debian)
 * writes zeros over what was deleted, which nobody asked for; journal_size_limit cuts a WAL that was long once. */
static enum store_outcome set_up(struct sqlite_store *store, bool is_fast, struct error *reterr)
{
    static const char pragmas[] = "PRAGMA wal_autocheckpoint = 0;"
                                  "PRAGMA temp_store = MEMORY;"
                                  "PRAGMA cache_size = -65536;"
                                  "PRAGMA mmap_size = 0;"
                                  "PRAGMA secure_delete = OFF;"
                                  "PRAGMA trusted_schema = OFF;"
                                  "PRAGMA cell_size_check = ON;"
                                  "PRAGMA journal_size_limit = 8388608;";
    enum store_outcome outcome = sql_exec(&store->conn, pragmas, reterr);

    (void)sqlite3_db_config(store->conn.db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (outcome == STORE_DONE) {
        outcome = sql_exec(&store->conn, is_fast ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = FULL", reterr);
    }
    return outcome;
}

static enum store_outcome enter_wal(struct sqlite_store *store, struct error *reterr)
{
    int64_t is_wal = 0;
    enum store_outcome outcome = sql_exec(&store->conn, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL", reterr);

    if (outcome == STORE_DONE) {
        outcome = sql_number(&store->conn, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", &is_wal, reterr);
    }
    if (outcome == STORE_DONE && !is_wal) {
        (void)err_set(reterr, ERR_IO, "%s: its file system cannot hold a write-ahead log. Use a local disk",
                      store->path);
        return STORE_DOWN;
    }
    return outcome;
}

/* From a connection to a store that is ready. */
static enum store_outcome make_ready(struct sqlite_store *store, bool is_fast, struct error *reterr)
{
    int64_t version;

    (void)sqlite3_busy_timeout(store->conn.db, BUSY_WAIT_MS);
    enum store_outcome outcome = sqlite_schema_look(&store->conn, &version, reterr);

    if (outcome == STORE_DONE) {
        outcome = set_up(store, is_fast, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = enter_wal(store, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = sqlite_schema_migrate(&store->conn, version, store->shard, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = sqlite_schema_check_shard(&store->conn, store->shard, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = sql_prepare_all(&store->conn, reterr);
    }
    return outcome;
}

static enum store_outcome open_files(struct sqlite_store *store, const struct sqlite_options *options,
                                     struct error *reterr)
{
    enum store_outcome outcome = STORE_DONE;

    if (options->vfs == NULL) {
        outcome = sqlite_files_check_place(options->path, reterr);
        if (outcome == STORE_DONE && !options->is_unlocked) {
            outcome = sqlite_files_lock(options->path, &store->lock_fd, reterr);
        }
        if (outcome == STORE_DONE) {
            outcome = sqlite_files_make(options->path, reterr);
        }
    }
    if (outcome == STORE_DONE && !options->is_unlocked) {
        outcome = sqlite_wal_settle(options->path, options->vfs, reterr);
    }
    if (outcome == STORE_DONE) {
        const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

        outcome = sql_conn_open(&store->conn, options->path, flags, options->vfs, reterr);
    }
    return outcome;
}

/* ---- the methods that are short ---- */

static enum store_outcome acquire_inside(struct sqlite_store *store, const struct store_owner *owner,
                                         struct shard_row *ret_shard, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_SHARD_ACQUIRE);

    sql_id(&call, owner->nonce[0]);
    sql_id(&call, owner->nonce[1]);
    sql_text_opt(&call, owner->name);
    sql_text_opt(&call, owner->url);
    sql_int(&call, store->shard);
    enum store_outcome outcome = sql_run(&call, reterr);

    return outcome == STORE_DONE ? sqlite_take_shard(&store->conn, store->shard, ret_shard, reterr) : outcome;
}

static enum store_outcome sqlite_acquire(struct store *base, const struct store_owner *owner, uint64_t *ret_epoch,
                                         struct error *reterr)
{
    struct sqlite_store *store = sqlite_store_of(base);
    struct shard_row shard;

    if (store->is_broken) {
        return sqlite_is_broken(store, reterr);
    }
    enum store_outcome outcome = sqlite_begin(store, reterr);

    if (outcome == STORE_DONE) {
        outcome = acquire_inside(store, owner, &shard, reterr);
        if (outcome == STORE_DONE) {
            outcome = sqlite_commit_end(store, reterr);
        } else {
            sqlite_rollback(store);
        }
    }
    if (outcome == STORE_DONE) {
        store->has_acquired = true;
        store->epoch = shard.epoch;
        store->nonce[0] = owner->nonce[0];
        store->nonce[1] = owner->nonce[1];
        *ret_epoch = shard.epoch;
    }
    return sqlite_note(store, outcome);
}

static void free_store(struct sqlite_store *store)
{
    sqlite_files_unlock(store->lock_fd);
    buf_done(&store->packed);
    old_round_done(&store->old);
    (void)pthread_mutex_destroy(&store->readers_mutex);
    mem_free(store->path);
    mem_free(store->vfs);
    mem_free(store);
}

static void sqlite_close(struct store *base)
{
    struct sqlite_store *store = sqlite_store_of(base);

    assert(list_empty(&store->readers));
    sqlite_backup_abandon(store);
    sql_conn_close(&store->conn);
    free_store(store);
}

static const struct store_methods methods = {
    .acquire = sqlite_acquire,
    .commit = sqlite_commit,
    .load = sqlite_load,
    .tidy = sqlite_tidy,
    .old = sqlite_old,
    .forget = sqlite_forget,
    .backup = sqlite_backup,
    .reader_open = sqlite_reader_open,
    .close = sqlite_close,
};

enum store_outcome sqlite_store_open(const struct sqlite_options *options, struct store **ret_store,
                                     struct error *reterr)
{
    configure_once();
    struct sqlite_store *store = mem_zalloc(sizeof *store);

    store->store.methods = &methods;
    store->path = mem_strdup(options->path);
    store->vfs = mem_strdup(options->vfs);
    store->shard = options->shard;
    store->lock_fd = -1;
    buf_init(&store->packed, CLAIMS_PACK_BYTES_MAX);
    old_round_init(&store->old);
    (void)pthread_mutex_init(&store->readers_mutex, NULL);
    list_init(&store->readers);
    enum store_outcome outcome = open_files(store, options, reterr);

    if (outcome != STORE_DONE) {
        free_store(store);
        return outcome;
    }
    outcome = make_ready(store, options->is_test_fast, reterr);
    if (outcome != STORE_DONE) {
        sql_conn_close(&store->conn);
        free_store(store);
        return outcome;
    }
    sqlite_wal_watch(store);
    *ret_store = &store->store;
    return STORE_DONE;
}

const char *sqlite_store_version(void)
{
    return sqlite3_libversion();
}
