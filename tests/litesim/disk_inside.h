/* disk_inside: what the files of the disk know of each other. Tests include disk.h.
 *
 * disk.c       the disk as tests see it: made, crashed, told to fail
 * disk_dir.c   names and files, and which of them a crash leaves
 * disk_vfs.c   SQLite's sqlite3_vfs: opening, deleting
 * disk_file.c  SQLite's sqlite3_io_methods: reading, writing, syncing
 * disk_locks.c its locks on a database file
 * disk_shm.c   its shared memory, for WAL
 *
 * Rules: (1) all of it is touched between disk_enter and disk_leave only; each method of SQLite's enters once.
 *        (2) a handle whose file is NULL is dead.
 */
#ifndef LITESIM_DISK_INSIDE_H
#define LITESIM_DISK_INSIDE_H

#include <pthread.h>
#include <sqlite3.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/rng.h"
#include "litesim/disk.h"
#include "litesim/image.h"

/* 1 MiB for every 128 thousand frames of a WAL; tests stay far below. */
#define DISK_SHM_REGIONS_MAX 256

/* Whether a file's name would be there after a crash. */
enum disk_kept {
    DISK_KEPT_NO,
    DISK_KEPT_MAYBE, /* created or deleted, and the directory not synced */
    DISK_KEPT_YES,
};

struct disk_shm {
    uint32_t handles; /* that use it; the last one frees it */
    int region_count;
    int region_bytes;                    /* valid where region_count > 0 */
    void *regions[DISK_SHM_REGIONS_MAX]; /* do not move while in use */
    uint32_t shared[SQLITE_SHM_NLOCK];   /* how many handles hold the lock so */
    uint16_t exclusive;                  /* a bit for each lock that is held so */
};

struct disk_file {
    struct list_node link; /* in disk->files, oldest first */
    char *name;            /* NULL: a temporary file */
    bool is_named;         /* the name leads here; not so once it is deleted */
    enum disk_kept kept;
    uint32_t handles;     /* that have it open */
    struct disk_shm *shm; /* NULL: nobody has it mapped */
    struct image image;
};

/* An open file, in memory of SQLite's. */
struct disk_handle {
    sqlite3_file base; /* first, as SQLite sees only this */
    struct disk *disk;
    struct disk_file *file; /* NULL: dead */
    struct list_node link;  /* in disk->handles */
    int level;              /* SQLITE_LOCK_NONE to SQLITE_LOCK_EXCLUSIVE */
    bool is_deleted_on_close;
    bool syncs_names;     /* a new journal: its first sync syncs the directory too, as in SQLite's own VFS for Unix */
    struct disk_shm *shm; /* NULL: not mapped; survives a crash, since SQLite still looks at it */
    uint16_t shm_shared;  /* a bit for each lock held */
    uint16_t shm_exclusive;
};

/* Strikes when it has counted down to 1. */
struct disk_trap {
    uint64_t left; /* 0: not set */
    bool stays;    /* strikes again and again */
    uint64_t calls;
};

struct disk {
    sqlite3_vfs vfs;
    char name[32];
    pthread_mutex_t mutex;
    pthread_t thread;      /* that made the disk */
    bool is_for_threads;   /* another one has been here */
    struct rng rng;        /* for crashes and faults */
    struct rng sqlite_rng; /* for xRandomness */
    struct list files;
    struct list handles;
    bool is_off;
    struct disk_trap power;      /* all points */
    struct disk_trap power_sync; /* syncs */
    struct disk_trap faults[DISK_FAULTS];
    uint64_t struck;
    uint64_t bytes_max;
};

/* Rule 1: ENTERED struct disk *disk = disk_enter(...); and the scope's end leaves. */
#define ENTERED SCOPE(disk_leave) __attribute__((unused))
struct disk *disk_enter(struct disk *disk);
void disk_leave(struct disk **disk);

static inline struct disk_handle *disk_handle(sqlite3_file *base)
{
    return (struct disk_handle *)(void *)base;
}

/* Not dead, and the power is there. */
bool disk_handle_works(const struct disk_handle *handle);

/* A point, of a disk that has power: counts it and says whether it may go on, false where the power fails now. */
bool disk_point(struct disk *disk, bool is_sync);

/* Counts a call that the fault can strike and says whether it does. */
bool disk_strikes(struct disk *disk, enum disk_fault fault);

/* disk_dir.c */
struct disk_file *disk_find(struct disk *disk, const char *name); /* NULL: no such file */
struct disk_file *disk_create(struct disk *disk, const char *name);
void disk_unlink(struct disk_file *file);
void disk_names_synced(struct disk *disk);                        /* the directory is: there is only one */
void disk_name_synced(struct disk *disk, struct disk_file *file); /* this file's name alone */
void disk_file_release(struct disk_file *file);                   /* by a handle */
void disk_file_free(struct disk_file *file);
uint64_t disk_bytes(struct disk *disk); /* all files together */
void disk_forget(struct disk *disk);    /* what a crash does to names and files; no handle is open */

/* disk_vfs.c */
void disk_vfs_init(struct disk *disk);

/* disk_file.c */
extern const sqlite3_io_methods disk_file_methods;

/* disk_locks.c */
int disk_lock_method(sqlite3_file *base, int level);
int disk_unlock_method(sqlite3_file *base, int level);
int disk_check_reserved_method(sqlite3_file *base, int *ret_is_reserved);

/* disk_shm.c */
int disk_shm_map_method(sqlite3_file *base, int region, int bytes, int extend, void volatile **ret_memory);
int disk_shm_lock_method(sqlite3_file *base, int offset, int n, int flags);
void disk_shm_barrier_method(sqlite3_file *base);
int disk_shm_unmap_method(sqlite3_file *base, int delete);
void disk_shm_release(struct disk_handle *handle);

#endif
