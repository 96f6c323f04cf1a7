/* Who may write. */
#include "base/mem.h"
#include "contract_tests.h"
#include "samples.h"

static struct store *open_other(struct contract *c)
{
    c->other = contract_kind.open(c->data);
    return c->other;
}

static void close_other(struct contract *c)
{
    store_close(c->other);
    c->other = NULL;
}

static uint64_t acquire_as(struct store *store, uint64_t nonce)
{
    const struct store_owner owner = {STR("other"), STR(""), {nonce, nonce}};
    struct error error = {0};
    uint64_t epoch = 0;

    assert_int_equal(store_acquire(store, &owner, &epoch, &error), STORE_DONE);
    return epoch;
}

/* A batch of one operation. */
static void commit_as(struct store *store, uint64_t number, const char *tenant, enum store_outcome outcome)
{
    SCOPE(batch_done) struct batch batch;
    struct error error = {0};

    batch_init(&batch, number);
    batch_add(&batch, OP_TENANT_PUT)->tenant = (struct tenant_row){str_from(tenant), 1};
    assert_int_equal(store_commit(store, &batch, &error), outcome);
    assert_int_equal(error.code == ERR_OK, outcome == STORE_DONE);
}

void epochs_rise_with_every_acquisition(struct contract *c)
{
    uint64_t before = c->epoch;

    assert_true(before > 0);
    for (int i = 0; i < 3; i++) {
        acquire(c);
        assert_true(c->epoch > before);
        before = c->epoch;
        check_load(c, (struct load){.kind = LOAD_START}); /* epoch and nonce are in the shard's row at once */
        reopen(c);
        assert_true(c->epoch > before);
        before = c->epoch;
    }
}

void nobody_commits_before_acquiring(struct contract *c)
{
    struct store *other = open_other(c);

    commit_as(other, 1, "intruder", STORE_FENCED);
    add_tenant(c, "acme", 1);
    commit(c); /* opening alone takes nothing from anybody */
    commit_as(other, 2, "intruder", STORE_FENCED);
    close_other(c);
}

void an_old_owner_is_fenced_and_changes_nothing(struct contract *c)
{
    struct store *other = open_other(c);
    uint64_t epoch;

    add_tenant(c, "acme", 1);
    commit(c);
    epoch = acquire_as(other, 7);
    assert_true(epoch > c->epoch);
    add_tenant(c, "late", 1);
    add_job(c, OP_JOB_INSERT, sample_job(1));
    add_ids(c, NOW_MS);
    commit_numbered(c, 2, STORE_FENCED);
    commit_numbered(c, 9, STORE_FENCED); /* the fence is asked first */
    commit_as(other, 2, "globex", STORE_DONE);
    commit_numbered(c, 3, STORE_FENCED);
    close_other(c);
    c->epoch = epoch;
    add_tenant(c, "late", 1);
    commit_numbered(c, 3, STORE_FENCED); /* nobody is there, and still it is not its own */

    *ROWS_ADD(&c->naive.rows, tenants) = (struct tenant_row){STR("globex"), 1}; /* what the other one did */
    c->naive.rows.shard.last_batch = 2;
    acquire(c);
    check_all(c);
}

void who_acquires_again_may_commit_again(struct contract *c)
{
    struct store *other = open_other(c);

    c->epoch = acquire_as(other, 7);
    add_tenant(c, "acme", 1);
    commit_numbered(c, 1, STORE_FENCED);
    acquire(c);
    commit_as(other, 1, "globex", STORE_FENCED);
    add_tenant(c, "acme", 1);
    commit(c);
    commit_as(other, 2, "globex", STORE_FENCED);
    close_other(c);
    add_tenant(c, "acme", 2);
    commit(c);
}

void a_nonce_that_comes_again_does_not_let_an_old_owner_in(struct contract *c)
{
    struct store *other = open_other(c);
    const struct store_owner owner = {STR("other"), STR(""), {c->nonce, ~c->nonce}};
    struct error error = {0};
    uint64_t epoch = 0;

    assert_int_equal(store_acquire(other, &owner, &epoch, &error), STORE_DONE);
    assert_true(epoch > c->epoch);
    add_tenant(c, "late", 1);
    commit_numbered(c, 1, STORE_FENCED);
    close_other(c);
    c->epoch = epoch;
}

void batch_numbers_go_on_over_owners(struct contract *c)
{
    for (int i = 0; i < 3; i++) {
        add_tenant(c, "acme", i);
        commit(c);
        acquire(c);
        add_tenant(c, "acme", i);
        commit(c);
        reopen(c);
    }
    ask_start(c);
    assert_int_equal(c->rows.shard.last_batch, 6);
}
