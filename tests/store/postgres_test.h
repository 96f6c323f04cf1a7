/* postgres_test: what the tests of the PostgreSQL store share: a database of their own, stores in it, and sessions
 * behind their backs.
 *
 * Whatever fails here fails the test. The server is started by with_postgres.py.
 */
#ifndef TESTS_STORE_POSTGRES_TEST_H
#define TESTS_STORE_POSTGRES_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <libpq-fe.h>

#include "model/batch.h"
#include "model/rows.h"
#include "store/postgres/postgres_store.h"
#include "store/store.h"

/* ---- databases: for cmocka_unit_test_setup_teardown ---- */

/* A new one, with a schema of two shards. */
int database_make(void **state);
/* The same without a schema. */
int database_make_empty(void **state);
int database_drop(void **state);

/* Its URL, by the Unix socket; and by TCP on another port, such as a proxy's. Both hold until the test ends. */
const char *url(void);
const char *url_at(uint16_t port);
uint16_t server_port(void);

/* ---- stores ---- */

struct store *open_store(void);
struct store *open_with(struct postgres_options options); /* url NULL: the database's */

/* As an owner of that name; the nonce is another one each time. */
enum store_outcome try_acquire(struct store *store, const char *name, struct error *error);
void acquire(struct store *store, const char *name);

/* A batch of one row: tenant with so many jobs. */
enum store_outcome try_commit(struct store *store, uint64_t number, const char *tenant, struct error *error);
void commit(struct store *store, uint64_t number, const char *tenant);

struct shard_row shard_of(struct store *store);

/* Fails the test with the error's text where the outcome is another one. */
void want(enum store_outcome outcome, enum store_outcome wanted, const struct error *error);

/* ---- SQL behind the store's back ---- */

PGconn *raw_open(void);
void raw_exec(PGconn *raw, const char *sql);
/* The SQLSTATE with which it fails; "" where it does not. */
const char *raw_try(PGconn *raw, const char *sql);
int64_t raw_number(PGconn *raw, const char *sql);
/* One statement in a session of its own. */
void raw_run(const char *sql);
int64_t raw_ask(const char *sql);

/* Waits until the statement gives a number that is not 0. */
void raw_await(const char *sql);

#endif
