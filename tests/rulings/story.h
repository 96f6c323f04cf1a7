/* story: tests that are told twice, once on an engine that lives on and once on one that is restarted at every turn.
 *
 *     static void a_job_runs(void **state)
 *     {
 *         struct rig *rig = story_begin(state);
 *         uint64_t job = make(rig, "{'pool':'%s'}", "mail");
 *         turn(rig);
 *         ...
 *         rig_free(rig);
 *     }
 *     const struct CMUnitTest tests[] = {STORY(a_job_runs), ONCE(what_lives_in_memory_alone)};
 *
 * A restart gives every running attempt a fresh lease and forgets who polls, so a story turns where that changes
 * nothing: at the instant of a grant or a renewal, and while nobody waits.
 */
#ifndef TESTS_RULINGS_STORY_H
#define TESTS_RULINGS_STORY_H

#include <stdbool.h>

#include "rig.h"

#define STORY_START "2026-04-08T09:00:00Z"

extern bool story_calm, story_restless;

#define ONCE(name)                                                                                                     \
    {                                                                                                                  \
#name, name, NULL, NULL, &story_calm                                                                           \
    }
#define STORY(name)                                                                                                    \
    ONCE(name),                                                                                                        \
    {                                                                                                                  \
#name "_with_restarts", name, NULL, NULL, &story_restless                                                      \
    }

struct rig *story_begin(void **state);
struct rig *story_begin_with(void **state, const struct engine_config *config);

/* Where the restarted engine is restarted. */
void turn(struct rig *rig);
bool story_restarts(void);

/* A job, from JSON with ' for " and printf's words. */
uint64_t make(struct rig *rig, const char *format, ...) __attribute__((format(printf, 2, 3)));
const struct reply *patch(struct rig *rig, uint64_t job, const char *text);
/* Settings, likewise; fails the test unless they are taken. */
void set(struct rig *rig, enum scope scope, const char *tenant, const char *name, const char *text);

/* One attempt that must be there; which number it has. */
const struct grant *take(struct rig *rig, const char *worker);
const struct grant *take_number(struct rig *rig, const char *worker, uint32_t number);
/* The attempt that an exchange was given while it waited; fails the test while there is none. */
const struct grant *given(struct rig *rig, uint64_t token);
bool still_waits(struct rig *rig, uint64_t token);

bool names(const struct reply *why, enum why_gate gate);
bool names_ready(const struct reply *why, enum ready_gate gate);
const struct why_reason *reason_of(const struct reply *why, enum why_gate gate); /* the first such; fails without */
const struct why_reason *reason_ready(const struct reply *why, enum ready_gate gate);

/* Whether a report was refused for this reason. */
bool refused(const struct reply *reply, enum refusal reason);
/* Whether the worker is told to stop it. */
bool told_to_stop(const struct reply *reply, const struct grant *grant);

#endif
