/* gather: the batch being filled, and the replies that wait for it.
 *
 * Rules: (1) a row has at most one operation in a batch: what changes again changes that one.
 *        (2) job rows are filled in when the batch is cut, from what memory says then.
 *        (3) a reply stands in the outbox being gathered, so it is given when everything decided so far is durable.
 */
#ifndef ENGINE_GATHER_H
#define ENGINE_GATHER_H

#include "engine/core.h"

struct batch *gather_batch(struct engine *engine);
struct op *gather_op(struct engine *engine, enum op_kind kind);

/* Texts that live as long as the batch. */
struct str gather_text(struct engine *engine, struct str text);
/* How large it is by now. */
size_t gather_bytes(const struct engine *engine);
/* Whether what was gathered is enough for one batch: nothing more is begun that can wait for the next. */
bool gather_is_full(const struct engine *engine);
void *gather_alloc(struct engine *engine, size_t size);

struct reply *gather_reply(struct engine *engine, uint64_t token, enum reply_kind kind);
void gather_error(struct engine *engine, uint64_t token, const struct error *error);

/* The job stays in memory until this batch is durable; its row is written with it. */
void gather_job(struct engine *engine, struct job *job);
/* Only the first half: something of the job is in this batch. */
void gather_touch(struct engine *engine, struct job *job);
/* The row goes; whatever operation it had in this batch comes first. */
void gather_job_delete(struct engine *engine, struct job *job);

/* Where a bucket is, with texts that live as long as the batch. */
struct place gather_place(struct engine *engine, const struct ready_bucket *bucket);

/* Says to those who watch whose operation it is: the job's name and, where they have it not from the row, its place. */
void gather_note(struct engine *engine, struct op *op, const struct job *job, struct place place);

/* The trigger's row as it is now, with the attempt that ended it; last is NULL for one that lives (its last attempt is
 * named then, without texts) or never had one. reason may be empty. */
void gather_trigger(struct engine *engine, struct trigger *trigger, const struct attempt_row *last, struct str reason);
void gather_attempt(struct engine *engine, const struct attempt_row *attempt);
void gather_skip(struct engine *engine, struct job *job);
/* The job's present version, which is about to be an earlier one. Its definition is in memory. */
void gather_version(struct engine *engine, const struct job *job);
void gather_join(struct engine *engine, struct join *join);
void gather_join_delete(struct engine *engine, struct join *join);
void gather_tenant(struct engine *engine, struct tenant_count *tenant);

/* An id, with its high-water mark in the same batch. */
uint64_t gather_id(struct engine *engine);

/* Adds what is written once per batch (claims, job rows, limiters, breakers) and gives the outbox away. */
struct outbox *gather_cut(struct engine *engine);

#endif
