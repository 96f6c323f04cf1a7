/* completion: what a shell must know to complete belfry's words, made of the commands' own tables. */
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "cli/api.h"
#include "cli/commands.h"

#define JSON_BYTES_MAX (1024 * 1024)

struct completion_options {
    bool is_json;
};

/* Calls put for each option of a command, the API's included. */
static void each_option(const struct command *command, void (*put)(const struct command *, const struct option *))
{
    for (const struct option *option = command->options; option != NULL && option->name != NULL; option++) {
        put(command, option);
    }
    for (const struct option *option = api_option_table; command->is_api && option->name != NULL; option++) {
        put(command, option);
    }
}

/* For use between single quotes: there is no way to write one there. The first line only. */
static void put_quoted(const char *text)
{
    for (; *text != '\0' && *text != '\n'; text++) {
        (void)fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, stdout);
    }
}

static void bash_name(const struct command *command, const struct option *option)
{
    (void)command;
    (void)printf(" --%s", option->name);
}

static void bash_value(const struct command *command, const struct option *option)
{
    if (option->value == NULL) {
        return;
    }
    (void)printf("    '%s --%s') ", command->name, option->name);
    if (option->choices == NULL) {
        (void)printf("return ;;\n");
    } else if (option->choices[0] == '@') {
        (void)printf("COMPREPLY=($(compgen -%c -- \"$word\")); return ;;\n", option->choices[1] == 'd' ? 'd' : 'f');
    } else {
        (void)printf("COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", option->choices);
    }
}

static void put_bash(void)
{
    (void)fputs("# bash completion of belfry; load it with: source <(belfry completion bash)\n"
                "_belfry()\n{\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
                "    COMPREPLY=()\n"
                "    if ((COMP_CWORD == 1)); then\n"
                "        COMPREPLY=($(compgen -W 'help",
                stdout);
    for (size_t i = 0; commands[i] != NULL; i++) {
        (void)printf(" %s", commands[i]->name);
    }
    (void)fputs("' -- \"$word\"))\n        return\n    fi\n    case \"$command $before\" in\n", stdout);
    for (size_t i = 0; commands[i] != NULL; i++) {
        each_option(commands[i], bash_value);
    }
    (void)fputs("    esac\n    case \"$command\" in\n", stdout);
    for (size_t i = 0; commands[i] != NULL; i++) {
        (void)printf("    %s) COMPREPLY=($(compgen -W '%s", commands[i]->name,
                     commands[i]->words != NULL ? commands[i]->words : "");
        each_option(commands[i], bash_name);
        (void)printf(" --help' -- \"$word\")) ;;\n");
    }
    (void)fputs("    esac\n}\ncomplete -o default -F _belfry belfry\n", stdout);
}

/* In an argument of _arguments colons and brackets mean something. */
static void put_zsh_text(const char *text)
{
    for (; *text != '\0' && *text != '\n'; text++) {
        if (*text == '\'') {
            (void)fputs("'\\''", stdout);
        } else {
            (void)fputs(strchr("[]:\\", *text) != NULL ? "\\" : "", stdout);
            (void)fputc(*text, stdout);
        }
    }
}

static void zsh_option(const struct command *command, const struct option *option)
{
    (void)command;
    (void)printf(" \\\n            '%s--%s[", option->is_list ? "*" : "", option->name);
    put_zsh_text(option->help);
    (void)printf("]");
    if (option->value != NULL) {
        (void)printf(":");
        put_zsh_text(option->value);
        if (option->choices == NULL) {
            (void)printf(": ");
        } else if (option->choices[0] == '@') {
            (void)printf(":%s", option->choices[1] == 'd' ? "_files -/" : "_files");
        } else {
            (void)printf(":(%s)", option->choices);
        }
    }
    (void)printf("'");
}

static void put_zsh(void)
{
    (void)fputs("#compdef belfry\n# zsh completion of belfry; load it with: source <(belfry completion zsh)\n"
                "_belfry()\n{\n    if ((CURRENT == 2)); then\n        local -a commands=(\n",
                stdout);
    for (size_t i = 0; commands[i] != NULL; i++) {
        (void)printf("            '%s:", commands[i]->name);
        put_zsh_text(commands[i]->summary);
        (void)printf("'\n");
    }
    (void)fputs("        )\n        _describe command commands\n        return\n    fi\n"
                "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n",
                stdout);
    for (size_t i = 0; commands[i] != NULL; i++) {
        (void)printf("    %s)\n        _arguments", commands[i]->name);
        each_option(commands[i], zsh_option);
        (void)printf(" \\\n            '--help[this text]'");
        if (commands[i]->words != NULL) {
            (void)printf(" \\\n            '1: :(%s)'", commands[i]->words);
        }
        (void)printf(" \\\n            '*: :_files'\n        ;;\n");
    }
    (void)fputs("    esac\n}\ncompdef _belfry belfry\n", stdout);
}

static void fish_option(const struct command *command, const struct option *option)
{
    (void)printf("complete -c belfry -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->value != NULL && option->choices != NULL && option->choices[0] != '@') {
        (void)printf(" -x -a '%s'", option->choices);
    } else if (option->value != NULL) {
        (void)printf("%s", option->choices != NULL ? " -r -F" : " -x");
    }
    (void)printf(" -d '");
    put_quoted(option->help);
    (void)printf("'\n");
}

static void put_fish(void)
{
    (void)fputs("# fish completion of belfry; load it with: belfry completion fish | source\n"
                "complete -c belfry -f\n",
                stdout);
    for (size_t i = 0; commands[i] != NULL; i++) {
        (void)printf("complete -c belfry -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        put_quoted(commands[i]->summary);
        (void)printf("'\n");
        if (commands[i]->words != NULL) {
            (void)printf("complete -c belfry -n '__fish_seen_subcommand_from %s' -a '%s'\n", commands[i]->name,
                         commands[i]->words);
        }
        each_option(commands[i], fish_option);
    }
}

static void json_text(struct jw *jw, const char *key, const char *text)
{
    jw_key(jw, key);
    if (text != NULL) {
        jw_text(jw, text);
    } else {
        jw_null(jw);
    }
}

static void json_options(struct jw *jw, const struct option *options)
{
    for (; options != NULL && options->name != NULL; options++) {
        jw_begin_object(jw);
        json_text(jw, "name", options->name);
        json_text(jw, "value", options->value);
        json_text(jw, "choices", options->choices);
        jw_end_object(jw);
    }
}

/* For editors, other shells and whoever else completes. */
static void put_json(void)
{
    SCOPE(buf_done) struct buf out;
    struct jw jw;

    buf_init(&out, JSON_BYTES_MAX);
    jw_init(&jw, &out);
    jw_begin_object(&jw);
    jw_key(&jw, "commands");
    jw_begin_array(&jw);
    for (size_t i = 0; commands[i] != NULL; i++) {
        jw_begin_object(&jw);
        json_text(&jw, "name", commands[i]->name);
        json_text(&jw, "summary", commands[i]->summary);
        json_text(&jw, "words", commands[i]->words);
        jw_key(&jw, "options");
        jw_begin_array(&jw);
        json_options(&jw, commands[i]->options);
        json_options(&jw, commands[i]->is_api ? api_option_table : NULL);
        jw_end_array(&jw);
        jw_end_object(&jw);
    }
    jw_end_array(&jw);
    jw_end_object(&jw);
    jw_done(&jw);
    (void)printf("%s\n", buf_text(&out));
}

static int run(const struct command *command, int argc, char **argv)
{
    static const struct {
        const char *shell;
        void (*put)(void);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    struct completion_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    int exit_code = command_no_more(command->name, &arguments, options.is_json ? 0 : 1);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    if (options.is_json) {
        put_json();
        return EXIT_DONE;
    }
    for (size_t i = 0; arguments.count == 1 && i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].shell, arguments.rest[0]) == 0) {
            shells[i].put();
            return EXIT_DONE;
        }
    }
    return command_usage(command->name, "which shell? bash, zsh or fish");
}

static const struct option table[] = {
    {"json", NULL, "the words of all commands as one JSON object, for no shell",
     offsetof(struct completion_options, is_json)},
    {0},
};

const struct command command_completion = {
    .name = "completion",
    .group = "This program",
    .summary = "completion for bash, zsh or fish",
    .usage = "belfry completion bash|zsh|fish     what the shell must know, on standard output\n"
             "belfry completion --json            the same for everybody else\n",
    .examples = "source <(belfry completion bash)\n"
                "belfry completion fish > ~/.config/fish/completions/belfry.fish\n",
    .words = "bash zsh fish",
    .options = table,
    .run = run,
};
