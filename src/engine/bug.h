/* bug: deliberate mistakes, to show that the simulator finds them.
 *
 * In a build with BELFRY_BUGS (tests/sim/mutants alone) a mistake can be switched on at run time; everywhere else
 * BUG(...) is the constant false and costs nothing:
 *
 *     if (number > trigger->attempts || BUG(STALE_REPORT)) {
 *
 * Rules: (1) one mistake stands at one place, and reads as what somebody could have written.
 *        (2) every name in the table stands somewhere in the code, and the simulator finds it.
 * See:   tests/sim/mutants.c
 */
#ifndef ENGINE_BUG_H
#define ENGINE_BUG_H

#include <stdbool.h>

/* name, what is wrong then */
#define BUG_TABLE(X)                                                                                                   \
    /* Of owners and their store: in the world's own shell. */                                                         \
    X(REPLY_BEFORE_COMMIT, "answers go out before their batch is durable")                                             \
    X(FENCE_MISSING, "a fenced commit is taken for a done one")                                                        \
    X(UNKNOWN_AS_DONE, "a commit of unknown outcome is taken for a done one")                                          \
    X(UNKNOWN_AS_LOST, "a batch whose commit had an unknown outcome is committed again")                               \
    /* Fires. */                                                                                                       \
    X(CURSOR_LATER, "the cursor moves in another batch than the decision")                                             \
    X(FIRE_EARLY, "a fire is taken a little before it is due")                                                         \
    X(HELD_FORGOTTEN, "held_to is not stored at the end of a run")                                                     \
    X(HELD_MISFIRES, "fires that were held count as missed")                                                           \
    X(SKIP_UNRECORDED, "a skip leaves no record")                                                                      \
    X(SKIP_FOREIGN_MERGED, "a skip is merged into one of another reason")                                              \
    X(EXPIRY_IGNORED, "nothing expires while it stands at a gate")                                                     \
    X(OVERLAP_IGNORED, "a second run starts beside the first")                                                         \
    X(BACKFILL_SKIPPED, "missed_to is not stored")                                                                     \
    X(MAX_FIRES_OFF_BY_ONE, "one fire more than max_fires")                                                            \
    X(JITTER_FORGOTTEN, "a fire is due at its nominal time in spite of jitter")                                        \
    X(FINISH_FROM_START, "every ... after finish counts from the start of the run")                                    \
    X(EDIT_KEEPS_CURSOR, "a change of the schedule leaves the cursor")                                                 \
    X(PAUSE_LOSES_RETRY, "a retry of a job that is paused is never due again")                                         \
    /* Attempts. */                                                                                                    \
    X(LEASE_EARLY, "a lease ends a little too early")                                                                  \
    X(LEASE_FOR_EVER, "a lease that ended is not noticed")                                                             \
    X(RESTORE_OLD_LEASE, "after a restore leases count from when they were granted")                                   \
    X(RENEW_ALL, "an exchange renews what it does not name")                                                           \
    X(TIMEOUT_FROM_RENEWAL, "the time-out counts from the last renewal")                                               \
    X(STALE_REPORT, "a report of an older attempt is taken")                                                           \
    X(REPORT_TWICE_COUNTS, "the same failure again counts again")                                                      \
    X(NUMBER_REUSED, "a lost attempt's number is given again")                                                         \
    X(NO_BACKOFF, "a retry is due at once")                                                                            \
    X(RELEASED_COUNTS, "a released attempt costs one of the budget")                                                   \
    X(BUDGET_OFF_BY_ONE, "one attempt more than max_attempts")                                                         \
    X(LOST_FOR_EVER, "any number of lost attempts is tried again")                                                     \
    X(DROP_NOT_AWAITED, "after a time-out the next attempt does not wait for the drop")                                \
    X(CANCEL_UNTOLD, "a worker is not told that its attempt was cancelled")                                            \
    X(SEND_AGAIN_RENEWS, "an attempt that is sent again has its lease renewed")                                        \
    X(UNNAMED_NOT_SENT, "an attempt that the worker does not name is not sent again")                                  \
    /* Gates. */                                                                                                       \
    X(CAP_OFF_BY_ONE, "one more in flight than allowed")                                                               \
    X(CAP_NOT_RESTORED, "what runs is not counted again after a restore")                                              \
    X(WAKE_LOST, "a cap that has room again wakes nobody")                                                             \
    X(PRIORITY_IGNORED, "priorities are not looked at")                                                                \
    X(RATE_REFILLED, "a rate starts afresh after a restore")                                                           \
    X(RATE_UNSTORED, "a rate's instant is not stored")                                                                 \
    X(BREAKER_STAYS_OPEN, "an open breaker never half opens")                                                          \
    X(BREAKER_MANY_PROBES, "a half open breaker lets everything through")                                              \
    X(BREAKER_UNSTORED, "an open breaker is forgotten by a restart")                                                   \
    X(KEY_LEAKS, "a key's slot is not given back when an attempt is lost")                                             \
    X(KEY_IGNORED, "a key's maximum is not asked")                                                                     \
    X(PAUSE_IGNORED, "a paused pool goes on")                                                                          \
    X(TARGETS_IGNORED, "a worker is given kinds of targets that it did not ask for")                                   \
    /* Dependencies. */                                                                                                \
    X(WAIT_FORGOTTEN, "a dependent starts when the first of its upstreams has ended")                                  \
    X(CHILDREN_NOT_CANCELLED, "the dependents of a dead upstream wait for ever")                                       \
    X(SKIP_NOT_TOLD, "dependents are not told of a skipped upstream")                                                  \
    /* Commands. */                                                                                                    \
    X(IDEM_NOT_STORED, "an idempotency key leaves no row")                                                             \
    X(IDEM_HASH_IGNORED, "another request under the same key gets the old answer")                                     \
    X(HALF_A_BATCH, "of several jobs with one bad those before it are created")                                        \
    X(TENANT_COUNT_DRIFTS, "a deleted job still counts")                                                               \
    X(CANCEL_KEEPS_PENDING, "a cancelled job's pending triggers stay")                                                 \
    X(REPLAY_UNNAMED, "a dead letter does not name its replay")                                                        \
    X(FILTER_REPLAYS_AGAIN, "a filter replays what was replayed meanwhile")                                            \
    X(IDS_NOT_RESERVED, "ids are given beyond their high-water mark")                                                  \
    /* Windows. */                                                                                                     \
    X(EDGE_SKIPPED, "the first job behind the edge of a window is not loaded")                                         \
    X(EVICTED_DIRTY, "a job leaves memory before its change is durable")                                               \
    X(WINDOW_NEVER_MOVES, "no load is armed for what lies behind the edge")

enum bug {
#define X(name, text) BUG_##name,
    BUG_TABLE(X)
#undef X
        BUG_COUNT
};

#ifdef BELFRY_BUGS
extern bool bug_on[BUG_COUNT];
#define BUG(name) (bug_on[BUG_##name])
#else
#define BUG(name) false
#endif

#endif
