/* The WAL is kept small: checkpoints between batches, and readers that hold it back are cut off. */
#include "store/sqlite/sqlite_inside.h"

/* SQLite calls this after each commit. */
static int committed(void *context, sqlite3 *db, const char *name, int pages)
{
    struct sqlite_store *store = context;

    (void)db;
    (void)name;
    store->wal_bytes = (int64_t)pages * SQLITE_STORE_PAGE_BYTES;
    return SQLITE_OK;
}

void sqlite_wal_watch(struct sqlite_store *store)
{
    (void)sqlite3_wal_hook(store->conn.db, committed, store);
}

/* Checks the WAL in, as far as readers let it. When all of it is in, the next commit begins it anew. Returns whether
 * some of it is left. */
static bool check_in(struct sqlite_store *store, int mode)
{
    int pages = 0;
    int done = 0;
    struct error error;
    int rc = sqlite3_wal_checkpoint_v2(store->conn.db, NULL, mode, &pages, &done);

    if (rc != SQLITE_OK && rc != SQLITE_BUSY) {
        /* What was committed is safe in the WAL. A full disk passes; anything else ends the store (rule 3 of the door).
         */
        (void)sqlite_note(store, sql_failed(&store->conn, rc, &error));
        return false;
    }
    if (done >= pages) {
        store->wal_bytes = 0;
        return false;
    }
    store->wal_bytes = (int64_t)pages * SQLITE_STORE_PAGE_BYTES;
    return true;
}

void sqlite_wal_bound(struct sqlite_store *store)
{
    if (store->wal_bytes >= WAL_CUT_BYTES) {
        sqlite_readers_cut(store);
        (void)check_in(store, SQLITE_CHECKPOINT_TRUNCATE);
    } else if (store->wal_bytes >= WAL_LATE_BYTES) {
        (void)check_in(store, SQLITE_CHECKPOINT_PASSIVE);
    }
}

bool sqlite_tidy(struct store *base, bool is_idle)
{
    struct sqlite_store *store = sqlite_store_of(base);
    int64_t due_bytes = is_idle ? WAL_IDLE_BYTES : WAL_DUE_BYTES;

    if (store->is_broken || store->wal_bytes < due_bytes) {
        return false;
    }
    /* Where a reader holds some of it back, asking again at once would change nothing: the next commit asks. */
    (void)check_in(store, SQLITE_CHECKPOINT_PASSIVE);
    return false;
}
