#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/sqlite/sqlite_files.h"
#include "store/sqlite/sqlite_schema.h"
#include "store/sqlite/sqlite_store.h"

/* The names around the store that is replaced. */
struct restoring {
    const char *from;
    const char *to;
    char *copy;     /* TO.restoring: the new file before it has its name */
    char *replaced; /* TO.replaced: the old one */
    char *wal, *shm, *replaced_wal;
};

static enum err err_of(enum store_outcome outcome, const struct error *error)
{
    return outcome == STORE_DONE ? ERR_OK : error->code;
}

/* All of a file: whose it is, how new, and whether every page and index of it is sound. */
static enum store_outcome check_opened(struct sql_conn *conn, struct error *reterr)
{
    int64_t version = 0;
    int64_t is_sound = 0;
    enum store_outcome outcome = sqlite_schema_look(conn, &version, reterr);

    if (outcome == STORE_DONE && version == 0) {
        (void)err_set(reterr, ERR_CONFLICT, "%s is empty", conn->path);
        return STORE_REFUSED;
    }
    if (outcome == STORE_DONE) {
        outcome = sql_number(conn, "SELECT count(*) = 1 AND max(integrity_check) = 'ok' FROM pragma_integrity_check",
                             &is_sound, reterr);
    }
    if (outcome == STORE_DONE && !is_sound) {
        return STORE_BROKEN;
    }
    return outcome;
}

/* The copy is looked at; what is said of it is said of the backup, which is all that a person knows of. */
static enum err check_copy(const struct restoring *restoring, struct error *reterr)
{
    struct sql_conn conn;
    struct error error = {0};
    enum store_outcome outcome =
        sql_conn_open(&conn, restoring->copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL, &error);

    if (outcome == STORE_DONE) {
        mem_free(conn.path);
        conn.path = mem_strdup(restoring->from);
        outcome = check_opened(&conn, &error);
        sql_conn_close(&conn);
    }
    if (outcome == STORE_BROKEN) {
        return err_set(reterr, ERR_CORRUPT, "the backup %s is damaged; take another one", restoring->from);
    }
    if (outcome != STORE_DONE) {
        return err_set(reterr, err_of(outcome, &error), "%s", error.text);
    }
    return ERR_OK;
}

static enum err move(const char *from, const char *to, struct error *reterr)
{
    if (rename(from, to) != 0 && errno != ENOENT) {
        return err_set(reterr, ERR_IO, "cannot rename %s to %s: %s", from, to, strerror(errno));
    }
    return ERR_OK;
}

/* Checks the old store's WAL in, so that its file is all of it. One that is damaged keeps its WAL beside it instead. */
static void fold_wal(const struct restoring *restoring)
{
    struct sql_conn conn;

    if (sql_conn_open(&conn, restoring->to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL, NULL) == STORE_DONE) {
        (void)sqlite3_wal_checkpoint_v2(conn.db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        sql_conn_close(&conn);
    }
}

/* Puts the new file in the old one's place. The old WAL must be gone by then: it would be played into the new file. */
static enum err swap(const struct restoring *restoring, struct error *reterr)
{
    enum err err = ERR_OK;

    if (sqlite_files_exists(restoring->to)) {
        fold_wal(restoring);
        err = move(restoring->wal, restoring->replaced_wal, reterr);
        if (err == ERR_OK && link(restoring->to, restoring->replaced) != 0) {
            err = err_set(reterr, ERR_IO, "cannot keep %s as %s: %s", restoring->to, restoring->replaced,
                          strerror(errno));
        }
    } else {
        err = move(restoring->wal, restoring->replaced_wal, reterr);
    }
    (void)unlink(restoring->shm);
    if (err == ERR_OK) {
        err = sqlite_files_sync_folder(restoring->to, reterr);
    }
    if (err == ERR_OK) {
        err = move(restoring->copy, restoring->to, reterr);
    }
    return err == ERR_OK ? sqlite_files_sync_folder(restoring->to, reterr) : err;
}

/* With the lock held. */
static enum err restore_locked(const struct restoring *restoring, struct error *reterr)
{
    (void)unlink(restoring->copy); /* of a restore that was cut off */
    enum err err = sqlite_files_copy(restoring->from, restoring->copy, reterr);

    if (err == ERR_OK) {
        err = check_copy(restoring, reterr);
    }
    if (err == ERR_OK) {
        err = swap(restoring, reterr);
    }
    if (err != ERR_OK) {
        (void)unlink(restoring->copy);
    }
    return err;
}

/* A copy of a file that somebody has open lacks what is in its WAL. */
static enum err check_names(const struct restoring *restoring, struct error *reterr)
{
    SCOPE_FREE char *from_wal = sqlite_files_name(restoring->from, "-wal");

    if (sqlite_files_exists(from_wal)) {
        return err_set(
            reterr, ERR_CONFLICT,
            "%s has a -wal beside it: it is a store in use or a copy of one, not a backup. Make one with belfry "
            "backup",
            restoring->from);
    }
    if (sqlite_files_exists(restoring->replaced) || sqlite_files_exists(restoring->replaced_wal)) {
        return err_set(reterr, ERR_CONFLICT, "%s is kept from an earlier restore; move it away first",
                       restoring->replaced);
    }
    return ERR_OK;
}

enum err sqlite_restore(const char *from, const char *to, struct error *reterr)
{
    struct restoring restoring = {
        .from = from,
        .to = to,
        .copy = sqlite_files_name(to, ".restoring"),
        .replaced = sqlite_files_name(to, ".replaced"),
        .wal = sqlite_files_name(to, "-wal"),
        .shm = sqlite_files_name(to, "-shm"),
        .replaced_wal = sqlite_files_name(to, ".replaced-wal"),
    };
    struct error error = {0};
    int lock_fd = -1;
    enum err err = check_names(&restoring, &error);

    if (err == ERR_OK) {
        err = err_of(sqlite_files_lock(to, &lock_fd, &error), &error);
    }
    if (err == ERR_OK) {
        err = restore_locked(&restoring, &error);
    }
    sqlite_files_unlock(lock_fd);
    mem_free(restoring.copy);
    mem_free(restoring.replaced);
    mem_free(restoring.wal);
    mem_free(restoring.shm);
    mem_free(restoring.replaced_wal);
    if (err != ERR_OK) {
        return err_set(reterr, err, "%s was not restored: %s", to, error.text);
    }
    return ERR_OK;
}
