#include <stdlib.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/next_batch.h"
#include "cli/next_show.h"
#include "cli/options.h"
#include "cli/query.h"
#include "cli/show.h"

struct next_options {
    struct str zone;
    struct str from;
    struct str count;
    struct str gap;
    struct str fold;
    struct str seed;
    bool is_json;
    bool is_batch;
};

/* Turns the texts of the options into a query. */
static int read_values(const char *name, const struct next_options *options, struct query *query)
{
    struct error error;

    query->zone = options->zone;
    query->seed = options->seed;
    if (options->from.ptr != NULL && instant_parse(options->from, &query->from_ms, &error) != ERR_OK) {
        return command_usage(name, "--from: %s", error.text);
    }
    if (options->count.ptr != NULL && str_to_int(options->count, 1, QUERY_COUNT_MAX, &query->count, NULL) != ERR_OK) {
        return command_usage(name, "--count: \"%.*s\" is not a number from 1 to %d", STR_ARGS(options->count),
                             QUERY_COUNT_MAX);
    }
    if (options->gap.ptr != NULL && dst_gap_parse(options->gap, &query->dst.gap, &error) != ERR_OK) {
        return command_usage(name, "--dst-gap: %s", error.text);
    }
    if (options->fold.ptr != NULL && dst_fold_parse(options->fold, &query->dst.fold, &error) != ERR_OK) {
        return command_usage(name, "--dst-fold: %s", error.text);
    }
    return EXIT_DONE;
}

static int read_expression(const char *name, const struct arguments *arguments, struct query *query)
{
    if (arguments->count == 0) {
        return command_usage(name, "which expression? For example: belfry next \"0 9 * * MON-FRI\"");
    }
    if (arguments->count > 1) {
        return command_usage(name, "one expression please: put it in quotes, or the shell takes it apart");
    }
    query->expr = str_from(arguments->rest[0]);
    return EXIT_DONE;
}

static int show(const struct next_options *options, struct query *query, struct zone_cache *zones, int64_t now_ms)
{
    struct error error;

    if (query_resolve(query, zones, &error) != ERR_OK) {
        if (options->is_json) {
            show_error_json(&error);
        } else {
            show_error_in("next", query->expr, &error);
        }
        return EXIT_REFUSED;
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

static int show_one(const char *name, const struct next_options *options, const struct arguments *arguments)
{
    int64_t now_ms = chrono_wall_ms();
    struct query query = query_init(now_ms);
    int exit_code = read_expression(name, arguments, &query);

    if (exit_code == EXIT_DONE) {
        exit_code = read_values(name, options, &query);
    }
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    struct zone_cache *zones = zone_cache_new(getenv("TZDIR"));
    exit_code = show(options, &query, zones, now_ms);
    zone_cache_free(zones);
    return exit_code;
}

static int answer_batch(const char *name, const struct next_options *options, const struct arguments *arguments)
{
    bool alone = arguments->count == 0 && options->zone.ptr == NULL && options->from.ptr == NULL &&
                 options->count.ptr == NULL && options->gap.ptr == NULL && options->fold.ptr == NULL &&
                 options->seed.ptr == NULL;

    return alone ? lines_command(name, next_batch_answer)
                 : command_usage(name, "--batch stands alone: what it answers comes from standard input");
}

static int run(const struct command *command, int argc, char **argv)
{
    struct next_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    return options.is_batch ? answer_batch(argv[0], &options, &arguments) : show_one(argv[0], &options, &arguments);
}

static const struct option table[] = {
    {"tz", "ZONE", "IANA time zone, such as America/New_York (default UTC;\nlocaltime is this machine's)",
     offsetof(struct next_options, zone)},
    {"from", "TIME", "first fires after this instant, RFC 3339 (default now)", offsetof(struct next_options, from)},
    {"count", "N", "how many, 1 to 10000 (default 10)", offsetof(struct next_options, count)},
    {"dst-gap", "HOW", "a fixed time the clock jumps over: after (default), shift, skip",
     offsetof(struct next_options, gap), .choices = "after shift skip", .also = "gap"},
    {"dst-fold", "HOW", "a fixed time that comes twice: first (default), second, both",
     offsetof(struct next_options, fold), .choices = "first second both", .also = "fold"},
    {"seed", "TEXT", "spreads H in the expression (a job uses its id)", offsetof(struct next_options, seed)},
    {"json", NULL, "one JSON object instead of a table", offsetof(struct next_options, is_json)},
    {"batch", NULL,
     "lines of {\"expr\",\"tz\",\"from\",\"count\",\"gap\",\"fold\",\"seed\"} from\n"
     "standard input; answers {\"next\":[...]} or {\"error\":...,\"position\":n}",
     offsetof(struct next_options, is_batch)},
    {0},
};

const struct command command_next = {
    .name = "next",
    .group = "Time, without any server",
    .summary = "fire times of an expression, without any server",
    .usage = "belfry next EXPR [options]     fire times of an expression, without any server\n"
             "belfry next --batch            JSON lines in, one JSON line out for each\n",
    .text = "EXPR is a cron expression of five fields (Unix) or six to seven (Quartz), @daily and the\n"
            "like, or @every 90s. It may begin with its zone: TZID=Europe/Paris:0 9 * * *\n"
            "Zones are read from /usr/share/zoneinfo, or from the folder that TZDIR names.\n",
    .examples = "belfry next \"0 9 * * MON-FRI\" --tz America/New_York\n"
                "belfry next \"0 0 9 L * ?\" --tz Europe/Paris --count 3\n"
                "belfry next \"30 2 * * *\" --tz Europe/Berlin --from 2027-03-27T00:00:00Z --dst-gap shift\n",
    .options = table,
    .run = run,
};
