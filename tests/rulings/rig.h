/* rig: an engine on a memory store, with a clock that the test moves.
 *
 * Everything that the engine asks for happens at once: loads are answered, batches are committed, replies are kept. So
 * a test reads as a story: create, wait, poll, report, and look at what is stored.
 *
 *     struct rig *rig = rig_new("2026-03-29T00:00:00Z");
 *     uint64_t job = rig_create(rig, "{\"every\":\"1m\",\"overlap\":\"skip\"}");
 *     rig_wait(rig, 60000);
 *     struct grant *grant = rig_take(rig, "w1");
 *     rig_succeed(rig, "w1", grant);
 *
 * Every step is followed by engine_check, which fails the test with the rule it names.
 */
#ifndef TESTS_RULINGS_RIG_H
#define TESTS_RULINGS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "store/memory/memory_store.h"

struct rig;

struct rig *rig_new(const char *begin);
struct rig *rig_new_with(const char *begin, const struct engine_config *config);
void rig_free(struct rig *rig);

/* Forgets the engine and makes another from the store, as after a crash. */
void rig_restart(struct rig *rig);
/* From now on, after every wait, command and exchange that does not wait. */
/* Only the engine is made anew, as after a commit that failed. */
void rig_reload(struct rig *rig);
void rig_restart_often(struct rig *rig, bool is_restless);
/* The server is down for a time: the old engine sees nothing of it, another one starts at its end. */
void rig_down(struct rig *rig, int64_t ms);

/* ---- time ---- */

int64_t rig_now(const struct rig *rig); /* wall time */
/* Time passes, on both clocks; the engine is woken whenever it asked for it. */
void rig_wait(struct rig *rig, int64_t ms);
void rig_wait_until(struct rig *rig, const char *instant);
/* Nobody steps the engine meanwhile (it was down, or stopped); then one tick. */
void rig_sleep(struct rig *rig, int64_t ms);
/* The wall clock alone is set. */
void rig_set_wall(struct rig *rig, int64_t ms_later);

/* ---- clients. Texts are JSON ---- */

/* Fails the test unless it is created. */
uint64_t rig_create(struct rig *rig, const char *definition);
/* The reply, whatever it is; kept until rig_free. */
const struct reply *rig_create_reply(struct rig *rig, const char *definition);
const struct reply *rig_create_many(struct rig *rig, const char *const *definitions, size_t count);
const struct reply *rig_create_key(struct rig *rig, const char *definition, const char *key, uint64_t hash);
/* Any command; the token is set by the rig. */
const struct reply *rig_command(struct rig *rig, struct command *command);
const struct reply *rig_patch(struct rig *rig, uint64_t job, const char *patch);
const struct reply *rig_status(struct rig *rig, uint64_t job, enum job_status status);
const struct reply *rig_delete(struct rig *rig, uint64_t job);
const struct reply *rig_why(struct rig *rig, uint64_t job);
const struct reply *rig_why_trigger(struct rig *rig, uint64_t trigger);
const struct reply *rig_settings(struct rig *rig, enum scope scope, const char *tenant, const char *name,
                                 const char *settings);
const struct reply *rig_pause(struct rig *rig, enum scope scope, const char *tenant, const char *name);
const struct reply *rig_resume(struct rig *rig, enum scope scope, const char *tenant, const char *name,
                               int64_t ramp_ms);
/* Run, replay, discard, cancel, retry. */
uint64_t rig_run(struct rig *rig, uint64_t job); /* the trigger; fails the test unless there is one */
const struct reply *rig_backfill(struct rig *rig, uint64_t job, const char *from, const char *to);
const struct reply *rig_trigger_command(struct rig *rig, enum command_kind kind, uint64_t trigger);

/* ---- workers ---- */

/* One exchange without waiting: the reply. Holds nothing unless told (rig_exchange). */
const struct reply *rig_poll(struct rig *rig, const char *worker, const char *pool, uint32_t want);
const struct reply *rig_exchange(struct rig *rig, struct exchange *exchange);
/* One attempt from pool "default"; NULL: there is none. Names what this worker took by rig_take and has not reported.
 */
const struct grant *rig_take(struct rig *rig, const char *worker);
const struct grant *rig_take_from(struct rig *rig, const char *worker, const char *pool);
/* Reports; the reply's refused list says how it went. */
const struct reply *rig_report(struct rig *rig, const char *worker, const struct grant *grant,
                               enum attempt_state state);
const struct reply *rig_report_full(struct rig *rig, const char *worker, const struct report *report);
void rig_succeed(struct rig *rig, const char *worker, const struct grant *grant); /* fails the test if refused */
void rig_fail(struct rig *rig, const char *worker, const struct grant *grant);    /* likewise; retryable */
/* Renews what the worker took and has not reported; returns the reply. */
const struct reply *rig_renew(struct rig *rig, const char *worker);
/* An exchange that waits; its reply comes later: rig_answer gives it, NULL while it waits. */
uint64_t rig_poll_waiting(struct rig *rig, const char *worker, const char *pool, uint32_t want, int64_t wait_ms);
const struct reply *rig_answer(struct rig *rig, uint64_t token);
/* The connection of an exchange that waits is gone. */
void rig_gone(struct rig *rig, uint64_t token);
/* The server is about to stop. */
void rig_drain(struct rig *rig);
void rig_leave(struct rig *rig);
/* The worker is dead: the rig forgets what it took. */
void rig_worker_dies(struct rig *rig, const char *worker);

/* ---- what is stored. Rows live until the next call ---- */

const struct rows *rig_dump(struct rig *rig);
const struct job_row *rig_job(struct rig *rig, uint64_t job);             /* NULL: none */
const struct trigger_row *rig_trigger(struct rig *rig, uint64_t trigger); /* NULL: no row */
size_t rig_trigger_count(struct rig *rig, uint64_t job, enum trigger_state state);
size_t rig_skip_count(struct rig *rig, uint64_t job); /* records */
const struct skip_row *rig_skip(struct rig *rig, uint64_t job, size_t index);
int64_t rig_instant(const char *text);

/* ---- the engine itself ---- */

struct engine *rig_engine(struct rig *rig);

#endif
