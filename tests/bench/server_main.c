#include "server_main.h"

#include <getopt.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SECONDS_DEFAULT 5
#define TIMES_DEFAULT 50

static int wrong_usage(const struct bench_parts *parts)
{
    (void)fprintf(stderr, "bench: [--data DIR] [--seconds N] [--times N] [--belfry FILE] [PART...], parts:");
    for (size_t i = 0; i < parts->count; i++) {
        (void)fprintf(stderr, " %s", parts->parts[i].name);
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
                                            {"times", required_argument, NULL, 't'},
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
        case 't':
            bench->times = strtoul(optarg, NULL, 10);
            break;
        case 'b':
            (void)snprintf(bench->binary, sizeof bench->binary, "%s", optarg);
            break;
        default:
            return false;
        }
    }
    return bench->seconds > 0 && bench->times > 0;
}

/* Runs the part of that name; only looks where bench is NULL. False: there is none. */
static bool run_named(const struct bench_parts *parts, const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (strcmp(parts->parts[i].name, name) == 0) {
            if (bench != NULL) {
                parts->parts[i].run(bench);
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

int bench_main(int argc, char **argv, const struct bench_parts *parts)
{
    struct bench bench = {.seconds = SECONDS_DEFAULT, .times = TIMES_DEFAULT, .store = parts->store};

    find_places(&bench);
    if (!read_options(&bench, argc, argv)) {
        return wrong_usage(parts);
    }
    for (int i = optind; i < argc; i++) {
        if (!run_named(parts, NULL, argv[i])) {
            return wrong_usage(parts);
        }
    }
    raise_descriptors();
    for (size_t i = 0; i < parts->count && optind == argc; i++) {
        parts->parts[i].run(&bench);
    }
    for (int i = optind; i < argc; i++) {
        (void)run_named(parts, &bench, argv[i]);
    }
    return 0;
}
