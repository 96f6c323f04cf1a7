#include <stdio.h>

#include "base/mem.h"
#include "cli/api.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/job_view.h"
#include "cli/show.h"
#include "cli/term.h"

struct doctor_options {
    struct api_options api;
    bool is_quiet;
};

static void print_examples(struct jr examples)
{
    struct str id;
    char safe[SHOW_SAFE_BYTES];

    for (size_t i = 0; i < jr_count(examples); i++) {
        if (jr_as_str(jr_at(examples, i), &id, NULL) == ERR_OK) {
            (void)printf("             belfry show %s\n", show_safe(id, safe));
        }
    }
}

static void print_check(struct jr check, const struct term *term)
{
    struct jr findings = jr_get(check, "findings");
    struct str severity = field_str(check, "severity");
    enum style style = job_view_style(severity);
    char safe[SHOW_SAFE_BYTES];

    (void)printf("%s%-8s%s ", term_style(term->is_coloured, style), show_safe(severity, safe),
                 term_plain(term->is_coloured, style));
    (void)printf("%s", show_safe(field_str(check, "title"), safe));
    (void)printf(" %s\n", show_safe(field_str(check, "detail"), safe));
    for (size_t i = 0; i < jr_count(findings); i++) {
        struct jr finding = jr_at(findings, i);

        (void)printf("         - %s\n", show_safe(field_str(finding, "detail"), safe));
        (void)printf("           %s\n", show_safe(field_str(finding, "advice"), safe));
        if (field_str(finding, "command").len > 0) {
            (void)printf("             %s\n", show_safe(field_str(finding, "command"), safe));
        }
        print_examples(jr_get(finding, "examples"));
    }
}

/* A finding is an answer, not a failure; only what is critical ends with 1, so that a script can watch it. */
static int tell(const struct api *api, const struct doctor_options *options)
{
    struct jr checks = jr_get(api->root, "checks");
    struct term term = term_look();

    for (size_t i = 0; i < jr_count(checks) && !api->is_json; i++) {
        struct jr check = jr_at(checks, i);

        if (!options->is_quiet || !str_is(field_str(check, "severity"), "ok")) {
            print_check(check, &term);
        }
    }
    return str_is(field_str(api->root, "severity"), "critical") ? EXIT_REFUSED : EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct doctor_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    SCOPE(api_close) struct api api;
    SCOPE(url_done) struct url url;
    url_init(&url);
    url_path(&url, "/v1/doctor");
    int exit_code = api_open_with(&api, command, &options.api, &arguments, 0);
    if (exit_code == EXIT_DONE) {
        exit_code = api_get(&api, &url);
    }
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    if (api.is_json) {
        api_print_json(&api);
    }
    return tell(&api, &options);
}

static const struct option table[] = {
    {"quiet", NULL, "only what is not well", offsetof(struct doctor_options, is_quiet)},
    {0},
};

const struct command command_doctor = {
    .name = "doctor",
    .group = "Operating",
    .summary = "what a person on call would look at, looked at, with advice",
    .usage = "belfry doctor [--quiet]     the incident playbooks as checks; ends with 1 where something is critical\n",
    .options = table,
    .is_api = true,
    .run = run,
};
