/* show: a job with all of its policies and its coming fires; or a trigger with its attempts. */
#include <stdio.h>
#include <string.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/facts.h"
#include "cli/field.h"
#include "cli/job_view.h"
#include "cli/one_job.h"
#include "cli/show.h"
#include "cli/when.h"

/* As many as one looks at to see whether a schedule is meant so. */
#define FIRES_SHOWN 3

static void put_result(struct table *table, struct jr result, int64_t now_ms)
{
    struct str status = field_str(result, "status");
    char length[WHEN_BYTES];
    char away[WHEN_BYTES];
    char error[JOB_VIEW_BYTES];
    char text[2 * JOB_VIEW_BYTES];

    if (status.len == 0) {
        return;
    }
    (void)job_view_error(jr_get(result, "error"), error);
    (void)snprintf(text, sizeof text, "%.*s %s, took %s, attempt %lld%s%s", STR_ARGS(status),
                   when_relative(when_field(result, "finished_at"), now_ms, away),
                   when_length(field_int(result, "duration_ms", -1), length),
                   (long long)field_int(result, "attempts", 0), error[0] != '\0' ? "; " : "", error);
    facts_style(table, "last result", job_view_style(status), str_from(text));
}

static void put_counts(struct table *table, struct jr counts)
{
    static const char *const names[] = {"fired", "waiting", "pending", "running", "succeeded", "dead", "cancelled"};
    char text[JOB_VIEW_BYTES] = "";
    size_t len = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int64_t count = field_int(counts, names[i], 0);

        if (count > 0) {
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%lld %s", len > 0 ? ", " : "", (long long)count,
                                    names[i]);
        }
    }
    facts_put(table, "triggers", str_from(text));
}

static void put_policies(struct table *table, struct str text, struct jr job)
{
    static const char *const fields[][2] = {
        {"dst", "dst"},
        {"starts", "starts_at"},
        {"ends", "ends_at"},
        {"max fires", "max_fires"},
        {"jitter", "jitter"},
        {"overlap", "overlap"},
        {"misfire", "misfire"},
        {"misfire after", "misfire_after"},
        {"retry", "retry"},
        {"timeout", "timeout"},
        {"lease", "lease"},
        {"expires after", "expires_after"},
        {"dead policy", "dead_policy"},
        {"depends on", "depends_on"},
        {"concurrency", "concurrency"},
        {"labels", "labels"},
        {"target", "target"},
        {"payload", "payload"},
        {"created by", "created_by"},
    };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        facts_field(table, fields[i][0], text, job, fields[i][1]);
    }
}

static void print_job(const struct api *api, int64_t now_ms)
{
    struct jr job = api->root;
    struct str status = field_str(job, "status");
    char name[JOB_REF_BYTES];
    char schedule[JOB_VIEW_BYTES];
    char safe[SHOW_SAFE_BYTES];
    SCOPE(table_done) struct table table;

    facts_init(&table);
    (void)job_ref_text(field_str(job, "tenant"), field_str(job, "name"), name);
    (void)printf("%s\n", show_safe(str_from(name), safe));
    facts_put(&table, "id", field_str(job, "id"));
    facts_style(&table, "status", job_view_style(status), status);
    facts_put(&table, "schedule", str_from(job_view_schedule(job, schedule)));
    facts_instant(&table, "next fire", when_field(job, "next_fire_at"), now_ms);
    facts_instant(&table, "last fired", when_field(job, "last_fired_at"), now_ms);
    put_result(&table, jr_get(job, "last_result"), now_ms);
    put_counts(&table, jr_get(job, "counts"));
    facts_put(&table, "type", field_str(job, "type"));
    facts_put(&table, "pool", field_str(job, "pool"));
    facts_printf(&table, "priority", "%lld", (long long)field_int(job, "priority", 0));
    put_policies(&table, buf_str(&api->answer.body), job);
    facts_printf(&table, "version", "%lld", (long long)field_int(job, "version", 0));
    facts_instant(&table, "created", when_field(job, "created_at"), now_ms);
    facts_instant(&table, "changed", when_field(job, "updated_at"), now_ms);
    table_print(&table, false);
}

static void print_fires(struct jr answer)
{
    struct jr fires = jr_get(answer, "fires");
    struct str description = field_str(answer, "description");
    char safe[SHOW_SAFE_BYTES];
    char exact[WHEN_BYTES];

    if (description.len > 0) {
        (void)printf("\nIt fires %s.\n", show_safe(description, safe));
    }
    for (size_t i = 0; i < jr_count(fires); i++) {
        struct jr fire = jr_at(fires, i);
        struct str note = field_str(fire, "note");

        (void)printf("  %s", when_exact(when_field(fire, "utc"), exact));
        (void)printf("  %s", show_safe(field_str(fire, "local"), safe));
        (void)printf(" %s", show_safe(field_str(fire, "abbr"), safe));
        (void)printf("%s%s\n", note.len > 0 ? "  <- " : "", note.len > 0 ? show_safe(note, safe) : "");
    }
}

static void put_attempts(struct jr executions, int64_t now_ms)
{
    static const struct column columns[] = {{"#", .is_right = true},
                                            {"STATUS"},
                                            {"STARTED"},
                                            {"TOOK"},
                                            {"WORKER", .can_shrink = true, .is_optional = true},
                                            {"ERROR", .can_shrink = true},
                                            {0}};
    char text[WHEN_BYTES];
    char error[JOB_VIEW_BYTES];
    SCOPE(table_done) struct table table;

    table_init(&table, columns);
    for (size_t i = 0; i < jr_count(executions); i++) {
        struct jr attempt = jr_at(executions, i);
        struct str status = field_str(attempt, "status");

        table_printf(&table, STYLE_PLAIN, "%lld", (long long)field_int(attempt, "number", 0));
        table_put_style(&table, job_view_style(status), status);
        table_put(&table, str_from(when_relative(when_field(attempt, "started_at"), now_ms, text)));
        table_put(&table, str_from(when_length(field_int(attempt, "duration_ms", -1), text)));
        table_put(&table, field_str(attempt, "worker"));
        table_put(&table, str_from(job_view_error(jr_get(attempt, "error"), error)));
    }
    if (table_rows(&table) > 0) {
        (void)printf("\n");
        table_print(&table, true);
    }
}

/* What the newest attempt that said something has said, line by line. */
static void put_output(struct jr executions)
{
    for (size_t i = jr_count(executions); i-- > 0;) {
        struct jr attempt = jr_at(executions, i);
        struct str rest = field_str(attempt, "output");
        char safe[SHOW_SAFE_BYTES];

        if (str_empty(rest)) {
            continue;
        }
        (void)printf("\noutput of attempt %lld:\n", (long long)field_int(attempt, "number", 0));
        while (rest.len > 0) {
            const char *end = memchr(rest.ptr, '\n', rest.len);
            size_t len = end != NULL ? (size_t)(end - rest.ptr) : rest.len;

            (void)printf("  %s\n", show_safe(str_from_bytes(rest.ptr, len), safe));
            len += end != NULL ? 1 : 0;
            rest = str_from_bytes(rest.ptr + len, rest.len - len);
        }
        return;
    }
}

static void print_trigger(const struct api *api, int64_t now_ms)
{
    struct jr trigger = api->root;
    struct str text = buf_str(&api->answer.body);
    struct str status = field_str(trigger, "status");
    char name[JOB_REF_BYTES];
    char safe[SHOW_SAFE_BYTES];
    SCOPE(table_done) struct table table;

    facts_init(&table);
    (void)job_ref_text(field_str(trigger, "tenant"), field_str(trigger, "name"), name);
    (void)printf("%s of ", show_safe(field_str(trigger, "id"), safe));
    (void)printf("%s\n", show_safe(str_from(name), safe));
    facts_style(&table, "status", job_view_style(status), status);
    facts_field(&table, "reason", text, trigger, "reason");
    facts_put(&table, "kind", field_str(trigger, "kind"));
    facts_instant(&table, "scheduled for", when_field(trigger, "scheduled_for"), now_ms);
    facts_instant(&table, "due", when_field(trigger, "due_at"), now_ms);
    facts_instant(&table, "ended", when_field(trigger, "finished_at"), now_ms);
    facts_printf(&table, "failures", "%lld of %lld", (long long)field_int(trigger, "failures", 0),
                 (long long)field_int(trigger, "max_attempts", 0));
    facts_field(&table, "replay of", text, trigger, "replay_of");
    facts_field(&table, "replayed by", text, trigger, "replayed_by");
    facts_field(&table, "follows", text, trigger, "root");
    facts_put(&table, "run key", field_str(trigger, "idempotency_key"));
    facts_field(&table, "target", text, trigger, "target");
    facts_field(&table, "payload", text, trigger, "payload");
    table_print(&table, false);
    put_attempts(jr_get(trigger, "executions"), now_ms);
    put_output(jr_get(trigger, "executions"));
}

/* The fires are a second question; a job without any answers with none. */
static int show_fires(struct api *api, const struct command *command, const struct one_job_options *options,
                      const char *text)
{
    SCOPE(url_done) struct url url;

    url_init(&url);
    int exit_code = one_job_url(command, options, text, "/next", &url);
    url_query_int(&url, "count", FIRES_SHOWN);
    if (exit_code == EXIT_DONE) {
        exit_code = api_get(api, &url);
    }
    if (exit_code == EXIT_DONE) {
        print_fires(api->root);
    }
    return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct one_job_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    int exit_code = one_job_get(&api, command, &options, &arguments, "");
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    if (api.is_json) {
        api_print_json(&api);
    } else if (job_ref_is_trigger(arguments.rest[0])) {
        print_trigger(&api, chrono_wall_ms());
    } else {
        print_job(&api, chrono_wall_ms());
        exit_code = show_fires(&api, command, &options, arguments.rest[0]);
    }
    return exit_code;
}

const struct command command_show = {
    .name = "show",
    .group = "Jobs",
    .summary = "everything about a job, or about a trigger",
    .usage = "belfry show JOB         the definition, how it stands, and its next fires\n"
             "belfry show TRIGGER     one fire and all of its attempts\n",
    .text = "JOB is NAME, TENANT/NAME or an id.\n",
    .options = one_job_option_table,
    .is_api = true,
    .run = run,
};
