/* mutants: whether the simulator finds what it is there to find.
 *
 *     mutants [--seconds N] [--total N] [BUG...]
 *
 * Switches on one deliberate bug after another (engine/bug.h) and runs worlds until it is found, at most N seconds for
 * each. Speaks TAP; a bug that is not found fails. --total bounds the whole: who comes late gets less time.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/chrono.h"
#include "bugs.h"
#include "world.h"

/* A world that takes longer hangs: that is a way of finding a bug, too. */
#define WORLD_SECONDS_MAX 10
#define SECONDS_DEFAULT 60

/* Shared by parent and child: what was found, also where the child dies of it. */
struct progress {
    uint64_t worlds;
    int64_t passed_ms;
    bool is_found;
    uint64_t seed;
    enum profile profile;
    struct finding finding;
};

static struct zone_cache *zones;

static enum profile nth_profile(uint64_t n)
{
    static const enum profile profiles[] = {PROFILE_SWARM,   PROFILE_GATES, PROFILE_OVERLAPS,
                                            PROFILE_DEPS,    PROFILE_SWARM, PROFILE_FAULTS,
                                            PROFILE_WORKERS, PROFILE_HERD,  PROFILE_CALM};

    return profiles[n % (sizeof profiles / sizeof profiles[0])];
}

static void run_here(struct progress *progress)
{
    struct marks marks = {0};
    struct world_figures figures;
    struct swarm swarm;
    uint64_t digest;

    swarm_draw(progress->seed, progress->profile, &swarm);
    (void)alarm(WORLD_SECONDS_MAX);
    (void)world_run(&swarm, zones, &marks, NULL, &progress->finding, &digest, &figures);
}

/* Runs one world in a process of its own, since a bug may end in an assertion. Returns whether something was found. */
static bool run_apart(struct progress *progress)
{
    int status;
    pid_t child;

    progress->finding = (struct finding){0};
    child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(2);
        }
        run_here(progress);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return false;
    }
    if (WIFSIGNALED(status)) {
        (void)snprintf(progress->finding.rule, sizeof progress->finding.rule, "%s",
                       WTERMSIG(status) == SIGALRM   ? "hanging"
                       : WTERMSIG(status) == SIGABRT ? "an assertion"
                                                     : strsignal(WTERMSIG(status)));
    }
    return progress->finding.rule[0] != '\0';
}

/* A world that finds something without the bug, too, proves nothing about it. */
static bool is_clean_without(enum bug bug, const struct progress *progress, struct progress *again)
{
    bool is_clean;

    *again = *progress;
    bug_on[bug] = false;
    is_clean = !run_apart(again);
    bug_on[bug] = true;
    return is_clean;
}

static void hunt(enum bug bug, int64_t limit_ms, struct progress *progress, struct progress *again)
{
    int64_t began_ms = chrono_mono_ms();

    *progress = (struct progress){0};
    bug_on[bug] = true;
    while (!progress->is_found && progress->passed_ms < limit_ms) {
        progress->seed = progress->worlds + 1;
        progress->profile = nth_profile(progress->worlds);
        progress->worlds++;
        progress->is_found = run_apart(progress) && is_clean_without(bug, progress, again);
        progress->passed_ms = chrono_mono_ms() - began_ms;
    }
    bug_on[bug] = false;
}

static bool report(int number, enum bug bug, const struct progress *progress)
{
    printf("%s %d - %-24s ", progress->is_found ? "ok" : "not ok", number, bug_name(bug));
    if (progress->is_found) {
        printf("found after %" PRIu64 " worlds, %.1f s, by %s\n", progress->worlds, (double)progress->passed_ms / 1000,
               progress->finding.rule);
    } else {
        printf("NOT found in %" PRIu64 " worlds, %.1f s: %s\n", progress->worlds, (double)progress->passed_ms / 1000,
               bug_text(bug));
    }
    printf("# %s: seed 0x%" PRIx64 " profile %s %.200s\n", bug_text(bug), progress->seed,
           profile_text(progress->profile), progress->finding.text);
    (void)fflush(stdout);
    return progress->is_found;
}

struct options {
    int64_t seconds, total;
    bool wanted[BUG_COUNT];
    int wanted_count;
};

static bool read_options(int argc, char **argv, struct options *options)
{
    *options = (struct options){.seconds = SECONDS_DEFAULT, .total = INT64_MAX / 1000};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            options->seconds = strtoll(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--total") == 0 && i + 1 < argc) {
            options->total = strtoll(argv[++i], NULL, 10);
        } else if (bug_parse(argv[i]) != BUG_COUNT) {
            options->wanted[bug_parse(argv[i])] = true;
            options->wanted_count++;
        } else {
            (void)fprintf(stderr, "mutants: what is %s?\n", argv[i]);
            return false;
        }
    }
    for (int i = 0; options->wanted_count == 0 && i < BUG_COUNT; i++) {
        options->wanted[i] = true;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options options;
    struct progress *progress =
        mmap(NULL, 2 * sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int64_t began_ms = chrono_mono_ms();
    int number = 0;
    bool is_good = true;

    if (progress == MAP_FAILED || !read_options(argc, argv, &options)) {
        return 2;
    }
    zones = zone_cache_new(NULL);
    for (int i = 0; i < BUG_COUNT; i++) {
        int64_t left_ms = options.total * 1000 - (chrono_mono_ms() - began_ms);
        int64_t limit_ms = options.seconds * 1000 < left_ms ? options.seconds * 1000 : left_ms;

        if (options.wanted[i]) {
            hunt((enum bug)i, limit_ms > 1000 ? limit_ms : 1000, &progress[0], &progress[1]);
            is_good = report(++number, (enum bug)i, progress) && is_good;
        }
    }
    printf("1..%d\n", number);
    zone_cache_free(zones);
    return is_good ? 0 : 1;
}
