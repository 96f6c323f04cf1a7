/* postgres_schema: what the database holds, and how it becomes what this program needs.
 *
 * Rules: (1) belfry.migrations has a row for each migration that the schema has seen, and nothing else says its
 * version. (2) migrations go forward only, each in one transaction; one program at a time. (3) what is not to be used
 * is not written to. See:   store/sql/migrations.h, tests/store/test_postgres_open.c
 */
#ifndef STORE_POSTGRES_POSTGRES_SCHEMA_H
#define STORE_POSTGRES_POSTGRES_SCHEMA_H

#include "store/postgres/pg_conn.h"

/* At the beginning of a session: STORE_REFUSED where the schema is not there, or of another version; why is in
 * conn->error. */
enum store_outcome postgres_schema_check(struct pg_conn *conn);

#endif
