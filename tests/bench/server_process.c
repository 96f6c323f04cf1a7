#include "server_process.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/chrono.h"

#define LINE_BYTES 1024
#define FOLDERS_OPEN_MAX 16
/* All servers of a store have one. */
#define SHARED_TOKEN "bf_the-token-of-all-servers-of-a-bench"

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- the folder ---- */

void served_make_folder(struct served *served, const char *below)
{
    (void)snprintf(served->folder, sizeof served->folder, "%s/bench-server-XXXXXX", below);
    if (mkdtemp(served->folder) == NULL) {
        give_up(served->folder);
    }
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)kind;
    (void)at;
    return remove(path);
}

void served_remove_folder(const struct served *served)
{
    (void)nftw(served->folder, remove_one, FOLDERS_OPEN_MAX, FTW_DEPTH | FTW_PHYS);
}

static FILE *open_in_folder(const struct served *served, const char *name)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/%s", served->folder, name);
    FILE *file = fopen(path, "re");

    if (file == NULL) {
        give_up(path);
    }
    return file;
}

static void read_token(struct served *served)
{
    if (served->store != NULL) {
        (void)snprintf(served->token, sizeof served->token, "%s", SHARED_TOKEN);
        return;
    }
    FILE *file = open_in_folder(served, "token");

    if (fgets(served->token, sizeof served->token, file) == NULL) {
        give_up("token");
    }
    (void)fclose(file);
    served->token[strcspn(served->token, "\n")] = '\0';
}

static void show_log(const struct served *served)
{
    FILE *file = open_in_folder(served, "log");
    char line[LINE_BYTES];

    while (fgets(line, sizeof line, file) != NULL) {
        (void)fputs(line, stderr);
    }
    (void)fclose(file);
}

/* ---- the process ---- */

/* In the child: never returns. */
static void become_server(const struct served *served, const char *binary, int out_fd)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/log", served->folder);
    int log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (log_fd < 0 || dup2(out_fd, STDOUT_FILENO) < 0 || dup2(log_fd, STDERR_FILENO) < 0) {
        _exit(127);
    }
    if (served->store != NULL) {
        (void)setenv("BELFRY_TOKEN", SHARED_TOKEN, 1);
        (void)execl(binary, binary, "server", "--listen", "127.0.0.1:0", "--data", served->folder, "--store",
                    served->store, NULL);
    }
    (void)execl(binary, binary, "server", "--listen", "127.0.0.1:0", "--data", served->folder, NULL);
    _exit(127);
}

/* The pipe stays open: a server that writes more would otherwise be killed by it. */
static void read_port(struct served *served, int fd)
{
    static const char mark[] = "http://127.0.0.1:";
    FILE *file = fdopen(fd, "r");
    char line[LINE_BYTES];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *found = strstr(line, mark);

        if (found != NULL) {
            served->port = (uint16_t)strtoul(found + sizeof mark - 1, NULL, 10);
            return;
        }
    }
    show_log(served);
    (void)fprintf(stderr, "bench_server: the server did not start\n");
    exit(1);
}

void served_start(struct served *served, const char *binary)
{
    int64_t began_ns = chrono_mono_ns();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        give_up("pipe");
    }
    served->pid = fork();
    if (served->pid < 0) {
        give_up("fork");
    }
    if (served->pid == 0) {
        become_server(served, binary, ends[1]);
    }
    (void)close(ends[1]);
    read_port(served, ends[0]);
    served->ready_s = (double)(chrono_mono_ns() - began_ns) / 1e9;
    read_token(served);
}

void served_end(const struct served *served)
{
    (void)kill(served->pid, SIGTERM);
}

void served_kill(const struct served *served)
{
    (void)kill(served->pid, SIGKILL);
    (void)waitpid(served->pid, NULL, 0);
}

void served_stop(struct served *served)
{
    served_end(served);
    served_wait(served);
}

void served_wait(const struct served *served)
{
    int status;

    if (waitpid(served->pid, &status, 0) != served->pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        show_log(served);
        (void)fprintf(stderr, "bench_server: the server did not end as it should\n");
    }
}

/* ---- what it uses ---- */

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

struct usage own_usage(void)
{
    struct rusage used;

    (void)getrusage(RUSAGE_SELF, &used);
    return (struct usage){.wall_s = (double)chrono_mono_ns() / 1e9,
                          .cpu_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime)};
}

/* The whole of a small file of /proc as text. */
static void read_proc(const struct served *served, const char *name, char *out, size_t size)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)served->pid, name);
    FILE *file = fopen(path, "re");
    size_t len = file != NULL ? fread(out, 1, size - 1, file) : 0;

    out[len] = '\0';
    if (file != NULL) {
        (void)fclose(file);
    }
}

/* The number behind so many blanks; 0 where there is none. */
static unsigned long number_behind(const char *text, int blanks)
{
    for (; blanks > 0 && text != NULL; blanks--) {
        text = strchr(text, ' ');
        text = text != NULL ? text + 1 : NULL;
    }
    return text != NULL ? strtoul(text, NULL, 10) : 0;
}

struct usage served_usage(const struct served *served)
{
    char text[LINE_BYTES];

    read_proc(served, "stat", text, sizeof text);
    /* The name, in brackets, may have blanks; 12 and 13 behind it are the ticks as user and in the kernel. */
    const char *behind_name = strrchr(text, ')');
    unsigned long ticks = number_behind(behind_name, 12) + number_behind(behind_name, 13);

    return (struct usage){.wall_s = (double)chrono_mono_ns() / 1e9,
                          .cpu_s = (double)ticks / (double)sysconf(_SC_CLK_TCK)};
}

double served_rss_mib(const struct served *served)
{
    char text[LINE_BYTES];

    read_proc(served, "statm", text, sizeof text);
    return (double)number_behind(text, 1) * (double)sysconf(_SC_PAGESIZE) / (1024.0 * 1024.0);
}
