/* A backup is made by SQLite's own copying, on the writer's connection, some pages at a time: what is written between
 * two steps goes into the copy as well. It has another name until it is whole and on the disk. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/sqlite/sqlite_files.h"
#include "store/sqlite/sqlite_inside.h"

/* 8 MiB, and the sync of them, between two batches. */
#define STEP_PAGES 2048

struct backup {
    char *path;
    char *partial; /* path while it is not whole */
    sqlite3 *to;
    sqlite3_backup *copy;
};

/* A backup that fails says nothing about the store, which goes on: never STORE_BROKEN. */
static enum store_outcome backup_failed(const struct backup *backup, int rc, struct error *reterr)
{
    if (rc == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM) {
        mem_exhausted("sqlite", 1, 0);
    }
    (void)err_set(reterr, ERR_IO, "no backup: %s: %s (SQLite's code %d)", backup->partial, sqlite3_errstr(rc), rc);
    return STORE_DOWN;
}

void sqlite_backup_abandon(struct sqlite_store *store)
{
    struct backup *backup = store->backup;

    if (backup == NULL) {
        return;
    }
    (void)sqlite3_backup_finish(backup->copy);
    (void)sqlite3_close(backup->to);
    (void)unlink(backup->partial);
    mem_free(backup->partial);
    mem_free(backup->path);
    mem_free(backup);
    store->backup = NULL;
}

/* What a new backup must not find. */
static enum store_outcome check_free(const struct backup *backup, struct error *reterr)
{
    const char *names[] = {backup->path, backup->partial};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (sqlite_files_exists(names[i])) {
            (void)err_set(reterr, ERR_CONFLICT, "%s is there already; a backup overwrites nothing", names[i]);
            return STORE_REFUSED;
        }
    }
    return STORE_DONE;
}

static int begin_copy(struct sqlite_store *store, struct backup *backup)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int rc = sqlite3_open_v2(backup->partial, &backup->to, flags, NULL);

    /* Pages are to reach the file as they come; syncing is done here, step by step, and a copy that is cut off is
     * thrown away, so there is nothing to journal. */
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(backup->to, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = 256",
                          NULL, NULL, NULL);
    }
    if (rc == SQLITE_OK) {
        backup->copy = sqlite3_backup_init(backup->to, "main", store->conn.db, "main");
        rc = backup->copy != NULL ? SQLITE_OK : sqlite3_errcode(backup->to);
    }
    return rc;
}

static enum store_outcome begin(struct sqlite_store *store, const char *path, struct error *reterr)
{
    struct backup *backup = mem_zalloc(sizeof *backup);

    store->backup = backup;
    backup->path = mem_strdup(path);
    backup->partial = sqlite_files_name(path, ".partial");
    enum store_outcome outcome = check_free(backup, reterr);

    if (outcome != STORE_DONE) {
        /* What is there is not ours to remove. */
        mem_free(backup->partial);
        mem_free(backup->path);
        mem_free(backup);
        store->backup = NULL;
        return outcome;
    }
    outcome = sqlite_files_make(backup->partial, reterr);
    if (outcome == STORE_DONE) {
        int rc = begin_copy(store, backup);

        outcome = rc == SQLITE_OK ? STORE_DONE : backup_failed(backup, rc, reterr);
    }
    if (outcome != STORE_DONE) {
        sqlite_backup_abandon(store);
    }
    return outcome;
}

/* The copy has the WAL's mark in its header; without it, it is one plain file that anything can read. */
static int end_copy(struct backup *backup)
{
    int rc = sqlite3_backup_finish(backup->copy);

    backup->copy = NULL;
    if (rc == SQLITE_OK) {
        rc = sqlite3_close(backup->to);
        backup->to = NULL;
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_open_v2(backup->partial, &backup->to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(backup->to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_close(backup->to);
        backup->to = NULL;
    }
    return rc;
}

/* Gives the whole copy its name, unless somebody else has taken it meanwhile. */
static enum store_outcome publish(const struct backup *backup, struct error *reterr)
{
    enum err err = sqlite_files_sync(backup->partial, reterr);

    if (err == ERR_OK && renameat2(AT_FDCWD, backup->partial, AT_FDCWD, backup->path, RENAME_NOREPLACE) != 0) {
        err = err_set(reterr, ERR_IO, "no backup: cannot rename %s: %s", backup->partial, strerror(errno));
    }
    if (err == ERR_OK) {
        err = sqlite_files_sync_folder(backup->path, reterr);
    }
    return err == ERR_OK ? STORE_DONE : STORE_DOWN;
}

/* One step. STORE_AGAIN: there is more. */
static enum store_outcome step(struct backup *backup, struct error *reterr)
{
    int rc = sqlite3_backup_step(backup->copy, STEP_PAGES);

    if (rc == SQLITE_DONE) {
        rc = end_copy(backup);
        return rc == SQLITE_OK ? publish(backup, reterr) : backup_failed(backup, rc, reterr);
    }
    if (rc != SQLITE_OK && rc != SQLITE_BUSY && rc != SQLITE_LOCKED) {
        return backup_failed(backup, rc, reterr);
    }
    if (sqlite_files_sync(backup->partial, reterr) != ERR_OK) {
        return STORE_DOWN;
    }
    (void)err_set(reterr, ERR_IO, "the backup goes on: %d of %d pages are left", sqlite3_backup_remaining(backup->copy),
                  sqlite3_backup_pagecount(backup->copy));
    return STORE_AGAIN;
}

enum store_outcome sqlite_backup(struct store *base, const char *path, struct error *reterr)
{
    struct sqlite_store *store = sqlite_store_of(base);

    if (store->is_broken) {
        return sqlite_is_broken(store, reterr);
    }
    if (store->backup != NULL && strcmp(store->backup->path, path) != 0) {
        (void)err_set(reterr, ERR_CONFLICT, "a backup into %s is under way", store->backup->path);
        return STORE_REFUSED;
    }
    if (store->backup == NULL) {
        enum store_outcome outcome = begin(store, path, reterr);

        if (outcome != STORE_DONE) {
            return outcome;
        }
    }
    enum store_outcome outcome = step(store->backup, reterr);

    if (outcome != STORE_AGAIN) {
        sqlite_backup_abandon(store); /* nothing is left to remove of one that has its name */
    }
    return outcome;
}
