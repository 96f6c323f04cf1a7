#include "cli/command.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/chrono.h"
#include "base/mem.h"
#include "cli/next_batch.h"
#include "cli/next_show.h"
#include "cli/query.h"
#include "cli/show.h"

struct options {
    struct query query;
    bool is_json;
    bool is_batch;
};

enum option_code { OPT_TZ = 1, OPT_FROM, OPT_COUNT, OPT_GAP, OPT_FOLD, OPT_SEED, OPT_JSON, OPT_BATCH };

static const struct option long_options[] = {
    {"tz", required_argument, NULL, OPT_TZ},
    {"from", required_argument, NULL, OPT_FROM},
    {"count", required_argument, NULL, OPT_COUNT},
    {"dst-gap", required_argument, NULL, OPT_GAP},
    {"dst-fold", required_argument, NULL, OPT_FOLD},
    {"seed", required_argument, NULL, OPT_SEED},
    {"json", no_argument, NULL, OPT_JSON},
    {"batch", no_argument, NULL, OPT_BATCH},
    {NULL, 0, NULL, 0},
};

/* Reads one option; EXIT_DONE to go on. */
static int read_option(int code, struct options *options, const char *name)
{
    struct query *query = &options->query;
    struct str value = str_from(optarg);
    struct error error;

    switch (code) {
    case OPT_TZ:
        query->zone = value;
        break;
    case OPT_FROM:
        query->from = value;
        break;
    case OPT_COUNT:
        if (str_to_int(value, 1, QUERY_COUNT_MAX, &query->count, &error) != ERR_OK) {
            return command_usage(name, "--count takes a number from 1 to %d, not \"%s\"", QUERY_COUNT_MAX, optarg);
        }
        break;
    case OPT_GAP:
        query->gap = value;
        break;
    case OPT_FOLD:
        query->fold = value;
        break;
    case OPT_SEED:
        query->seed = value;
        break;
    case OPT_JSON:
        options->is_json = true;
        break;
    case OPT_BATCH:
        options->is_batch = true;
        break;
    default:
        return command_usage(name, "wrong option"); /* getopt has said which */
    }
    return EXIT_DONE;
}

static int read_options(int argc, char **argv, struct options *options)
{
    int code;

    *options = (struct options){.query = query_init()};
    while ((code = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        int exit_code = read_option(code, options, argv[0]);

        if (exit_code != EXIT_DONE) {
            return exit_code;
        }
    }
    if (options->is_batch) {
        return optind == argc ? EXIT_DONE : command_usage(argv[0], "--batch reads expressions from standard input");
    }
    if (optind == argc) {
        return command_usage(argv[0], "which expression? For example: belfry next \"0 9 * * MON-FRI\"");
    }
    if (optind + 1 < argc) {
        return command_usage(argv[0], "one expression please: put it in quotes, or the shell takes it apart");
    }
    options->query.expr = str_from(argv[optind]);
    return EXIT_DONE;
}

static int refuse(const struct options *options, const struct error *error)
{
    if (options->is_json) {
        show_error_json(error);
    } else {
        show_error_in("next", options->query.expr, error);
    }
    return EXIT_REFUSED;
}

static int show(struct options *options, struct zone_cache *zones)
{
    struct query *query = &options->query;
    struct error error;
    int64_t now_ms = chrono_wall_ms();

    if (query_resolve(query, zones, now_ms, &error) != ERR_OK) {
        return refuse(options, &error);
    }
    SCOPE_FREE int64_t *fires_ms = mem_alloc_array((size_t)query->count, sizeof *fires_ms);
    size_t count =
        schedule_list(&query->schedule, query->from_ms + 1, TIME_END_S * 1000, fires_ms, (size_t)query->count);
    if (options->is_json) {
        next_show_json(query, fires_ms, count);
    } else {
        next_show_table(query, fires_ms, count, now_ms);
    }
    return EXIT_DONE;
}

int command_next(int argc, char **argv)
{
    struct options options;
    struct error error;
    int exit_code = read_options(argc, argv, &options);

    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    struct zone_cache *zones = zone_cache_new(getenv("TZDIR"));
    if (options.is_batch) {
        exit_code = next_batch(zones, &error) == ERR_OK ? EXIT_DONE : command_refuse(argv[0], &error);
    } else {
        exit_code = show(&options, zones);
    }
    zone_cache_free(zones);
    return exit_code;
}
