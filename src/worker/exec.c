#include "worker/exec.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/log.h"
#include "base/mem.h"
#include "worker/child_env.h"
#include "worker/limits_worker.h"
#include "worker/spawn.h"
#include "worker/tail.h"

#define READ_BYTES (64 * 1024)
/* The pipe's capacity, and what may be written while we read it: after the tree is gone nobody writes any more. */
#define LAST_READS_MAX 32
/* Between two looks at what is left behind: short at first, since the dead are gone in no time. */
#define SWEEP_FIRST_MS 1
#define SWEEP_LAST_MS 100
/* How long one is waited for that may be in the middle of an exec. */
#define UNSURE_MS_MAX 100
#define REAP_MS 1000

struct exec_run {
    struct list_node node; /* in execs.runs */
    struct execs *execs;
    const struct item *item;
    exec_on_end *on_end;
    void *owner;
    struct spawned child;
    int output_fd; /* -1: closed */
    struct loop_source *output_source;
    struct loop_source *exit_source; /* NULL once the leader has ended */
    struct tail tail;
    struct outcome outcome;   /* once the leader has ended */
    struct loop_timer killer; /* between TERM and KILL */
    struct loop_timer sweeper;
    int64_t sweep_wait_ms;
    int64_t ended_mono_ms;
};

/* ---- all of them ---- */

static bool is_leader(const void *owner, pid_t pid)
{
    const struct execs *execs = owner;

    for (struct list_node *node = list_first(&execs->runs); node != NULL; node = list_next(&execs->runs, node)) {
        if (CONTAINER_OF(node, struct exec_run, node)->child.pid == pid) {
            return true;
        }
    }
    return false;
}

static void reap(void *owner)
{
    struct execs *execs = owner;
    size_t left = orphans_reap(&execs->orphans);

    if (left > 0 || !list_empty(&execs->runs)) {
        loop_timer_set(execs->loop, &execs->reaping, REAP_MS);
    }
}

void execs_init(struct execs *execs, struct loop *loop, char *const *environment)
{
    *execs = (struct execs){.loop = loop, .environment = environment};
    execs->orphans = (struct orphans){.is_known = is_leader, .owner = execs};
    list_init(&execs->runs);
    loop_timer_init(&execs->reaping, reap, execs);
}

void execs_done(struct execs *execs)
{
    assert(list_empty(&execs->runs));
    (void)orphans_reap(&execs->orphans);
    loop_timer_clear(execs->loop, &execs->reaping);
}

/* ---- the end ---- */

static void close_output(struct exec_run *run)
{
    loop_remove(run->execs->loop, run->output_source);
    run->output_source = NULL;
    if (run->output_fd >= 0) {
        (void)close(run->output_fd);
        run->output_fd = -1;
    }
}

/* False where nothing more is there now. */
static bool read_output(struct exec_run *run)
{
    char bytes[READ_BYTES];
    ssize_t got = run->output_fd < 0 ? 0 : read(run->output_fd, bytes, sizeof bytes);

    if (got > 0) {
        tail_write(&run->tail, str_from_bytes(bytes, (size_t)got));
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_output(run);
    }
    return false;
}

static void free_run(struct exec_run *run)
{
    loop_timer_clear(run->execs->loop, &run->killer);
    loop_timer_clear(run->execs->loop, &run->sweeper);
    loop_remove(run->execs->loop, run->exit_source);
    close_output(run);
    if (run->child.pidfd >= 0) {
        (void)close(run->child.pidfd);
    }
    list_remove(&run->node);
    tail_done(&run->tail);
    mem_free(run);
}

static void finish(struct exec_run *run)
{
    SCOPE(buf_done) struct buf text;
    siginfo_t info;

    for (int i = 0; i < LAST_READS_MAX && read_output(run); i++) {
    }
    (void)waitid(P_PIDFD, (id_t)run->child.pidfd, &info, WEXITED | WNOHANG);
    buf_init(&text, OUTPUT_BYTES_MAX * 4); /* each byte may become U+FFFD */
    tail_text(&run->tail, &text);
    run->outcome.result = buf_str(&text);
    list_remove(&run->node); /* its pid may be somebody else's from now on */
    run->on_end(run->owner, &run->outcome);
    free_run(run);
}

/* Rule 2. */
static void sweep(void *owner)
{
    struct exec_run *run = owner;
    size_t unsure;
    size_t left = orphans_kill(&run->execs->orphans, run->child.pid, run->item->id, &unsure);
    int64_t for_ms = chrono_mono_ms() - run->ended_mono_ms;

    if ((left > 0 && for_ms < SWEEP_MS_MAX) || (unsure > 0 && for_ms < UNSURE_MS_MAX)) {
        run->sweep_wait_ms = run->sweep_wait_ms * 2 < SWEEP_LAST_MS ? run->sweep_wait_ms * 2 : SWEEP_LAST_MS;
        loop_timer_set(run->execs->loop, &run->sweeper, run->sweep_wait_ms);
        return;
    }
    if (left > 0) {
        log_warn("exec.left_behind", KEY_SLICE("attempt", run->item->id), KEY_UINT("processes", left));
    }
    finish(run);
}

static void on_exit_event(void *owner, uint32_t events)
{
    struct exec_run *run = owner;
    siginfo_t info = {0};

    (void)events;
    if (waitid(P_PIDFD, (id_t)run->child.pidfd, &info, WEXITED | WNOWAIT | WNOHANG) != 0) {
        run->outcome = outcome_failed(true, "exit_unknown", "how the program ended is not known: %s", strerror(errno));
    } else if (info.si_pid == 0) {
        return;
    } else {
        run->outcome = info.si_code == CLD_EXITED ? outcome_of_exit(info.si_status) : outcome_of_signal(info.si_status);
    }
    loop_remove(run->execs->loop, run->exit_source);
    run->exit_source = NULL;
    loop_timer_clear(run->execs->loop, &run->killer);
    (void)kill(-run->child.pid, SIGKILL);
    run->ended_mono_ms = chrono_mono_ms();
    run->sweep_wait_ms = SWEEP_FIRST_MS;
    sweep(run);
}

static void on_output(void *owner, uint32_t events)
{
    (void)events;
    (void)read_output(owner);
}

/* ---- stopping ---- */

static void kill_group(void *owner)
{
    struct exec_run *run = owner;

    (void)kill(-run->child.pid, SIGKILL); /* the leader cannot leave its group: it leads a session */
}

void exec_stop(struct exec_run *run, bool is_hard)
{
    if (exec_has_ended(run)) {
        return; /* the rest is being killed already */
    }
    if (is_hard) {
        kill_group(run);
        return;
    }
    if (!loop_timer_is_set(&run->killer)) {
        (void)kill(-run->child.pid, SIGTERM);
        (void)kill(-run->child.pid, SIGCONT); /* one that is stopped could not hear it */
        loop_timer_set(run->execs->loop, &run->killer, KILL_AFTER_MS);
    }
}

bool exec_has_ended(const struct exec_run *run)
{
    return run->exit_source == NULL;
}

/* ---- the start ---- */

/* Standard input: the payload, in memory. */
static int open_payload(struct str payload)
{
    int fd = memfd_create("payload", MFD_CLOEXEC);
    size_t written = 0;

    while (fd >= 0 && written < payload.len) {
        ssize_t got = write(fd, payload.ptr + written, payload.len - written);

        if (got <= 0) {
            (void)close(fd);
            return -1;
        }
        written += (size_t)got;
    }
    if (fd >= 0) {
        (void)lseek(fd, 0, SEEK_SET);
    }
    return fd;
}

static int open_output(int *ret_write_fd)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) != 0) {
        return -1;
    }
    (void)fcntl(fds[0], F_SETFL, O_NONBLOCK); /* ours alone: the program's end stays an ordinary one */
    *ret_write_fd = fds[1];
    return fds[0];
}

/* What is opened for the start, and closed whatever comes of it. */
struct start {
    char **argv;
    char **env;
    char *program;
    int stdin_fd;
    int write_fd;
};

static void start_done(struct start *start)
{
    child_texts_free(start->argv);
    child_texts_free(start->env);
    mem_free(start->program);
    if (start->stdin_fd >= 0) {
        (void)close(start->stdin_fd);
    }
    if (start->write_fd >= 0) {
        (void)close(start->write_fd);
    }
}

static bool start_child(struct exec_run *run, struct start *start, struct outcome *ret_outcome)
{
    struct str cwd = {0};

    start->argv = child_argv_new(run->item);
    if (start->argv == NULL || jr_opt_str(run->item->target, "cwd", &cwd, NULL) != ERR_OK) {
        *ret_outcome =
            outcome_failed(false, "bad_target", "the exec target has no argv, or something in it is no text");
        return false;
    }
    start->env = child_env_new(run->execs->environment, run->execs->worker, run->item);
    start->program = spawn_find(start->argv[0], child_env_find(start->env, "PATH"));
    if (start->program == NULL) {
        *ret_outcome =
            outcome_failed(false, "not_found", "there is no program %.150s on this worker's PATH", start->argv[0]);
        return false;
    }
    start->stdin_fd = open_payload(run->item->payload);
    run->output_fd = open_output(&start->write_fd);
    if (start->stdin_fd < 0 || run->output_fd < 0) {
        *ret_outcome = outcome_failed(true, "spawn_failed", "the program could not be started: %s", strerror(errno));
        return false;
    }
    struct spawn_order order = {.program = start->program,
                                .argv = start->argv,
                                .env = start->env,
                                .cwd = cwd.len > 0 ? cwd.ptr : NULL,
                                .descriptors = run->execs->descriptors,
                                .stdin_fd = start->stdin_fd,
                                .output_fd = start->write_fd};
    return spawn_start(&order, &run->child, ret_outcome);
}

/* A program that cannot be watched must not run. */
static bool watch(struct exec_run *run, struct outcome *ret_outcome)
{
    struct loop *loop = run->execs->loop;
    siginfo_t info;

    run->exit_source = loop_add(loop, run->child.pidfd, EPOLLIN, on_exit_event, run);
    run->output_source = loop_add(loop, run->output_fd, EPOLLIN, on_output, run);
    if (run->exit_source != NULL && run->output_source != NULL) {
        return true;
    }
    *ret_outcome = outcome_failed(true, "spawn_failed", "the program could not be watched");
    kill_group(run);
    (void)waitid(P_PIDFD, (id_t)run->child.pidfd, &info, WEXITED);
    return false;
}

struct exec_run *exec_start(struct execs *execs, const struct item *item, exec_on_end *on_end, void *owner,
                            struct outcome *ret_outcome)
{
    struct exec_run *run = mem_zalloc(sizeof *run);
    struct start start = {.stdin_fd = -1, .write_fd = -1};

    *run = (struct exec_run){.execs = execs, .item = item, .on_end = on_end, .owner = owner, .output_fd = -1};
    run->child.pidfd = -1;
    list_node_init(&run->node);
    tail_init(&run->tail, OUTPUT_BYTES_MAX - OUTPUT_NOTE_BYTES);
    loop_timer_init(&run->killer, kill_group, run);
    loop_timer_init(&run->sweeper, sweep, run);

    bool is_started = start_child(run, &start, ret_outcome) && watch(run, ret_outcome);

    start_done(&start);
    if (!is_started) {
        free_run(run);
        return NULL;
    }
    list_push_back(&execs->runs, &run->node);
    if (!loop_timer_is_set(&execs->reaping)) {
        loop_timer_set(execs->loop, &execs->reaping, REAP_MS);
    }
    return run;
}
