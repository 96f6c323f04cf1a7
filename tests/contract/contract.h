/* contract: what every store must do, as tests that know nothing but store.h.
 *
 * Each kind of store says in a file of its own how it is opened (kind_memory.c, kind_sqlite.c), and is linked with the
 * same tests into a program of its own.
 *
 * Rules: (1) every batch a test commits goes into the naive store (naive.h) too, which must be of the same opinion.
 *        (2) at the end of each test everything is read back and compared with it, before and after opening anew
 *            (contract_main.c).
 * See:   contract_tests.h (the list of tests), store/store.h
 */
#ifndef TESTS_CONTRACT_CONTRACT_H
#define TESTS_CONTRACT_CONTRACT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "model/batch.h"
#include "naive.h"
#include "store/store.h"

/* A kind of store. data is what outlives a store object: a disk in memory, a folder. */
struct contract_kind {
    const char *name;
    void *(*data_new)(void);
    void (*data_free)(void *data);
    struct store *(*open)(void *data);        /* any number at once; fails the test where it cannot */
    struct store *(*open_backup)(void *data); /* what backup_path names; NULL: this kind makes no backups */
    const char *(*backup_path)(void *data);
    bool has_threads; /* readers may be used by other threads */
};

extern const struct contract_kind contract_kind;

/* One test's store. */
struct contract {
    void *data;
    struct store *store;
    struct store *other; /* a second one on the same data; NULL: none */
    struct store_reader *reader;
    uint64_t epoch; /* of the last acquisition */
    uint64_t nonce; /* of the last acquisition: {nonce, ~nonce} */
    struct naive naive;
    struct batch batch; /* being filled */
    struct rows rows;   /* the last answer */
};

/* ---- writing ---- */

/* The next operation of the batch that is being filled. */
struct op *add(struct contract *c, enum op_kind kind);

/* The same with its row; texts may be borrowed until the commit. */
void add_job(struct contract *c, enum op_kind kind, struct job_row row);
void add_version(struct contract *c, struct version_row row);
void add_trigger(struct contract *c, enum op_kind kind, struct trigger_row row);
void add_attempt(struct contract *c, enum op_kind kind, struct attempt_row row);
void add_claims(struct contract *c, uint64_t id, const struct claim *claims, size_t count);
void add_skip(struct contract *c, struct skip_row row);
void add_wait(struct contract *c, enum op_kind kind, struct wait_row row);
void add_edge(struct contract *c, enum op_kind kind, struct edge_row row);
void add_setting(struct contract *c, struct setting_row row);
void add_limiter(struct contract *c, struct limiter_row row);
void add_circuit(struct contract *c, enum op_kind kind, struct circuit_row row);
void add_idem(struct contract *c, struct idem_row row);
void add_tenant(struct contract *c, const char *tenant, int64_t jobs);
void add_id(struct contract *c, enum op_kind kind, uint64_t id);
void add_ids(struct contract *c, int64_t ms);

/* Commits what was added, and begins the next batch. The outcome must be that one, and the naive store's too. */
void commit(struct contract *c);
void commit_refused(struct contract *c);

/* Commits with another number and wants the outcome; the naive store is not asked. What was added is dropped. */
void commit_numbered(struct contract *c, uint64_t number, enum store_outcome outcome);

/* Copies every text of a batch into the batch (own.c). */
void own_batch(struct batch *batch);

/* ---- opening ---- */

/* Acquires for a new owner. */
void acquire(struct contract *c);

/* Closes everything and opens it again, as after a crash. */
void reopen(struct contract *c);

/* ---- asking: the answer is in c->rows until the next question ---- */

void ask_load(struct contract *c, struct load ask);
void ask_start(struct contract *c);
void ask_window(struct contract *c, struct place place, int64_t after_ms, uint64_t after_id, int64_t until_ms,
                size_t limit);
void ask_keys(struct contract *c, const struct load_key *keys, size_t count);
void ask_key(struct contract *c, struct load_key key);
void ask_query(struct contract *c, struct query query);

/* A question with nothing but its kind: no filter, first page, a large limit. */
struct query query_of(enum query_kind kind);

/* ---- comparing ---- */

/* Every row there is, by all the ways the interface has, is what the naive store holds. */
void check_all(struct contract *c);

/* The same question to both; pages are followed to the end. */
void check_load(struct contract *c, struct load ask);
void check_query(struct contract *c, struct query query);

/* ---- the life of a test ---- */

/* A new store, acquired, with a reader. */
int contract_setup(void **state);
int contract_teardown(void **state);

#endif
