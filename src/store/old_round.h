/* old_round: how far the round through what is old has come, and which age is old: the same for every SQL store.
 *
 * Owns:  its buffers, and the list of jobs that were deleted.
 * Rules: (1) at most OLD_GONE_MAX deleted jobs are remembered; the history of others is found when its age is due.
 * See:   store.h (store_ages), sqlite/sqlite_old.c, postgres/postgres_old.c
 */
#ifndef STORE_OLD_ROUND_H
#define STORE_OLD_ROUND_H

#include "base/buf.h"
#include "store/store.h"

#define OLD_GONE_MAX 4096

enum old_phase { OLD_GONE, OLD_TRIGGERS, OLD_SKIPS, OLD_VERSIONS, OLD_IDEMS, OLD_PHASES };

struct old_round {
    int phase;
    uint64_t id;            /* of the last trigger, or job of the last skip or version, looked at */
    int64_t number;         /* from_ms or version of that skip or version */
    struct buf tenant, key; /* of the last answer looked at */
    uint64_t *gone;         /* jobs; room for OLD_GONE_MAX */
    size_t gone_count;
};

void old_round_init(struct old_round *old);
void old_round_done(struct old_round *old);

/* Remembers the jobs that a batch, which is committed, has deleted. */
void old_round_note(struct old_round *old, const struct batch *batch);

/* To the beginning of a phase; the one after the last is the first. */
void old_round_begin(struct old_round *old, int phase);

/* Goes behind the answers of a page, which are in the order of their keys, and keeps in it those that are old. True
 * when it was the last page. */
bool old_round_idems(struct old_round *old, struct rows *rows, const struct store_ages *ages);

/* Whether an instant lies before the limit; TIME_NONE does not, and lets nothing go. */
bool old_is_before(int64_t ms, int64_t limit_ms);

/* Whether a trigger is over, and old enough by itself: whether its job is still there is another question. */
bool old_is_trigger(const struct trigger_row *row, const struct store_ages *ages);

/* Up to which id triggers can be old: ids sort by time, and a trigger never ends before it begins. */
uint64_t old_last_trigger(const struct store_ages *ages);

#endif
