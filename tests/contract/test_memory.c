/* What the store in memory offers beyond the contract. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "base/mem.h"
#include "naive.h"
#include "random_ops.h"
#include "samples.h"
#include "store/memory/memory_store.h"

static struct store *open_as(struct memory_disk *disk, uint64_t nonce)
{
    const struct store_owner owner = {STR("test"), STR(""), {nonce, nonce}};
    struct store *store = memory_store_open(disk);
    uint64_t epoch;

    assert_int_equal(store_acquire(store, &owner, &epoch, NULL), STORE_DONE);
    return store;
}

static enum store_outcome put_tenant(struct store *store, uint64_t number, const char *tenant, int64_t jobs)
{
    SCOPE(batch_done) struct batch batch;

    batch_init(&batch, number);
    batch_add(&batch, OP_TENANT_PUT)->tenant = (struct tenant_row){str_from(tenant), jobs};
    return store_commit(store, &batch, NULL);
}

static void a_number_that_comes_again_does_not_let_an_old_owner_in(void **state)
{
    (void)state;
    struct memory_disk *disk = memory_disk_new();
    struct memory_disk *backup = memory_disk_copy(disk);
    struct store *old = open_as(disk, 1);

    assert_int_equal(put_tenant(old, 1, "acme", 1), STORE_DONE);
    memory_disk_restore(disk, backup); /* epochs begin anew */
    struct store *young = open_as(disk, 2);

    assert_int_equal(put_tenant(old, 1, "acme", 1), STORE_FENCED);
    assert_int_equal(put_tenant(young, 1, "acme", 1), STORE_DONE);
    store_close(old);
    store_close(young);
    memory_disk_free(disk);
    memory_disk_free(backup);
}

static void a_copy_goes_its_own_way(void **state)
{
    (void)state;
    struct memory_disk *disk = memory_disk_new();
    struct store *store = open_as(disk, 1);

    assert_int_equal(put_tenant(store, 1, "acme", 1), STORE_DONE);
    struct memory_disk *copy = memory_disk_copy(disk);
    uint64_t digest = memory_disk_digest(disk);

    assert_true(memory_disk_digest(copy) == digest);
    assert_int_equal(put_tenant(store, 2, "acme", 2), STORE_DONE);
    assert_true(memory_disk_digest(copy) == digest);
    assert_true(memory_disk_digest(disk) != digest);
    store_close(store);
    memory_disk_free(disk); /* the copy has nothing of it */
    struct store *other = open_as(copy, 2);

    assert_int_equal(put_tenant(other, 2, "acme", 2), STORE_DONE);
    assert_true(memory_disk_valid(copy));
    store_close(other);
    memory_disk_free(copy);
}

/* Applies batches of one row each, in the order of the numbers. */
static uint64_t digest_of(const int64_t *order, size_t count)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct memory_disk *disk = memory_disk_new();
    struct store *store = open_as(disk, count);
    uint64_t digest;

    for (size_t i = 0; i < count; i++) {
        assert_int_equal(put_tenant(store, i + 1, names[order[i]], order[i]), STORE_DONE);
    }
    digest = memory_disk_digest(disk);
    store_close(store);
    memory_disk_free(disk);
    return digest;
}

static void the_digest_does_not_know_the_order(void **state)
{
    (void)state;

    assert_true(digest_of((const int64_t[]){0, 1, 2, 3}, 4) == digest_of((const int64_t[]){3, 1, 0, 2}, 4));
    assert_true(digest_of((const int64_t[]){0, 1, 2, 3}, 4) != digest_of((const int64_t[]){0, 1, 2, 2}, 4));
    assert_true(digest_of((const int64_t[]){0, 1, 2, 3}, 4) != digest_of((const int64_t[]){0, 1, 2}, 3));
}

/* Every field of a row counts. */
static void the_digest_sees_every_change(void **state)
{
    (void)state;
    SCOPE(rows_done) struct rows rows;

    rows_init(&rows);
    struct trigger_row *row = ROWS_ADD(&rows, triggers);
    *row = sample_trigger(20, 1);
    const uint64_t digest = memory_rows_digest(&rows);
#define CHANGED(field, value)                                                                                          \
    do {                                                                                                               \
        *row = sample_trigger(20, 1);                                                                                  \
        row->field = (value);                                                                                          \
        assert_true(memory_rows_digest(&rows) != digest);                                                              \
    } while (0)
    CHANGED(id, 21);
    CHANGED(place.pool, STR("web"));
    CHANGED(place.tenant, STR("web"));
    CHANGED(place.type, STR("web"));
    CHANGED(place.priority, 5);
    CHANGED(kind, TRIGGER_REPLAY);
    CHANGED(state, TRIGGER_WAITING);
    CHANGED(target, TARGET_EXEC);
    CHANGED(version, 9);
    CHANGED(scheduled_ms, 9);
    CHANGED(due_ms, 9);
    CHANGED(attempts, 9);
    CHANGED(failures, 9);
    CHANGED(lost_run, 9);
    CHANGED(released_run, 9);
    CHANGED(replays, 9);
    CHANGED(replay_of, 9);
    CHANGED(replayed_by, 9);
    CHANGED(root, 9);
    CHANGED(created_ms, 9);
    CHANGED(ended_ms, 9);
    CHANGED(reason, STR("x"));
    CHANGED(payload, STR("x"));
    CHANGED(last.trigger, 9);
    CHANGED(last.number, 9);
    CHANGED(last.state, ATTEMPT_LOST);
    CHANGED(last.started_ms, 9);
    CHANGED(last.ended_ms, 9);
    CHANGED(last.worker, STR("x"));
    CHANGED(last.error_code, STR("x"));
    CHANGED(last.error_message, STR("x"));
    CHANGED(last.result, STR("x"));
#undef CHANGED
    *row = sample_trigger(20, 1);
    assert_true(memory_rows_digest(&rows) == digest);
}

static void a_row_is_written_once_in_a_batch(void **state)
{
    (void)state;
    struct memory_disk *disk = memory_disk_new();
    struct store *store = open_as(disk, 1);
    SCOPE(batch_done) struct batch batch;

    batch_init(&batch, 1);
    batch_add(&batch, OP_JOB_INSERT)->job = sample_job(1);
    batch_add(&batch, OP_JOB_UPDATE)->job = sample_job(1);
    assert_int_equal(store_commit(store, &batch, NULL), STORE_REFUSED);
    store_close(store);
    memory_disk_free(disk);
}

/* ---- the observer ---- */

/* Builds another store out of nothing but what the observer was told. */
struct follower {
    struct naive naive;
    uint64_t told;
};

static void follow(void *ctx, uint64_t number, const struct op *op)
{
    struct follower *follower = ctx;
    SCOPE(batch_done) struct batch batch;

    follower->told++;
    batch_init(&batch, number);
    if (op->kind == OP_JOB_UPDATE) { /* the whole row: deleting and inserting must do as well */
        assert_true(op->job.def.len > 0);
        batch_add(&batch, OP_JOB_DELETE)->id = op->job.id;
        batch_add(&batch, OP_JOB_INSERT)->job = op->job;
    } else {
        *batch_add(&batch, op->kind) = *op;
    }
    assert_true(naive_commit(&follower->naive, &batch));
}

static void who_only_listens_knows_everything(void **state)
{
    (void)state;
    struct memory_disk *disk = memory_disk_new();
    struct store *store = open_as(disk, 1);
    struct follower follower = {0};
    uint64_t number = 0, told = 0;
    struct rng rng;

    seed_rng(&rng);
    naive_init(&follower.naive);
    memory_disk_set_observer(disk, follow, &follower);
    for (int round = 0; round < 300; round++) {
        struct batch batch;

        batch_init(&batch, number + 1);
        random_ops(&rng, &follower.naive, &batch);
        if (store_commit(store, &batch, NULL) == STORE_DONE) {
            number++;
            told += batch.op_count;
        }
        assert_int_equal(follower.told, told); /* nothing of what was refused */
        assert_true(memory_rows_digest(&follower.naive.rows) == memory_disk_digest(disk));
        batch_done(&batch);
    }
    assert_in_range(number, 100, 300);
    naive_done(&follower.naive);
    store_close(store);
    memory_disk_free(disk);
}

/* One history, one content, one order, in every run. */
static void a_dump_is_sorted_by_key(void **state)
{
    (void)state;
    struct memory_disk *disk = memory_disk_new();
    struct store *store = open_as(disk, 1);
    SCOPE(batch_done) struct batch batch;
    SCOPE(rows_done) struct rows rows;

    batch_init(&batch, 1);
    for (uint64_t i = 0; i < 50; i++) {
        uint64_t id = i * 37 % 50 + 1;

        batch_add(&batch, OP_JOB_INSERT)->job = sample_job(id);
        batch_add(&batch, OP_ATTEMPT_INSERT)->attempt = sample_attempt(id % 7, (uint32_t)id);
    }
    assert_int_equal(store_commit(store, &batch, NULL), STORE_DONE);
    rows_init(&rows);
    memory_disk_dump(disk, &rows);
    assert_int_equal(rows.jobs.count, 50);
    assert_int_equal(rows.shard.last_batch, 1);
    for (size_t i = 1; i < 50; i++) {
        const struct attempt_row *a = &rows.attempts.items[i - 1], *b = &rows.attempts.items[i];

        assert_true(rows.jobs.items[i - 1].id < rows.jobs.items[i].id);
        assert_true(a->trigger < b->trigger || (a->trigger == b->trigger && a->number < b->number));
    }
    store_close(store);
    memory_disk_free(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_comes_again_does_not_let_an_old_owner_in),
        cmocka_unit_test(a_copy_goes_its_own_way),
        cmocka_unit_test(the_digest_does_not_know_the_order),
        cmocka_unit_test(the_digest_sees_every_change),
        cmocka_unit_test(a_row_is_written_once_in_a_batch),
        cmocka_unit_test(who_only_listens_knows_everything),
        cmocka_unit_test(a_dump_is_sorted_by_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
