/* retention: removes what has outlived its time, a little at a time, when the store has nothing else to do.
 *
 * The invariant: a row goes only when it has ended, is old enough by the engine's own time, and nothing that lives can
 * ask for it. Stores hold the half that can be told from rows (struct store_ages in store/store.h). The other half:
 *
 * Rules: (1) it runs on the store's thread, between batches, while no call that names triggers is under way: so no
 *            engine holds a row that is about to go.
 *        (2) what is archived is on the disk before it is removed; while the archive cannot be written nothing goes.
 *        (3) nothing goes in the first minutes after a start, nor while the clock is not believed: a machine whose
 *            clock is wrong when it boots must not lose its history.
 *        (4) definitions of jobs are not removed here but by the engine, as if somebody deleted them (finished.h).
 * See:   store/store.h, server/archive.h, tests/unit/server/test_retention.c
 */
#ifndef SERVER_RETENTION_H
#define SERVER_RETENTION_H

#include <stdint.h>

#include "store/store.h"

/* Answers under an Idempotency-Key are kept this long. */
#define RETENTION_IDEM_MS (24 * INT64_C(3600000))

struct retention;

struct retention_config {
    int64_t history_ms; /* ages */
    int64_t dead_ms;
    const char *archive; /* a folder; "" for none. Copied */
    int64_t first_ms;    /* rule 3: from the first step on; 0: RETENTION_FIRST_MS */
};

#define RETENTION_FIRST_MS (10 * INT64_C(60000))

struct retention_figures {
    uint64_t triggers, attempts, skips, versions, idems; /* removed since the start */
    uint64_t failures;                                   /* steps that could not be done */
    uint64_t archive_bytes;                              /* written, compressed */
    int64_t last_run_ms;                                 /* of the last step that was done; 0: none yet */
};

struct retention *retention_new(const struct retention_config *config);
void retention_free(struct retention *retention);

/* One step, at the engine's time now_ms, on the store's thread. Returns after how many milliseconds the next is wanted.
 */
int64_t retention_step(struct retention *retention, struct store *store, int64_t now_ms);

/* From any thread. */
void retention_figures(struct retention *retention, struct retention_figures *ret_figures);

#endif
