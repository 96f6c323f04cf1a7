/* ledger: what became of each fire of a job, as one line of text.
 *
 * Times are counted in units from the story's beginning, so that "every":"1m" fires at 1, 2, 3, ...:
 *
 *     "1 misfire(2-4) overlap(5 by 1) 6:dead"
 *
 * reads: 1 ran and succeeded; 2 to 4 are one skip record; 5 was skipped since the trigger for 1 was running; 6 is dead.
 * A version other than 1 follows as v2; a blocking trigger that was not scheduled is shown by its kind. Scheduled and
 * dependency triggers are listed, the others are not decisions of the schedule. What still runs has no row, and is not
 * shown. In a story with restarts, records that would be one are shown as one.
 */
#ifndef TESTS_RULINGS_LEDGER_H
#define TESTS_RULINGS_LEDGER_H

#include "story.h"

#define MINUTE 60000
#define HOUR (60 * MINUTE)
#define DAY (24 * INT64_C(3600000))

/* A story whose engine is restarted after every single step, where it is told with restarts. */
struct rig *restless_begin(void **state);

/* Good until the next call. */
const char *ledger(struct rig *rig, uint64_t job, int64_t unit_ms);
/* In minutes. Prints the label and both lines where they differ; the other one fails the test then. */
bool is_ledger(const char *label, struct rig *rig, uint64_t job, const char *expected);
void assert_ledger(struct rig *rig, uint64_t job, const char *expected);

/* The nominal time that is so many minutes after the story's beginning, and back. */
int64_t minute(int64_t number);
int64_t minutes(int64_t ms);

/* Takes and finishes until nothing is left; one at a time unless told. How many ran. */
size_t run_all(struct rig *rig);
size_t run_all_at_once(struct rig *rig);

/* The scheduled (or dependency) trigger of this minute; NULL: no row. */
const struct trigger_row *trigger_of(struct rig *rig, uint64_t job, int64_t number);

void assert_nothing_to_do(struct rig *rig);
/* The attempt that must be there is of this job and minute. */
const struct grant *take_minute(struct rig *rig, const char *worker, int64_t number);
const struct grant *take_of(struct rig *rig, const char *worker, uint64_t job);

/* Fails the test unless it is an error with this code. */
void assert_error(const struct reply *reply, enum err code);
void assert_jobs(const struct reply *reply);

#endif
