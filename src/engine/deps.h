/* deps: jobs that wait for others.
 *
 * For each fire of its root a dependent job gets one trigger, which waits in a join until every upstream that is asked
 * has ended for that fire. Jobs of one-time upstreams get one trigger in all.
 *
 * Owns:  struct graph_node, struct join. A job with an edge stays in memory, so that an end finds who waits for it.
 * Rules: (1) the graph has no cycle.
 *        (2) a join is keyed by (job, scheduled_for) for scheduled roots, by (job, root trigger) for others, by the job
 * alone for one-time jobs; it goes when every upstream that is asked has ended. (3) one impossible edge cancels the
 * trigger, and with it what is downstream, in the same batch. (4) every asked upstream of a join will end for it: it
 * has the fire, or is over and counts as CANCELLED. Fires from before the edges were there make no joins. See:
 * docs/decisions/0007-engine-rulings.md, tests/unit/engine/test_deps.c
 */
#ifndef ENGINE_DEPS_H
#define ENGINE_DEPS_H

#include "engine/core.h"
#include "engine/fire.h"

/* One edge to be. */
struct deps_edge {
    struct job *upstream;
    enum job_edge on;
};

/* What came before the edges: as in struct edge_row. */
struct deps_since {
    int64_t ms;
    uint64_t id;
};

/* Whether the job may depend on these: same rhythm, equal schedules of the roots, no cycle (with the cycle shown). */
enum err deps_check(struct engine *engine, const struct job *job, const struct deps_edge *edges, size_t count,
                    struct error *reterr) MUST_CHECK;

/* Whether all who depend on the job could live with another schedule of it. */
enum err deps_check_schedule(struct engine *engine, struct job *job, const struct schedule *schedule,
                             struct error *reterr) MUST_CHECK;

/* The newest fire that is decided or due on any way to these upstreams. The clock may have been ahead of now. */
int64_t deps_decided_to(struct engine *engine, const struct deps_edge *edges, size_t count);
/* What it was attached with. */
int64_t deps_since_ms(const struct job *job);

/* Puts the edges in, without asking. */
void deps_attach(struct job *job, const struct deps_edge *edges, size_t count, struct deps_since since);

/* Puts the edges that a job has into the batch. */
void deps_gather(struct engine *engine, struct job *job);

/* Takes the job's upstream edges out; what waited for them is cancelled. Its node goes if nothing else needs it. */
void deps_detach(struct engine *engine, struct job *job, bool is_gathered);

/* The end that a one-time upstream had before the dependent came. */
void deps_ended_before(struct engine *engine, struct job *job, struct job *upstream, enum trigger_state state);

/* After all edges of the store are in: which dependents follow one-time jobs. */
void deps_settle_rhythms(struct engine *engine);

/* A join of the store. Its trigger is in memory if it still waits. */
void deps_restore(struct engine *engine, const struct wait_row *row);

/* A trigger of the job has ended; fires of it were skipped; the job is over. */
void deps_ended(struct engine *engine, struct job *job, const struct ended *ended);
void deps_skipped(struct engine *engine, struct job *job, int64_t from_ms, int64_t to_ms);
void deps_job_over(struct engine *engine, struct job *job);

/* A waiting trigger leaves its join, cancelled. */
void deps_left(struct engine *engine, struct trigger *trigger);

bool deps_has_dependents(const struct job *job);

/* Of a waiting trigger: an upstream that has not ended, NULL; and how many have, of how many. */
const struct job *deps_open_upstream(const struct trigger *trigger, int64_t *ret_ended, int64_t *ret_all);

void deps_free_all(struct engine *engine);

#endif
