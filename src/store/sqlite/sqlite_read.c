/* Readers: read-only connections for people's questions. A read is one transaction and has READ_MAX_MS. */
#include "store/sqlite/sqlite_read.h"

#include "base/chrono.h"
#include "base/mem.h"
#include "store/sqlite/sqlite_files.h"
#include "store/sqlite/sqlite_inside.h"

/* Instructions of SQLite's machine between two looks at the clock: well under a millisecond. */
#define PROGRESS_STEPS 10000

void sqlite_readers_cut(struct sqlite_store *store)
{
    (void)pthread_mutex_lock(&store->readers_mutex);
    for (struct list_node *link = list_first(&store->readers); link != NULL; link = list_next(&store->readers, link)) {
        sqlite3_interrupt(CONTAINER_OF(link, struct sqlite_reader, link)->conn.db);
    }
    (void)pthread_mutex_unlock(&store->readers_mutex);
}

static int is_late(void *context)
{
    const struct sqlite_reader *reader = context;

    return chrono_mono_ms() > reader->deadline_mono_ms;
}

static enum store_outcome reader_read(struct store_reader *base, const struct query *query, struct rows *rows,
                                      struct error *reterr)
{
    struct sqlite_reader *reader = CONTAINER_OF(base, struct sqlite_reader, reader);
    int64_t now_mono_ms = chrono_mono_ms();
    struct taking taking;

    reader->deadline_mono_ms = now_mono_ms + READ_MAX_MS;
    struct sql_call begin = sql_begin(&reader->conn, SQL_BEGIN_READ);
    enum store_outcome outcome = sql_run(&begin, reterr);

    if (outcome == STORE_DONE) {
        sqlite_taking_init(&taking, &reader->conn, rows, reterr);
        struct page page = {.taking = &taking,
                            .query = query,
                            .end_mono_ms = now_mono_ms + READ_MAX_MS / 2,
                            .seek_mono_ms = now_mono_ms + SEEK_MAX_MS};

        outcome = sqlite_read_query(&page);
        sqlite_taking_done(&taking);
        struct sql_call end = sql_begin(&reader->conn, SQL_ROLLBACK);

        if (!sqlite3_get_autocommit(reader->conn.db)) {
            (void)sql_run(&end, NULL);
        }
    }
    return outcome;
}

static enum store_outcome reader_size(struct store_reader *base, int64_t *ret_bytes, struct error *reterr)
{
    const struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_reader, reader)->store;
    char *wal = sqlite_files_name(store->path, "-wal");

    (void)reterr;
    *ret_bytes = sqlite_files_bytes(store->path) + sqlite_files_bytes(wal);
    mem_free(wal);
    return STORE_DONE;
}

static void reader_close(struct store_reader *base)
{
    struct sqlite_reader *reader = CONTAINER_OF(base, struct sqlite_reader, reader);

    (void)pthread_mutex_lock(&reader->store->readers_mutex);
    list_remove(&reader->link);
    (void)pthread_mutex_unlock(&reader->store->readers_mutex);
    sql_conn_close(&reader->conn);
    mem_free(reader);
}

static const struct store_reader_methods methods = {.read = reader_read, .size = reader_size, .close = reader_close};

/* Never a checkpoint from here: not while reading, not when closing (rule 1 of the door). */
static enum store_outcome set_up(struct sqlite_reader *reader, struct error *reterr)
{
    static const char pragmas[] = "PRAGMA wal_autocheckpoint = 0;"
                                  "PRAGMA query_only = ON;"
                                  "PRAGMA temp_store = MEMORY;"
                                  "PRAGMA cache_size = -8192;"
                                  "PRAGMA mmap_size = 0;"
                                  "PRAGMA trusted_schema = OFF;"
                                  "PRAGMA cell_size_check = ON;";

    (void)sqlite3_db_config(reader->conn.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_busy_timeout(reader->conn.db, BUSY_WAIT_MS);
    enum store_outcome outcome = sql_exec(&reader->conn, pragmas, reterr);

    sqlite3_progress_handler(reader->conn.db, PROGRESS_STEPS, is_late, reader);
    return outcome;
}

enum store_outcome sqlite_reader_open(struct store *base, struct store_reader **ret_reader, struct error *reterr)
{
    struct sqlite_store *store = sqlite_store_of(base);
    struct sqlite_reader *reader = mem_zalloc(sizeof *reader);
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;

    reader->reader.methods = &methods;
    reader->store = store;
    reader->deadline_mono_ms = INT64_MAX;
    enum store_outcome outcome = sql_conn_open(&reader->conn, store->path, flags, store->vfs, reterr);

    if (outcome != STORE_DONE) {
        mem_free(reader);
        return outcome;
    }
    outcome = set_up(reader, reterr);
    if (outcome != STORE_DONE) {
        sql_conn_close(&reader->conn);
        mem_free(reader);
        return outcome;
    }
    list_node_init(&reader->link);
    (void)pthread_mutex_lock(&store->readers_mutex);
    list_push_back(&store->readers, &reader->link);
    (void)pthread_mutex_unlock(&store->readers_mutex);
    *ret_reader = &reader->reader;
    return STORE_DONE;
}
