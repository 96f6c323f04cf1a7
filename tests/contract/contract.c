#include "contract.h"

#include <string.h>

#include "base/mem.h"

/* ---- the life of a test ---- */

static void next_batch(struct contract *c)
{
    batch_done(&c->batch);
    batch_init(&c->batch, c->naive.rows.shard.last_batch + 1);
}

/* Outcomes other than DONE say why. */
static void want(enum store_outcome outcome, enum store_outcome wanted, const struct error *error)
{
    if (outcome != wanted) {
        fail_msg("%s instead of %s: %s", store_outcome_text(outcome), store_outcome_text(wanted), error->text);
    }
    if (wanted != STORE_DONE) {
        assert_int_not_equal(error->code, ERR_OK);
        assert_true(error->text[0] != '\0');
    }
}

void acquire(struct contract *c)
{
    uint64_t nonce = (c->nonce + 1) * UINT64_C(0x9e3779b97f4a7c15); /* any bit may be set */
    const struct store_owner owner = {STR("tower"), STR("http://127.0.0.1:7600"), {nonce, ~nonce}};
    struct error error = {0};
    uint64_t epoch = 0;

    want(store_acquire(c->store, &owner, &epoch, &error), STORE_DONE, &error);
    assert_true(epoch > c->epoch);
    c->epoch = epoch;
    c->nonce = nonce;
}

static void open_all(struct contract *c)
{
    struct error error = {0};

    c->store = contract_kind.open(c->data);
    acquire(c);
    want(store_reader_open(c->store, &c->reader, &error), STORE_DONE, &error);
}

static void close_all(struct contract *c)
{
    store_reader_close(c->reader);
    store_close(c->store);
    c->reader = NULL;
    c->store = NULL;
}

int contract_setup(void **state)
{
    struct contract *c = mem_zalloc(sizeof *c);

    *state = c;
    rows_init(&c->rows);
    naive_init(&c->naive);
    batch_init(&c->batch, 1);
    c->data = contract_kind.data_new();
    open_all(c);
    return 0;
}

int contract_teardown(void **state)
{
    struct contract *c = *state;

    store_close(c->other); /* a test that failed has left it */
    close_all(c);
    contract_kind.data_free(c->data);
    batch_done(&c->batch);
    naive_done(&c->naive);
    rows_done(&c->rows);
    mem_free(c);
    return 0;
}

void reopen(struct contract *c)
{
    close_all(c);
    open_all(c);
}

/* ---- writing ---- */

struct op *add(struct contract *c, enum op_kind kind)
{
    return batch_add(&c->batch, kind);
}

void add_job(struct contract *c, enum op_kind kind, struct job_row row)
{
    add(c, kind)->job = row;
}

void add_version(struct contract *c, struct version_row row)
{
    add(c, OP_VERSION_INSERT)->version = row;
}

void add_trigger(struct contract *c, enum op_kind kind, struct trigger_row row)
{
    add(c, kind)->trigger = row;
}

void add_attempt(struct contract *c, enum op_kind kind, struct attempt_row row)
{
    add(c, kind)->attempt = row;
}

void add_claims(struct contract *c, uint64_t id, const struct claim *claims, size_t count)
{
    add(c, OP_CLAIMS_INSERT)->claims = (struct claims_row){id, claims, count};
}

void add_skip(struct contract *c, struct skip_row row)
{
    add(c, OP_SKIP_PUT)->skip = row;
}

void add_wait(struct contract *c, enum op_kind kind, struct wait_row row)
{
    add(c, kind)->wait = row;
}

void add_edge(struct contract *c, enum op_kind kind, struct edge_row row)
{
    add(c, kind)->edge = row;
}

void add_setting(struct contract *c, struct setting_row row)
{
    add(c, OP_SETTING_PUT)->setting = row;
}

void add_limiter(struct contract *c, struct limiter_row row)
{
    add(c, OP_LIMITER_PUT)->limiter = row;
}

void add_circuit(struct contract *c, enum op_kind kind, struct circuit_row row)
{
    add(c, kind)->circuit = row;
}

void add_idem(struct contract *c, struct idem_row row)
{
    add(c, OP_IDEM_PUT)->idem = row;
}

void add_tenant(struct contract *c, const char *tenant, int64_t jobs)
{
    add(c, OP_TENANT_PUT)->tenant = (struct tenant_row){str_from(tenant), jobs};
}

void add_id(struct contract *c, enum op_kind kind, uint64_t id)
{
    add(c, kind)->id = id;
}

void add_ids(struct contract *c, int64_t ms)
{
    add(c, OP_IDS_RESERVE)->ms = ms;
}

static void commit_wanting(struct contract *c, enum store_outcome outcome)
{
    struct error error = {0};

    own_batch(&c->batch);
    assert_int_equal(naive_commit(&c->naive, &c->batch), outcome == STORE_DONE);
    want(store_commit(c->store, &c->batch, &error), outcome, &error);
    next_batch(c);
}

void commit(struct contract *c)
{
    commit_wanting(c, STORE_DONE);
}

void commit_refused(struct contract *c)
{
    commit_wanting(c, STORE_REFUSED);
}

void commit_numbered(struct contract *c, uint64_t number, enum store_outcome outcome)
{
    struct error error = {0};

    c->batch.number = number;
    want(store_commit(c->store, &c->batch, &error), outcome, &error);
    next_batch(c);
}

/* ---- asking ---- */

static void begin_answer(struct contract *c)
{
    rows_done(&c->rows);
    rows_init(&c->rows);
}

void ask_load(struct contract *c, struct load ask)
{
    struct error error = {0};

    begin_answer(c);
    want(store_load(c->store, &ask, &c->rows, &error), STORE_DONE, &error);
}

void ask_start(struct contract *c)
{
    ask_load(c, (struct load){.kind = LOAD_START});
}

void ask_window(struct contract *c, struct place place, int64_t after_ms, uint64_t after_id, int64_t until_ms,
                size_t limit)
{
    ask_load(c, (struct load){.kind = LOAD_WINDOW,
                              .place = place,
                              .after_ms = after_ms,
                              .after_id = after_id,
                              .until_ms = until_ms,
                              .limit = limit});
}

void ask_keys(struct contract *c, const struct load_key *keys, size_t count)
{
    ask_load(c, (struct load){.kind = LOAD_KEYS, .keys = keys, .key_count = count});
}

void ask_key(struct contract *c, struct load_key key)
{
    ask_keys(c, &key, 1);
}

void ask_query(struct contract *c, struct query query)
{
    struct error error = {0};

    begin_answer(c);
    want(store_read(c->reader, &query, &c->rows, &error), STORE_DONE, &error);
}

struct query query_of(enum query_kind kind)
{
    return (struct query){.kind = kind,
                          .after_ms = TIME_NONE,
                          .since_ms = TIME_NONE,
                          .until_ms = INT64_MAX,
                          .step_ms = 60000,
                          .limit = PAGE_ROWS_MAX};
}
