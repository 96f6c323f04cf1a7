#include "store/postgres/postgres_store.h"

#include "base/chrono.h"
#include "base/mem.h"
#include "store/postgres/postgres_inside.h"
#include "store/postgres/postgres_write.h"

/* A third of the lease: a transaction that stands idle so long is ended by the server, and never holds up a takeover.
 */
#define IDLE_PART 3
#define IDLE_MIN_MS 500

/* How often parts of the history are looked after; a month is made weeks ahead. A busy store gets to it later. */
#define PARTS_EACH_MS (60 * INT64_C(60000))

/* Makes the coming parts of the history, and drops those that are over and empty (0002_history.sql). Fenced, like all
 * that is written. It may fail (a reader is in its way): then the next one does it. The rest is autovacuum's. */
static bool postgres_tidy(struct store *base, bool is_idle)
{
    struct postgres_store *store = postgres_store_of(base);
    int64_t now_mono_ms = chrono_mono_ms();
    struct error ignored;
    struct fence fence;

    if (!store->has_acquired || now_mono_ms < store->parts_mono_ms + (is_idle ? 0 : PARTS_EACH_MS)) {
        return false;
    }
    store->parts_mono_ms = now_mono_ms + PARTS_EACH_MS;
    if (postgres_owner_ready(store, &fence, &ignored) == STORE_DONE) {
        fence.is_harmless = true;
        postgres_fence_hold(&fence, store->lease_ms);
        pg_send_plain(&store->conn, SQL_PARTS_TIDY);
        (void)postgres_fence_end(&fence, &ignored);
    }
    return false;
}

static enum store_outcome postgres_backup(struct store *base, const char *path, struct error *reterr)
{
    const struct postgres_store *store = postgres_store_of(base);

    (void)path;
    (void)err_set(reterr, ERR_UNPROCESSABLE,
                  "a store in PostgreSQL is backed up by PostgreSQL: pg_dump --schema=belfry --format=custom (%s)",
                  store->conn.shown);
    return STORE_REFUSED;
}

static void postgres_close(struct store *base)
{
    struct postgres_store *store = postgres_store_of(base);

    pg_conn_done(&store->conn);
    postgres_names_done(&store->names);
    postgres_writer_free(store->writer);
    old_round_done(&store->old);
    mem_free(store);
}

static const struct store_methods methods = {
    .acquire = postgres_acquire,
    .commit = postgres_commit,
    .load = postgres_load,
    .tidy = postgres_tidy,
    .old = postgres_old,
    .forget = postgres_forget,
    .renew = postgres_store_renew,
    .release = postgres_store_release,
    .look = postgres_look,
    .set_held = postgres_set_held,
    .fill_begin = postgres_fill_begin,
    .fill_end = postgres_fill_end,
    .members_open = postgres_members_open,
    .backup = postgres_backup,
    .reader_open = postgres_reader_open,
    .close = postgres_close,
};

/* The shard's row must be there. */
static enum store_outcome check_shard(struct postgres_store *store, struct error *reterr)
{
    pg_send_for(&store->conn, SQL_SHARD, store->shard);
    pg_sync(&store->conn);
    const PGresult *answer = pg_answer(&store->conn);
    bool is_there = answer != NULL && PQntuples(answer) == 1;
    enum store_outcome outcome = pg_finish(&store->conn, reterr);

    if (outcome == STORE_DONE && !is_there) {
        (void)err_set(reterr, ERR_CONFLICT, "%s has no shard %u", store->conn.shown, store->shard);
        return STORE_REFUSED;
    }
    return outcome;
}

enum store_outcome postgres_store_open(const struct postgres_options *options, struct store **ret_store,
                                       struct error *reterr)
{
    struct postgres_store *store = mem_zalloc(sizeof *store);

    if (pg_conn_init(&store->conn, options->url, PG_WRITER, reterr) != ERR_OK) {
        mem_free(store);
        return STORE_REFUSED;
    }
    store->store.methods = &methods;
    store->shard = options->shard;
    store->lease_ms = options->lease_ms != 0 ? options->lease_ms : POSTGRES_LEASE_MS;
    store->call_ms = options->call_ms != 0 ? options->call_ms : CALL_MS;
    store->conn.statement_ms = store->call_ms - store->call_ms / 10;
    store->conn.idle_ms = store->lease_ms / IDLE_PART > IDLE_MIN_MS ? store->lease_ms / IDLE_PART : IDLE_MIN_MS;
    store->parts_mono_ms = chrono_mono_ms();
    store->writer = postgres_writer_new();
    postgres_names_init(&store->names);
    old_round_init(&store->old);
    enum store_outcome outcome = pg_start(&store->conn, store->call_ms, reterr);

    if (outcome == STORE_DONE) {
        outcome = check_shard(store, reterr);
    }
    if (outcome != STORE_DONE) {
        postgres_close(&store->store);
        return outcome;
    }
    *ret_store = &store->store;
    return STORE_DONE;
}
