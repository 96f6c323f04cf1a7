/* Readers: sessions that can only read. */
#include "store/postgres/postgres_read.h"

#include "base/mem.h"
#include "store/postgres/pg_row.h"
#include "store/postgres/postgres_inside.h"

static enum store_outcome reader_read(struct store_reader *base, const struct query *query, struct rows *rows,
                                      struct error *reterr)
{
    struct postgres_reader *reader = CONTAINER_OF(base, struct postgres_reader, reader);
    enum store_outcome outcome = pg_start(&reader->conn, READ_MS, reterr);
    struct taking taking;

    if (outcome != STORE_DONE) {
        return outcome;
    }
    postgres_taking_init(&taking, &reader->conn, reader->shard, rows, reterr);
    struct page page = {.taking = &taking, .query = query};

    outcome = postgres_read_query(&page);
    postgres_take_leave(&taking);
    postgres_taking_done(&taking);
    return outcome;
}

static enum store_outcome reader_size(struct store_reader *base, int64_t *ret_bytes, struct error *reterr)
{
    struct postgres_reader *reader = CONTAINER_OF(base, struct postgres_reader, reader);
    enum store_outcome outcome = pg_start(&reader->conn, READ_MS, reterr);
    int64_t bytes = 0;

    if (outcome != STORE_DONE) {
        return outcome;
    }
    pg_send_plain(&reader->conn, SQL_DATABASE_BYTES);
    pg_sync(&reader->conn);
    const PGresult *answer = pg_answer(&reader->conn);

    if (answer != NULL && PQntuples(answer) == 1) {
        struct pg_row row = pg_row(answer, 0);

        bytes = pg_take_int(&row);
    }
    outcome = pg_finish(&reader->conn, reterr);
    if (outcome == STORE_DONE) {
        *ret_bytes = bytes;
    }
    return outcome;
}

static void reader_close(struct store_reader *base)
{
    struct postgres_reader *reader = CONTAINER_OF(base, struct postgres_reader, reader);

    pg_conn_done(&reader->conn);
    mem_free(reader);
}

static const struct store_reader_methods methods = {.read = reader_read, .size = reader_size, .close = reader_close};

enum store_outcome postgres_reader_open(struct store *base, struct store_reader **ret_reader, struct error *reterr)
{
    const struct postgres_store *store = postgres_store_of(base);
    struct postgres_reader *reader = mem_zalloc(sizeof *reader);

    reader->reader.methods = &methods;
    reader->shard = store->shard;
    if (pg_conn_init(&reader->conn, store->conn.url, PG_READER, reterr) != ERR_OK) {
        mem_free(reader);
        return STORE_REFUSED;
    }
    reader->conn.statement_ms = reader->conn.idle_ms = READ_STATEMENT_MS;
    enum store_outcome outcome = pg_start(&reader->conn, READ_MS, reterr);

    if (outcome != STORE_DONE) {
        reader_close(&reader->reader);
        return outcome;
    }
    *ret_reader = &reader->reader;
    return STORE_DONE;
}
