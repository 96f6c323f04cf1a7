#include "worker/orphans.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "worker/proc.h"

/* Enough for tens of thousands of pids; a fork bomb that has more is met again in the next round. */
#define CHILDREN_BYTES_MAX (256 * 1024)
#define STAT_BYTES_MAX 1024
/* The session's place behind the name. */
#define STAT_SESSION 4
/* Looks in a row; what goes on ending is met again in the next round. */
#define LOOKS_MAX 100

enum err orphans_adopt(struct error *reterr)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        return err_set(reterr, ERR_IO, "the process cannot become a subreaper: %s", strerror(errno));
    }
    return ERR_OK;
}

/* The kernel gives orphans to the first thread that lives, and that is the main one. */
static void read_children(struct buf *out)
{
    char path[PROC_PATH_BYTES];

    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    proc_read(path, out);
}

/* Takes the next pid off a list with blanks between; 0 at the end, and where the last one was cut. */
static pid_t next_pid(struct str *rest)
{
    size_t len = str_find_char(*rest, ' ');
    int64_t pid = 0;

    if (len == rest->len || str_to_int((struct str){rest->ptr, len}, 1, INT32_MAX, &pid, NULL) != ERR_OK) {
        return 0;
    }
    *rest = str_skip(*rest, len + 1);
    return (pid_t)pid;
}

/* "pid (name) state ppid pgrp session ...", and the name may hold anything. */
static pid_t session_of(pid_t pid)
{
    char path[PROC_PATH_BYTES];
    SCOPE(buf_done) struct buf text;
    struct str piece = {0};
    int64_t session = 0;
    bool done = false;

    buf_init(&text, STAT_BYTES_MAX);
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    proc_read(path, &text);

    const char *behind_name = strrchr(buf_text(&text), ')');
    struct str rest = str_from(behind_name);

    for (int i = 0; i <= STAT_SESSION; i++) {
        if (!str_split(&rest, ' ', &done, &piece)) {
            return 0;
        }
    }
    return str_to_int(piece, 0, INT32_MAX, &session, NULL) == ERR_OK ? (pid_t)session : 0;
}

enum bond { BOND_NONE, BOND_UNSURE, BOND_OURS };

static enum bond bond_of(pid_t pid, pid_t session, struct str attempt)
{
    SCOPE(buf_done) struct buf bytes;

    buf_init(&bytes, PROC_ENVIRON_BYTES_MAX);
    if (session_of(pid) == session) {
        return BOND_OURS;
    }
    proc_read_environ(pid, &bytes);
    if (bytes.len == 0) {
        return BOND_UNSURE; /* in the middle of an exec it has none for a moment */
    }
    return proc_environ_has(buf_str(&bytes), STR("BELFRY_ATTEMPT"), attempt) ? BOND_OURS : BOND_NONE;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) == 0 && info.si_pid == pid;
}

struct sight {
    size_t ended;  /* waited for just now */
    size_t unsure; /* see BOND_UNSURE */
    size_t ours;   /* of the session or the attempt */
    size_t left;   /* all that have not ended */
};

/* session 0: only reaps. A child's pid names it until we wait for it, so no stranger is hit. */
static struct sight look(const struct orphans *orphans, pid_t session, struct str attempt)
{
    SCOPE(buf_done) struct buf list;
    struct sight sight = {0};
    pid_t pid;

    buf_init(&list, CHILDREN_BYTES_MAX);
    read_children(&list);

    struct str rest = buf_str(&list);

    while ((pid = next_pid(&rest)) != 0) {
        if (orphans->is_known(orphans->owner, pid)) {
            continue;
        }
        if (has_ended(pid)) {
            sight.ended++;
            continue;
        }
        enum bond bond = session != 0 ? bond_of(pid, session, attempt) : BOND_NONE;

        sight.left++;
        sight.unsure += bond == BOND_UNSURE;
        if (bond == BOND_OURS) {
            sight.ours++;
            (void)kill(pid, SIGKILL);
        }
    }
    return sight;
}

size_t orphans_reap(const struct orphans *orphans)
{
    return look(orphans, 0, (struct str){0}).left;
}

size_t orphans_kill(const struct orphans *orphans, pid_t session, struct str attempt, size_t *ret_unsure)
{
    struct sight sight = look(orphans, session, attempt);

    /* Who has ended between the list and the look may have left us children of its own that are not in the list. */
    for (int i = 0; sight.ended > 0 && i < LOOKS_MAX; i++) {
        sight = look(orphans, session, attempt);
    }
    *ret_unsure = sight.unsure;
    return sight.ours;
}
