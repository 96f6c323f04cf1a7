#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/chrono.h"
#include "worker/leftovers.h"

#define ENTRY_BYTES 64

/* An id for this run alone: somebody else may run the same test. */
static struct str own_id(char out[ENTRY_BYTES])
{
    (void)snprintf(out, ENTRY_BYTES, "w-%d-%lld", (int)getpid(), (long long)chrono_mono_ns());
    return str_from(out);
}

/* A program of that worker that has started another one in a session of its own. Both hold the pipe's end. */
static pid_t start(struct str worker, int *ret_fd)
{
    char entry[ENTRY_BYTES * 2];
    int fds[2];

    (void)snprintf(entry, sizeof entry, "BELFRY_WORKER=%.*s", STR_ARGS(worker));
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();

    if (pid == 0) {
        (void)dup2(fds[1], STDOUT_FILENO);
        (void)close(fds[0]);
        (void)close(fds[1]);
        (void)execle("/bin/sh", "sh", "-c", "setsid sleep 1000 & echo up; exec sleep 1000", (char *)NULL,
                     (char *[]){entry, (char[]){"PATH=/usr/bin:/bin"}, NULL});
        _exit(127);
    }
    (void)close(fds[1]);
    *ret_fd = fds[0];
    char word[2];

    assert_int_equal(read(fds[0], word, sizeof word), 2);
    return pid;
}

/* Nobody holds the other end any more. */
static bool is_silent(int fd)
{
    char bytes[64];
    ssize_t got;

    while ((got = read(fd, bytes, sizeof bytes)) > 0) {
    }
    (void)close(fd);
    return got == 0;
}

static void what_a_dead_worker_left_is_killed_with_all_it_started(void **state)
{
    char id[ENTRY_BYTES];
    int status, fd;

    (void)state;
    struct str worker = own_id(id);
    pid_t pid = start(worker, &fd);

    assert_true(leftovers_kill(worker) > 0);
    assert_true(is_silent(fd));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(leftovers_kill(worker), 0);
}

static void what_is_another_worker_s_is_let_be(void **state)
{
    char id[ENTRY_BYTES], other_id[ENTRY_BYTES];
    int status, fd;

    (void)state;
    struct str worker = own_id(id);
    pid_t pid = start(worker, &fd);

    assert_int_equal(leftovers_kill(own_id(other_id)), 0);
    assert_int_equal(leftovers_kill(STR("")), 0);
    assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    assert_true(leftovers_kill(worker) > 0);
    assert_true(is_silent(fd));
    assert_int_equal(waitpid(pid, &status, 0), pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_dead_worker_left_is_killed_with_all_it_started),
        cmocka_unit_test(what_is_another_worker_s_is_let_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
