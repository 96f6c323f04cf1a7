#include "apart.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct apart *apart_new(void)
{
    struct apart *apart = mmap(NULL, sizeof *apart, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return apart == MAP_FAILED ? NULL : apart;
}

void apart_free(struct apart *apart)
{
    if (apart != NULL) {
        (void)munmap(apart, sizeof *apart);
    }
}

static void run_here(struct apart *apart, const struct swarm *swarm, struct zone_cache *zones, struct trace *trace,
                     unsigned seconds)
{
    (void)alarm(seconds);
    if (trace == NULL && freopen("/dev/null", "w", stderr) == NULL) {
        _exit(2);
    }
    (void)world_run(swarm, zones, &apart->marks, trace, &apart->finding, &apart->digest, &apart->figures);
    exit(0); /* not _exit: a leak that a sanitizer finds is a finding, too */
}

static void tell_end(struct finding *finding, int number)
{
    const char *rule = number == SIGABRT ? "assertion" : number == SIGALRM ? "hang" : "signal";

    (void)snprintf(finding->rule, sizeof finding->rule, "%s", rule);
    (void)snprintf(finding->text, sizeof finding->text, "the process ended: %s", strsignal(number));
}

bool apart_run(struct apart *apart, const struct swarm *swarm, struct zone_cache *zones, struct trace *trace,
               unsigned seconds)
{
    int status = 0;
    pid_t child;

    apart->finding = (struct finding){0};
    apart->figures = (struct world_figures){0};
    apart->digest = 0;
    (void)fflush(NULL); /* or the child would print what waits here once more */
    child = fork();
    if (child == 0) {
        run_here(apart, swarm, zones, trace, seconds);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        (void)snprintf(apart->finding.rule, sizeof apart->finding.rule, "world");
        (void)snprintf(apart->finding.text, sizeof apart->finding.text, "no process could be had for a world");
    } else if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        (void)snprintf(apart->finding.rule, sizeof apart->finding.rule, "exit");
        (void)snprintf(apart->finding.text, sizeof apart->finding.text, "the process ended with %d",
                       WEXITSTATUS(status));
    } else if (WIFSIGNALED(status)) {
        tell_end(&apart->finding, WTERMSIG(status));
    }
    return apart->finding.rule[0] == '\0';
}
