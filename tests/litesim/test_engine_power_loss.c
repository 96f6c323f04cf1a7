/* The real engine on the real store, on a disk that loses power: nothing acknowledged is lost, at most the batch in
 * flight is there too, and work goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/types.h>

#include "../unit/seed.h"
#include "engine_run.h"

/* How much is tried beside what is tried everywhere: some seconds in all. */
#define POINT_SAMPLES 60
#define AGAIN_RUNS 10
#define AGAIN_CRASHES 8
#define CONTROLS 16

static struct rng rng;

/* The server is down for a while, and in every second case its workers die, too. */
static void pause_a_while(struct run *run, bool workers_die)
{
    int64_t down_ms = rng_between(&rng, 0, 20000);

    run->story.at.wall_ms += down_ms;
    run->story.at.mono_ms += down_ms;
    if (workers_die) {
        script_kill_workers(&run->script);
    }
}

/* Works until the power fails (or the process is killed), and looks at what is left. False: something is wrong. */
static bool crash_and_look(struct run *run, bool is_killed)
{
    struct story *story = &run->story;

    if (story_open(story)) {
        (void)script_run(&run->script);
    }
    if (!disk_is_off(run->disk)) {
        story_wrong(story, "the power has not failed");
    } else if (story->outcome != STORE_BROKEN && story->outcome != STORE_DOWN && story->outcome != STORE_DONE) {
        story_wrong(story, "the store says %s", store_outcome_text(story->outcome));
    }
    if (is_killed) {
        disk_kill(run->disk);
        story_close(story);
    } else {
        story_close(story);
        disk_crash(run->disk);
    }
    return !story->is_wrong && run_look(run, 1);
}

static void power_lost_at_every_sync_costs_nothing_acknowledged(void **state)
{
    (void)state;

    for (uint64_t n = 1; n <= run_plain.syncs; n++) {
        struct run *run = run_new(rng_next(&rng), &(struct story_habits){0});

        disk_crash_at_sync(run->disk, n);
        if (crash_and_look(run, false)) {
            pause_a_while(run, n % 2 == 0);
            run_finish(run);
        }
        run_assert_right(run, "sync", n);
        run_free(run);
    }
}

static void power_lost_or_killed_at_any_write_costs_nothing_acknowledged(void **state)
{
    (void)state;
    unsigned seen[2] = {0}; /* how often the batch in flight was not there, and was */

    for (int i = 0; i < POINT_SAMPLES; i++) {
        uint64_t n = 1 + rng_below(&rng, run_plain.points);
        struct run *run = run_new(rng_next(&rng), &(struct story_habits){0});

        disk_crash_at(run->disk, n);
        if (crash_and_look(run, i % 4 == 3)) {
            seen[run->extra]++;
            pause_a_while(run, i % 2 == 0);
            run_finish(run);
        }
        run_assert_right(run, "point", n);
        run_free(run);
    }
    printf("# of the batches in flight %u were lost and %u were there\n", seen[0], seen[1]);
}

/* After the first crash there is no plain run to compare with: what was there last is what must be there. */
struct last {
    uint64_t batch;
    uint64_t digest;
};

static void note_last(void *context, struct story *story)
{
    struct last *last = context;

    *last = (struct last){.batch = story->acked, .digest = story_digest(story)};
}

/* Opens what is left; false: something is wrong, or the power has failed again meanwhile. */
static bool open_again(struct run *run, struct last *last)
{
    struct story *story = &run->story;
    bool is_open = story_open(story);

    if (disk_is_off(run->disk)) {
        return false;
    }
    if (!is_open) {
        story_wrong(story, "it cannot be opened again: %s", story->error.text);
        return false;
    }
    if (story->opened_at < last->batch || story->opened_at > last->batch + 1 ||
        (story->opened_at == last->batch && story_digest(story) != last->digest)) {
        story_wrong(story, "after batch %llu there are %llu, or they are not as they were",
                    (unsigned long long)last->batch, (unsigned long long)story->opened_at);
    }
    script_check_acked(&run->script);
    *last = (struct last){.batch = story->opened_at, .digest = story_digest(story)};
    story->acked = story->opened_at;
    return !story->is_wrong;
}

static void power_lost_again_and_again_costs_nothing_acknowledged(void **state)
{
    (void)state;

    for (uint64_t i = 0; i < AGAIN_RUNS; i++) {
        struct last last = {.digest = run_plain.digests[0]};
        struct run *run = run_new(rng_next(&rng), &(struct story_habits){.committed = note_last, .context = &last});

        for (int crashes = 0; crashes < AGAIN_CRASHES && !run->story.is_wrong; crashes++) {
            disk_crash_at(run->disk, 1 + rng_below(&rng, run_plain.points / 4));
            if (open_again(run, &last)) {
                (void)script_run(&run->script);
            }
            story_close(&run->story);
            disk_crash(run->disk);
            pause_a_while(run, rng_chance(&rng, 1, 4));
        }
        if (!run->story.is_wrong && open_again(run, &last)) {
            run_finish(run);
        }
        run_assert_right(run, "again and again, run", i);
        run_free(run);
    }
}

/* ---- that all this can fail ---- */

/* How many crashes find something wrong with a server of these habits. */
static unsigned count_found(const struct story_habits *habits)
{
    unsigned found = 0;

    for (int i = 0; i < CONTROLS; i++) {
        struct run *run = run_new(rng_next(&rng), habits);

        disk_crash_at(run->disk, run_plain.points / 4 + rng_below(&rng, run_plain.points / 4));
        found += crash_and_look(run, false) ? 0 : 1;
        run_free(run);
    }
    return found;
}

static void a_store_that_does_not_sync_is_found(void **state)
{
    (void)state;
    unsigned found = count_found(&(struct story_habits){.is_fast = true});

    printf("# found %u of %d times\n", found, CONTROLS);
    assert_true(found > 0);
}

static void a_server_that_answers_too_early_is_found(void **state)
{
    (void)state;
    unsigned found = count_found(&(struct story_habits){.is_hasty = true});

    printf("# found %u of %d times\n", found, CONTROLS);
    assert_true(found > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_story_ends_well_where_nothing_fails),
        cmocka_unit_test(power_lost_at_every_sync_costs_nothing_acknowledged),
        cmocka_unit_test(power_lost_or_killed_at_any_write_costs_nothing_acknowledged),
        cmocka_unit_test(power_lost_again_and_again_costs_nothing_acknowledged),
        cmocka_unit_test(a_store_that_does_not_sync_is_found),
        cmocka_unit_test(a_server_that_answers_too_early_is_found),
    };

    seed_rng(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
