/* disk: a disk in memory for SQLite that forgets what was not synced.
 *
 * A VFS of SQLite whose files have two images: what reads see, and what a power loss leaves behind. A test runs real
 * SQLite on it, takes the power away at any moment it likes and looks at what is left; it can also fill the disk or
 * make single calls fail. README.md says what is modelled and what is not. In short:
 *
 *     struct disk *disk = disk_new(seed);
 *     sqlite3_open_v2("test.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, disk_vfs_name(disk));
 *     disk_crash_at(disk, 7);       the 7th change from here fails, and everything after it
 *     ...                           work until it fails or is done
 *     sqlite3_close(db);            fails inwardly, frees everything
 *     disk_crash(disk);             the power is back; unsynced sectors are new, old or torn
 *     sqlite3_open_v2(...);         and what is there now?
 *     disk_free(disk);
 *
 * Owns:  its files, locks and shared memory. Several disks may exist at once and know nothing of each other.
 * Never: touches the real file system, reads a clock, sleeps (but where threads wait for each other).
 * Rules: (1) what an xSync has reported as done survives every crash.
 *        (2) one seed and the same calls give the same bytes, salts of WAL and journal included.
 *        (3) after a crash every open file is dead: its calls give SQLITE_IOERR, closing it is all that is left.
 *        (4) the functions here and the VFS may be used from several threads; then rule 2 holds only as far as the
 *            threads' order does.
 * See:   tests/litesim/README.md, tests/litesim/test_disk.c and its neighbours
 */
#ifndef LITESIM_DISK_H
#define LITESIM_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* What is written or torn as a piece. */
#define DISK_SECTOR_BYTES 512

/* No file grows longer; SQLITE_FULL is the answer. */
#define DISK_FILE_BYTES_MAX (256 * 1024 * 1024)

/* Lifts the limit of disk_full. */
#define DISK_UNLIMITED UINT64_MAX

/* Failures that are no crashes. Each counts the calls it can strike: xWrite, xTruncate, xSync, xRead. */
enum disk_fault {
    DISK_NO_SPACE,       /* xWrite: SQLITE_FULL; some of the bytes are written */
    DISK_WRITE_ERROR,    /* xWrite: SQLITE_IOERR_WRITE; some of the bytes are written */
    DISK_TRUNCATE_ERROR, /* xTruncate: SQLITE_IOERR_TRUNCATE; nothing happens */
    DISK_SYNC_ERROR,     /* xSync: SQLITE_IOERR_FSYNC; reads go on seeing what was written, no later sync saves it */
    DISK_READ_ERROR,     /* xRead: SQLITE_IOERR_READ */
    DISK_SHORT_READ,     /* xRead: SQLITE_IOERR_SHORT_READ; the rest of the bytes is 0 */
    DISK_FAULTS,         /* how many there are */
};

struct disk;

/* Also gives SQLite's own random numbers (of the whole process) a seed, for rule 2. */
struct disk *disk_new(uint64_t seed);

/* Every connection is closed. NULL is fine. */
void disk_free(struct disk *disk);

/* For sqlite3_open_v2 or file:test.db?vfs=...; holds until disk_free. */
const char *disk_vfs_name(const struct disk *disk);

/* The power is lost and comes back. Of what was not synced any part may be there, see README.md. */
void disk_crash(struct disk *disk);

/* The process dies, the machine does not: open files are dead, locks are gone, nothing is forgotten. */
void disk_kill(struct disk *disk);

/* The power fails at the n-th point from now, n >= 1, before that call has done anything; everything fails from then
 * on, until disk_crash or disk_kill (it was the cable). Points are the calls that change something: xWrite,
 * xTruncate, xSync, xDelete. The second counts xSync only. A crash or kill takes back what has not happened yet. */
void disk_crash_at(struct disk *disk, uint64_t n);
void disk_crash_at_sync(struct disk *disk, uint64_t n);

/* Whether the power has failed. */
bool disk_is_off(struct disk *disk);

/* How many points and syncs there were since disk_new, failed ones included, those with the power off not. */
uint64_t disk_points(struct disk *disk);
uint64_t disk_syncs(struct disk *disk);

/* The fault strikes the n-th call from now that it can strike, n >= 1: that one, or it and all that follow. Other
 * faults stay as they are set. */
void disk_fail_at(struct disk *disk, uint64_t n, enum disk_fault fault);
void disk_fail_from(struct disk *disk, uint64_t n, enum disk_fault fault);

/* No fault strikes any more, and the disk has room. */
void disk_heal(struct disk *disk);

/* How many calls the fault could have struck and how many times any fault has struck, since disk_new. */
uint64_t disk_calls(struct disk *disk, enum disk_fault fault);
uint64_t disk_struck(struct disk *disk);

/* All files together take at most so many bytes; DISK_UNLIMITED takes it back. What is there already stays. */
void disk_full(struct disk *disk, uint64_t bytes);

/* The size that reads see; -1 where there is no such file. */
int64_t disk_file_bytes(struct disk *disk, const char *name);

/* Damages a byte that is there, in both images: it is exclusive-ored with mask. */
void disk_flip(struct disk *disk, const char *name, int64_t offset, uint8_t mask);

/* A number made of the names and both images of all files: equal for equal disks. */
uint64_t disk_digest(struct disk *disk);

/* Whether what is synced is what reads see, in every file where nothing is pending and no sync has failed. */
bool disk_valid(struct disk *disk);

#endif
