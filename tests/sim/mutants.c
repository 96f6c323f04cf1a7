/* mutants: whether the simulator finds what it is there to find.
 *
 *     mutants [--seconds N] [--total N] [BUG...]
 *
 * Switches on one deliberate bug after another (engine/bug.h) and runs worlds until it is found, at most N seconds for
 * each. Speaks TAP; a bug that is not found fails. --total bounds the whole: who comes late gets less time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "base/chrono.h"
#include "bugs.h"
#include "world.h"

/* A world that takes longer hangs: that is a way of finding a bug, too. */
#define WORLD_SECONDS_MAX 10
#define SECONDS_DEFAULT 60

struct progress {
    uint64_t worlds;
    int64_t passed_ms;
    bool is_found;
    uint64_t seed;
    enum profile profile;
    struct finding finding;
};

static enum profile nth_profile(uint64_t n)
{
    static const enum profile profiles[] = {PROFILE_SWARM,   PROFILE_GATES, PROFILE_OVERLAPS,
                                            PROFILE_DEPS,    PROFILE_SWARM, PROFILE_FAULTS,
                                            PROFILE_WORKERS, PROFILE_HERD,  PROFILE_CALM};

    return profiles[n % (sizeof profiles / sizeof profiles[0])];
}

/* A world that finds something without the bug, too, proves nothing about it. */
static bool is_caught(enum bug bug, struct progress *progress, struct zone_cache *zones, struct apart *apart)
{
    struct swarm swarm;
    bool is_good;

    swarm_draw(progress->seed, progress->profile, &swarm);
    bug_on[bug] = true;
    is_good = apart_run(apart, &swarm, zones, NULL, WORLD_SECONDS_MAX);
    bug_on[bug] = false;
    progress->finding = apart->finding;
    return !is_good && apart_run(apart, &swarm, zones, NULL, WORLD_SECONDS_MAX);
}

static void hunt(enum bug bug, int64_t limit_ms, struct progress *progress, struct zone_cache *zones,
                 struct apart *apart)
{
    int64_t began_ms = chrono_mono_ms();

    *progress = (struct progress){0};
    while (!progress->is_found && progress->passed_ms < limit_ms) {
        progress->seed = progress->worlds + 1;
        progress->profile = nth_profile(progress->worlds);
        progress->worlds++;
        progress->is_found = is_caught(bug, progress, zones, apart);
        progress->passed_ms = chrono_mono_ms() - began_ms;
    }
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
    struct zone_cache *zones = zone_cache_new(NULL);
    struct apart *apart = apart_new();
    int64_t began_ms = chrono_mono_ms();
    int number = 0;
    bool is_good = true;
    struct options options;

    if (apart == NULL || !read_options(argc, argv, &options)) {
        return 2;
    }
    for (int i = 0; i < BUG_COUNT; i++) {
        int64_t left_ms = options.total * 1000 - (chrono_mono_ms() - began_ms);
        int64_t limit_ms = options.seconds * 1000 < left_ms ? options.seconds * 1000 : left_ms;
        struct progress progress;

        if (options.wanted[i]) {
            hunt((enum bug)i, limit_ms > 1000 ? limit_ms : 1000, &progress, zones, apart);
            is_good = report(++number, (enum bug)i, &progress) && is_good;
        }
    }
    printf("1..%d\n", number);
    apart_free(apart);
    zone_cache_free(zones);
    return is_good ? 0 : 1;
}
