/* The real engine on the real store, on a disk that is full or fails: the batch is refused, nothing acknowledged is
 * lost, and with room again, or on a disk that works again, work goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/types.h>

#include "../unit/seed.h"
#include "engine_run.h"

/* How much is tried: some seconds in all. */
#define RELOADS 40
#define FAILURES 40

static struct rng rng;

/* The batch is tried again and again, with no room at its first write, its second and so on. */
static enum store_outcome commit_without_room(void *context, struct story *story, const struct batch *batch,
                                              struct error *reterr)
{
    (void)context;
    for (uint64_t n = 1;; n++) {
        uint64_t struck = disk_struck(story->disk);

        disk_fail_at(story->disk, n, DISK_NO_SPACE);
        enum store_outcome outcome = store_commit(story->store, batch, reterr);

        disk_heal(story->disk);
        if (disk_struck(story->disk) == struck) {
            return outcome;
        }
        if (outcome != STORE_DOWN) {
            story_wrong(story, "without room at write %llu batch %llu is %s", (unsigned long long)n,
                        (unsigned long long)batch->number, store_outcome_text(outcome));
            return outcome;
        }
        if (batch->number <= run_plain.batches && story_digest(story) != run_plain.digests[batch->number - 1]) {
            story_wrong(story, "some of batch %llu is there", (unsigned long long)batch->number);
        }
    }
}

/* Checkpoints fail in the same way, and go on later. */
static void tidy_without_room(void *context, struct story *story)
{
    uint64_t before;

    (void)context;
    for (uint64_t n = 1;; n++) {
        before = disk_struck(story->disk);
        disk_fail_at(story->disk, n, DISK_NO_SPACE);
        story_check_in(story);
        disk_heal(story->disk);
        if (disk_struck(story->disk) == before) {
            return;
        }
    }
}

static void no_space_at_any_write_refuses_the_batch_and_nothing_else(void **state)
{
    (void)state;
    struct run *run =
        run_new(rng_next(&rng), &(struct story_habits){.commit = commit_without_room, .tidy = tidy_without_room});

    assert_true(story_open(&run->story));
    (void)script_run(&run->script);
    run_assert_right(run, "no space", 0);
    assert_int_equal(run->story.acked, run_plain.batches);
    assert_true(disk_struck(run->disk) > run_plain.batches);
    printf("# %llu times there was no space\n", (unsigned long long)disk_struck(run->disk));
    story_close(&run->story);
    disk_crash(run->disk);
    if (run_look(run, 0)) {
        run_finish(run);
    }
    run_assert_right(run, "no space", 0);
    run_free(run);
}

/* Works until the fault has stopped the story, or the script is over. */
static void work_until_struck(struct run *run, uint64_t n, enum disk_fault fault, enum store_outcome wanted)
{
    struct story *story = &run->story;

    disk_fail_at(run->disk, n, fault);
    if (story_open(story)) {
        (void)script_run(&run->script);
    }
    disk_heal(run->disk);
    if (story->outcome != STORE_DONE && story->outcome != wanted) {
        story_wrong(story, "the store says %s: %s", store_outcome_text(story->outcome), story->error.text);
    }
}

static void with_room_again_another_engine_goes_on(void **state)
{
    (void)state;
    uint64_t stride = 1 + run_plain.writes / RELOADS;

    for (uint64_t n = 1 + rng_below(&rng, stride); n <= run_plain.writes; n += stride) {
        struct run *run = run_new(rng_next(&rng), &(struct story_habits){0});
        struct story *story = &run->story;

        work_until_struck(run, n, DISK_NO_SPACE, STORE_DOWN);
        if (story->store == NULL) {
            (void)run_look(run, 0); /* it was about to be made */
        } else if (story->outcome != STORE_DONE && (!story_reload(story) || story->opened_at != story->acked)) {
            story_wrong(story, "batch %llu was acknowledged, %llu are there: %s", (unsigned long long)story->acked,
                        (unsigned long long)story->opened_at, story->error.text);
        }
        run_assert_right(run, "no space at write", n);
        script_check_acked(&run->script);
        run_finish(run);
        run_assert_right(run, "no space at write", n);
        run_free(run);
    }
}

static void a_disk_that_fails_stops_the_server_and_costs_nothing_acknowledged(void **state)
{
    (void)state;

    for (int i = 0; i < FAILURES; i++) {
        enum disk_fault fault = i % 2 == 0 ? DISK_WRITE_ERROR : DISK_SYNC_ERROR;
        uint64_t n = 1 + rng_below(&rng, i % 2 == 0 ? run_plain.writes : run_plain.syncs);
        struct run *run = run_new(rng_next(&rng), &(struct story_habits){0});

        work_until_struck(run, n, fault, STORE_BROKEN);
        story_close(&run->story);
        disk_crash(run->disk);
        if (!run->story.is_wrong && run_look(run, 1)) {
            run_finish(run);
        }
        run_assert_right(run, i % 2 == 0 ? "failed write" : "failed sync", n);
        run_free(run);
    }
}

/* A failed sync ends the process, not the machine; another one goes on with the file, and only then the power fails. */
static void a_batch_whose_sync_failed_carries_nothing_after_a_restart(void **state)
{
    (void)state;

    for (uint64_t n = 1; n <= run_plain.syncs; n++) {
        struct run *run = run_new(rng_next(&rng), &(struct story_habits){0});

        work_until_struck(run, n, DISK_SYNC_ERROR, STORE_BROKEN);
        disk_kill(run->disk);
        story_close(&run->story);
        if (!run->story.is_wrong && run_look(run, 1)) {
            disk_crash_at(run->disk, 1 + rng_below(&rng, 120));
            (void)script_run(&run->script);
            disk_crash(run->disk);
            story_close(&run->story);
            uint64_t acked = run->story.acked;

            if (!story_open(&run->story) || run->story.opened_at < acked) {
                story_wrong(&run->story, "batch %llu was acknowledged, %llu are there", (unsigned long long)acked,
                            (unsigned long long)run->story.opened_at);
            } else {
                script_check_acked(&run->script);
                story_check_file(&run->story);
            }
        }
        run_assert_right(run, "restart after failed sync", n);
        run_free(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_story_ends_well_where_nothing_fails),
        cmocka_unit_test(no_space_at_any_write_refuses_the_batch_and_nothing_else),
        cmocka_unit_test(with_room_again_another_engine_goes_on),
        cmocka_unit_test(a_disk_that_fails_stops_the_server_and_costs_nothing_acknowledged),
        cmocka_unit_test(a_batch_whose_sync_failed_carries_nothing_after_a_restart),
    };

    seed_rng(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
