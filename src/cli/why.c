#include <stdio.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/job_view.h"
#include "cli/one_job.h"
#include "cli/show.h"
#include "cli/when.h"

struct why_options {
    struct one_job_options job;
    struct str at;
};

static void print_text(const char *indent, struct str text)
{
    char safe[SHOW_SAFE_BYTES];

    if (text.len > 0) {
        (void)printf("%s%s\n", indent, show_safe(text, safe));
    }
}

static void print_gate(struct jr gate)
{
    int64_t clears_ms = when_field(gate, "clears_at");
    struct str detail = field_str(gate, "detail");
    struct str clears = field_str(gate, "clears");
    char safe[SHOW_SAFE_BYTES];
    char away[WHEN_BYTES];

    (void)printf("  - %s", show_safe(detail.len > 0 ? detail : field_str(gate, "gate"), safe));
    if (clears.len > 0 && !str_is(clears, "never")) {
        (void)printf("; it clears %s", show_safe(clears, safe));
    }
    if (clears_ms != WHEN_NONE) {
        (void)printf(" (%s)", when_relative(clears_ms, chrono_wall_ms(), away));
    }
    (void)printf("\n");
    print_text("    ", field_str(gate, "advice"));
}

/* What runs, and what is over, is held by nothing; false where it is neither. */
static bool tell_what_needs_no_reason(const char *what, struct jr gate)
{
    struct str kind = field_str(gate, "gate");
    char safe[SHOW_SAFE_BYTES];

    if (str_is(kind, "running")) {
        (void)printf("%s is running: %s.\n", what, show_safe(field_str(gate, "detail"), safe));
    } else if (str_is(kind, "job_ended") || str_is(kind, "ended")) {
        (void)printf("%s is over: %s.\n", what, show_safe(field_str(gate, "detail"), safe));
    } else {
        return false;
    }
    print_text("  ", field_str(gate, "advice"));
    return true;
}

static void tell_gates(struct jr root, const char *what)
{
    struct jr gates = jr_get(root, "gates");
    size_t count = jr_count(gates);

    if (field_bool(root, "runnable")) {
        (void)printf("Nothing holds %s back; it runs when its turn comes.\n", what);
        return;
    }
    if (count == 1 && tell_what_needs_no_reason(what, jr_at(gates, 0))) {
        return;
    }
    if (count > 0) {
        (void)printf("%s does not run now, for %s:\n", what, count == 1 ? "this reason" : "these reasons");
    }
    for (size_t i = 0; i < count; i++) {
        print_gate(jr_at(gates, i));
    }
}

static void tell_expiry(struct jr root)
{
    int64_t expires_ms = when_field(root, "expires_at");
    char at[WHEN_BYTES];

    if (expires_ms != WHEN_NONE) {
        (void)printf("If it has not started by %s it never will (expires_after).\n", when_exact(expires_ms, at));
    }
}

static void tell_last(struct jr last)
{
    char safe[SHOW_SAFE_BYTES], status[SHOW_SAFE_BYTES], away[WHEN_BYTES], error[JOB_VIEW_BYTES];

    if (!field_is_set(last, "status")) {
        return;
    }
    (void)job_view_error(jr_get(last, "error"), error);
    (void)printf("The last one that ended, %s, %s %s%s%s.\n", show_safe(field_str(last, "trigger"), safe),
                 show_safe(field_str(last, "status"), status),
                 when_relative(when_field(last, "finished_at"), chrono_wall_ms(), away), error[0] != '\0' ? ": " : "",
                 error);
}

static void tell_skips(struct jr skips)
{
    if (jr_count(skips) > 0) {
        (void)printf("What did not run lately:\n");
    }
    for (size_t i = 0; i < jr_count(skips); i++) {
        print_text("  - ", field_str(jr_at(skips, i), "detail"));
    }
}

/* One fire: what became of it alone; its gates only while they are what holds it. */
static void tell_fire(struct jr root, struct jr fire, const char *what)
{
    struct str outcome = field_str(fire, "outcome");
    char at[WHEN_BYTES], safe[SHOW_SAFE_BYTES];

    (void)printf("%s at %s: %s.\n", what, when_exact(when_field(fire, "at"), at), show_safe(outcome, safe));
    print_text("  ", field_str(fire, "detail"));
    if (str_is(outcome, "due")) {
        tell_gates(root, what);
    }
}

static void tell(struct api *api, const char *subject)
{
    struct jr fire = jr_get(api->root, "fire");
    char what[SHOW_SAFE_BYTES];

    (void)show_safe(str_from(subject), what);
    if (field_is_set(fire, "outcome")) {
        tell_fire(api->root, fire, what);
        return;
    }
    tell_gates(api->root, what);
    tell_expiry(api->root);
    tell_last(jr_get(api->root, "last_result"));
    tell_skips(jr_get(api->root, "skipped"));
}

static int ask(struct api *api, const struct command *command, const struct why_options *options,
               const struct arguments *arguments)
{
    SCOPE(url_done) struct url url;

    url_init(&url);
    int exit_code = one_job_open(api, command, &options->job, arguments);
    if (exit_code == EXIT_DONE && options->at.ptr != NULL && job_ref_is_trigger(arguments->rest[0])) {
        exit_code = command_usage(command->name, "--at asks about a job's fires; a trigger has one time alone");
    }
    if (exit_code == EXIT_DONE) {
        exit_code = one_job_url(command, &options->job, arguments->rest[0], "/why", &url);
    }
    if (exit_code == EXIT_DONE && options->at.ptr != NULL) {
        url_query(&url, "at", options->at);
    }
    return exit_code == EXIT_DONE ? api_get(api, &url) : exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct why_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    int exit_code = ask(&api, command, &options, &arguments);
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE) {
        tell(&api, arguments.rest[0]);
    }
    return exit_code;
}

static const struct option table[] = {
    {"at", "TIME", "what became of the fire at that time: an instant, or a local time of the job's zone",
     offsetof(struct why_options, at)},
    ONE_JOB_TENANT_ROW,
    {0},
};

const struct command command_why = {
    .name = "why",
    .group = "Jobs",
    .summary = "why a job or a trigger does not run now, or did not run then",
    .usage = "belfry why JOB|TRIGGER     every gate that holds it, when it opens and what to do; what was skipped\n"
             "belfry why JOB --at TIME   what became of that fire: how it ran, or why it did not\n",
    .text = "JOB is NAME, TENANT/NAME or an id.\n",
    .examples = "belfry why acme/morning-report --at 2026-11-15T09:00\n",
    .options = table,
    .is_api = true,
    .run = run,
};
