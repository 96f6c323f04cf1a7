#include "litesim/disk.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "litesim/disk_inside.h"

/* Apart, so that what SQLite asks for does not change what a crash does. */
enum stream {
    STREAM_CRASH,
    STREAM_SQLITE,
    STREAM_PROCESS,
};

static uint64_t stream_seed(uint64_t seed, enum stream stream)
{
    uint8_t which = (uint8_t)stream;

    return hash64(&which, sizeof which, seed);
}

struct disk *disk_enter(struct disk *disk)
{
    int failed = pthread_mutex_lock(&disk->mutex);

    assert(failed == 0);
    (void)failed;
    disk->is_for_threads = disk->is_for_threads || pthread_equal(disk->thread, pthread_self()) == 0;
    return disk;
}

void disk_leave(struct disk **disk)
{
    int failed = pthread_mutex_unlock(&(*disk)->mutex);

    assert(failed == 0);
    (void)failed;
}

struct disk *disk_new(uint64_t seed)
{
    static atomic_uint made;
    struct disk *disk = mem_zalloc(sizeof *disk);
    int rc;

    (void)snprintf(disk->name, sizeof disk->name, "litesim-%u", atomic_fetch_add(&made, 1));
    pthread_mutex_init(&disk->mutex, NULL);
    disk->thread = pthread_self();
    rng_init(&disk->rng, stream_seed(seed, STREAM_CRASH));
    rng_init(&disk->sqlite_rng, stream_seed(seed, STREAM_SQLITE));
    list_init(&disk->files);
    list_init(&disk->handles);
    disk->bytes_max = DISK_UNLIMITED;
    disk_vfs_init(disk);
    rc = sqlite3_vfs_register(&disk->vfs, 0);
    assert(rc == SQLITE_OK);
    /* Salts come from SQLite's own generator, which asks the default VFS only once. 0 would mean no seed. */
    rc = sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, (int)(stream_seed(seed, STREAM_PROCESS) >> 33) | 1,
                              (sqlite3 *)NULL);
    assert(rc == SQLITE_OK);
    return disk;
}

void disk_free(struct disk *disk)
{
    if (disk == NULL) {
        return;
    }
    assert(list_empty(&disk->handles)); /* a connection is still open */
    (void)sqlite3_vfs_unregister(&disk->vfs);
    for (struct list_node *link; (link = list_first(&disk->files)) != NULL;) {
        disk_file_free(CONTAINER_OF(link, struct disk_file, link));
    }
    pthread_mutex_destroy(&disk->mutex);
    mem_free(disk);
}

const char *disk_vfs_name(const struct disk *disk)
{
    return disk->name;
}

bool disk_handle_works(const struct disk_handle *handle)
{
    return handle->file != NULL && !handle->disk->is_off;
}

static bool trap_strikes(struct disk_trap *trap)
{
    trap->calls++;
    if (trap->left != 1) {
        trap->left -= trap->left > 0;
        return false;
    }
    trap->left = trap->stays ? 1 : 0;
    return true;
}

bool disk_point(struct disk *disk, bool is_sync)
{
    bool fails = trap_strikes(&disk->power);

    if (is_sync && trap_strikes(&disk->power_sync)) {
        fails = true;
    }
    disk->is_off = fails;
    return !fails;
}

bool disk_strikes(struct disk *disk, enum disk_fault fault)
{
    bool strikes = trap_strikes(&disk->faults[fault]);

    disk->struck += strikes;
    return strikes;
}

/* Every handle is dead, and with it its locks; the power is there. */
static void kill_handles(struct disk *disk)
{
    for (struct list_node *link = list_first(&disk->handles); link != NULL; link = list_next(&disk->handles, link)) {
        struct disk_handle *handle = CONTAINER_OF(link, struct disk_handle, link);

        if (handle->file != NULL) {
            handle->file->shm = NULL; /* handle->shm keeps it until it is unmapped */
            disk_file_release(handle->file);
            handle->file = NULL;
        }
    }
    disk->is_off = false;
    disk->power.left = 0;
    disk->power_sync.left = 0;
}

void disk_crash(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);

    kill_handles(entered);
    disk_forget(entered);
}

void disk_kill(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);

    kill_handles(entered);
}

void disk_crash_at(struct disk *disk, uint64_t n)
{
    ENTERED struct disk *entered = disk_enter(disk);

    assert(n > 0);
    entered->power.left = n;
}

void disk_crash_at_sync(struct disk *disk, uint64_t n)
{
    ENTERED struct disk *entered = disk_enter(disk);

    assert(n > 0);
    entered->power_sync.left = n;
}

bool disk_is_off(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);

    return entered->is_off;
}

uint64_t disk_points(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);

    return entered->power.calls;
}

uint64_t disk_syncs(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);

    return entered->power_sync.calls;
}

static void set_fault(struct disk *disk, uint64_t n, enum disk_fault fault, bool stays)
{
    ENTERED struct disk *entered = disk_enter(disk);

    assert(n > 0 && fault < DISK_FAULTS);
    entered->faults[fault].left = n;
    entered->faults[fault].stays = stays;
}

void disk_fail_at(struct disk *disk, uint64_t n, enum disk_fault fault)
{
    set_fault(disk, n, fault, false);
}

void disk_fail_from(struct disk *disk, uint64_t n, enum disk_fault fault)
{
    set_fault(disk, n, fault, true);
}

void disk_heal(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);

    for (int fault = 0; fault < DISK_FAULTS; fault++) {
        entered->faults[fault].left = 0;
    }
    entered->bytes_max = DISK_UNLIMITED;
}

uint64_t disk_calls(struct disk *disk, enum disk_fault fault)
{
    ENTERED struct disk *entered = disk_enter(disk);

    assert(fault < DISK_FAULTS);
    return entered->faults[fault].calls;
}

uint64_t disk_struck(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);

    return entered->struck;
}

void disk_full(struct disk *disk, uint64_t bytes)
{
    ENTERED struct disk *entered = disk_enter(disk);

    entered->bytes_max = bytes;
}

int64_t disk_file_bytes(struct disk *disk, const char *name)
{
    ENTERED struct disk *entered = disk_enter(disk);
    const struct disk_file *file = disk_find(entered, name);

    return file == NULL ? -1 : (int64_t)file->image.cached.len;
}

void disk_flip(struct disk *disk, const char *name, int64_t offset, uint8_t mask)
{
    ENTERED struct disk *entered = disk_enter(disk);
    struct disk_file *file = disk_find(entered, name);

    assert(file != NULL && offset >= 0 && (size_t)offset < file->image.cached.len);
    image_flip(&file->image, (size_t)offset, mask);
}

uint64_t disk_digest(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);
    uint64_t digest = 0;

    for (struct list_node *link = list_first(&entered->files); link != NULL; link = list_next(&entered->files, link)) {
        const struct disk_file *file = CONTAINER_OF(link, struct disk_file, link);
        const char *name = file->name == NULL ? "" : file->name;

        digest = hash64(name, strlen(name), digest + file->is_named);
        digest = image_digest(&file->image, digest);
    }
    return digest;
}

bool disk_valid(struct disk *disk)
{
    ENTERED struct disk *entered = disk_enter(disk);
    bool is_valid = true;

    for (struct list_node *link = list_first(&entered->files); link != NULL; link = list_next(&entered->files, link)) {
        is_valid = is_valid && image_valid(&CONTAINER_OF(link, struct disk_file, link)->image);
    }
    return is_valid;
}
