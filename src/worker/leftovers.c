#include "worker/leftovers.h"

#include <dirent.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "worker/proc.h"

/* Looks at all processes: they may fork while they are looked for, and the dead take a moment to go. */
#define ROUNDS_MAX 200
#define ROUND_MS 10

/* A pidfd first: what it names then is what the environment is read of, and what the signal goes to. */
static bool kill_if_of(pid_t pid, struct str worker)
{
    SCOPE(buf_done) struct buf bytes;
    int fd = pidfd_open(pid, 0);

    buf_init(&bytes, PROC_ENVIRON_BYTES_MAX);
    if (fd < 0) {
        return false;
    }
    proc_read_environ(pid, &bytes);
    bool is_of = proc_environ_has(buf_str(&bytes), STR("BELFRY_WORKER"), worker);

    is_of = is_of && pidfd_send_signal(fd, SIGKILL, NULL, 0) == 0;
    (void)close(fd);
    return is_of;
}

static size_t kill_round(struct str worker)
{
    DIR *folder = opendir("/proc");
    size_t count = 0;

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        int64_t pid;

        if (str_to_int(str_from(entry->d_name), 1, INT32_MAX, &pid, NULL) == ERR_OK && pid != getpid()) {
            count += kill_if_of((pid_t)pid, worker);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

size_t leftovers_kill(struct str worker)
{
    const struct timespec wait = {.tv_nsec = ROUND_MS * 1000000L};
    size_t most = 0;

    for (int i = 0; i < ROUNDS_MAX && !str_empty(worker); i++) {
        size_t count = kill_round(worker); /* the dead have no environment any more */

        most = count > most ? count : most;
        if (count == 0) {
            break;
        }
        (void)nanosleep(&wait, NULL);
    }
    return most;
}
