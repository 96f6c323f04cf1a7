#include <string.h>

#include "base/mem.h"
#include "litesim/disk_inside.h"

static int file_close(sqlite3_file *base)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);

    disk_shm_release(handle);
    list_remove(&handle->link);
    if (handle->file != NULL) {
        if (handle->is_deleted_on_close && handle->file->is_named && !disk->is_off) {
            disk_unlink(handle->file);
        }
        disk_file_release(handle->file);
    }
    handle->base.pMethods = NULL;
    return SQLITE_OK;
}

/* SQLite wants zeros where there is nothing to read. */
static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);
    size_t wanted = (size_t)count;
    size_t got;

    if (!disk_handle_works(handle)) {
        return SQLITE_IOERR_READ;
    }
    bool fails = disk_strikes(disk, DISK_READ_ERROR);
    bool is_short = disk_strikes(disk, DISK_SHORT_READ);

    if (fails) {
        return SQLITE_IOERR_READ;
    }
    got = image_read(&handle->file->image, bytes, is_short ? rng_below(&disk->rng, wanted) : wanted, (size_t)offset);
    memset((char *)bytes + got, 0, wanted - got);
    return got < wanted ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

/* How much of a write there is room for. */
static size_t room_for(struct disk *disk, const struct image *image, size_t len, size_t offset)
{
    uint64_t used = disk_bytes(disk);
    uint64_t left = disk->bytes_max > used ? disk->bytes_max - used : 0;
    uint64_t end = image->cached.len;

    end = left < DISK_FILE_BYTES_MAX - end ? end + left : DISK_FILE_BYTES_MAX;
    if (offset + len <= image->cached.len || offset + len <= end) {
        return len;
    }
    return end > offset ? (size_t)end - offset : 0;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);
    size_t wanted = (size_t)count;
    size_t written;

    if (!disk_handle_works(handle) || !disk_point(disk, false)) {
        return SQLITE_IOERR_WRITE;
    }
    bool is_full = disk_strikes(disk, DISK_NO_SPACE);
    bool fails = disk_strikes(disk, DISK_WRITE_ERROR);

    written = room_for(disk, &handle->file->image, wanted, (size_t)offset);
    is_full = is_full || written < wanted;
    if (is_full || fails) {
        written = rng_below(&disk->rng, written + 1); /* the kernel stops anywhere */
    }
    image_write(&handle->file->image, bytes, written, (size_t)offset);
    if (fails) {
        return SQLITE_IOERR_WRITE;
    }
    return is_full ? SQLITE_FULL : SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 bytes)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);
    struct image *image;

    if (!disk_handle_works(handle) || !disk_point(disk, false) || disk_strikes(disk, DISK_TRUNCATE_ERROR)) {
        return SQLITE_IOERR_TRUNCATE;
    }
    image = &handle->file->image;
    if ((size_t)bytes > image->cached.len && room_for(disk, image, (size_t)bytes - image->cached.len,
                                                      image->cached.len) < (size_t)bytes - image->cached.len) {
        return SQLITE_FULL;
    }
    image_truncate(image, (size_t)bytes);
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *base, int flags)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);

    (void)flags; /* data only: the length is data too */
    if (!disk_handle_works(handle) || !disk_point(disk, true)) {
        return SQLITE_IOERR_FSYNC;
    }
    if (disk_strikes(disk, DISK_SYNC_ERROR)) {
        image_sync_badly(&handle->file->image, &disk->rng);
        return SQLITE_IOERR_FSYNC;
    }
    image_sync(&handle->file->image, &disk->rng);
    disk_name_synced(disk, handle->file);
    if (handle->syncs_names) {
        disk_names_synced(disk);
        handle->syncs_names = false;
    }
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *ret_bytes)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);

    if (!disk_handle_works(handle)) {
        return SQLITE_IOERR_FSTAT;
    }
    *ret_bytes = (sqlite3_int64)handle->file->image.cached.len;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int op, void *arg)
{
    (void)base;
    (void)op;
    (void)arg;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *base)
{
    (void)base;
    return DISK_SECTOR_BYTES;
}

/* No promise: not of atomic writes, not of appends, not of neighbours that a torn write leaves alone. */
static int file_device_characteristics(sqlite3_file *base)
{
    (void)base;
    return 0;
}

const sqlite3_io_methods disk_file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = disk_lock_method,
    .xUnlock = disk_unlock_method,
    .xCheckReservedLock = disk_check_reserved_method,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_device_characteristics,
    .xShmMap = disk_shm_map_method,
    .xShmLock = disk_shm_lock_method,
    .xShmBarrier = disk_shm_barrier_method,
    .xShmUnmap = disk_shm_unmap_method,
};
