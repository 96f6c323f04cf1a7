#include <stdio.h>

#include "base/json_write.h"
#include "base/mask.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/process.h"

#define OUT_BYTES_MAX (256 * 1024)

/* A secret is there or not; what it is stays where it is, also inside of a URL. */
static const char *shown(const struct config *config, enum config_id id, struct buf *room)
{
    const char *text = config_text(config, id);

    if (config_settings[id].kind == CONFIG_SECRET && text[0] != '\0') {
        return "(hidden)";
    }
    buf_reset(room);
    if (id == CONFIG_ALERT_URL && text[0] != '\0') { /* what follows the host is often a secret */
        mask_append_host(room, str_from(text));
    } else {
        mask_append(room, str_from(text));
    }
    return buf_text(room);
}

static void show_text(const struct config *config)
{
    SCOPE(buf_done) struct buf room;

    buf_init(&room, OUT_BYTES_MAX);
    (void)printf("# the file: %s\n", config->file != NULL ? config->file : "none");
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        (void)printf("%-16s = %-24s # %s\n", config_settings[i].name, shown(config, (enum config_id)i, &room),
                     config_source_text(config->values[i].source));
    }
}

static void show_json(const struct config *config)
{
    SCOPE(buf_done) struct buf out;
    SCOPE(buf_done) struct buf room;
    struct jw jw;

    buf_init(&out, OUT_BYTES_MAX);
    buf_init(&room, OUT_BYTES_MAX);
    jw_init(&jw, &out);
    jw_begin_object(&jw);
    jw_key(&jw, "file");
    if (config->file != NULL) {
        jw_str(&jw, str_from(config->file));
    } else {
        jw_null(&jw);
    }
    jw_key(&jw, "settings");
    jw_begin_object(&jw);
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        jw_key(&jw, config_settings[i].name);
        jw_begin_object(&jw);
        jw_key(&jw, "value");
        jw_str(&jw, str_from(shown(config, (enum config_id)i, &room)));
        jw_key(&jw, "from");
        jw_str(&jw, str_from(config_source_text(config->values[i].source)));
        jw_end_object(&jw);
    }
    jw_end_object(&jw);
    jw_end_object(&jw);
    jw_done(&jw);
    (void)printf("%s\n", buf_text(&out));
}

static int run(const struct command *command, int argc, char **argv)
{
    struct process_options options = {0};
    struct arguments arguments;
    struct config config;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    int exit_code = command_no_more(command->name, &arguments, 0);
    if (exit_code == EXIT_DONE) {
        exit_code = process_config(command->name, &options.flags, &config);
    }
    if (exit_code == EXIT_DONE) {
        (options.is_json ? show_json : show_text)(&config);
        config_done(&config);
    }
    return exit_code;
}

static const struct option table[] = {
    CONFIG_COMMON_TABLE(PROCESS_OPTION) CONFIG_SERVER_TABLE(PROCESS_OPTION) CONFIG_WORKER_TABLE(PROCESS_OPTION)
        CONFIG_REMOTE_TABLE(PROCESS_OPTION){"json", NULL, "one JSON object instead of text",
                                            offsetof(struct process_options, is_json)},
    {0},
};

const struct command command_config = {
    .name = "config",
    .group = "Run it",
    .summary = "the settings that hold, and where each comes from",
    .usage = "belfry config [options]        the settings that hold, and where each comes from\n",
    .text = "Takes the options of up, server and worker and shows what they would run with.\n"
            "What it prints is a file of settings.\n",
    .options = table,
    .run = run,
};
