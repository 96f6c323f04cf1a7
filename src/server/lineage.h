/* lineage: how far a store that several servers share had come when this server last saw it, and which copy of itself
 * it was. A store that is behind that was restored from a backup, or has lost its last moments in a failover.
 *
 * Owns:  the file, one line in the data folder.
 * Rules: (1) batches only ever get higher numbers: a store whose last one is lower than one that was seen went back.
 *        (2) a store without any batch is a new one.
 *        (3) another store, at another place and of another system, is not compared.
 * See:   server/shard.h, docs/cluster.md, tests/unit/server/test_lineage.c
 */
#ifndef SERVER_LINEAGE_H
#define SERVER_LINEAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

#define LINEAGE_PLACE_BYTES 512
#define LINEAGE_NAME "seen"

struct lineage {
    bool is_known; /* false: nothing was seen yet */
    char system[STORE_SYSTEM_BYTES];
    uint32_t timeline;
    uint64_t epoch;
    uint64_t batch;     /* the last one that was committed, as far as is known */
    int64_t id_high_ms; /* about when that was; 0: not known */
    char place[LINEAGE_PLACE_BYTES];
};

enum lineage_step {
    LINEAGE_SAME,
    LINEAGE_MOVED,  /* another copy (a failover), and nothing is missing */
    LINEAGE_BEHIND, /* rule 1 */
};

enum lineage_step lineage_compare(const struct lineage *seen, const struct lineage *now);

/* How many batches are missing. */
uint64_t lineage_lost(const struct lineage *seen, const struct lineage *now);

/* What was seen last; not known where there is no such file, or it cannot be read. */
struct lineage lineage_read(const char *path);
enum err lineage_write(const struct lineage *lineage, const char *path, struct error *reterr) MUST_CHECK;

#endif
