#include "server/archive_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "server/gzip.h"

static enum err failed(struct error *reterr, const char *what, const char *path)
{
    return err_set(reterr, ERR_IO, "cannot %s the archive %s: %s", what, path, strerror(errno));
}

/* All of them, or as many as the file has; -1. */
static ssize_t read_at(int fd, char *bytes, size_t len, int64_t at)
{
    size_t done = 0;
    ssize_t got = 1;

    while (done < len && got > 0) {
        got = pread(fd, bytes + done, len - done, (off_t)at + (off_t)done);
        if (got < 0 && errno == EINTR) {
            got = 1;
            continue;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return got < 0 ? -1 : (ssize_t)done;
}

/* ---- what is whole ---- */

static bool is_whole_at(int fd, int64_t at, int64_t len)
{
    char *bytes = mem_alloc((size_t)len);
    bool is_whole = read_at(fd, bytes, (size_t)len, at) == len && gzip_is_whole(str_from_bytes(bytes, (size_t)len));

    mem_free(bytes);
    return is_whole;
}

/* Where the last whole member ends: rules 2 and 3. */
static enum err find_end(int fd, const char *path, int64_t size, int64_t *ret_end, struct error *reterr)
{
    char header[GZIP_HEADER_BYTES];
    int64_t last = 0, end = 0;

    while (end < size) {
        ssize_t got = read_at(fd, header, sizeof header, end);

        if (got < 0) {
            return failed(reterr, "read", path);
        }
        struct str beginning = str_from_bytes(header, (size_t)got);
        uint32_t length = gzip_length(beginning);

        if (length == 0 && !gzip_may_begin(beginning)) {
            return err_set(reterr, ERR_CONFLICT, "the archive %s holds what Belfry did not write; move it away", path);
        }
        if (length == 0 || length > size - end) {
            break;
        }
        last = end;
        end += length;
    }
    *ret_end = end > 0 && !is_whole_at(fd, last, end - last) ? last : end;
    return ERR_OK;
}

/* ---- writing ---- */

static bool write_all(int fd, struct str bytes)
{
    size_t done = 0;

    while (done < bytes.len) {
        ssize_t got = write(fd, bytes.ptr + done, bytes.len - done);

        if (got < 0 && errno != EINTR) {
            return false;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_synced = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0) {
        (void)close(fd);
    }
    return is_synced;
}

static enum err append_at(int fd, struct archive_file *file, const char *folder, struct str member,
                          struct error *reterr)
{
    int64_t size = lseek(fd, 0, SEEK_END);
    enum err err = ERR_OK;

    if (size < 0) {
        return failed(reterr, "read", file->path);
    }
    if (size != file->end) {
        err = find_end(fd, file->path, size, &file->end, reterr);
    }
    if (err == ERR_OK && file->end < size && ftruncate(fd, file->end) != 0) {
        err = failed(reterr, "mend", file->path);
    }
    if (err != ERR_OK) {
        return err;
    }
    if (!write_all(fd, member) || fsync(fd) != 0 || (file->end == 0 && !sync_folder(folder))) {
        err = failed(reterr, "write", file->path);
        (void)!ftruncate(fd, file->end); /* the same rows come again: half a member must not stand before them */
        return err;
    }
    file->end += (int64_t)member.len;
    return ERR_OK;
}

enum err archive_file_append(struct archive_file *file, const char *folder, const char *name, struct str member,
                             struct error *reterr)
{
    char path[HOME_PATH_BYTES_MAX];
    int len = snprintf(path, sizeof path, "%s/%s", folder, name);

    if (len < 0 || (size_t)len >= sizeof path) {
        return err_set(reterr, ERR_INVALID, "the path of the archive is too long");
    }
    if (strcmp(path, file->path) != 0) {
        *file = (struct archive_file){.end = 0};
        memcpy(file->path, path, (size_t)len + 1);
    }
    enum err err = home_open(folder, reterr);
    if (err != ERR_OK) {
        return err;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return failed(reterr, "open", path);
    }
    err = append_at(fd, file, folder, member, reterr);
    (void)close(fd);
    return err;
}
