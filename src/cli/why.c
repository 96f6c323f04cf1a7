#include <stdio.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/one_job.h"
#include "cli/show.h"
#include "cli/when.h"

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
}

/* What runs, and what is over, is held by nothing; false where it is neither. */
static bool tell_what_needs_no_reason(const char *what, struct jr gate)
{
    struct str kind = field_str(gate, "gate");

    if (str_is(kind, "running")) {
        (void)printf("%s is running; belfry show %s tells more.\n", what, what);
    } else if (str_is(kind, "job_ended") || str_is(kind, "ended")) {
        (void)printf("%s is over; belfry show %s tells more.\n", what, what);
    } else {
        return false;
    }
    return true;
}

static void tell(struct api *api, const char *what)
{
    struct jr gates = jr_get(api->root, "gates");
    size_t count = jr_count(gates);
    char safe[SHOW_SAFE_BYTES];

    (void)show_safe(str_from(what), safe);
    if (field_bool(api->root, "runnable")) {
        (void)printf("Nothing holds %s back; it runs when its turn comes.\n", safe);
        return;
    }
    if (count == 1 && tell_what_needs_no_reason(safe, jr_at(gates, 0))) {
        return;
    }
    if (count > 0) {
        (void)printf("%s does not run now, for %s:\n", safe, count == 1 ? "this reason" : "these reasons");
    }
    for (size_t i = 0; i < count; i++) {
        print_gate(jr_at(gates, i));
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct one_job_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    int exit_code = one_job_get(&api, command, &options, &arguments, "/why");
    if (exit_code == EXIT_DONE && api.is_json) {
        api_print_json(&api);
    } else if (exit_code == EXIT_DONE) {
        tell(&api, arguments.rest[0]);
    }
    return exit_code;
}

const struct command command_why = {
    .name = "why",
    .group = "Jobs",
    .summary = "why a job or a trigger does not run now",
    .usage = "belfry why JOB|TRIGGER     every gate that holds it, and when it opens\n",
    .text = "JOB is NAME, TENANT/NAME or an id.\n",
    .options = one_job_option_table,
    .is_api = true,
    .run = run,
};
