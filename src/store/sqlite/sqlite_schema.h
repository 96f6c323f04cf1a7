/* sqlite_schema: what kind of file this is, and how it becomes what this program needs.
 *
 * Rules: (1) application_id says that a file is Belfry's, user_version how many migrations it has seen.
 *        (2) a file that is not to be used is not written to.
 *        (3) each migration is one transaction.
 * See:   store/sql/migrations.h, tests/store/test_sqlite_open.c
 */
#ifndef STORE_SQLITE_SQLITE_SCHEMA_H
#define STORE_SQLITE_SQLITE_SCHEMA_H

#include "store/sqlite/sqlite_sql.h"

/* "blfr" */
#define SCHEMA_APPLICATION_ID 0x626c6672

/* Looks only: STORE_REFUSED where the file is somebody else's or from a newer Belfry. *ret_version is 0 for a new one.
 */
enum store_outcome sqlite_schema_look(struct sql_conn *conn, int64_t *ret_version, struct error *reterr);

/* Brings a file of that version up to date; a new one becomes this shard's. */
enum store_outcome sqlite_schema_migrate(struct sql_conn *conn, int64_t version, uint32_t shard, struct error *reterr);

/* STORE_REFUSED where the file is another shard's. */
enum store_outcome sqlite_schema_check_shard(struct sql_conn *conn, uint32_t shard, struct error *reterr);

#endif
