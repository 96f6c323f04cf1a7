/* Copies: whole tables, and a store that is being filled. Kinds that cannot be filled say so. */
#include "contract_tests.h"
#include "samples.h"

void whole_tables_have_what_belongs_to_nobody(struct contract *c)
{
    struct query q = query_of(QUERY_ALL_TRIGGERS);

    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(20, 7, TRIGGER_DEAD)); /* of a job that was deleted */
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, 1));
    add_version(c, sample_version(7, 1));
    add_skip(c, sample_skip(7, 1000));
    commit(c);
    ask_query(c, q);
    assert_int_equal(c->rows.triggers.count, 1);
    q.kind = QUERY_ALL_ATTEMPTS;
    ask_query(c, q);
    assert_int_equal(c->rows.attempts.count, 1);
    q.kind = QUERY_ALL_VERSIONS;
    ask_query(c, q);
    assert_int_equal(c->rows.versions.count, 1);
    q.kind = QUERY_ALL_SKIPS;
    ask_query(c, q);
    assert_int_equal(c->rows.skips.count, 1);
}

/* False: this kind cannot be filled. */
static bool begin_filling(struct contract *c)
{
    enum store_outcome outcome = store_fill_begin(c->store, NULL);

    for (int i = 0; outcome == STORE_AGAIN && i < 100; i++) {
        outcome = store_fill_begin(c->store, NULL);
    }
    if (c->store->methods->fill_begin == NULL) {
        assert_int_equal(outcome, STORE_REFUSED);
        assert_int_equal(store_fill_end(c->store, &(struct shard_row){0}, NULL), STORE_REFUSED);
        return false;
    }
    assert_int_equal(outcome, STORE_DONE);
    return true;
}

static enum store_outcome acquire_as(struct contract *c, bool is_filling)
{
    c->nonce += 1000;
    const struct store_owner owner = {
        .name = STR("filler"), .url = STR(""), .nonce = {c->nonce, ~c->nonce}, .is_filling = is_filling};
    enum store_outcome outcome = store_acquire(c->store, &owner, &c->epoch, NULL);

    c->nonce -= outcome == STORE_DONE ? 0 : 1000;
    return outcome;
}

/* What the store should hold from here on. */
static void end_filling(struct contract *c, uint64_t last_batch, int64_t id_high_ms)
{
    struct shard_row *shard = &c->naive.rows.shard;
    const struct shard_row wanted = {.last_batch = last_batch, .id_high_ms = id_high_ms};

    assert_int_equal(store_fill_end(c->store, &wanted, NULL), STORE_DONE);
    shard->last_batch = last_batch > shard->last_batch ? last_batch : shard->last_batch;
    shard->id_high_ms = id_high_ms > shard->id_high_ms ? id_high_ms : shard->id_high_ms;
    c->batch.number = shard->last_batch + 1;
}

void a_store_that_is_being_filled_is_for_copies_alone(struct contract *c)
{
    if (!begin_filling(c)) {
        return;
    }
    assert_int_equal(acquire_as(c, false), STORE_REFUSED);
    assert_int_equal(acquire_as(c, true), STORE_DONE);
    ask_start(c);
    assert_true(c->rows.shard.is_filling);
    add_job(c, OP_JOB_INSERT, sample_job(1));
    commit(c);
    end_filling(c, 500, 123456);
    assert_int_equal(acquire_as(c, false), STORE_DONE);
    ask_start(c);
    assert_false(c->rows.shard.is_filling);
    assert_int_equal(c->rows.shard.last_batch, 500);
    assert_int_equal(c->rows.shard.id_high_ms, 123456);
    add_job(c, OP_JOB_INSERT, sample_job(2)); /* batch 501 */
    commit(c);
    assert_int_equal(c->naive.rows.shard.last_batch, 501);
}

void filling_anew_begins_with_an_empty_store(struct contract *c)
{
    if (!begin_filling(c)) {
        return;
    }
    add_job(c, OP_JOB_INSERT, sample_job(1));
    add_version(c, sample_version(1, 1));
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(20, 1, TRIGGER_DEAD));
    add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(20, 1));
    add_skip(c, sample_skip(1, 1000));
    add_tenant(c, "acme", 1);
    add_claims(c, 5, &(struct claim){.trigger = 20, .job = 1, .number = 2, .worker = STR("w")}, 1);
    commit(c);
    assert_true(begin_filling(c));
    struct shard_row shard = c->naive.rows.shard;

    naive_done(&c->naive);
    naive_init(&c->naive);
    c->naive.rows.shard = shard;
    check_all(c);
    add_job(c, OP_JOB_INSERT, sample_job(1)); /* as if it had never been there */
    commit(c);
    end_filling(c, 0, 0); /* behind what it has already: nothing goes back */
}

void an_old_owner_fills_nothing(struct contract *c)
{
    struct store *old = c->store;

    if (c->store->methods->fill_begin == NULL) {
        return;
    }
    c->other = contract_kind.open(c->data);
    c->store = c->other;
    assert_int_equal(acquire_as(c, false), STORE_DONE);
    assert_int_equal(store_fill_begin(old, NULL), STORE_FENCED);
    assert_int_equal(store_fill_end(old, &(struct shard_row){.last_batch = 9}, NULL), STORE_FENCED);
    c->store = old;
    acquire(c);
}
