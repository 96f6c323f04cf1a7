/* depths: figures that only the store knows, read now and then, so that nobody who asks for them waits for the store.
 *
 * Owns:  what was read last. Borrows the readers. Safe from every thread.
 * Rules: (1) at most one read is under way.
 *        (2) what could not be read keeps its last value; is_up says that it is old.
 *        (3) freed after the readers have stopped: a read that waits there runs first.
 * See:   api/observe.c (who ticks), api/metrics.c, tests/monitoring/test_metrics.py
 */
#ifndef API_DEPTHS_H
#define API_DEPTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/readers.h"

struct depths;

struct depths_figures {
    bool is_known;       /* it was read once, and this server still owns the shard */
    bool is_up;          /* the last read worked */
    int64_t dead;        /* dead letters that were not replayed, counted up to QUERY_SCAN_MAX */
    bool has_size;       /* the store knows it */
    int64_t store_bytes; /* on disk */
};

/* readers may be NULL: nothing is ever known. */
struct depths *depths_new(struct readers *readers);
void depths_free(struct depths *depths);

/* About once a second, by one thread. Where the shard is somebody else's, nothing is read. */
void depths_tick(struct depths *depths, bool is_serving);

void depths_look(struct depths *depths, struct depths_figures *ret_figures);

#endif
