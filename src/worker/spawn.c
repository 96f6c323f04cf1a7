#include "worker/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define PROGRAM_PATH_BYTES_MAX 4096

/* In the child: where the report's descriptor goes, and above what the others are kept until they have their places. */
#define REPORT_FD 3
#define LIFTED_FD_MIN 10

enum failed_step { STEP_CHDIR = 1, STEP_EXEC, STEP_OTHER };

/* What a child that cannot go on writes into the pipe that exec would have closed. */
struct failure {
    enum failed_step step;
    int error;
};

char *spawn_find(const char *word, const char *path)
{
    struct str rest = str_from(path);
    struct str folder;
    bool done = false;

    if (strchr(word, '/') != NULL) {
        return mem_strdup(word);
    }
    while (str_split(&rest, ':', &done, &folder)) {
        SCOPE(buf_done) struct buf file;
        struct stat facts;

        buf_init(&file, PROGRAM_PATH_BYTES_MAX);
        buf_append_str(&file, folder);
        buf_append_char(&file, '/');
        buf_append_text(&file, word);
        if (folder.len > 0 && folder.ptr[0] == '/' && !buf_overflowed(&file) && stat(buf_text(&file), &facts) == 0 &&
            S_ISREG(facts.st_mode) && access(buf_text(&file), X_OK) == 0) {
            return mem_strdup(buf_text(&file));
        }
    }
    return NULL;
}

static _Noreturn void give_up(int report_fd, enum failed_step step)
{
    struct failure failure = {.step = step, .error = errno};

    (void)!write(report_fd, &failure, sizeof failure);
    _exit(127);
}

/* Signals as a program expects them: handled as by default, none blocked. */
static void reset_signals(void)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number < NSIG; number++) {
        (void)sigaction(number, &standard, NULL); /* KILL, STOP and libc's own are refused; they need nothing */
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A worker with many slots has raised its own; programs that use select() would stumble over it. */
static void reset_descriptors(rlim_t descriptors)
{
    struct rlimit limit;

    if (descriptors > 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = descriptors;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* In the child, on the parent's memory: nothing here may change what the parent sees, nor allocate, nor lock. */
static _Noreturn void become(const struct spawn_order *order, int report_fd, pid_t parent)
{
    if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        give_up(report_fd, STEP_OTHER);
    }
    /* First out of the way of 0 to 3, whatever they are now; then into place; the rest is closed at one stroke. The
     * report's descriptor closes itself at exec. */
    int stdin_fd = fcntl(order->stdin_fd, F_DUPFD, LIFTED_FD_MIN);
    int output_fd = fcntl(order->output_fd, F_DUPFD, LIFTED_FD_MIN);
    int lifted_fd = fcntl(report_fd, F_DUPFD_CLOEXEC, LIFTED_FD_MIN);

    if (stdin_fd < 0 || output_fd < 0 || lifted_fd < 0) {
        give_up(report_fd, STEP_OTHER);
    }
    if (dup2(stdin_fd, STDIN_FILENO) < 0 || dup2(output_fd, STDOUT_FILENO) < 0 || dup2(output_fd, STDERR_FILENO) < 0 ||
        dup3(lifted_fd, REPORT_FD, O_CLOEXEC) < 0) {
        give_up(lifted_fd, STEP_OTHER);
    }
    report_fd = REPORT_FD;
    (void)close_range(REPORT_FD + 1, ~0U, 0);
    if (order->cwd != NULL && chdir(order->cwd) != 0) {
        give_up(report_fd, STEP_CHDIR);
    }
    reset_descriptors(order->descriptors);
    reset_signals();
    (void)execve(order->program, order->argv, order->env);
    give_up(report_fd, STEP_EXEC);
}

/* Of its own, and not inlined: what the child does to this stack frame is nobody else's. */
static __attribute__((noinline)) pid_t fork_and_become(const struct spawn_order *order, int report_fd, pid_t parent)
{
    pid_t pid =
        vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): a fork would copy a server's page tables */

    if (pid == 0) {
        become(order, report_fd, parent); /* NOLINT(clang-analyzer-unix.Vfork): it does what posix_spawn's child does */
    }
    return pid;
}

static struct outcome outcome_of_failure(const struct spawn_order *order, struct failure failure)
{
    const char *why = strerrordesc_np(failure.error);

    why = why != NULL ? why : "unknown error";
    if (failure.step == STEP_CHDIR) {
        return outcome_failed(false, "bad_cwd", "cannot work in %.150s: %s", order->cwd, why);
    }
    if (failure.step == STEP_EXEC && (failure.error == ENOENT || failure.error == ENOTDIR)) {
        return outcome_failed(false, "not_found", "there is no program %.150s on this worker", order->program);
    }
    if (failure.step == STEP_EXEC && (failure.error == EACCES || failure.error == ENOEXEC || failure.error == EISDIR ||
                                      failure.error == ELOOP || failure.error == ENAMETOOLONG)) {
        return outcome_failed(false, "not_executable", "cannot execute %.150s: %s", order->program, why);
    }
    if (failure.step == STEP_EXEC && failure.error == E2BIG) {
        return outcome_failed(false, "too_large", "arguments and environment are too large for the system");
    }
    return outcome_failed(true, "spawn_failed", "the program could not be started: %s", why);
}

static void reap(struct spawned spawned)
{
    siginfo_t info;

    if (spawned.pidfd >= 0) {
        (void)close(spawned.pidfd);
    }
    while (waitid(P_PID, (id_t)spawned.pid, &info, WEXITED) != 0 && errno == EINTR) {
    }
}

static bool start_with(const struct spawn_order *order, const int report_fds[2], struct spawned *ret_spawned,
                       struct failure *ret_failure)
{
    struct spawned spawned = {.pid = fork_and_become(order, report_fds[1], getpid()), .pidfd = -1};
    struct failure failure = {.step = STEP_OTHER, .error = errno};

    (void)close(report_fds[1]);
    if (spawned.pid < 0) {
        *ret_failure = failure;
        return false;
    }
    ssize_t got;

    /* Nothing comes where exec went well: it closed the child's end. */
    while ((got = read(report_fds[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
    }
    if (got == 0) {
        spawned.pidfd = pidfd_open(spawned.pid, 0);
        failure = (struct failure){.step = STEP_OTHER, .error = errno};
        if (spawned.pidfd >= 0) {
            *ret_spawned = spawned;
            return true;
        }
        (void)kill(-spawned.pid, SIGKILL);
    }
    reap(spawned);
    *ret_failure = failure;
    return false;
}

bool spawn_start(const struct spawn_order *order, struct spawned *ret_spawned, struct outcome *ret_outcome)
{
    int report_fds[2];
    struct failure failure = {.step = STEP_OTHER};

    if (pipe2(report_fds, O_CLOEXEC) != 0) {
        failure.error = errno;
        *ret_outcome = outcome_of_failure(order, failure);
        return false;
    }
    bool is_started = start_with(order, report_fds, ret_spawned, &failure);

    (void)close(report_fds[0]);
    if (!is_started) {
        *ret_outcome = outcome_of_failure(order, failure);
    }
    return is_started;
}
