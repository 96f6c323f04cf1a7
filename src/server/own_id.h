/* own_id: the id of the worker that lives in the server's process, kept beside the store.
 *
 * Who has the store's lock knows that whoever had it before is gone, and with it the worker whose id stands here: what
 * that one had is nobody's any more, and need not wait for a lease to end.
 *
 * Rules: (1) only who has the store's lock reads and writes it. It is written before the worker speaks for the first
 *            time.
 *        (2) it is the store's name and ".worker", 0600, whole or not there (home.h).
 * See:   cli/serving.h, engine.h (dead_worker), tests/unit/server/test_own_id.c
 */
#ifndef SERVER_OWN_ID_H
#define SERVER_OWN_ID_H

#include "base/err.h"

#define OWN_ID_BYTES_MAX 64

/* "" where there is none, or nothing that could be one. */
void own_id_read(const char *store_path, char ret_id[OWN_ID_BYTES_MAX]);

MUST_CHECK enum err own_id_write(const char *store_path, const char *id, struct error *reterr);

#endif
