#include "cli/options.h"

#include <string.h>

#include "cli/command.h"

/* More options than any command has. */
#define OPTIONS_MAX 64

static const struct option *find(const struct option *options, struct str name)
{
    for (; options->name != NULL; options++) {
        if (str_is(name, options->name)) {
            return options;
        }
    }
    return NULL;
}

static int refuse_unknown(const char *command, const struct option *options, struct str name)
{
    const char *names[OPTIONS_MAX + 1];
    size_t count = 0;

    for (; options->name != NULL && count < OPTIONS_MAX; options++) {
        names[count++] = options->name;
    }
    names[count] = NULL;
    const char *nearest = str_nearest(name, names);
    if (nearest != NULL) {
        return command_usage(command, "there is no option --%.*s; did you mean --%s?", STR_ARGS(name), nearest);
    }
    return command_usage(command, "there is no option --%.*s", STR_ARGS(name));
}

/* Takes the option at argv[*at] and its value; moves *at to the last argument it took. */
static int take(int argc, char **argv, int *at, const struct option *options)
{
    struct str text = str_skip(str_from(argv[*at]), 2);
    size_t equals = str_find_char(text, '=');
    struct str name = {text.ptr, equals};
    const struct option *option = find(options, name);

    if (option == NULL) {
        return refuse_unknown(argv[0], options, name);
    }
    if (option->flag != NULL) {
        *option->flag = true;
        return equals == text.len ? EXIT_DONE : command_usage(argv[0], "--%s takes no value", option->name);
    }
    if (equals < text.len) {
        *option->value = str_skip(text, equals + 1);
        return EXIT_DONE;
    }
    if (*at + 1 == argc) {
        return command_usage(argv[0], "--%s wants a value", option->name);
    }
    *option->value = str_from(argv[++*at]);
    return EXIT_DONE;
}

static bool is_help(const char *argument)
{
    return strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0;
}

bool options_read(int argc, char **argv, const struct option *options, struct arguments *ret_arguments)
{
    bool ended = false;

    *ret_arguments = (struct arguments){.rest = argv + 1};
    for (int i = 1; i < argc; i++) {
        char *argument = argv[i];

        if (!ended && strcmp(argument, "--") == 0) {
            ended = true;
        } else if (!ended && is_help(argument)) {
            ret_arguments->exit_code = command_help(argv[0]);
            return false;
        } else if (!ended && strncmp(argument, "--", 2) == 0) {
            ret_arguments->exit_code = take(argc, argv, &i, options);
            if (ret_arguments->exit_code != EXIT_DONE) {
                return false;
            }
        } else if (!ended && argument[0] == '-' && argument[1] != '\0') {
            ret_arguments->exit_code = command_usage(argv[0], "there is no option %s", argument);
            return false;
        } else {
            ret_arguments->rest[ret_arguments->count++] = argument;
        }
    }
    return true;
}
