#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/chrono.h"
#include "base/json_write.h"
#include "calendar/civil.h"
#include "calendar/duration.h"
#include "calendar/instant.h"
#include "calendar/zone_cache.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/show.h"
#include "cli/zone_batch.h"

/* Two years of an ordinary zone. */
#define CHANGES_SHOWN 4

/* "Sun 2027-04-04 02:00 -> 01:30", or with the date again where the change leaves the day. */
static void print_change(const struct zone *zone, size_t index)
{
    const struct zone_segment *segment = &zone->segments[index];
    int32_t jump_s = zone_jump_s(zone, index);
    int64_t after_s = segment->start_s + segment->offset_s;
    int64_t before_s = after_s - jump_s;
    bool same_day = civil_floor_div(before_s, SECONDS_PER_DAY) == civil_floor_div(after_s, SECONDS_PER_DAY);
    char utc[INSTANT_BYTES];
    char before[SHOW_TIME_BYTES];
    char after[SHOW_TIME_BYTES];
    char offset[SHOW_TIME_BYTES];
    char length[DURATION_BYTES];

    (void)show_local(before_s, before_s % 60 != 0, before);
    (void)show_local(after_s, after_s % 60 != 0, after);
    (void)printf("    %s  %s -> %s  %s %s", instant_format_short(segment->start_s * 1000, utc), before,
                 same_day ? strrchr(after, ' ') + 1 : after, show_offset(segment->offset_s, offset), segment->abbr);
    if (jump_s != 0) {
        (void)printf("  (%s %s)", jump_s > 0 ? "forward" : "back", duration_format_short(jump_s * 1000LL, length));
    }
    (void)printf("\n");
}

static void print_changes(const struct zone *zone, size_t index)
{
    if (index + 1 == zone->count) {
        (void)printf("  changes     none to come\n");
        return;
    }
    (void)printf("  changes\n");
    for (size_t i = index + 1; i < zone->count && i <= index + CHANGES_SHOWN; i++) {
        print_change(zone, i);
    }
}

static void print_zone(const struct zone *zone, int64_t at_s)
{
    size_t index = zone_segment_at(zone, at_s);
    const struct zone_segment *segment = &zone->segments[index];
    char text[SHOW_TIME_BYTES];
    char utc[INSTANT_BYTES];

    (void)printf("%s at %s\n", zone->name, instant_format_short(at_s * 1000, utc));
    (void)printf("  local time  %s\n", show_local(at_s + segment->offset_s, true, text));
    (void)printf("  offset      %s %s\n", show_offset(segment->offset_s, text), segment->abbr);
    print_changes(zone, index);
}

static void put_segment(struct jw *jw, const struct zone_segment *segment)
{
    jw_key(jw, "offset");
    jw_int(jw, segment->offset_s);
    jw_key(jw, "abbr");
    jw_text(jw, segment->abbr);
    jw_key(jw, "dst");
    jw_bool(jw, segment->dst);
}

static void print_json(const struct zone *zone, int64_t at_s)
{
    size_t index = zone_segment_at(zone, at_s);
    char text[INSTANT_BYTES];
    struct buf out;
    struct jw jw;

    buf_init(&out, JSON_BYTES_MAX);
    jw_init(&jw, &out);
    jw_begin_object(&jw);
    jw_key(&jw, "zone");
    jw_text(&jw, zone->name);
    jw_key(&jw, "utc");
    jw_text(&jw, instant_format_short(at_s * 1000, text));
    put_segment(&jw, &zone->segments[index]);
    jw_key(&jw, "local");
    jw_text(&jw, instant_format_local(at_s + zone->segments[index].offset_s, text));
    jw_key(&jw, "changes");
    jw_begin_array(&jw);
    for (size_t i = index + 1; i < zone->count && i <= index + CHANGES_SHOWN; i++) {
        jw_begin_object(&jw);
        jw_key(&jw, "utc");
        jw_text(&jw, instant_format_short(zone->segments[i].start_s * 1000, text));
        put_segment(&jw, &zone->segments[i]);
        jw_end_object(&jw);
    }
    jw_end_array(&jw);
    jw_end_object(&jw);
    (void)printf("%s\n", buf_text(&out));
    buf_done(&out);
}

static int refuse(bool is_json, const struct error *error)
{
    if (is_json) {
        show_error_json(error);
        return EXIT_REFUSED;
    }
    return command_refuse("zone", error);
}

static int show(struct str name, int64_t at_ms, bool is_json)
{
    struct zone_cache *zones = zone_cache_new(getenv("TZDIR"));
    const struct zone *zone = NULL;
    struct error error;
    int exit_code = EXIT_DONE;

    if (zone_cache_get(zones, name, &zone, &error) != ERR_OK) {
        exit_code = refuse(is_json, &error);
    } else if (is_json) {
        print_json(zone, civil_floor_div(at_ms, 1000));
    } else {
        print_zone(zone, civil_floor_div(at_ms, 1000));
    }
    zone_cache_free(zones);
    return exit_code;
}

struct zone_options {
    struct str at;
    bool is_json;
    bool is_batch;
};

static int run(const struct command *command, int argc, char **argv)
{
    struct zone_options options = {0};
    int64_t at_ms = chrono_wall_ms();
    struct arguments arguments;
    struct error error;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (options.is_batch) {
        return arguments.count == 0 && options.at.ptr == NULL
                   ? lines_command(argv[0], zone_batch_answer)
                   : command_usage(argv[0], "--batch stands alone: what it answers comes from standard input");
    }
    if (arguments.count != 1) {
        return command_usage(argv[0], "name one zone, such as Europe/Paris");
    }
    if (options.at.ptr != NULL && instant_parse(options.at, &at_ms, &error) != ERR_OK) {
        return command_usage(argv[0], "--at: %s", error.text);
    }
    return show(str_from(arguments.rest[0]), at_ms, options.is_json);
}

static const struct option table[] = {
    {"at", "TIME", "the instant to look at, RFC 3339 (default now)", offsetof(struct zone_options, at)},
    {"json", NULL, "one JSON object instead of text", offsetof(struct zone_options, is_json)},
    {"batch", NULL,
     "lines of {\"zone\",\"utc\"} from standard input; answers\n"
     "{\"offset\":seconds,\"abbr\":...,\"local\":...} or {\"error\":...}",
     offsetof(struct zone_options, is_batch)},
    {0},
};

const struct command command_zone = {
    .name = "zone",
    .group = "Time, without any server",
    .summary = "offset and coming changes of a time zone",
    .usage = "belfry zone ZONE [--at TIME]   offset, abbreviation and next changes of a time zone\n"
             "belfry zone --batch            JSON lines in, one JSON line out for each\n",
    .examples = "belfry zone Australia/Lord_Howe --at 2026-04-04T15:00:00Z\n",
    .options = table,
    .run = run,
};
