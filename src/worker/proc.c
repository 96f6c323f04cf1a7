#include "worker/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void proc_read(const char *path, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;

    while (fd >= 0 && got > 0 && out->len < out->max_bytes) {
        size_t room = out->max_bytes - out->len < 4096 ? out->max_bytes - out->len : 4096;
        char *into = buf_reserve(out, room);

        got = read(fd, into, room);
        buf_commit(out, got > 0 ? (size_t)got : 0);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

void proc_read_environ(pid_t pid, struct buf *out)
{
    char path[PROC_PATH_BYTES];

    (void)snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    proc_read(path, out);
}

bool proc_environ_has(struct str environ_bytes, struct str name, struct str value)
{
    struct str entry;
    bool done = false;

    while (str_split(&environ_bytes, '\0', &done, &entry)) {
        size_t equals = str_find_char(entry, '=');

        if (str_equal((struct str){entry.ptr, equals}, name) && equals < entry.len &&
            str_equal(str_skip(entry, equals + 1), value)) {
            return true;
        }
    }
    return false;
}
