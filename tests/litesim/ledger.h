/* ledger: rows with numbers, to see after a crash which of them are there.
 *
 * Row n is added by transaction n, which also writes row n / 2 anew and counts itself in a table of its own: so old
 * pages change as well as new ones come, and half a transaction shows.
 *
 * Owns:  nothing; connections belong to who opened them.
 * See:   tests/litesim/test_power_loss.c
 */
#ifndef LITESIM_LEDGER_H
#define LITESIM_LEDGER_H

#include <sqlite3.h>
#include <stdbool.h>

#include "litesim/disk.h"

#define LEDGER_FILE "ledger.db"

struct ledger_mode {
    const char *journal;     /* PRAGMA journal_mode */
    const char *synchronous; /* PRAGMA synchronous */
};

/* What a look at the file has found. */
struct ledger_state {
    bool is_sound; /* it opens, integrity_check is content, rows are 1 to rows_count with the right bytes */
    int rows_count;
    char problem[200]; /* where it is not sound */
};

/* Opens and sets the modes; the connection must be closed even where it fails. */
int ledger_open(struct disk *disk, const struct ledger_mode *mode, sqlite3 **ret_db);

int ledger_exec(sqlite3 *db, const char *sql);

/* The tables, where they are not there yet. */
int ledger_create(sqlite3 *db);

/* One transaction; an SQLite code. Rolls back where it fails. */
int ledger_add(sqlite3 *db, int row);

/* The first column of the first row as a number; -1 where there is none. */
int ledger_ask(sqlite3 *db, const char *sql);

/* Opens, creates, adds rows from 1 to rows_count with checkpoints in between, closes; stops at the first failure.
 * Gives the number of the last row that was acknowledged. */
int ledger_run(struct disk *disk, const struct ledger_mode *mode, int rows_count);

/* The same from row first on, where those before are there. */
int ledger_go_on(struct disk *disk, const struct ledger_mode *mode, int first, int rows_count);

/* Opens, looks, closes. */
struct ledger_state ledger_look(struct disk *disk);

#endif
