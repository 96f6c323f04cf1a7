#include "cli/options.h"

#include <string.h>

#include "cli/api.h"
#include "cli/command.h"
#include "cli/help.h"

/* More options than any command has. */
#define OPTIONS_MAX 96

struct reading {
    const struct command *command;
    char *values;
    bool seen[OPTIONS_MAX]; /* by place in the tables: rule 3 */
};

/* The tables of a command one after the other: its own, then the API's. NULL at the end. */
static const struct option *option_at(const struct command *command, size_t index)
{
    for (const struct option *option = command->options; option != NULL && option->name != NULL; option++) {
        if (index-- == 0) {
            return option;
        }
    }
    for (const struct option *option = api_option_table; command->is_api && option->name != NULL; option++) {
        if (index-- == 0) {
            return option;
        }
    }
    return NULL;
}

/* Its place in the tables is untouched where there is none. */
static const struct option *find(const struct command *command, struct str name, size_t *ret_index)
{
    const struct option *option;

    for (size_t i = 0; i < OPTIONS_MAX && (option = option_at(command, i)) != NULL; i++) {
        if (str_is(name, option->name) || (option->also != NULL && str_is(name, option->also))) {
            *ret_index = i;
            return option;
        }
    }
    return NULL;
}

const struct option *options_find(const struct command *command, struct str name)
{
    size_t index;

    return find(command, name, &index);
}

static int refuse_unknown(const struct command *command, struct str name)
{
    const char *names[OPTIONS_MAX + 1] = {NULL};
    const struct option *option;

    for (size_t i = 0; i < OPTIONS_MAX && (option = option_at(command, i)) != NULL; i++) {
        names[i] = option->name;
    }
    const char *nearest = str_nearest(name, names);
    if (nearest != NULL) {
        return command_usage(command->name, "there is no option --%.*s; did you mean --%s?", STR_ARGS(name), nearest);
    }
    return command_usage(command->name, "there is no option --%.*s", STR_ARGS(name));
}

/* Whether value is one of the words in choices; a path or an option without choices may be anything. */
static bool is_choice(const char *choices, struct str value)
{
    struct str rest = str_from(choices);
    struct str word;
    bool done = false;

    while (choices != NULL && choices[0] != '@' && str_split(&rest, ' ', &done, &word)) {
        if (str_equal(word, value)) {
            return true;
        }
    }
    return choices == NULL || choices[0] == '@';
}

static int put_value(struct reading *reading, const struct option *option, struct str value)
{
    void *place = reading->values + option->offset;
    struct option_list *list = place;

    if (!is_choice(option->choices, value)) {
        return command_usage(reading->command->name, "--%s: \"%.*s\" is none of: %s", option->name, STR_ARGS(value),
                             option->choices);
    }
    if (!option->is_list) {
        *(struct str *)place = value;
        return EXIT_DONE;
    }
    if (list->count == OPTION_LIST_MAX) {
        return command_usage(reading->command->name, "--%s may be given %d times at most", option->name,
                             OPTION_LIST_MAX);
    }
    list->items[list->count++] = value;
    return EXIT_DONE;
}

/* Takes the option at argv[*at] and its value; moves *at to the last argument it took. */
static int take(struct reading *reading, int argc, char **argv, int *at)
{
    const char *command = reading->command->name;
    struct str text = str_skip(str_from(argv[*at]), 2);
    size_t equals = str_find_char(text, '=');
    struct str name = {text.ptr, equals};
    size_t index = 0;
    const struct option *option = find(reading->command, name, &index);

    if (option == NULL) {
        return refuse_unknown(reading->command, name);
    }
    if (option->value == NULL) {
        *(bool *)(reading->values + option->offset) = true;
        return equals == text.len ? EXIT_DONE : command_usage(command, "--%s takes no value", option->name);
    }
    if (reading->seen[index] && !option->is_list) {
        return command_usage(command, "--%s is given twice", option->name); /* rule 3 */
    }
    reading->seen[index] = true;
    if (equals < text.len) {
        return put_value(reading, option, str_skip(text, equals + 1));
    }
    if (*at + 1 == argc) {
        return command_usage(command, "--%s wants a value", option->name);
    }
    return put_value(reading, option, str_from(argv[++*at]));
}

static bool is_help(const char *argument)
{
    return strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0;
}

/* EXIT_DONE and true in *ret_goes_on, or the end of the command. */
static int read_one(struct reading *reading, int argc, char **argv, int *at, struct arguments *arguments,
                    bool *ret_goes_on)
{
    char *argument = argv[*at];
    bool is_ended = arguments->before >= 0;

    *ret_goes_on = true;
    if (is_ended || argument[0] != '-' || argument[1] == '\0') {
        arguments->rest[arguments->count++] = argument;
        return EXIT_DONE;
    }
    if (strcmp(argument, "--") == 0) {
        arguments->before = arguments->count;
        return EXIT_DONE;
    }
    if (is_help(argument)) {
        *ret_goes_on = false;
        help_print(reading->command);
        return EXIT_DONE;
    }
    return strncmp(argument, "--", 2) == 0 ? take(reading, argc, argv, at)
                                           : command_usage(argv[0], "there is no option %s", argument);
}

bool options_read(const struct command *command, int argc, char **argv, void *values, struct arguments *ret_arguments)
{
    struct reading reading = {.command = command, .values = values};

    *ret_arguments = (struct arguments){.rest = argv + 1, .before = -1};
    for (int i = 1; i < argc; i++) {
        bool goes_on = true;

        ret_arguments->exit_code = read_one(&reading, argc, argv, &i, ret_arguments, &goes_on);
        if (!goes_on || ret_arguments->exit_code != EXIT_DONE) {
            return false;
        }
    }
    if (ret_arguments->before < 0) {
        ret_arguments->before = ret_arguments->count;
    }
    return true;
}
