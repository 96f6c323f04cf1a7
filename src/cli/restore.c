/* restore: puts a backup in the place of the local store. Works on files: the server must not run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "client/place.h"
#include "server/home.h"
#include "store/sqlite/sqlite_store.h"

/* What the server calls its file in the data folder. */
#define STORE_NAME "belfry.db"
#define LOCK_NAME "/" STORE_NAME ".lock"

struct restore_options {
    struct str data;
    bool is_json;
};

/* The length of a path's longest beginning that is there. */
static size_t length_there(const char *path)
{
    char part[PLACE_PATH_BYTES_MAX];
    size_t there = path[0] == '/' ? 1 : 0;

    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            there = access(part, F_OK) == 0 ? i : there;
        }
    }
    return there;
}

/* Takes away the folders that were made for a store that did not come. */
static void unmake(const char *folder, size_t there)
{
    char path[PLACE_PATH_BYTES_MAX + sizeof LOCK_NAME];

    (void)snprintf(path, sizeof path, "%s" LOCK_NAME, folder);
    if (there < strlen(folder)) {
        (void)unlink(path);
    }
    for (size_t len = strlen(folder); len > there; len--) {
        path[len] = '\0';
        if (len == strlen(folder) || folder[len] == '/') {
            (void)rmdir(path);
        }
    }
}

static enum err put_back(const char *from, const char *folder, const char *to, struct error *reterr)
{
    size_t there = length_there(folder);

    if (access(from, R_OK) != 0) {
        return err_set(reterr, ERR_NOT_FOUND, "cannot read the backup %s: %s", from, strerror(errno));
    }
    enum err err = home_open(folder, reterr);
    if (err == ERR_OK) {
        err = sqlite_restore(from, to, reterr);
    }
    if (err != ERR_OK) {
        unmake(folder, there);
    }
    return err;
}

static int restore(const struct command *command, const struct restore_options *options, const char *from)
{
    const struct place_surroundings around = place_around();
    char folder[PLACE_PATH_BYTES_MAX];
    char to[PLACE_PATH_BYTES_MAX + sizeof "/" STORE_NAME];
    char safe[SHOW_SAFE_BYTES];
    struct error error;
    enum err err = place_data(options->data.ptr, &around, folder, &error);

    if (err == ERR_OK) {
        (void)snprintf(to, sizeof to, "%s/%s", folder, STORE_NAME);
        err = put_back(from, folder, to, &error);
    }
    if (err != ERR_OK && options->is_json) {
        show_error_json(&error);
        return EXIT_REFUSED;
    }
    if (err != ERR_OK) {
        return command_refuse(command->name, &error);
    }
    if (options->is_json) {
        (void)printf("{\"restored\":true}\n");
    } else {
        (void)printf("restored %s; start the server with: belfry up", show_safe(str_from(to), safe));
        (void)printf("%s%s\n", options->data.ptr != NULL ? " --data " : "", show_safe(options->data, safe));
    }
    return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct restore_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (arguments.count == 0) {
        return command_usage(command->name, "which backup?");
    }
    int exit_code = command_no_more(command->name, &arguments, 1);
    return exit_code == EXIT_DONE ? restore(command, &options, arguments.rest[0]) : exit_code;
}

static const struct option table[] = {
    {"data", "DIR",
     "the data folder (default BELFRY_DATA, else " PLACE_ROOT_DATA " for root,\n~/.local/share/belfry for others)",
     offsetof(struct restore_options, data), .choices = "@dir"},
    {"json", NULL, "one JSON object instead of text", offsetof(struct restore_options, is_json)},
    {0},
};

const struct command command_restore = {
    .name = "restore",
    .group = "Operating",
    .summary = "put a backup in the place of the local store",
    .usage = "belfry restore FILE [--data DIR]     checks all of the backup, then puts it in the store's place\n",
    .text = "The server must not run. DIR is made where it is not there; a store that was there before is kept beside\n"
            "it, as " STORE_NAME ".replaced.\n",
    .options = table,
    .run = run,
};
