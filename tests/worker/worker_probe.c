/* worker_probe: a worker as a program of its own, for the tests in this folder.
 *
 *     worker_probe URL [NAME=VALUE ...]
 *
 * slots, grace_ms, per_host, exec, deny, pool, secrets and token are settings. Commands come on standard input, a line
 * each: figures (answered by a line of JSON), drain, stop; its end is a stop. Says "ended" when the worker has.
 */
#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "worker/worker.h"

#define LINE_BYTES 64
#define LOOK_MS 20

static const char *setting(int argc, char **argv, const char *name, const char *otherwise)
{
    size_t len = strlen(name);

    for (int i = 2; i < argc; i++) {
        if (strncmp(argv[i], name, len) == 0 && argv[i][len] == '=') {
            return argv[i] + len + 1;
        }
    }
    return otherwise;
}

static int64_t number(int argc, char **argv, const char *name, const char *otherwise)
{
    return strtoll(setting(argc, argv, name, otherwise), NULL, 10);
}

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = -1; /* its own */

    if (folder == NULL) {
        return -1;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    return count;
}

static void say_figures(const struct worker *worker)
{
    struct worker_figures figures;

    worker_figures(worker, &figures);
    printf("{\"worker\":\"%s\",\"fds\":%d,\"started\":%" PRIu64 ",\"succeeded\":%" PRIu64 ",\"failed\":%" PRIu64
           ",\"released\":%" PRIu64 ",\"cancelled\":%" PRIu64 ",\"running\":%" PRIu64 ",\"reports_waiting\":%" PRIu64
           ",\"exchanges\":%" PRIu64 ",\"exchange_failures\":%" PRIu64 ",\"reports_refused\":%" PRIu64
           ",\"is_connected\":%s}\n",
           worker_id(worker), count_descriptors(), figures.started, figures.succeeded, figures.failed, figures.released,
           figures.cancelled, figures.running, figures.reports_waiting, figures.exchanges, figures.exchange_failures,
           figures.reports_refused, figures.is_connected ? "true" : "false");
    (void)fflush(stdout);
}

/* One byte at a time: nothing may be left in a buffer while poll says that nothing is there. */
static bool read_line(char line[LINE_BYTES])
{
    size_t len = 0;

    while (len < LINE_BYTES - 1 && read(STDIN_FILENO, line + len, 1) == 1) {
        if (line[len] == '\n') {
            line[len] = '\0';
            return true;
        }
        len++;
    }
    return false;
}

static void obey(struct worker *worker)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char line[LINE_BYTES];

    while (!worker_has_ended(worker)) {
        if (poll(&input, 1, LOOK_MS) <= 0) {
            continue;
        }
        if (!read_line(line)) {
            worker_stop(worker);
            return;
        }
        if (strcmp(line, "figures") == 0) {
            say_figures(worker);
        } else if (strcmp(line, "drain") == 0) {
            worker_drain(worker);
        } else if (strcmp(line, "stop") == 0) {
            worker_stop(worker);
        }
    }
}

int main(int argc, char **argv)
{
    const char *pool = setting(argc, argv, "pool", "default");
    struct worker_config config = {
        .url = argc > 1 ? argv[1] : "",
        .token = setting(argc, argv, "token", NULL),
        .name = "probe",
        .pools = &pool,
        .pool_count = 1,
        .slots = (uint32_t)number(argc, argv, "slots", "0"),
        .per_host_max = (uint32_t)number(argc, argv, "per_host", "0"),
        .grace_ms = number(argc, argv, "grace_ms", "60000"),
        .is_exec_allowed = number(argc, argv, "exec", "1") != 0,
        .is_private_denied = number(argc, argv, "deny", "0") != 0,
        .webhook_secrets = setting(argc, argv, "secrets", NULL),
    };
    struct worker *worker = NULL;
    struct error error;

    log_setup(&(struct log_config){.fd = STDERR_FILENO, .level = LOG_LEVEL_DEBUG});
    if (worker_start(&config, &worker, &error) != ERR_OK) {
        fprintf(stderr, "worker_probe: %s\n", error.text);
        return 1;
    }
    obey(worker);
    worker_wait(worker);
    say_figures(worker);
    worker_free(worker);
    printf("ended\n");
    return 0;
}
