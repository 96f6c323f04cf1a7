/* The shared memory of WAL, and its eight locks. It is no file here: SQLite empties a -shm that nobody has open before
 * using it, so what a crash would leave in one does not matter. */
#include "base/mem.h"
#include "litesim/disk_inside.h"

static struct disk_shm *shm_of(struct disk_handle *handle)
{
    struct disk_file *file = handle->file;

    if (handle->shm == NULL) {
        if (file->shm == NULL) {
            file->shm = mem_zalloc(sizeof *file->shm);
        }
        handle->shm = file->shm;
        handle->shm->handles++;
    }
    return handle->shm;
}

int disk_shm_map_method(sqlite3_file *base, int region, int bytes, int extend, void volatile **ret_memory)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);
    struct disk_shm *shm;

    *ret_memory = NULL;
    if (!disk_handle_works(handle)) {
        return SQLITE_IOERR_SHMMAP;
    }
    shm = shm_of(handle);
    if (region >= DISK_SHM_REGIONS_MAX || (shm->region_count > 0 && shm->region_bytes != bytes)) {
        return SQLITE_IOERR_SHMSIZE;
    }
    while (extend != 0 && shm->region_count <= region) {
        shm->region_bytes = bytes;
        shm->regions[shm->region_count++] = mem_zalloc((size_t)bytes);
    }
    if (region < shm->region_count) {
        *ret_memory = shm->regions[region];
    }
    return SQLITE_OK;
}

static void unlock(struct disk_handle *handle, uint16_t mask)
{
    struct disk_shm *shm = handle->shm;

    for (int i = 0; i < SQLITE_SHM_NLOCK; i++) {
        shm->shared[i] -= (handle->shm_shared & mask) >> i & 1;
    }
    shm->exclusive &= (uint16_t) ~(handle->shm_exclusive & mask);
    handle->shm_shared &= (uint16_t)~mask;
    handle->shm_exclusive &= (uint16_t)~mask;
}

static int lock_shared(struct disk_handle *handle, uint16_t mask)
{
    struct disk_shm *shm = handle->shm;

    mask &= (uint16_t)~handle->shm_shared;
    if ((shm->exclusive & mask) != 0) {
        return SQLITE_BUSY;
    }
    for (int i = 0; i < SQLITE_SHM_NLOCK; i++) {
        shm->shared[i] += mask >> i & 1;
    }
    handle->shm_shared |= mask;
    return SQLITE_OK;
}

static int lock_exclusive(struct disk_handle *handle, uint16_t mask)
{
    struct disk_shm *shm = handle->shm;

    mask &= (uint16_t)~handle->shm_exclusive;
    for (int i = 0; i < SQLITE_SHM_NLOCK; i++) {
        if ((mask >> i & 1) != 0 && (shm->shared[i] > 0 || (shm->exclusive >> i & 1) != 0)) {
            return SQLITE_BUSY;
        }
    }
    shm->exclusive |= mask;
    handle->shm_exclusive |= mask;
    return SQLITE_OK;
}

int disk_shm_lock_method(sqlite3_file *base, int offset, int n, int flags)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);
    uint16_t mask = (uint16_t)(((1U << n) - 1) << offset);

    if (!disk_handle_works(handle) || handle->shm == NULL) {
        return SQLITE_IOERR_SHMLOCK;
    }
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
        unlock(handle, mask);
        return SQLITE_OK;
    }
    return (flags & SQLITE_SHM_SHARED) != 0 ? lock_shared(handle, mask) : lock_exclusive(handle, mask);
}

/* A mutex is a barrier. */
void disk_shm_barrier_method(sqlite3_file *base)
{
    ENTERED struct disk *disk = disk_enter(disk_handle(base)->disk);
}

void disk_shm_release(struct disk_handle *handle)
{
    struct disk_shm *shm = handle->shm;

    if (shm == NULL) {
        return;
    }
    unlock(handle, UINT16_MAX);
    handle->shm = NULL;
    if (--shm->handles > 0) {
        return;
    }
    if (handle->file != NULL) {
        handle->file->shm = NULL;
    }
    for (int i = 0; i < shm->region_count; i++) {
        mem_free(shm->regions[i]);
    }
    mem_free(shm);
}

int disk_shm_unmap_method(sqlite3_file *base, int delete)
{
    struct disk_handle *handle = disk_handle(base);
    ENTERED struct disk *disk = disk_enter(handle->disk);

    (void)delete; /* the last one frees it in any case */
    disk_shm_release(handle);
    return SQLITE_OK;
}
