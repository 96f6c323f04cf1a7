/* Copies of whole stores: everything arrives, and a copy that failed is seen to have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit/seed.h"
#include "base/container.h"
#include "base/mem.h"
#include "naive.h"
#include "random_ops.h"
#include "samples.h"
#include "store/copy.h"
#include "store/memory/memory_store.h"

#define BATCHES 300

static const struct store_owner copier = {.name = STR_INIT("copier"), .url = STR_INIT(""), .nonce = {7, 8}};
static const struct store_owner server = {.name = STR_INIT("server"), .url = STR_INIT(""), .nonce = {9, 10}};

/* A store that has seen a lot. */
static struct memory_disk *random_disk(void)
{
    struct memory_disk *disk = memory_disk_new();
    struct store *store = memory_store_open(disk);
    struct naive naive;
    struct rng rng;
    uint64_t epoch;

    seed_rng(&rng);
    naive_init(&naive);
    assert_int_equal(store_acquire(store, &server, &epoch, NULL), STORE_DONE);
    for (int i = 0; i < BATCHES; i++) {
        SCOPE(batch_done) struct batch batch;

        batch_init(&batch, naive.rows.shard.last_batch + 1);
        random_ops(&rng, &naive, &batch);
        assert_int_equal(store_commit(store, &batch, NULL) == STORE_DONE, naive_commit(&naive, &batch));
    }
    store_close(store);
    naive_done(&naive);
    return disk;
}

/* ---- a target that fails ---- */

struct weak {
    struct store store;
    struct store_methods methods;
    struct store *inner;
    int commits_left; /* negative: endless */
    bool forges;      /* what it commits is not what it was given */
};

static struct weak *weak_of(struct store *store)
{
    return CONTAINER_OF(store, struct weak, store);
}

static enum store_outcome weak_acquire(struct store *store, const struct store_owner *owner, uint64_t *ret_epoch,
                                       struct error *reterr)
{
    return store_acquire(weak_of(store)->inner, owner, ret_epoch, reterr);
}

static enum store_outcome weak_commit(struct store *store, const struct batch *batch, struct error *reterr)
{
    struct weak *weak = weak_of(store);

    if (weak->commits_left == 0) {
        (void)err_set(reterr, ERR_STORE_DOWN, "the disk is full");
        return STORE_DOWN;
    }
    weak->commits_left--;
    if (weak->forges && batch->first->ops[0].kind == OP_JOB_INSERT) {
        batch->first->ops[0].job.fired++;
        weak->forges = false;
    }
    return store_commit(weak->inner, batch, reterr);
}

static enum store_outcome weak_load(struct store *store, const struct load *load, struct rows *rows,
                                    struct error *reterr)
{
    return store_load(weak_of(store)->inner, load, rows, reterr);
}

static enum store_outcome weak_begin(struct store *store, struct error *reterr)
{
    return store_fill_begin(weak_of(store)->inner, reterr);
}

static enum store_outcome weak_end(struct store *store, const struct shard_row *shard, struct error *reterr)
{
    return store_fill_end(weak_of(store)->inner, shard, reterr);
}

static enum store_outcome weak_reader(struct store *store, struct store_reader **ret_reader, struct error *reterr)
{
    return store_reader_open(weak_of(store)->inner, ret_reader, reterr);
}

static struct weak weak_new(struct memory_disk *disk, int commits_left)
{
    return (struct weak){.methods = {.acquire = weak_acquire,
                                     .commit = weak_commit,
                                     .load = weak_load,
                                     .fill_begin = weak_begin,
                                     .fill_end = weak_end,
                                     .reader_open = weak_reader},
                         .inner = memory_store_open(disk),
                         .commits_left = commits_left};
}

/* ---- tests ---- */

static enum store_outcome copy_into(struct memory_disk *from, struct store *to, struct copy_tally *ret_tally,
                                    struct error *error)
{
    struct store *source = memory_store_open(from);
    enum store_outcome outcome = copy_all(source, to, &copier, NULL, ret_tally, error);

    store_close(source);
    return outcome;
}

static void all_that_a_store_remembers_arrives(void **state)
{
    (void)state;
    struct memory_disk *from = random_disk(), *to = memory_disk_new();
    uint64_t before = memory_disk_digest(from);
    struct store *target = memory_store_open(to);
    struct copy_tally tally;
    struct error error = {0};

    assert_int_equal(copy_into(from, target, &tally, &error), STORE_DONE);
    assert_true(tally.total > 0);
    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        if (tally.counts[kind] == 0) {
            fail_msg("the test has no %s", copy_kind_text((enum row_kind)kind));
        }
    }
    assert_true(memory_disk_digest(to) == before); /* with the shard's numbers */
    assert_true(memory_disk_digest(from) == before);
    assert_true(memory_disk_valid(to));
    store_close(target);
    memory_disk_free(from);
    memory_disk_free(to);
}

static void a_target_that_has_rows_is_left_alone(void **state)
{
    (void)state;
    struct memory_disk *from = random_disk(), *to = random_disk();
    struct store *target = memory_store_open(to);
    uint64_t before = memory_disk_digest(to), epoch;
    struct copy_tally tally;
    struct error error = {0};

    assert_int_equal(copy_into(from, target, &tally, &error), STORE_REFUSED);
    assert_int_equal(error.code, ERR_CONFLICT);
    assert_true(memory_disk_digest(to) == before);
    assert_int_equal(store_acquire(target, &server, &epoch, NULL), STORE_DONE); /* no mark */
    store_close(target);
    memory_disk_free(from);
    memory_disk_free(to);
}

static void a_copy_that_failed_is_nobody_s_until_it_is_made_again(void **state)
{
    (void)state;
    struct memory_disk *from = random_disk(), *to = memory_disk_new();
    uint64_t before = memory_disk_digest(from), epoch;
    struct weak weak = weak_new(to, 3);
    struct copy_tally tally;
    struct error error = {0};

    weak.store.methods = &weak.methods;
    assert_int_equal(copy_into(from, &weak.store, &tally, &error), STORE_DOWN);
    assert_true(memory_disk_digest(from) == before);
    assert_int_equal(store_acquire(weak.inner, &server, &epoch, &error), STORE_REFUSED);
    weak.commits_left = -1;
    assert_int_equal(copy_into(from, &weak.store, &tally, &error), STORE_DONE);
    assert_true(memory_disk_digest(to) == before);
    assert_int_equal(store_acquire(weak.inner, &server, &epoch, &error), STORE_DONE);
    store_close(weak.inner);
    memory_disk_free(from);
    memory_disk_free(to);
}

static void a_copy_that_differs_is_found_out(void **state)
{
    (void)state;
    struct memory_disk *from = random_disk(), *to = memory_disk_new();
    struct weak weak = weak_new(to, -1);
    struct copy_tally tally;
    struct error error = {0};
    uint64_t epoch;

    weak.store.methods = &weak.methods;
    weak.forges = true;
    assert_int_equal(copy_into(from, &weak.store, &tally, &error), STORE_REFUSED);
    assert_int_equal(store_acquire(weak.inner, &server, &epoch, &error), STORE_REFUSED);
    store_close(weak.inner);
    memory_disk_free(from);
    memory_disk_free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_a_store_remembers_arrives),
        cmocka_unit_test(a_target_that_has_rows_is_left_alone),
        cmocka_unit_test(a_copy_that_failed_is_nobody_s_until_it_is_made_again),
        cmocka_unit_test(a_copy_that_differs_is_found_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
