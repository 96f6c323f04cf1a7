#include "postgres_test.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 512

/* How often a condition is looked at before a test gives up: more than a minute. */
#define LOOKS_MAX 6000
#define LOOK_MS 10

static char database_url[TEXT_BYTES];
static char database_name[64];

/* ---- databases ---- */

static const char *server_url(void)
{
    const char *text = getenv("BELFRY_TEST_POSTGRES");

    if (text == NULL) {
        fail_msg("BELFRY_TEST_POSTGRES is not set: run it with tests/store/with_postgres.py");
    }
    return text;
}

uint16_t server_port(void)
{
    const char *text = getenv("BELFRY_TEST_POSTGRES_PORT");

    assert_non_null(text);
    return (uint16_t)strtoul(text, NULL, 10);
}

static void server_exec(const char *sql)
{
    PGconn *raw = PQconnectdb(server_url());

    raw_exec(raw, sql);
    PQfinish(raw);
}

int database_make_empty(void **state)
{
    static unsigned made;
    const char *text = server_url();
    const char *options = strchr(text, '?');
    char sql[TEXT_BYTES];

    (void)state;
    assert_non_null(options);
    (void)snprintf(database_name, sizeof database_name, "test_%u", ++made);
    (void)snprintf(sql, sizeof sql, "CREATE DATABASE %s", database_name);
    server_exec(sql);
    (void)snprintf(database_url, sizeof database_url, "postgresql://belfry@/%s%s", database_name, options);
    return 0;
}

int database_make(void **state)
{
    struct error error = {0};
    int made = database_make_empty(state);

    if (postgres_store_init(url(), 2, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    return made;
}

int database_drop(void **state)
{
    char sql[TEXT_BYTES];

    (void)state;
    (void)snprintf(sql, sizeof sql, "DROP DATABASE %s WITH (FORCE)", database_name);
    server_exec(sql);
    return 0;
}

const char *url(void)
{
    return database_url;
}

const char *url_at(uint16_t port)
{
    static char text[TEXT_BYTES];

    (void)snprintf(text, sizeof text, "postgresql://belfry@127.0.0.1:%u/%s", port, database_name);
    return text;
}

/* ---- stores ---- */

void want(enum store_outcome outcome, enum store_outcome wanted, const struct error *error)
{
    if (outcome != wanted) {
        fail_msg("%s instead of %s: %s", store_outcome_text(outcome), store_outcome_text(wanted), error->text);
    }
    assert_int_equal(wanted == STORE_DONE, error->code == ERR_OK);
}

struct store *open_with(struct postgres_options options)
{
    struct store *store = NULL;
    struct error error = {0};

    options.url = options.url != NULL ? options.url : url();
    want(postgres_store_open(&options, &store, &error), STORE_DONE, &error);
    return store;
}

struct store *open_store(void)
{
    return open_with((struct postgres_options){0});
}

enum store_outcome try_acquire(struct store *store, const char *name, struct error *error)
{
    static _Atomic uint64_t last = 100;
    uint64_t nonce = ++last;
    const struct store_owner owner = {str_from(name), STR("http://owner.example:7600"), {nonce, ~nonce}};
    uint64_t epoch;

    *error = (struct error){0};
    return store_acquire(store, &owner, &epoch, error);
}

void acquire(struct store *store, const char *name)
{
    struct error error;

    want(try_acquire(store, name, &error), STORE_DONE, &error);
}

enum store_outcome try_commit(struct store *store, uint64_t number, const char *tenant, struct error *error)
{
    struct batch batch;

    *error = (struct error){0};
    batch_init(&batch, number);
    batch_add(&batch, OP_TENANT_PUT)->tenant = (struct tenant_row){str_from(tenant), 1};
    enum store_outcome outcome = store_commit(store, &batch, error);

    batch_done(&batch);
    return outcome;
}

void commit(struct store *store, uint64_t number, const char *tenant)
{
    struct error error;

    want(try_commit(store, number, tenant, &error), STORE_DONE, &error);
}

struct shard_row shard_of(struct store *store)
{
    const struct load start = {.kind = LOAD_START};
    struct error error = {0};
    struct rows rows;

    rows_init(&rows);
    want(store_load(store, &start, &rows, &error), STORE_DONE, &error);
    struct shard_row shard = rows.shard;

    rows_done(&rows);
    return shard;
}

/* ---- SQL behind the store's back ---- */

/* Notices are not what a test is about. */
static void hear_nothing(void *context, const PGresult *notice)
{
    (void)context;
    (void)notice;
}

PGconn *raw_open(void)
{
    PGconn *raw = PQconnectdb(url());

    if (PQstatus(raw) != CONNECTION_OK) {
        fail_msg("%s", PQerrorMessage(raw));
    }
    (void)PQsetNoticeReceiver(raw, hear_nothing, NULL);
    return raw;
}

const char *raw_try(PGconn *raw, const char *sql)
{
    static char state[8];
    PGresult *result = PQexec(raw, sql);
    const char *said = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    bool is_well = PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK;

    (void)snprintf(state, sizeof state, "%s", is_well ? "" : said != NULL ? said : "lost");
    PQclear(result);
    return state;
}

void raw_exec(PGconn *raw, const char *sql)
{
    if (raw_try(raw, sql)[0] != '\0') {
        fail_msg("%s: %s", sql, PQerrorMessage(raw));
    }
}

int64_t raw_number(PGconn *raw, const char *sql)
{
    PGresult *result = PQexec(raw, sql);

    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) {
        fail_msg("%s: %s", sql, PQerrorMessage(raw));
    }
    int64_t number = strtoll(PQgetvalue(result, 0, 0), NULL, 10);

    PQclear(result);
    return number;
}

void raw_run(const char *sql)
{
    PGconn *raw = raw_open();

    raw_exec(raw, sql);
    PQfinish(raw);
}

int64_t raw_ask(const char *sql)
{
    PGconn *raw = raw_open();
    int64_t number = raw_number(raw, sql);

    PQfinish(raw);
    return number;
}

void raw_await(const char *sql)
{
    PGconn *raw = raw_open();
    int looks = 0;

    while (raw_number(raw, sql) == 0) {
        assert_true(++looks < LOOKS_MAX);
        (void)poll(NULL, 0, LOOK_MS);
    }
    PQfinish(raw);
}
