#include "litesim/raw.h"

#include <assert.h>

#include "base/mem.h"

static sqlite3_vfs *vfs_of(struct disk *disk)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(disk_vfs_name(disk));

    assert(vfs != NULL);
    return vfs;
}

static int open_into(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags)
{
    return vfs->xOpen(vfs, name, file, flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
}

sqlite3_file *raw_open(struct disk *disk, const char *name, int flags)
{
    sqlite3_vfs *vfs = vfs_of(disk);
    sqlite3_file *file = mem_zalloc((size_t)vfs->szOsFile);
    int rc = open_into(vfs, name, file, flags);

    assert(rc == SQLITE_OK);
    return file;
}

int raw_try_open(struct disk *disk, const char *name)
{
    sqlite3_vfs *vfs = vfs_of(disk);
    sqlite3_file *file = mem_zalloc((size_t)vfs->szOsFile);
    int rc = open_into(vfs, name, file, 0);

    if (file->pMethods != NULL) {
        (void)file->pMethods->xClose(file);
    }
    mem_free(file);
    return rc;
}

void raw_close(sqlite3_file *file)
{
    (void)file->pMethods->xClose(file);
    mem_free(file);
}

int raw_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
    return file->pMethods->xWrite(file, bytes, count, offset);
}

int raw_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset)
{
    return file->pMethods->xRead(file, bytes, count, offset);
}

int raw_truncate(sqlite3_file *file, sqlite3_int64 bytes)
{
    return file->pMethods->xTruncate(file, bytes);
}

int raw_sync(sqlite3_file *file)
{
    return file->pMethods->xSync(file, SQLITE_SYNC_FULL);
}

int raw_delete(struct disk *disk, const char *name, int is_synced)
{
    sqlite3_vfs *vfs = vfs_of(disk);

    return vfs->xDelete(vfs, name, is_synced);
}
