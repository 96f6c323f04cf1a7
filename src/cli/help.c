#include "cli/help.h"

#include <string.h>

#include "cli/api.h"

/* The longest help, many times over. */
#define HELP_BYTES_MAX (64 * 1024)
/* Where the texts of options begin. */
#define TEXT_COLUMN 26

/* The lines of text, each but the first behind so many blanks. */
static void put_indented(struct buf *out, const char *text, int blanks)
{
    for (const char *c = text; *c != '\0'; c++) {
        buf_append_char(out, *c);
        if (*c == '\n') {
            buf_printf(out, "%*s", blanks, "");
        }
    }
    buf_append_char(out, '\n');
}

static void put_option(struct buf *out, const char *name, const char *value, const char *help)
{
    size_t before = out->len;

    buf_printf(out, "  %s%s%s", name, value != NULL ? " " : "", value != NULL ? value : "");
    size_t used = out->len - before;
    if (used + 2 > TEXT_COLUMN) {
        buf_append_char(out, '\n');
        used = 0;
    }
    buf_printf(out, "%*s", TEXT_COLUMN - (int)used, "");
    put_indented(out, help, TEXT_COLUMN);
}

static void put_options(struct buf *out, const struct option *options)
{
    char name[STR_PRINT_BYTES_MAX];

    for (; options != NULL && options->name != NULL; options++) {
        (void)snprintf(name, sizeof name, "--%s", options->name);
        put_option(out, name, options->value, options->help);
    }
}

static void put_examples(struct buf *out, const char *examples)
{
    buf_append_text(out, "\nExamples:\n");
    for (const char *line = examples; *line != '\0';) {
        size_t len = strcspn(line, "\n");

        buf_printf(out, "  %.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

void help_write(const struct command *command, struct buf *out)
{
    buf_append_text(out, command->usage);
    if (command->text != NULL) {
        buf_printf(out, "\n%s", command->text);
    }
    buf_append_char(out, '\n');
    put_options(out, command->options);
    if (command->is_api) {
        put_options(out, api_option_table);
    }
    put_option(out, "-h, --help", NULL, "this text");
    if (command->examples != NULL) {
        put_examples(out, command->examples);
    }
}

void help_print(const struct command *command)
{
    struct buf out;

    buf_init(&out, HELP_BYTES_MAX);
    help_write(command, &out);
    (void)fputs(buf_text(&out), stdout);
    buf_done(&out);
}

void help_list(FILE *out)
{
    const char *group = "";

    (void)fputs("belfry: a job scheduler that never misses a fire and never fires twice\n\nusage: belfry COMMAND ...\n",
                out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(group, commands[i]->group) != 0) {
            group = commands[i]->group;
            (void)fprintf(out, "\n%s\n", group);
        }
        (void)fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    (void)fputs("\nbelfry COMMAND -h tells more about one of them.\n"
                "--data, --url, --token-file and --json may also stand before the command.\n"
                "Exit status: 0 done, 1 refused or failed, 2 called wrongly, 3 the server cannot be reached.\n",
                out);
}
