/* import: jobs from a crontab file. They behave as under cron (no retry, no catching up, runs beside each other),
 * unless options say otherwise. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/chrono.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "cli/api.h"
#include "cli/commands.h"
#include "cli/crontab.h"
#include "cli/import_target.h"
#include "cli/json_text.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/table.h"
#include "model/name.h"

/* Of a crontab; a batch takes as many jobs. */
#define FILE_BYTES_MAX (1024 * 1024)
#define JOBS_MAX 10000
#define BATCH_BYTES_MAX_JSON (32UL * 1024 * 1024)

struct import_options {
    struct api_options api;
    struct str tenant, tz, prefix, pool, overlap, misfire, timeout;
    bool is_dry_run;
    bool has_users;
    bool is_skipping;
};

struct import {
    const struct command *command;
    const struct import_options *options;
    const char *path;
    char zone[ZONE_NAME_BYTES_MAX + 1];
    struct crontab crontab;
    char names[JOBS_MAX][CRONTAB_SLUG_BYTES]; /* slugs so far, for numbers behind equal ones */
    size_t count;
    size_t refused;
    struct buf jobs; /* NDJSON */
    struct table table;
};

static const struct column columns[] = {
    {"LINE", .is_right = true},      {"NAME"}, {"SCHEDULE"}, {"USER", .is_optional = true},
    {"COMMAND", .can_shrink = true}, {0},
};

/* The machine's zone by its IANA name, which is what a server elsewhere understands. */
static void find_zone(struct import *import)
{
    char target[1024];
    ssize_t len = readlink("/etc/localtime", target, sizeof target - 1);
    const char *name = NULL;

    if (len > 0) {
        target[len] = '\0';
        name = strstr(target, "zoneinfo/");
    }
    (void)snprintf(import->zone, sizeof import->zone, "%.*s", ZONE_NAME_BYTES_MAX,
                   name != NULL ? name + strlen("zoneinfo/") : "UTC");
    if (import->options->tz.ptr != NULL) {
        (void)snprintf(import->zone, sizeof import->zone, "%.*s", STR_ARGS(import->options->tz));
    }
}

static void put_text(struct jw *jw, const char *key, struct str value, const char *otherwise)
{
    if (value.ptr != NULL || otherwise != NULL) {
        jw_key(jw, key);
        jw_str(jw, value.ptr != NULL ? value : str_from(otherwise));
    }
}

static void put_job(struct import *import, const char *name)
{
    const struct crontab *crontab = &import->crontab;
    const struct import_options *options = import->options;
    const char *zone = crontab_value(crontab, "CRON_TZ");
    struct jw jw;

    jw_init(&jw, &import->jobs);
    jw_begin_object(&jw);
    put_text(&jw, "tenant", options->tenant, NULL);
    put_text(&jw, "name", str_from(name), NULL);
    put_text(&jw, "cron", str_from(crontab->expr), NULL);
    put_text(&jw, "timezone", str_from(zone != NULL && zone[0] != '\0' ? zone : import->zone), NULL);
    put_text(&jw, "overlap", options->overlap, "allow");
    put_text(&jw, "misfire", options->misfire, "skip");
    put_text(&jw, "timeout", options->timeout, "1d");
    put_text(&jw, "pool", options->pool, NULL);
    jw_key(&jw, "retry");
    jw_begin_object(&jw);
    jw_key(&jw, "max_attempts");
    jw_int(&jw, 1);
    jw_end_object(&jw);
    import_target_write(&jw, crontab);
    jw_end_object(&jw);
    buf_append_char(&import->jobs, '\n');
}

/* Equal slugs are numbered in the order of the file, so that the same file gives the same names again. */
static void name_entry(struct import *import, char name[NAME_BYTES_MAX + 1])
{
    char *slug = import->names[import->count];
    size_t same = 1;

    (void)crontab_slug(&import->crontab, slug);
    for (size_t i = 0; i < import->count; i++) {
        same += strcmp(import->names[i], slug) == 0;
    }
    struct str prefix = import->options->prefix;
    prefix = prefix.ptr != NULL ? prefix : STR("cron:");
    (void)snprintf(name, NAME_BYTES_MAX + 1, same > 1 ? "%.*s%s-%zu" : "%.*s%s",
                   (int)(prefix.len < 100 ? prefix.len : 100), prefix.ptr, slug, same);
}

static enum err take_entry(struct import *import, int line, struct error *reterr)
{
    char name[NAME_BYTES_MAX + 1];

    if (import->count == JOBS_MAX) {
        return err_set(reterr, ERR_TOO_LARGE, "at most %d jobs can be imported at once", JOBS_MAX);
    }
    name_entry(import, name);
    put_job(import, name);
    import->count++;
    table_printf(&import->table, STYLE_PLAIN, "%d", line);
    table_put(&import->table, str_from(name));
    table_put(&import->table, str_from(import->crontab.expr));
    table_put(&import->table, str_from(import->crontab.user));
    table_put(&import->table, str_from(import->crontab.command));
    return ERR_OK;
}

static void read_lines(struct import *import, struct str text)
{
    struct str line;
    bool done = false;
    struct error error;
    char path[SHOW_SAFE_BYTES];

    (void)show_safe(str_from(import->path), path);
    for (int number = 1; str_split(&text, '\n', &done, &line); number++) {
        enum crontab_kind kind = CRONTAB_NOTHING;
        enum err err = crontab_line(&import->crontab, line, &kind, &error);

        if (err == ERR_OK && kind == CRONTAB_ENTRY) {
            err = take_entry(import, number, &error);
        }
        if (err != ERR_OK) {
            import->refused++;
            (void)fprintf(stderr, "%s:%d: %s\n", path, number, error.text);
        } else if (kind == CRONTAB_VARIABLE && strncmp(str_trim(line).ptr, "MAILTO", strlen("MAILTO")) == 0) {
            (void)fprintf(stderr, "%s:%d: MAILTO is left out: Belfry keeps the output, and belfry events tells of it\n",
                          path, number);
        }
    }
}

static int send(struct import *import)
{
    SCOPE(api_close) struct api api;
    struct progress progress = progress_begin("jobs", (int64_t)import->count);
    const struct client_request request = {.method = "POST",
                                           .path = STR("/v1/jobs/batch"),
                                           .body = buf_str(&import->jobs),
                                           .content_type = "application/x-ndjson"};
    int exit_code = api_open(&api, import->command, &import->options->api);

    if (exit_code == EXIT_DONE) {
        client_watch(api.client, progress_sent, &progress);
        exit_code = api_send(&api, &request);
    }
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE) {
        size_t count = jr_count(jr_get(api.root, "ids"));

        (void)printf("%zu job%s imported%s\n", count, count == 1 ? "" : "s",
                     api.answer.status == 200 ? "; all of them were there already" : "");
    }
    return exit_code;
}

static int finish(struct import *import)
{
    const struct import_options *options = import->options;

    if (import->refused > 0 && !options->is_skipping && !options->is_dry_run) {
        (void)fprintf(stderr,
                      "belfry import: nothing was imported; mend the lines above, or leave them out with --skip\n");
        return EXIT_REFUSED;
    }
    if (options->is_dry_run && options->api.is_json) {
        (void)fputs(buf_text(&import->jobs), stdout);
    } else if (options->is_dry_run && import->count > 0) {
        table_print(&import->table, true);
    }
    if (options->is_dry_run) {
        return import->refused > 0 && !options->is_skipping ? EXIT_REFUSED : EXIT_DONE;
    }
    if (import->count == 0) {
        (void)fputs("the file has no entries\n", stderr);
        return EXIT_DONE;
    }
    return send(import);
}

static bool is_system_file(const char *path)
{
    return strcmp(path, "/etc/crontab") == 0 || strncmp(path, "/etc/cron.d/", strlen("/etc/cron.d/")) == 0;
}

static int run_with(struct import *import)
{
    SCOPE(buf_done) struct buf text;
    struct error error;

    buf_init(&text, FILE_BYTES_MAX);
    if (json_text_file(import->path, FILE_BYTES_MAX, &text, &error) != ERR_OK) {
        return command_refuse(import->command->name, &error);
    }
    find_zone(import);
    crontab_init(&import->crontab, import->options->has_users || is_system_file(import->path));
    read_lines(import, buf_str(&text));
    return finish(import);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct import_options options = {0};
    struct arguments arguments;
    struct error error;
    int64_t timeout_ms = 0;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (arguments.count == 0) {
        return command_usage(command->name, "which file? For example: crontab -l | belfry import -");
    }
    if (options.timeout.ptr != NULL && duration_parse(options.timeout, &timeout_ms, &error) != ERR_OK) {
        return command_usage(command->name, "--timeout: %s", error.text);
    }
    int exit_code = command_no_more(command->name, &arguments, 1);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    struct import *import = mem_zalloc(sizeof *import);
    import->command = command;
    import->options = &options;
    import->path = arguments.rest[0];
    buf_init(&import->jobs, BATCH_BYTES_MAX_JSON);
    table_init(&import->table, columns);
    exit_code = run_with(import);
    table_done(&import->table);
    buf_done(&import->jobs);
    mem_free(import);
    return exit_code;
}

#define AT(member) offsetof(struct import_options, member)

static const struct option table[] = {
    {"dry-run", NULL, "show the jobs (with --json as JSON lines) and change nothing", AT(is_dry_run)},
    {"users", NULL, "a user stands before each command, as in /etc/crontab (which is\nknown by its path)",
     AT(has_users)},
    {"skip", NULL, "leave out lines that cannot be imported", AT(is_skipping)},
    {"tz", "ZONE", "of the times (default this machine's, or the file's CRON_TZ)", AT(tz)},
    {"tenant", "TENANT", "whose jobs they are", AT(tenant)},
    {"prefix", "TEXT", "before each name (default cron:)", AT(prefix)},
    {"pool", "POOL", "which workers run them", AT(pool)},
    {"overlap", "HOW", "default allow, as under cron: skip, queue, collapse, allow", AT(overlap),
     .choices = "skip queue collapse allow"},
    {"misfire", "HOW", "default skip, as under cron: fire_latest, fire_now, skip, backfill", AT(misfire),
     .choices = "fire_latest fire_now skip backfill"},
    {"timeout", "LENGTH", "of a run (default 1d; cron has none)", AT(timeout)},
    {0},
};

const struct command command_import = {
    .name = "import",
    .group = "Jobs",
    .summary = "jobs from a crontab file",
    .usage = "belfry import FILE [options]     all jobs of a crontab file, or none (- is standard input)\n",
    .text =
        "Commands run in the file's SHELL with its variables, % gives standard input, and a user of /etc/crontab is\n"
        "run through runuser, which wants a worker that is root. @reboot is refused. Importing the same file again\n"
        "changes nothing.\n",
    .examples = "crontab -l | belfry import - --dry-run\nbelfry import /etc/crontab --skip\n",
    .options = table,
    .is_api = true,
    .run = run,
};
