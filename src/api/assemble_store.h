/* assemble_store: which store a server uses: an SQLite file, or a PostgreSQL database that it shares with others.
 *
 * See: assemble.h, store/store.h
 */
#ifndef API_ASSEMBLE_STORE_H
#define API_ASSEMBLE_STORE_H

#include <stddef.h>

#include "base/err.h"
#include "server/config.h"
#include "store/store.h"

/* Opens it. shown becomes what people are told: the file's path, or the database's address without passwords. */
enum err assemble_store(const struct config *config, char *shown, size_t shown_bytes, struct store **ret_store,
                        struct error *reterr) MUST_CHECK;

/* Whether a setting of the store names a database. */
bool assemble_is_database(const char *store);

#endif
