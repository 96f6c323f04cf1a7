#include "postgres_bare.h"

#include <endian.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/postgres/pg_rows.h"
#include "store/postgres/pg_statements.h"
#include "store_work.h"

#define PARAMS_MAX 8
#define LEASE_MS 10000
/* What a claim takes in store/claims_pack.h, and the beginning with one worker. */
#define CLAIM_BYTES 45
#define CLAIMS_HEAD_BYTES 34

/* In the bytes of pg_rows.h: the array's head; a row's, and its first column's. */
#define ROWS_HEAD_BYTES 20
#define ID_AT 16
/* From one column of 8 bytes to the next. */
#define NEXT_ID_BYTES 16

struct bare {
    PGconn *pq;
    uint32_t shard;
    size_t count;
    /* Made once: only ids differ from batch to batch. */
    struct pg_rows rows[PG_ROW_TYPES];
    uint32_t oids[PG_ROW_TYPES];
    struct pg_array claims;
    struct pg_array claims_id;
    size_t sent;
};

/* One statement's parameters. */
struct params {
    int count;
    const char *values[PARAMS_MAX];
    int lengths[PARAMS_MAX];
    int formats[PARAMS_MAX];
    char scalars[PARAMS_MAX][sizeof(int64_t)];
};

static void want(struct bare *bare, bool is_well)
{
    if (!is_well) {
        (void)fprintf(stderr, "bench_postgres: %s\n", PQerrorMessage(bare->pq));
        exit(1);
    }
}

/* ---- sending ---- */

static void put(struct params *params, const void *bytes, size_t len)
{
    params->values[params->count] = bytes;
    params->lengths[params->count] = (int)len;
    params->formats[params->count++] = 1;
}

static void put_number(struct params *params, int64_t number)
{
    uint64_t big = htobe64((uint64_t)number);

    put(params, memcpy(params->scalars[params->count], &big, sizeof big), sizeof big);
}

static void put_shard(struct params *params, const struct bare *bare)
{
    uint16_t big = htobe16((uint16_t)bare->shard);

    put(params, memcpy(params->scalars[params->count], &big, sizeof big), sizeof big);
}

static void name_of(enum pg_statement statement, char *name, size_t size)
{
    (void)snprintf(name, size, "b%d", (int)statement);
}

static void send(struct bare *bare, enum pg_statement statement, const struct params *params)
{
    char name[16];

    name_of(statement, name, sizeof name);
    want(bare,
         PQsendQueryPrepared(bare->pq, name, params->count, params->values, params->lengths, params->formats, 1) == 1);
    bare->sent++;
}

static void send_plain(struct bare *bare, enum pg_statement statement)
{
    static const struct params none;

    send(bare, statement, &none);
}

/* Takes an answer for each statement, and the one of the sync. */
static void take_answers(struct bare *bare)
{
    want(bare, PQpipelineSync(bare->pq) == 1);
    for (; bare->sent > 0; bare->sent--) {
        PGresult *answer = PQgetResult(bare->pq);
        ExecStatusType status = PQresultStatus(answer);

        want(bare, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
        PQclear(answer);
        PQclear(PQgetResult(bare->pq)); /* NULL: the end of this one */
    }
    PQclear(PQgetResult(bare->pq));
}

/* ---- life ---- */

/* What a session of the store has (pg_session.c). */
static const char settings[] =
    "SET search_path = belfry, pg_temp; SET synchronous_commit = on; SET enable_seqscan = off; "
    "SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; "
    "SET enable_memoize = off; SET jit = off; SET max_parallel_workers_per_gather = 0; "
    "SET plan_cache_mode = force_generic_plan; SET application_name = 'bare'";

static void run(struct bare *bare, const char *sql)
{
    PGresult *answer = PQexec(bare->pq, sql);

    want(bare, PQresultStatus(answer) == PGRES_COMMAND_OK || PQresultStatus(answer) == PGRES_TUPLES_OK);
    PQclear(answer);
}

static void prepare(struct bare *bare)
{
    static const enum pg_statement used[] = {SQL_BEGIN_WRITE, SQL_FENCE_SHARED,  SQL_ADVANCE,       SQL_LOG,
                                             SQL_JOB_INSERT,  SQL_CLAIMS_INSERT, SQL_JOB_UPDATE,    SQL_CLAIMS_DELETE,
                                             SQL_COMMIT,      SQL_LOG_CUT,       SQL_TRIGGER_INSERT};

    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        char name[16];

        name_of(used[i], name, sizeof name);
        PGresult *answer = PQprepare(bare->pq, name, pg_statement_text(used[i]), 0, NULL);

        want(bare, PQresultStatus(answer) == PGRES_COMMAND_OK);
        PQclear(answer);
    }
}

/* The shard, and the numbers of the places that store_work.h uses. */
static void take_shard(struct bare *bare)
{
    char sql[600];

    (void)snprintf(sql, sizeof sql,
                   "UPDATE shards SET epoch = 1, nonce_0 = 1, nonce_1 = 2 WHERE number = %u; "
                   "INSERT INTO tenant_numbers SELECT %u, n, 'tenant' || n FROM generate_series(1, 4) n; "
                   "INSERT INTO lanes SELECT %u, n, 3, 'default', 'type' || n FROM generate_series(1, 4) n",
                   bare->shard, bare->shard, bare->shard);
    run(bare, sql);
}

static void learn_types(struct bare *bare)
{
#define X(name, text) ", '" text "'::regtype::oid"
    PGresult *answer = PQexec(bare->pq, "SELECT 0" PG_ROW_TABLE(X));
#undef X

    want(bare, PQresultStatus(answer) == PGRES_TUPLES_OK);
    for (int i = 0; i < PG_ROW_TYPES; i++) {
        bare->oids[i] = (uint32_t)strtoul(PQgetvalue(answer, 0, i + 1), NULL, 10);
    }
    PQclear(answer);
}

/* A row by its columns: p: the place; i: the id; 1: one; n: now; l: later; s: succeeded; d: the definition; w: the
 * worker; -: NULL. */
static void put_row(struct pg_rows *rows, const char *columns, uint64_t number)
{
    pg_rows_begin(rows);
    for (const char *at = columns; *at != '\0'; at++) {
        switch (*at) {
        case 'i':
            pg_rows_key(rows, 0);
            break;
        case 'p':
            pg_rows_key(rows, (int64_t)((1 + number % 4) << 32 | (1 + number / 4 % 4)));
            break;
        case '1':
            pg_rows_key(rows, 1);
            break;
        case 's':
            pg_rows_key(rows, TRIGGER_SUCCEEDED);
            break;
        case 'n':
            pg_rows_key(rows, WORK_NOW_MS);
            break;
        case 'l':
            pg_rows_key(rows, WORK_NOW_MS + 2);
            break;
        case 'd':
            pg_rows_text(rows, work_def);
            break;
        case 'w':
            pg_rows_text(rows, work_worker);
            break;
        default:
            pg_rows_text_opt(rows, (struct str){0});
        }
    }
    pg_rows_end(rows);
}

static void make_rows(struct bare *bare)
{
    const size_t bytes = CLAIMS_HEAD_BYTES + bare->count * CLAIM_BYTES;
    char *claims = mem_zalloc(bytes);

    pg_rows_init(&bare->rows[PG_ROW_JOB_NEW], "882488888888tt8");
    pg_rows_init(&bare->rows[PG_ROW_JOB_CHANGE], "88248888888t8");
    pg_rows_init(&bare->rows[PG_ROW_TRIGGER_NEW], "88822488444448888t4288ttttt28");
    for (uint64_t i = 0; i < bare->count; i++) {
        put_row(&bare->rows[PG_ROW_JOB_NEW], "ip-1nn---nnn-d-", i);
        put_row(&bare->rows[PG_ROW_JOB_CHANGE], "ips1----1nl--", i);
        put_row(&bare->rows[PG_ROW_TRIGGER_NEW], "iip-s1nn1------nl-1snlw------", i);
    }
    pg_array_init(&bare->claims_id, PG_INT8);
    pg_array_init(&bare->claims, PG_BYTEA);
    pg_array_text(&bare->claims, (struct str){claims, bytes});
    mem_free(claims);
}

struct bare *bare_open(const char *url, uint32_t shard, size_t count)
{
    struct bare *bare = mem_zalloc(sizeof *bare);

    bare->pq = PQconnectdb(url);
    bare->shard = shard;
    bare->count = count;
    want(bare, PQstatus(bare->pq) == CONNECTION_OK);
    run(bare, settings);
    take_shard(bare);
    prepare(bare);
    learn_types(bare);
    make_rows(bare);
    want(bare, PQenterPipelineMode(bare->pq) == 1);
    return bare;
}

void bare_close(struct bare *bare)
{
    for (size_t i = 0; i < PG_ROW_TYPES; i++) {
        pg_rows_done(&bare->rows[i]);
    }
    pg_array_done(&bare->claims);
    pg_array_done(&bare->claims_id);
    PQfinish(bare->pq);
    mem_free(bare);
}

/* ---- a batch ---- */

static void begin(struct bare *bare, uint64_t number)
{
    struct params params = {0};

    send_plain(bare, SQL_BEGIN_WRITE);
    put_shard(&params, bare);
    send(bare, SQL_FENCE_SHARED, &params);
    put_number(&params, 1);
    put_number(&params, 1);
    put_number(&params, 2);
    put_number(&params, LEASE_MS);
    put_number(&params, (int64_t)number);
    put_number(&params, INT64_MIN);
    send(bare, SQL_ADVANCE, &params);
}

/* The k-th batch's ids into the first columns of all rows, which are of one length. */
static void number_rows(struct bare *bare, enum pg_row_type type, uint64_t k, size_t columns)
{
    struct pg_rows *rows = &bare->rows[type];
    const size_t row_bytes = (rows->bytes.len - ROWS_HEAD_BYTES) / bare->count;

    for (size_t i = 0; i < bare->count; i++) {
        const uint64_t big = htobe64(work_id(k * bare->count + i));
        char *at = rows->bytes.data + ROWS_HEAD_BYTES + i * row_bytes + ID_AT;

        for (size_t j = 0; j < columns; j++) {
            memcpy(at + j * NEXT_ID_BYTES, &big, sizeof big);
        }
    }
}

static void send_rows(struct bare *bare, enum pg_statement statement, enum pg_row_type type, bool is_counted)
{
    struct params params = {0};
    struct str bytes = pg_rows_bytes(&bare->rows[type], bare->oids[type]);

    put_shard(&params, bare);
    if (is_counted) {
        put_number(&params, (int64_t)bare->count);
    }
    put(&params, bytes.ptr, bytes.len);
    send(bare, statement, &params);
}

static void create_all(struct bare *bare, uint64_t k)
{
    number_rows(bare, PG_ROW_JOB_NEW, k, 1);
    send_rows(bare, SQL_JOB_INSERT, PG_ROW_JOB_NEW, false);
}

/* Claims go by the first job's number. */
static struct str claims_id(struct bare *bare, uint64_t k)
{
    pg_array_reset(&bare->claims_id);
    pg_array_id(&bare->claims_id, k * bare->count + 1);
    return pg_array_bytes(&bare->claims_id);
}

static void claim_all(struct bare *bare, uint64_t k)
{
    struct params params = {0};
    struct str id = claims_id(bare, k);
    struct str claims = pg_array_bytes(&bare->claims);

    put_shard(&params, bare);
    put(&params, id.ptr, id.len);
    put(&params, claims.ptr, claims.len);
    send(bare, SQL_CLAIMS_INSERT, &params);
}

static void finish_all(struct bare *bare, uint64_t k)
{
    struct params params = {0};
    struct str id = claims_id(bare, k);

    number_rows(bare, PG_ROW_JOB_CHANGE, k, 1);
    send_rows(bare, SQL_JOB_UPDATE, PG_ROW_JOB_CHANGE, true);
    number_rows(bare, PG_ROW_TRIGGER_NEW, k, 2);
    send_rows(bare, SQL_TRIGGER_INSERT, PG_ROW_TRIGGER_NEW, false);
    put_shard(&params, bare);
    put_number(&params, 1);
    put(&params, id.ptr, id.len);
    send(bare, SQL_CLAIMS_DELETE, &params);
}

static void end(struct bare *bare, uint64_t number)
{
    struct params params = {0};

    put_shard(&params, bare);
    put_number(&params, (int64_t)number);
    put_number(&params, 1);
    put_number(&params, 1);
    put_number(&params, 2);
    put_number(&params, (int64_t)bare->count);
    send(bare, SQL_LOG, &params);
    send_plain(bare, SQL_COMMIT);
}

void bare_batch(struct bare *bare, uint64_t k)
{
    begin(bare, k + 1);
    create_all(bare, k);
    if (k >= 1) {
        claim_all(bare, k - 1);
    }
    if (k >= 2) {
        finish_all(bare, k - 2);
    }
    end(bare, k + 1);
    take_answers(bare);
}
