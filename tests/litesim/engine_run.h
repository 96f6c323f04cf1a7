/* engine_run: a run of the script on a disk of its own, and the plain one that all others are compared with.
 *
 * The script is the same every time, so as long as nothing fails the store has the same rows after the same batch,
 * whatever the disk's seed. What an interrupted run left behind must be what the plain run had at that batch.
 *
 * Rules: (1) the_story_ends_well_where_nothing_fails comes first in every program.
 */
#ifndef LITESIM_ENGINE_RUN_H
#define LITESIM_ENGINE_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_script.h"

#define RUN_BATCHES_MAX 400

/* What the plain run was like, without script_finish but for the digests. */
extern struct plain {
    uint64_t digests[RUN_BATCHES_MAX + 1]; /* after so many batches */
    uint64_t batches;
    uint64_t syncs, points, writes;
} run_plain;

struct run {
    struct disk *disk;
    struct story story;
    struct script script;
    uint64_t extra; /* batches that run_look found beyond the acknowledged ones */
};

struct run *run_new(uint64_t seed, const struct story_habits *habits);
void run_free(struct run *run);

/* Fails the test with what was found wrong, and where. */
void run_assert_right(const struct run *run, const char *what, uint64_t n);

/* A test: the plain run. */
void the_story_ends_well_where_nothing_fails(void **state);

/* From wherever it is to the very end. */
void run_finish(struct run *run);

/* Opens what is left and compares it with the plain run. At most extra batches may be there unacknowledged. False:
 * something is wrong. */
bool run_look(struct run *run, uint64_t extra);

#endif
