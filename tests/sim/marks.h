/* marks: things that must happen now and then, counted.
 *
 * A simulation that never meets a fenced owner proves nothing about fences. Each mark is a place where the world or the
 * engine does something rare; over a run of many seeds every one of them must have been reached.
 *
 * See:   main.c (prints those that were not reached)
 */
#ifndef TESTS_SIM_MARKS_H
#define TESTS_SIM_MARKS_H

#include <stdint.h>

/* name, what happened */
#define MARK_TABLE(X)                                                                                                  \
    X(CREATED, "a job was created")                                                                                    \
    X(CREATED_MANY, "several jobs were created at once")                                                               \
    X(CREATED_AGAIN, "a job was created again and was there")                                                          \
    X(CREATED_OTHER, "another definition under a name was refused")                                                    \
    X(KEY_AGAIN, "an idempotency key was used again with the same request")                                            \
    X(KEY_REUSED, "an idempotency key was used again with another request")                                            \
    X(CYCLE_REFUSED, "a cycle of dependencies was refused")                                                            \
    X(PATCHED, "a job was patched")                                                                                    \
    X(PATCH_SKIPPED, "a patch skipped fires that were due")                                                            \
    X(VERSION_REFUSED, "a patch named the wrong version")                                                              \
    X(JOB_PAUSED, "a job was paused")                                                                                  \
    X(JOB_RESUMED, "a job was resumed")                                                                                \
    X(JOB_CANCELLED, "a job was cancelled")                                                                            \
    X(JOB_DELETED, "a job was deleted")                                                                                \
    X(DELETE_REFUSED, "a job that others depend on was not deleted")                                                   \
    X(RUN_MANUAL, "a job was run by hand")                                                                             \
    X(BACKFILLED, "a range was backfilled")                                                                            \
    X(BACKFILL_NOT_NEEDED, "a backfill found times that have a trigger")                                               \
    X(REPLAYED, "a dead trigger was replayed")                                                                         \
    X(DISCARDED, "a dead trigger was discarded")                                                                       \
    X(TRIGGER_CANCELLED, "a trigger was cancelled")                                                                    \
    X(RETRIED, "a trigger in backoff was made due")                                                                    \
    X(WHY_ASKED, "somebody asked why")                                                                                 \
    X(GRANTED, "work was granted")                                                                                     \
    X(GRANTED_AGAIN, "an attempt was sent again")                                                                      \
    X(GRANT_UNHEARD, "a grant was lost on its way")                                                                    \
    X(SECOND_ATTEMPT, "a second attempt was granted")                                                                  \
    X(GRANT_TO_CHOOSY, "work was granted to a worker that does not take every kind of target")                         \
    X(GRANT_OF_REPLAY, "a replay was granted")                                                                         \
    X(GRANT_OF_DEPENDENCY, "a dependent was granted")                                                                  \
    X(GRANT_OF_BACKFILL, "a backfill was granted")                                                                     \
    X(TOLD_TO_CANCEL, "a worker was told to stop an attempt")                                                          \
    X(REFUSED_AS_STALE, "a report was refused as stale")                                                               \
    X(REFUSED_AS_UNKNOWN, "a report was refused as unknown")                                                           \
    X(REFUSED_AS_CONFLICT, "a report was refused as conflicting")                                                      \
    X(SEQ_REFUSED, "an exchange with an old sequence number was refused")                                              \
    X(WORKER_DIED, "a worker died with work")                                                                          \
    X(WORKER_SLEPT, "a worker slept longer than its leases and came back")                                             \
    X(WORKER_DROPPED, "a worker dropped an attempt without a word")                                                    \
    X(WORKER_HUNG, "an attempt was never finished")                                                                    \
    X(WORKER_RELEASED, "an attempt was given back")                                                                    \
    X(WORKER_DRAINED, "workers were told that the owner drains")                                                       \
    X(REPORT_TWICE, "a report was sent twice")                                                                         \
    X(REPORT_CONTRARY, "a report contradicted an earlier one")                                                         \
    X(REPORT_INVENTED, "a report named what was never granted")                                                        \
    X(REQUEST_LOST, "a request was lost")                                                                              \
    X(REQUEST_DOUBLED, "a request arrived twice")                                                                      \
    X(ANSWER_LOST, "an answer was lost")                                                                               \
    X(GONE_NOTICED, "the owner noticed that nobody waits any more")                                                    \
    X(POLL_KEPT, "a poll was handed to the next engine")                                                               \
    X(COMMIT_AGAIN, "a commit was tried again")                                                                        \
    X(COMMIT_DOWN, "a commit found the store down")                                                                    \
    X(COMMIT_UNKNOWN_DONE, "a commit of unknown outcome was applied")                                                  \
    X(COMMIT_UNKNOWN_LOST, "a commit of unknown outcome was not applied")                                              \
    X(COMMIT_LATE_DONE, "a straggler was applied after its owner gave up on it")                                       \
    X(COMMIT_LATE_FENCED, "a straggler was fenced")                                                                    \
    X(COMMIT_FENCED, "an owner was fenced")                                                                            \
    X(COMMIT_RESOLVED, "an unknown commit was looked up under the next epoch")                                         \
    X(COMMIT_OUTLIVED, "a commit was applied after its owner crashed")                                                 \
    X(LOAD_SLOW, "a load was slow")                                                                                    \
    X(LOAD_FAILED, "a load failed")                                                                                    \
    X(CRASHED, "an owner crashed")                                                                                     \
    X(CRASHED_COMMITTING, "an owner crashed during a commit")                                                          \
    X(CRASHED_TAKING, "an owner crashed while it took over")                                                           \
    X(ZOMBIE, "a paused owner went on after another had taken over")                                                   \
    X(TAKEN_OVER, "another node took over")                                                                            \
    X(DRAINED, "an owner was drained")                                                                                 \
    X(CLOCK_FORWARD, "the wall clock jumped forward")                                                                  \
    X(CLOCK_BACK, "the wall clock jumped back")                                                                        \
    X(CLOCK_HELD, "an engine did not believe its wall clock")                                                          \
    X(CLOCK_ACCEPTED, "somebody confirmed the wall clock")                                                             \
    X(EMPTY_BATCH, "answers went out without a commit")                                                                \
    X(BIG_BATCH, "a batch had more than a hundred operations")                                                         \
    X(LOADED_WINDOW, "a window was loaded")                                                                            \
    X(LOADED_KEYS, "keys were loaded")                                                                                 \
    X(ROW_DEAD, "a trigger died")                                                                                      \
    X(ROW_LOST, "an attempt was lost")                                                                                 \
    X(ROW_TIMED_OUT, "an attempt timed out")                                                                           \
    X(ROW_EXPIRED, "a trigger expired")                                                                                \
    X(ROW_CRASHED_WORKERS, "a trigger died of crashed workers")                                                        \
    X(ROW_COMPLETED, "a job was completed")                                                                            \
    X(SKIPPED_OVERLAP, "a fire was skipped by overlap")                                                                \
    X(SKIPPED_COLLAPSED, "a fire was collapsed")                                                                       \
    X(SKIPPED_MISFIRE, "a fire was skipped by misfire")                                                                \
    X(SKIPPED_EXPIRED, "a fire expired")                                                                               \
    X(SKIPPED_EDITED, "a fire was skipped by an edit")                                                                 \
    X(SKIPPED_CANCELLED, "a fire was skipped by a cancelled job")                                                      \
    X(HELD_TO, "a run ended with fires held")                                                                          \
    X(MISSED_TO, "missed fires were backfilled")                                                                       \
    X(BREAKER_OPENED, "a breaker opened")                                                                              \
    X(BREAKER_HALF_OPENED, "a breaker half opened")                                                                    \
    X(BREAKER_CLOSED, "a breaker closed")                                                                              \
    X(RATE_MOVED, "a rate's instant was stored")                                                                       \
    X(WAITED, "a dependent waited for more upstreams")                                                                 \
    X(DEPENDENT_CANCELLED, "a dependent was cancelled")                                                                \
    X(HEALED, "a world was healed")                                                                                    \
    X(RESTARTED_SAME, "an engine restored from the disk showed the same picture")

enum mark {
#define X(name, text) MARK_##name,
    MARK_TABLE(X)
#undef X
        MARK_COUNT
};

struct marks {
    uint64_t hits[MARK_COUNT];
};

const char *mark_name(enum mark mark);
const char *mark_text(enum mark mark);

#endif
