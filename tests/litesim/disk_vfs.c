#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "litesim/disk_inside.h"

/* 2026-04-08T09:00:00Z as milliseconds since noon in Greenwich on November 24, 4714 B.C. */
#define JULIAN_MS (INT64_C(1775638800000) + INT64_C(210866760000000))
#define DAY_MS 86400000.0

#define PATH_BYTES_MAX 512

#define JOURNALS (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL)

static struct disk *disk_of(sqlite3_vfs *vfs)
{
    return CONTAINER_OF(vfs, struct disk, vfs);
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *ret_flags)
{
    ENTERED struct disk *disk = disk_enter(disk_of(vfs));
    struct disk_handle *handle = disk_handle(base);
    struct disk_file *file = name == NULL ? NULL : disk_find(disk, name);

    memset(handle, 0, sizeof *handle); /* no methods: nothing to close */
    if (disk->is_off || (file == NULL && (flags & SQLITE_OPEN_CREATE) == 0) ||
        (file != NULL && (flags & SQLITE_OPEN_EXCLUSIVE) != 0)) {
        return SQLITE_CANTOPEN;
    }
    if (file == NULL) {
        file = disk_create(disk, name);
        handle->syncs_names = (flags & JOURNALS) != 0;
    }
    file->handles++;
    handle->disk = disk;
    handle->file = file;
    handle->is_deleted_on_close = name != NULL && (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    list_node_init(&handle->link);
    list_push_back(&disk->handles, &handle->link);
    handle->base.pMethods = &disk_file_methods;
    if (ret_flags != NULL) {
        *ret_flags = flags;
    }
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int is_synced)
{
    ENTERED struct disk *disk = disk_enter(disk_of(vfs));
    struct disk_file *file;

    if (disk->is_off || !disk_point(disk, false)) {
        return SQLITE_IOERR_DELETE;
    }
    file = disk_find(disk, name);
    if (file == NULL) {
        return SQLITE_IOERR_DELETE_NOENT;
    }
    disk_unlink(file);
    if (is_synced != 0) {
        disk_names_synced(disk);
    }
    return SQLITE_OK;
}

/* An empty file is none, as in SQLite's own VFS for Unix: it cannot be a journal that matters. */
static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret_is_there)
{
    ENTERED struct disk *disk = disk_enter(disk_of(vfs));
    const struct disk_file *file = disk_find(disk, name);

    if (disk->is_off) {
        return SQLITE_IOERR_ACCESS;
    }
    *ret_is_there = file != NULL && (flags != SQLITE_ACCESS_EXISTS || file->image.cached.len > 0);
    return SQLITE_OK;
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int bytes_max, char *path)
{
    size_t bytes = strlen(name) + 1;

    (void)vfs;
    if (bytes > (size_t)bytes_max) {
        return SQLITE_CANTOPEN;
    }
    memcpy(path, name, bytes);
    return SQLITE_OK;
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes)
{
    ENTERED struct disk *disk = disk_enter(disk_of(vfs));

    for (int i = 0; i < count; i++) {
        bytes[i] = (char)rng_below(&disk->sqlite_rng, 256);
    }
    return count;
}

static bool is_for_threads(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);

    return entered->is_for_threads;
}

/* One thread alone has nobody to wait for. With others SQLite relies on their getting somewhere meanwhile. */
static int vfs_sleep(sqlite3_vfs *vfs, int us)
{
    struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};

    if (is_for_threads(disk_of(vfs))) {
        (void)nanosleep(&time, NULL);
    }
    return us;
}

static int vfs_julian_ms(sqlite3_vfs *vfs, sqlite3_int64 *ret_ms)
{
    (void)vfs;
    *ret_ms = JULIAN_MS;
    return SQLITE_OK;
}

static int vfs_julian_day(sqlite3_vfs *vfs, double *ret_days)
{
    (void)vfs;
    *ret_days = (double)JULIAN_MS / DAY_MS;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int bytes_max, char *text)
{
    (void)vfs;
    if (bytes_max > 0) {
        text[0] = '\0';
    }
    return 0;
}

void disk_vfs_init(struct disk *disk)
{
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(struct disk_handle),
        .mxPathname = PATH_BYTES_MAX,
        .zName = disk->name,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_pathname,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_julian_day,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_julian_ms,
    };
}
