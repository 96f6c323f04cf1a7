/* The five levels, as https://www.sqlite.org/lockingv3.html has them: any number of SHARED, one RESERVED beside them,
 * PENDING lets no new SHARED in, EXCLUSIVE is alone. */
#include "base/mem.h"
#include "litesim/disk_inside.h"

/* The highest level that anybody else has on the same file. */
static int level_of_others(struct disk *disk, const struct disk_handle *handle)
{
    int highest = SQLITE_LOCK_NONE;

    for (struct list_node *link = list_first(&disk->handles); link != NULL; link = list_next(&disk->handles, link)) {
        const struct disk_handle *other = CONTAINER_OF(link, struct disk_handle, link);

        if (other != handle && other->file == handle->file && other->level > highest) {
            highest = other->level;
        }
    }
    return highest;
}

int disk_lock_method(sqlite3_file *base, int level)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);
    int others;

    if (!disk_handle_works(handle)) {
        return SQLITE_IOERR_LOCK;
    }
    if (level <= handle->level) {
        return SQLITE_OK;
    }
    others = level_of_others(disk, handle);
    if (others >= (level == SQLITE_LOCK_SHARED ? SQLITE_LOCK_PENDING : SQLITE_LOCK_RESERVED)) {
        return SQLITE_BUSY;
    }
    if (level == SQLITE_LOCK_EXCLUSIVE && others >= SQLITE_LOCK_SHARED) {
        handle->level = SQLITE_LOCK_PENDING; /* the readers will go, and no new ones come */
        return SQLITE_BUSY;
    }
    handle->level = level;
    return SQLITE_OK;
}

int disk_unlock_method(sqlite3_file *base, int level)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);

    if (!disk_handle_works(handle)) {
        return SQLITE_IOERR_UNLOCK;
    }
    if (level < handle->level) {
        handle->level = level;
    }
    return SQLITE_OK;
}

int disk_check_reserved_method(sqlite3_file *base, int *ret_is_reserved)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);

    if (!disk_handle_works(handle)) {
        return SQLITE_IOERR_CHECKRESERVEDLOCK;
    }
    *ret_is_reserved = handle->level >= SQLITE_LOCK_RESERVED || level_of_others(disk, handle) >= SQLITE_LOCK_RESERVED;
    return SQLITE_OK;
}
