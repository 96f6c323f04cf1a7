/* init: makes a database ready for servers, or brings its schema up to date. */
#include <stdio.h>

#include "base/mask.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "store/postgres/postgres_store.h"

#define SHOWN_BYTES 1024

struct init_options {
    struct str store;
    struct str shards;
    bool is_json;
};

static int make(const struct command *command, const struct init_options *options, uint32_t shards)
{
    SCOPE_FREE char *url = mem_strndup(options->store.ptr, options->store.len);
    SCOPE(buf_done) struct buf shown;
    struct error error;

    buf_init(&shown, SHOWN_BYTES);
    mask_append(&shown, options->store);
    if (postgres_store_init(url, shards, &error) != ERR_OK) {
        return command_refuse(command->name, &error);
    }
    if (options->is_json) {
        (void)printf("{\"store\":\"%s\",\"shards\":%u}\n", buf_text(&shown), shards);
    } else {
        (void)printf("%s is ready. Start servers with:\n  belfry server --store %s --advertise http://HOST:7600\n"
                     "They need less than this role may do: docs/cluster.md has the grants for one of their own.\n",
                     buf_text(&shown), buf_text(&shown));
    }
    return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct init_options options = {0};
    struct arguments arguments;
    struct error error;
    int64_t shards = 1;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    int exit_code = command_no_more(command->name, &arguments, 0);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    if (!str_starts_with(options.store, STR("postgres://")) && !str_starts_with(options.store, STR("postgresql://"))) {
        return command_usage(command->name, "say which database: --store postgres://USER@HOST/DATABASE");
    }
    /* The code is written for many, and runs one. */
    if (options.shards.ptr != NULL && str_to_int(options.shards, 1, 1, &shards, &error) != ERR_OK) {
        return command_usage(command->name, "--shards: this version runs one shard");
    }
    return make(command, &options, (uint32_t)shards);
}

static const struct option table[] = {
    {"store", "URL", "the database: postgres://USER@HOST/DATABASE", offsetof(struct init_options, store)},
    {"shards", "N", "how many shards (1)", offsetof(struct init_options, shards)},
    {"json", NULL, "one JSON object instead of text", offsetof(struct init_options, is_json)},
    {0},
};

const struct command command_init = {
    .name = "init",
    .group = "Run it",
    .summary = "make a PostgreSQL database ready for servers",
    .usage = "belfry init --store postgres://USER@HOST/DATABASE     makes the schema, or brings it up to date\n",
    .text = "Needs a role that may create a schema in the database; servers need less (see docs/cluster.md).\n",
    .options = table,
    .run = run,
};
