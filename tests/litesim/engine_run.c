#include "engine_run.h"

#include <stdio.h>

#include "base/mem.h"

struct plain run_plain;

struct run *run_new(uint64_t seed, const struct story_habits *habits)
{
    struct run *run = mem_zalloc(sizeof *run);

    run->disk = disk_new(seed);
    story_init(&run->story, run->disk, habits);
    script_init(&run->script, &run->story);
    return run;
}

void run_free(struct run *run)
{
    script_done(&run->script);
    story_done(&run->story);
    disk_free(run->disk);
    mem_free(run);
}

void run_assert_right(const struct run *run, const char *what, uint64_t n)
{
    if (run->story.is_wrong) {
        fail_msg("%s %llu: %s", what, (unsigned long long)n, run->story.wrong);
    }
}

static void note_digest(void *context, struct story *story)
{
    (void)context;
    assert_in_range(story->acked, 1, RUN_BATCHES_MAX);
    run_plain.digests[story->acked] = story_digest(story);
}

void run_finish(struct run *run)
{
    if (script_run(&run->script) && script_finish(&run->script) && script_repeat_keys(&run->script)) {
        script_check_acked(&run->script);
        script_check_end(&run->script);
    }
    if (run->story.outcome != STORE_DONE) {
        story_wrong(&run->story, "stopped on the way to the end: %s", run->story.error.text);
    }
}

/* The script is worth its name only if all this happens in it. */
static void assert_eventful(struct story *story)
{
    static const char *const events[] = {
        "skips WHERE reason = 0", /* overlap */
        "versions",
        "edges",
        "settings",
        "limiters",
        "idems",
        "claims",
        "jobs WHERE status = 2",    /* cancelled */
        "triggers WHERE kind = 1",  /* manual */
        "triggers WHERE kind = 4",  /* of a dependency */
        "triggers WHERE state = 4", /* dead */
        "attempts WHERE state = 2", /* failed */
        "attempts WHERE state = 4", /* lost */
        "attempts WHERE state = 5", /* released */
    };

    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        if (story_count(story, events[i]) <= 0) {
            fail_msg("there are no %s", events[i]);
        }
    }
}

void the_story_ends_well_where_nothing_fails(void **state)
{
    (void)state;
    struct run *run = run_new(1, &(struct story_habits){.committed = note_digest});

    assert_true(story_open(&run->story));
    run_plain.digests[0] = story_digest(&run->story);
    assert_true(script_run(&run->script));
    run_plain.batches = run->story.acked;
    run_plain.syncs = disk_syncs(run->disk);
    run_plain.points = disk_points(run->disk);
    run_plain.writes = disk_calls(run->disk, DISK_NO_SPACE);
    printf("# %llu batches, %llu syncs, %llu writes\n", (unsigned long long)run_plain.batches,
           (unsigned long long)run_plain.syncs, (unsigned long long)run_plain.writes);
    assert_in_range(run_plain.batches, 40, 100);
    assert_eventful(&run->story);
    run_finish(run);
    run_assert_right(run, "undisturbed", 0);
    run_free(run);
}

bool run_look(struct run *run, uint64_t extra)
{
    struct story *story = &run->story;
    uint64_t acked = story->acked;

    if (!story_open(story)) {
        story_wrong(story, "it cannot be opened again: %s", story->error.text);
        return false;
    }
    if (story->opened_at < acked || story->opened_at > acked + extra) {
        story_wrong(story, "batch %llu was acknowledged, %llu are there", (unsigned long long)acked,
                    (unsigned long long)story->opened_at);
    } else if (story_digest(story) != run_plain.digests[story->opened_at]) {
        story_wrong(story, "%llu batches are there, but not as they were", (unsigned long long)story->opened_at);
    }
    run->extra = story->opened_at > acked ? 1 : 0;
    story_check_file(story);
    script_check_acked(&run->script);
    story->acked = story->opened_at;
    return !story->is_wrong;
}
