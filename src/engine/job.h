/* job: jobs in memory: how they come, what they share, when they go.
 *
 * Owns:  every struct job, its schedule, name and definition, and the policies they share.
 * Rules: (1) a job is in memory with all of its living triggers, or not at all.
 *        (2) it leaves when its last change is durable, nothing of it runs, no command is at work on it, it has no
 *            dependencies, and its wake lies behind the edge of its place's window (or there is none).
 *        (3) wake is never later than the first instant at which something of it is to be decided.
 */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "engine/core.h"

/* What a schedule begins with. */
struct job_begin {
    int64_t anchor_ms;
    uint64_t rules; /* of its time zone; 0: as they are now */
};

/* A job of a definition that was read; its id, times and status are still to be set. Fails where the schedule is wrong.
 */
enum err job_new(struct engine *engine, uint64_t id, const struct job_def *def, struct str canonical,
                 struct job_begin begin, struct job **ret_job, struct error *reterr) MUST_CHECK;

/* Takes another definition: place, policy, schedule, rhythm, key and text follow it; status, cursor and counts stay. */
enum err job_redefine(struct engine *engine, struct job *job, const struct job_def *def, struct str canonical,
                      struct job_begin begin, struct error *reterr) MUST_CHECK;

/* The definition again, of a job that is in memory without it. */
void job_give_def(struct engine *engine, struct job *job, struct str canonical);

/* Out of every list, and freed with its triggers. Nothing is gathered. */
void job_free(struct engine *engine, struct job *job);

/* From a row with its living triggers among rows; arms nothing yet. */
enum err job_install(struct engine *engine, const struct job_row *row, struct job **ret_job,
                     struct error *reterr) MUST_CHECK;

struct job *job_by_id(const struct engine *engine, uint64_t id);
struct job *job_by_name(const struct engine *engine, struct str tenant, struct str name);

struct str job_tenant(const struct job *job); /* lives as long as the job */
struct str job_type(const struct job *job);

/* When the fire for a nominal time is due. */
int64_t job_due_ms(const struct job *job, int64_t nominal_ms);

/* Rule 3. */
int64_t job_wake_ms(const struct job *job);

/* Writes the job's row if its wake is not what the store has. */
void job_rewake(struct engine *engine, struct job *job);

/* What holds for the job now: its own numbers, or those its type or tenant sets for jobs that name none. */
const struct retry *job_retry(const struct engine *engine, const struct job *job);
int64_t job_timeout_ms(const struct engine *engine, const struct job *job);
struct dead_policy job_dead_policy(const struct engine *engine, const struct job *job);

/* Lets jobs go whose last change is durable and which rule 2 does not keep. */
void job_settle_durable(struct engine *engine);
void job_leave_if_free(struct engine *engine, struct job *job);
bool job_may_leave(const struct engine *engine, const struct job *job);

/* Reads canonical JSON back; texts live in arena. */
enum err job_def_of_text(struct str text, struct arena *arena, struct job_def *ret_def,
                         struct error *reterr) MUST_CHECK;

#endif
