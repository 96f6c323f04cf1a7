/* assemble_seen: what a server remembers of a store that it shares, in its data folder, to know it again.
 *
 * Rules: (1) the file is behind by SEEN_MS at most, and whole at an orderly end.
 *        (2) what cannot be written costs nothing but that.
 * See:   server/lineage.h
 */
#ifndef API_ASSEMBLE_SEEN_H
#define API_ASSEMBLE_SEEN_H

#include "server/home.h"
#include "server/shard.h"

#define SEEN_MS 2000

struct seen {
    char path[HOME_PATH_BYTES_MAX]; /* "": nobody shares the store */
    struct lineage written;
    int64_t written_mono_ms;
    bool has_failed; /* which is said once */
};

/* Reads it. */
struct lineage seen_begin(struct seen *seen, const char *folder);

/* Writes what the shard has seen since; now and then, or (is_last) at once. */
void seen_tick(struct seen *seen, struct shard *shard, bool is_last);

/* Logs it. */
void seen_behind(const struct shard_behind *behind);

#endif
