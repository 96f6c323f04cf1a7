#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "cli/api.h"
#include "cli/commands.h"
#include "cli/field.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "cli/when.h"

/* The largest store that can be thought of, copied slowly. */
#define BACKUP_TIMEOUT_MS (6LL * 3600 * 1000)

struct backup_options {
    struct api_options api;
};

/* The server writes the file, so that it must not depend on where this process stands. */
static bool make_absolute(const char *path, char out[PLACE_PATH_BYTES_MAX])
{
    char here[PLACE_PATH_BYTES_MAX];

    if (path[0] == '/') {
        return snprintf(out, PLACE_PATH_BYTES_MAX, "%s", path) < PLACE_PATH_BYTES_MAX;
    }
    return getcwd(here, sizeof here) != NULL &&
           snprintf(out, PLACE_PATH_BYTES_MAX, "%s/%s", here, path) < PLACE_PATH_BYTES_MAX;
}

static int send(struct api *api, const char *path)
{
    SCOPE(url_done) struct url url;
    SCOPE(buf_done) struct buf body;
    char length[WHEN_BYTES];
    char safe[SHOW_SAFE_BYTES];
    struct progress progress = progress_begin("the server copies its store", 0);
    struct jw jw;

    url_init(&url);
    url_path(&url, "/v1/backup");
    buf_init(&body, 8 * PLACE_PATH_BYTES_MAX);
    jw_init(&jw, &body);
    jw_begin_object(&jw);
    jw_key(&jw, "path");
    jw_text(&jw, path);
    jw_end_object(&jw);
    client_set_timeout(api->client, BACKUP_TIMEOUT_MS);
    client_watch(api->client, progress_goes_on, &progress);
    int exit_code = api_write(api, "POST", &url, buf_str(&body));
    if (exit_code == EXIT_DONE && api->is_json) {
        api_print_json(api);
    } else if (exit_code == EXIT_DONE) {
        (void)printf("%s: %lld bytes in %s\n", show_safe(field_str(api->root, "path"), safe),
                     (long long)field_int(api->root, "bytes", 0),
                     when_length(field_int(api->root, "duration_ms", 0), length));
    }
    return exit_code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct backup_options options = {0};
    struct arguments arguments;
    char path[PLACE_PATH_BYTES_MAX];

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (arguments.count == 0 || arguments.rest[0][0] == '\0') {
        return command_usage(command->name, "which file shall it be?");
    }
    int exit_code = command_no_more(command->name, &arguments, 1);
    if (exit_code == EXIT_DONE && !make_absolute(arguments.rest[0], path)) {
        exit_code = command_usage(command->name, "the path is too long");
    }
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    SCOPE(api_close) struct api api;
    exit_code = api_open(&api, command, &options.api);
    return exit_code == EXIT_DONE ? send(&api, path) : exit_code;
}

const struct command command_backup = {
    .name = "backup",
    .group = "Operating",
    .summary = "a copy of the store, while the server works on",
    .usage = "belfry backup FILE     the server writes a consistent copy of its store into a new file of its machine\n",
    .text = "FILE must not be there yet, and the server's user must be able to write it. Put it back with: belfry "
            "restore\n",
    .is_api = true,
    .run = run,
};
