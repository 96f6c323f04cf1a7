/* What SQLite's result codes mean to Belfry. */
#include "base/mem.h"
#include "store/sqlite/sqlite_sql.h"

static enum store_outcome io_outcome(int rc)
{
    switch (rc) {
    case SQLITE_IOERR_NOMEM:
        mem_exhausted("sqlite", 1, 0);
    case SQLITE_IOERR_SHMSIZE: /* no room for the -shm file, which holds nothing that lasts */
    case SQLITE_IOERR_SHMMAP:
    case SQLITE_IOERR_SHMOPEN:
        return STORE_DOWN;
    default:
        return STORE_BROKEN;
    }
}

static enum store_outcome outcome_of(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_INTERRUPT:
    case SQLITE_PROTOCOL:
    case SQLITE_SCHEMA:
        return STORE_AGAIN;
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return STORE_DOWN;
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
        return STORE_REFUSED;
    case SQLITE_NOMEM:
        mem_exhausted("sqlite", 1, 0);
    case SQLITE_IOERR:
        return io_outcome(rc);
    default:
        /* CORRUPT, NOTADB; and ERROR, for tables that are not as this program made them. */
        return STORE_BROKEN;
    }
}

static enum err err_of(enum store_outcome outcome)
{
    switch (outcome) {
    case STORE_REFUSED:
    case STORE_FENCED:
        return ERR_CONFLICT;
    case STORE_BROKEN:
        return ERR_CORRUPT;
    case STORE_DONE:
    case STORE_AGAIN:
    case STORE_DOWN:
    case STORE_UNKNOWN:
        break;
    }
    return ERR_IO;
}

/* What to do about it. */
static const char *advice(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_FULL:
        return ". Free some space on its disk";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return ". Look at who may write to it and to its folder";
    case SQLITE_BUSY:
        return ". Another program has it locked";
    case SQLITE_INTERRUPT:
        return ". It took too long; ask for less at a time";
    case SQLITE_IOERR:
        return ". Look at its disk before starting again";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ". Restore a backup";
    default:
        return "";
    }
}

enum store_outcome sql_failed(struct sql_conn *conn, int rc, struct error *reterr)
{
    enum store_outcome outcome = outcome_of(rc);
    /* The connection's own text says more, if the code is its own (one that we kept may be older). */
    const char *text = sqlite3_extended_errcode(conn->db) == rc ? sqlite3_errmsg(conn->db) : sqlite3_errstr(rc);

    (void)err_set(reterr, err_of(outcome), "%s: %s (SQLite's code %d)%s", conn->path, text, rc, advice(rc));
    return outcome;
}
