/* rezone: watches tzdata; when zones get other rules, the jobs that followed the former ones are moved, page by page.
 *
 * A round asks the store which rules are followed, and for each that its zone does not have any more, for the jobs; the
 * engine moves them (COMMAND_REZONE) or says that they have to wait for a fire that is due.
 *
 * Owns:  the watch; one read or command under way. Borrows shard, readers and zones; freed after the first two ended.
 * Rules: (1) a round at the start: tzdata may have changed while nobody looked.
 *        (2) rules that differ in what was over a month ago only, move nobody.
 *        (3) while jobs wait, another round every REZONE_AGAIN_MS.
 * See:   engine/rules.h, docs/time.md, tests/server/test_zones.py
 */
#ifndef SERVER_REZONE_H
#define SERVER_REZONE_H

#include <stdint.h>

#include "calendar/zone_cache.h"
#include "server/readers.h"
#include "server/shard.h"
#include "server/zone_watch.h"

#define REZONE_PAGE 200
#define REZONE_AGAIN_MS 10000

struct rezone;

struct rezone_config {
    struct shard *shard;
    struct readers *readers;
    struct zone_cache *zones;
    const char *folder; /* of tzdata, as in zone_watch.h */
};

struct rezone_figures {
    char version[ZONE_WATCH_TEXT_BYTES]; /* of tzdata */
    uint64_t zones;                      /* that got other rules since the start, as often as they did */
    uint64_t moved;                      /* jobs, since the start */
    uint64_t waiting;                    /* jobs, as of the last round */
    int64_t moved_ms;                    /* when a job was last moved; TIME_NONE: never */
    char moved_zone[ZONE_NAME_BYTES_MAX + 1];
};

struct rezone *rezone_new(const struct rezone_config *config);
void rezone_free(struct rezone *rezone);

/* Looks whether there is something to do; returns at once, but for reading zones anew. One thread calls it, about once
 * a second. */
void rezone_tick(struct rezone *rezone);

/* From any thread. */
void rezone_look(struct rezone *rezone, struct rezone_figures *ret_figures);

#endif
