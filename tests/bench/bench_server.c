/* bench_server: what the whole server does: the real binary, over HTTP, with a real SQLite on a real disk, fsync and
 * all; client and server share the machine.
 *
 *     ./dev bench server [--data DIR] [--seconds N] [--belfry FILE] [PART...]
 *
 *     lifecycle    jobs created, claimed and finished, in batches
 *     create       single creates over 64 connections
 *     bulk         creates of 10,000 at once
 *     pickup       an idle server: from a create to its grant
 *     lag          2,000 fires a second: how late they are granted
 *     herd         thousands of jobs due at one instant, beside another tenant
 *     waiting      5,000 workers that wait
 *     restart      a million jobs a day ahead: start-up and memory
 *
 * Data goes to a new folder below DIR (default: beside this program), which is removed at the end. Nothing fails
 * because of time.
 */
#include <getopt.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server_parts.h"

#define SECONDS_DEFAULT 5

static const struct part {
    const char *name;
    void (*run)(const struct bench *bench);
} parts[] = {
    {"lifecycle", part_lifecycle}, {"create", part_create},   {"bulk", part_bulk},
    {"pickup", part_pickup},       {"lag", part_lag},         {"herd", part_herd},
    {"waiting", part_waiting},     {"restart", part_restart},
};
#define PART_COUNT (sizeof parts / sizeof parts[0])

static int wrong_usage(void)
{
    (void)fprintf(stderr, "bench_server: [--data DIR] [--seconds N] [--belfry FILE] [PART...], parts:");
    for (size_t i = 0; i < PART_COUNT; i++) {
        (void)fprintf(stderr, " %s", parts[i].name);
    }
    (void)fprintf(stderr, "\n");
    return 2;
}

/* build/tests/bench/bench_server is beside its data, and two folders below build/belfry. */
static void find_places(struct bench *bench)
{
    char self[PATH_MAX / 2 - 16] = "";

    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
        perror("/proc/self/exe");
        exit(1);
    }
    const char *folder = dirname(self);

    (void)snprintf(bench->below, sizeof bench->below, "%s", folder);
    (void)snprintf(bench->binary, sizeof bench->binary, "%s/../../belfry", folder);
}

/* False: something is not as it should be. */
static bool read_options(struct bench *bench, int argc, char **argv)
{
    static const struct option options[] = {{"data", required_argument, NULL, 'd'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"belfry", required_argument, NULL, 'b'},
                                            {0}};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'd':
            (void)snprintf(bench->below, sizeof bench->below, "%s", optarg);
            break;
        case 's':
            bench->seconds = strtod(optarg, NULL);
            break;
        case 'b':
            (void)snprintf(bench->binary, sizeof bench->binary, "%s", optarg);
            break;
        default:
            return false;
        }
    }
    return bench->seconds > 0;
}

/* Runs the part of that name; only looks where bench is NULL. False: there is none. */
static bool run_named(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (strcmp(parts[i].name, name) == 0) {
            if (bench != NULL) {
                parts[i].run(bench);
            }
            return true;
        }
    }
    return false;
}

/* Thousands of connections need as many descriptors. */
static void raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int argc, char **argv)
{
    struct bench bench = {.seconds = SECONDS_DEFAULT};

    find_places(&bench);
    if (!read_options(&bench, argc, argv)) {
        return wrong_usage();
    }
    for (int i = optind; i < argc; i++) {
        if (!run_named(NULL, argv[i])) {
            return wrong_usage();
        }
    }
    raise_descriptors();
    for (size_t i = 0; i < PART_COUNT && optind == argc; i++) {
        parts[i].run(&bench);
    }
    for (int i = optind; i < argc; i++) {
        (void)run_named(&bench, argv[i]);
    }
    return 0;
}
