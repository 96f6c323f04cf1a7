#include "store/sqlite/sqlite_wal.h"

#include <sqlite3.h>
#include <string.h>

#include "base/mem.h"

/* SQLite's Unix VFS writes less than 128 KiB at a time. */
#define WAL_CHUNK_BYTES (64 * 1024)

/* Every byte again, and then down to the disk. */
static int rewrite(sqlite3_file *file)
{
    SCOPE_FREE char *chunk = mem_alloc(WAL_CHUNK_BYTES);
    sqlite3_int64 size = 0;
    int rc = file->pMethods->xFileSize(file, &size);

    for (sqlite3_int64 at = 0; rc == SQLITE_OK && at < size; at += WAL_CHUNK_BYTES) {
        int len = size - at < WAL_CHUNK_BYTES ? (int)(size - at) : WAL_CHUNK_BYTES;

        rc = file->pMethods->xRead(file, chunk, len, at);
        if (rc == SQLITE_OK) {
            rc = file->pMethods->xWrite(file, chunk, len, at);
        }
    }
    return rc == SQLITE_OK && size > 0 ? file->pMethods->xSync(file, SQLITE_SYNC_FULL) : rc;
}

/* SQLite wants a name with two more bytes of zero behind it, for its parameters. */
static char *name_of(const char *path)
{
    size_t len = strlen(path);
    char *name = mem_zalloc(len + sizeof "-wal" + 4);

    memcpy(name, path, len);
    memcpy(name + len, "-wal", sizeof "-wal");
    return name;
}

enum store_outcome sqlite_wal_settle(const char *path, const char *vfs_name, struct error *reterr)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(vfs_name);
    SCOPE_FREE char *name = name_of(path);
    int exists = 0;

    if (vfs == NULL || vfs->xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &exists) != SQLITE_OK || !exists) {
        return STORE_DONE; /* whoever opens the file will say what is wrong */
    }
    SCOPE_FREE sqlite3_file *file = mem_zalloc((size_t)vfs->szOsFile);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL;
    int rc = vfs->xOpen(vfs, name, file, flags, &flags);

    if (rc == SQLITE_OK) {
        rc = rewrite(file);
    }
    if (file->pMethods != NULL) {
        (void)file->pMethods->xClose(file);
    }
    if (rc == SQLITE_OK) {
        return STORE_DONE;
    }
    (void)err_set(reterr, ERR_IO, "%s cannot be written anew: %s", name, sqlite3_errstr(rc));
    return (rc & 0xff) == SQLITE_FULL || (rc & 0xff) == SQLITE_READONLY || (rc & 0xff) == SQLITE_CANTOPEN
               ? STORE_DOWN
               : STORE_BROKEN;
}
