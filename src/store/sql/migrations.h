/* migrations: how a store's tables come to be, step by step. The .sql files of this folder, put into the program when
 * it is built (tools/embed_sql.py).
 *
 * Rules: (1) a migration that was released is never changed: what is to be different is another one.
 *        (2) a store's schema version is the number of migrations it has seen; step i of the array makes it i + 1.
 */
#ifndef STORE_SQL_MIGRATIONS_H
#define STORE_SQL_MIGRATIONS_H

#include <stddef.h>

struct migration {
    const char *name; /* of its file, without .sql: 0001_begin */
    const char *sql;  /* statements, each ending in a semicolon */
};

extern const struct migration sqlite_migrations[];
extern const size_t sqlite_migration_count;
extern const struct migration postgres_migrations[];
extern const size_t postgres_migration_count;

#endif
