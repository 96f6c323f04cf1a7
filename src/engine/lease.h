/* lease: a worker's right to an attempt, for a time.
 *
 * Owns:  every struct lease and struct claims.
 * Rules: (1) a running trigger has one lease; a lease ends once, and what comes after is refused, not obeyed.
 *        (2) the lease and time-out timers of a running attempt are armed; the time-out counts from the stored start.
 *        (3) a claim is stored in the batch that grants it; its row goes with the last of its claims.
 *        (4) a lease that is dropping holds nothing but the next attempt of its trigger back; it is not renewed.
 */
#ifndef ENGINE_LEASE_H
#define ENGINE_LEASE_H

#include "engine/core.h"

/* Starts the next attempt of a pending trigger for a worker, after ready_start said whether it is a probe. */
struct lease *lease_start(struct engine *engine, struct trigger *trigger, struct worker *worker, bool is_probe);

/* An attempt that runs since before the restore. */
struct lease *lease_restore(struct engine *engine, struct trigger *trigger, const struct claim *claim,
                            struct claims *claims);

void lease_renew(struct engine *engine, struct lease *lease);

/* The job's time-out is another one now: what runs is held to it. */
void lease_retime(struct engine *engine, struct trigger *trigger);
void lease_retime_all(struct engine *engine);

/* A report for the running attempt. */
void lease_report(struct engine *engine, struct lease *lease, const struct report *report);

/* The attempt is over without a report: LOST, TIMED_OUT, CANCELLED. */
void lease_expired(struct engine *engine, struct lease *lease);
void lease_timed_out(struct engine *engine, struct lease *lease);

/* Ends a running trigger as CANCELLED; its worker is told. */
void lease_cancel(struct engine *engine, struct trigger *trigger, struct str reason);

/* A late report, for a trigger that waits for its next attempt after a LOST one. */
void lease_late_report(struct engine *engine, struct trigger *trigger, const struct report *report,
                       struct worker *worker);

/* The worker has let go of a timed-out attempt: nothing holds the next one any more. Does nothing where none is. */
void lease_drop(struct engine *engine, struct trigger *trigger);
void lease_dropped(struct engine *engine, struct trigger *trigger);

/* Claims rows. A new one is empty and not stored. */
struct claims *claims_new(uint64_t id);
/* Its row is written, naming these. */
void claims_stored(struct engine *engine, struct claims *claims, const struct claim *list, size_t count);
void claims_free(struct claims *claims);
/* The row of this trigger goes: no stored claim may name it any more, or it would come to life again. */
void claims_forget(struct engine *engine, uint64_t trigger);

/* The engine goes: frees the lease of a trigger, whatever it is. */
void lease_forget(struct engine *engine, struct trigger *trigger);

#endif
