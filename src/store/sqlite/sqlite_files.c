#include "store/sqlite/sqlite_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

#define FILE_MODE 0600
#define COPY_BYTES (256 * 1024)

char *sqlite_files_name(const char *path, const char *suffix)
{
    size_t len = strlen(path);
    size_t suffix_len = strlen(suffix);
    char *name = mem_alloc(len + suffix_len + 1);

    memcpy(name, path, len);
    memcpy(name + len, suffix, suffix_len + 1);
    return name;
}

/* The folder a file is in; freed by mem_free. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL) {
        return mem_strdup(".");
    }
    return mem_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static enum err failed(struct error *reterr, const char *what, const char *path)
{
    return err_set(reterr, ERR_IO, "%s %s: %s", what, path, strerror(errno));
}

/* ---- the lock ---- */

/* Who has the lock, as written there by its holder; 0: not known. */
static int64_t holder_of(int fd)
{
    char text[24];
    ssize_t len = pread(fd, text, sizeof text - 1, 0);
    int64_t pid = 0;
    struct str digits = {text, len > 0 ? (size_t)len : 0};

    return str_to_int(str_trim(digits), 1, INT32_MAX, &pid, NULL) == ERR_OK ? pid : 0;
}

static enum store_outcome refuse_locked(const char *path, int fd, struct error *reterr)
{
    int64_t pid = holder_of(fd);
    char who[48] = "another process";

    if (pid > 0) {
        (void)snprintf(who, sizeof who, "process %lld", (long long)pid);
    }
    (void)err_set(reterr, ERR_CONFLICT,
                  "%s is in use by %s. Stop that one first, or give this one a data folder of its own", path, who);
    return STORE_FENCED;
}

/* Writes down who has the lock. For people only: a lock without a name locks as well, so this may fail. The text has
 * one length, so that none of a longer number before it is left. */
static void sign(int fd)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%10ld\n", (long)getpid());

    if (pwrite(fd, text, (size_t)len, 0) != len) {
        return;
    }
}

enum store_outcome sqlite_files_lock(const char *path, int *ret_fd, struct error *reterr)
{
    SCOPE_FREE char *name = sqlite_files_name(path, ".lock");
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);

    if (fd < 0) {
        (void)failed(reterr, "cannot open", name);
        return STORE_DOWN;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        enum store_outcome outcome = STORE_DOWN;

        if (errno == EWOULDBLOCK) {
            outcome = refuse_locked(path, fd, reterr);
        } else {
            (void)failed(reterr, "cannot lock", name);
        }
        (void)close(fd);
        return outcome;
    }
    sign(fd);
    *ret_fd = fd;
    return STORE_DONE;
}

void sqlite_files_unlock(int fd)
{
    if (fd >= 0) {
        (void)close(fd);
    }
}

/* ---- the place ---- */

static const char *remote_name(long type)
{
    static const struct {
        long type;
        const char *name;
    } remotes[] = {
        {0x6969, "NFS"},     {0x517b, "SMB"},      {0xfe534d42, "SMB"}, {0xff534d42, "CIFS"},
        {0x5346414f, "AFS"}, {0x73757245, "Coda"}, {0x564c, "NCP"},     {0x00c36400, "Ceph"},
    };

    for (size_t i = 0; i < sizeof remotes / sizeof remotes[0]; i++) {
        if (remotes[i].type == (type & 0xffffffffL)) {
            return remotes[i].name;
        }
    }
    return NULL;
}

enum store_outcome sqlite_files_check_place(const char *path, struct error *reterr)
{
    SCOPE_FREE char *folder = folder_of(path);
    struct statfs facts;

    if (statfs(folder, &facts) != 0) {
        (void)failed(reterr, "cannot look at", folder);
        return STORE_DOWN;
    }
    const char *remote = remote_name((long)facts.f_type);

    if (remote != NULL) {
        (void)err_set(reterr, ERR_CONFLICT,
                      "%s is on a network file system (%s), where SQLite's locks do not hold. Use a local disk, or "
                      "PostgreSQL",
                      folder, remote);
        return STORE_REFUSED;
    }
    return STORE_DONE;
}

enum store_outcome sqlite_files_make(const char *path, struct error *reterr)
{
    /* One that is there is not even opened: closing it again would drop what locks this process has on it. */
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);

    if (fd < 0 && errno != EEXIST) {
        (void)failed(reterr, "cannot make", path);
        return STORE_DOWN;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return STORE_DONE;
}

bool sqlite_files_exists(const char *path)
{
    struct stat facts;

    return lstat(path, &facts) == 0 || errno != ENOENT;
}

int64_t sqlite_files_bytes(const char *path)
{
    struct stat facts;

    return stat(path, &facts) == 0 ? (int64_t)facts.st_size : 0;
}

/* ---- syncing and copying ---- */

static enum err sync_opened(const char *path, int flags, struct error *reterr)
{
    int fd = open(path, flags | O_CLOEXEC);
    enum err err = ERR_OK;

    if (fd < 0) {
        return failed(reterr, "cannot open", path);
    }
    if (fsync(fd) != 0) {
        err = failed(reterr, "cannot sync", path);
    }
    (void)close(fd);
    return err;
}

enum err sqlite_files_sync(const char *path, struct error *reterr)
{
    return sync_opened(path, O_RDWR, reterr);
}

enum err sqlite_files_sync_folder(const char *path, struct error *reterr)
{
    SCOPE_FREE char *folder = folder_of(path);

    return sync_opened(folder, O_RDONLY | O_DIRECTORY, reterr);
}

static enum err write_whole(int fd, const char *bytes, size_t len, const char *path, struct error *reterr)
{
    while (len > 0) {
        ssize_t done = write(fd, bytes, len);

        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return failed(reterr, "cannot write", path);
        }
        bytes += done;
        len -= (size_t)done;
    }
    return ERR_OK;
}

static enum err copy_opened(int in, int out, const char *from, const char *to, struct error *reterr)
{
    SCOPE_FREE char *bytes = mem_alloc(COPY_BYTES);

    for (;;) {
        ssize_t len = read(in, bytes, COPY_BYTES);

        if (len < 0 && errno == EINTR) {
            continue;
        }
        if (len < 0) {
            return failed(reterr, "cannot read", from);
        }
        if (len == 0) {
            return fsync(out) == 0 ? ERR_OK : failed(reterr, "cannot sync", to);
        }
        enum err err = write_whole(out, bytes, (size_t)len, to, reterr);

        if (err != ERR_OK) {
            return err;
        }
    }
}

enum err sqlite_files_copy(const char *from, const char *to, struct error *reterr)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);

    if (in < 0) {
        return failed(reterr, "cannot open", from);
    }
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    enum err err = out >= 0 ? copy_opened(in, out, from, to, reterr) : failed(reterr, "cannot make", to);

    (void)close(in);
    if (out >= 0) {
        (void)close(out);
    }
    return err;
}
