/* assemble: a whole server: the data folder, the store, its threads, the API and the door, in one struct.
 *
 * Owns:  all parts, which start in their order and stop in the opposite one.
 * Rules: (1) the folder and the store's file are this process's before anything else is done: a second server on the
 *            same folder is refused, and changes nothing.
 *        (2) it listens as soon as its address is known to be free, and answers 503 (not_ready) until it serves.
 *        (3) a server that asks for no token listens on a loopback address, or not at all.
 *        (4) when assembly_stop returns, everything that anybody was told is committed, and everybody was answered.
 * See:   server/config.h, server/shard.h, net/net.h, tests/server/
 */
#ifndef API_ASSEMBLE_H
#define API_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "server/config.h"

struct assembly;

struct assembly_config {
    const struct config *config; /* borrowed until assembly_stop */
    const char *version;
    void *context;
    /* The store's medium failed: end the process. From the store's thread; does not return where it can help it. */
    void (*broken)(void *context, const struct error *error);
    /* The store is this process's, and nothing of it is served yet. Returns the id of the worker that died with the
     * process which had it before (server/own_id.h), "" for none; it holds until assembly_stop. May be NULL. */
    const char *(*owned)(void *context, const char *store_path);
};

/* Returns when it serves. */
enum err assembly_start(const struct assembly_config *config, struct assembly **ret_assembly,
                        struct error *reterr) MUST_CHECK;

/* http://127.0.0.1:7600, as this machine reaches it. */
const char *assembly_url(const struct assembly *assembly);

/* "" where nobody is asked for one; and the file it comes from, "" where it comes from the environment. */
const char *assembly_token(const struct assembly *assembly);
const char *assembly_token_file(const struct assembly *assembly);

/* The store's file. */
const char *assembly_store_path(const struct assembly *assembly);

/* No longer ready, nothing is granted any more, waiting workers are answered; everything else goes on. Where another
 * server can take the shard over, it does, and requests are carried there until assembly_stop. */
void assembly_drain(struct assembly *assembly);

/* Whether the engine's thread answers within that time. One thread asks. */
bool assembly_answers(struct assembly *assembly, int64_t within_ms);

/* What is to be done now and then; about once a second, by one thread. */
void assembly_tick(struct assembly *assembly);

/* Ends everything (rule 4); requests that are under way get grace_ms. Frees it. NULL is fine. */
void assembly_stop(struct assembly *assembly, int64_t grace_ms);

#endif
