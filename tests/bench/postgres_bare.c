#include "postgres_bare.h"

#include <endian.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/postgres/pg_array.h"
#include "store/postgres/pg_statements.h"
#include "store_work.h"

#define PARAMS_MAX 40
#define LEASE_MS 10000
/* What a claim takes in store/claims_pack.h, and the beginning with one worker. */
#define CLAIM_BYTES 45
#define CLAIMS_HEAD_BYTES 34

/* Columns; all but the last two are the same in every batch. */
enum column {
    PLACES,
    VERSIONS,
    STATES,
    INSTANTS,
    LATER,
    DEFS,
    WORKERS,
    CLAIMS,
    NONE_2,
    NONE_4,
    NONE_8,
    NONE_TEXT,
    COUNT, /* not arrays: how many rows are to be met */
    ONE,
    IDS,
    CLAIMS_ID,
    COLUMNS
};

static const enum pg_type types[COLUMNS] = {
    [PLACES] = PG_INT8, [VERSIONS] = PG_INT4, [STATES] = PG_INT2,  [INSTANTS] = PG_INT8,
    [LATER] = PG_INT8,  [DEFS] = PG_TEXT,     [WORKERS] = PG_TEXT, [CLAIMS] = PG_BYTEA,
    [NONE_2] = PG_INT2, [NONE_4] = PG_INT4,   [NONE_8] = PG_INT8,  [NONE_TEXT] = PG_TEXT,
    [COUNT] = PG_INT8,  [ONE] = PG_INT8,      [IDS] = PG_INT8,     [CLAIMS_ID] = PG_INT8,
};

struct bare {
    PGconn *pq;
    uint32_t shard;
    size_t count;
    struct pg_array columns[COLUMNS];
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

static void fill_columns(struct bare *bare)
{
    const size_t bytes = CLAIMS_HEAD_BYTES + bare->count * CLAIM_BYTES;
    char *claims = mem_zalloc(bytes);

    for (uint64_t i = 0; i < bare->count; i++) {
        pg_array_key(&bare->columns[PLACES], (int64_t)((1 + i % 4) << 32 | (1 + i / 4 % 4)));
        pg_array_key(&bare->columns[VERSIONS], 1);
        pg_array_key(&bare->columns[STATES], TRIGGER_SUCCEEDED);
        pg_array_key(&bare->columns[INSTANTS], WORK_NOW_MS);
        pg_array_key(&bare->columns[LATER], WORK_NOW_MS + 2);
        pg_array_text(&bare->columns[DEFS], work_def);
        pg_array_text(&bare->columns[WORKERS], work_worker);
    }
    pg_array_text(&bare->columns[CLAIMS], (struct str){claims, bytes});
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
    for (size_t i = 0; i < COLUMNS; i++) {
        pg_array_init(&bare->columns[i], types[i]);
    }
    fill_columns(bare);
    want(bare, PQenterPipelineMode(bare->pq) == 1);
    return bare;
}

void bare_close(struct bare *bare)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        pg_array_done(&bare->columns[i]);
    }
    PQfinish(bare->pq);
    mem_free(bare);
}

/* ---- a batch ---- */

static void number_ids(struct bare *bare, uint64_t k)
{
    pg_array_reset(&bare->columns[IDS]);
    for (uint64_t i = k * bare->count; i < (k + 1) * bare->count; i++) {
        pg_array_id(&bare->columns[IDS], work_id(i));
    }
    pg_array_reset(&bare->columns[CLAIMS_ID]);
    pg_array_id(&bare->columns[CLAIMS_ID], k * bare->count + 1);
}

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

/* The shard, and columns. */
static void send_columns(struct bare *bare, enum pg_statement statement, const enum column *columns, size_t count)
{
    struct params params = {0};

    put_shard(&params, bare);
    for (size_t i = 0; i < count; i++) {
        if (columns[i] == COUNT || columns[i] == ONE) {
            put_number(&params, columns[i] == ONE ? 1 : (int64_t)bare->count);
        } else {
            struct str bytes = pg_array_bytes(&bare->columns[columns[i]]);

            put(&params, bytes.ptr, bytes.len);
        }
    }
    send(bare, statement, &params);
}

#define SEND(bare, statement, ...)                                                                                     \
    send_columns(bare, statement, (const enum column[]){__VA_ARGS__},                                                  \
                 sizeof((const enum column[]){__VA_ARGS__}) / sizeof(enum column))

static void create_all(struct bare *bare, uint64_t k)
{
    number_ids(bare, k);
    SEND(bare, SQL_JOB_INSERT, IDS, PLACES, NONE_2, VERSIONS, INSTANTS, INSTANTS, NONE_8, NONE_8, NONE_8, INSTANTS,
         INSTANTS, INSTANTS, NONE_TEXT, DEFS, NONE_8);
}

static void claim_all(struct bare *bare, uint64_t k)
{
    number_ids(bare, k);
    SEND(bare, SQL_CLAIMS_INSERT, CLAIMS_ID, CLAIMS);
}

static void finish_all(struct bare *bare, uint64_t k)
{
    number_ids(bare, k);
    SEND(bare, SQL_JOB_UPDATE, COUNT, IDS, PLACES, STATES, VERSIONS, NONE_8, NONE_8, NONE_8, NONE_8, INSTANTS, INSTANTS,
         LATER, NONE_TEXT, NONE_8);
    SEND(bare, SQL_TRIGGER_INSERT, IDS, IDS, PLACES, NONE_2, STATES, VERSIONS, INSTANTS, INSTANTS, VERSIONS, NONE_4,
         NONE_4, NONE_4, NONE_4, NONE_8, NONE_8, INSTANTS, LATER, NONE_TEXT, VERSIONS, STATES, INSTANTS, LATER, WORKERS,
         NONE_TEXT, NONE_TEXT, NONE_TEXT, NONE_TEXT, NONE_2, NONE_8);
    SEND(bare, SQL_CLAIMS_DELETE, ONE, CLAIMS_ID);
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
