#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "worker/spawn.h"

static char *words(const char *text)
{
    return mem_strdup(text);
}

/* Runs a shell line and returns how it ended; what it printed goes into out. */
static int run(const char *line, const char *cwd, char *out, size_t out_bytes, struct outcome *ret_outcome)
{
    char *argv[] = {words("sh"), words("-c"), words(line), NULL};
    char *env[] = {words("PATH=/usr/bin:/bin"), NULL};
    int fds[2];
    struct spawned spawned;
    siginfo_t info = {0};
    int result = -1;

    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    int stdin_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct spawn_order order = {
        .program = "/bin/sh", .argv = argv, .env = env, .cwd = cwd, .stdin_fd = stdin_fd, .output_fd = fds[1]};
    bool is_started = spawn_start(&order, &spawned, ret_outcome);

    (void)close(fds[1]);
    (void)close(stdin_fd);
    if (is_started) {
        ssize_t len = read(fds[0], out, out_bytes - 1);

        out[len > 0 ? len : 0] = '\0';
        assert_int_equal(waitid(P_PIDFD, (id_t)spawned.pidfd, &info, WEXITED), 0);
        (void)close(spawned.pidfd);
        result = info.si_status;
    }
    (void)close(fds[0]);
    for (size_t i = 0; i < 3; i++) {
        mem_free(argv[i]);
    }
    mem_free(env[0]);
    return result;
}

static void a_child_runs_in_its_own_session_with_its_own_environment(void **state)
{
    char out[256];
    struct outcome outcome;

    (void)state;
    assert_int_equal(run("echo $PATH; exit 7", NULL, out, sizeof out, &outcome), 7);
    assert_string_equal(out, "/usr/bin:/bin\n");
    assert_int_equal(run("[ $(ps -o sid= -p $$) = $$ ] 2>/dev/null || [ $(cut -d' ' -f6 /proc/$$/stat) = $$ ]", NULL,
                         out, sizeof out, &outcome),
                     0);
}

static void ignored_and_blocked_signals_are_not_handed_on(void **state)
{
    char out[256];
    struct outcome outcome;
    sigset_t all, before;

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    (void)run("grep -E '^Sig(Blk|Ign)' /proc/self/status", NULL, out, sizeof out, &outcome);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    assert_string_equal(out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void it_says_why_there_is_no_child(void **state)
{
    char out[256];
    struct outcome outcome;

    (void)state;
    assert_int_equal(run("true", "/no/such/folder", out, sizeof out, &outcome), -1);
    assert_string_equal(outcome.code, "bad_cwd");
    assert_false(outcome.is_retryable);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left to be waited for */
}

static void programs_are_found_on_the_path(void **state)
{
    char *found = spawn_find("sh", "/no/such/folder:relative::/bin:/usr/bin");

    (void)state;
    assert_string_equal(found, "/bin/sh");
    mem_free(found);
    found = spawn_find("./here", "/bin");
    assert_string_equal(found, "./here");
    mem_free(found);
    assert_null(spawn_find("no-such-program", "/bin:/usr/bin"));
    assert_null(spawn_find("sh", ""));
    assert_null(spawn_find("bin", "/usr")); /* a folder is no program */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_runs_in_its_own_session_with_its_own_environment),
        cmocka_unit_test(ignored_and_blocked_signals_are_not_handed_on),
        cmocka_unit_test(it_says_why_there_is_no_child),
        cmocka_unit_test(programs_are_found_on_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
