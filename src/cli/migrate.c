/* migrate: moves what an embedded store remembers into a database. Works on the file: its server must not run. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/assemble_store.h"
#include "base/json_write.h"
#include "base/mask.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "client/place.h"
#include "server/home.h"
#include "store/copy.h"
#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"

/* What the server calls its file in the data folder. */
#define STORE_NAME "belfry.db"
#define SQLITE_PREFIX "sqlite:"
#define SHOWN_BYTES 1024
#define TALLY_JSON_BYTES 8192

struct migrate_options {
    bool is_dry;
    bool is_json;
};

struct migrate {
    char path[PLACE_PATH_BYTES_MAX + sizeof "/" STORE_NAME];
    const char *url;
    struct buf shown; /* the URL for people */
    struct store *from, *to;
    struct copy_tally tally;
};

/* ---- how far it is ---- */

struct watching {
    struct progress progress;
    enum copy_stage stage;
    uint64_t total; /* rows of the source, once they are counted */
};

static void told(void *context, enum copy_stage stage, uint64_t rows)
{
    static const char *const whats[] = {"rows counted", "rows copied", "rows compared"};
    struct watching *watching = context;

    if (stage != watching->stage) {
        progress_wipe(&watching->progress);
        watching->progress = progress_begin(whats[stage], (int64_t)watching->total);
        watching->stage = stage;
    }
    if (stage == COPY_READING) {
        watching->total = rows;
    }
    progress_at(&watching->progress, (int64_t)rows);
}

/* ---- both ends ---- */

/* A folder stands for the store in it. */
static enum err find_file(const char *from, struct migrate *migrate, struct error *reterr)
{
    const char *path = from + strlen(SQLITE_PREFIX);
    struct stat found;

    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode)) {
        (void)snprintf(migrate->path, sizeof migrate->path, "%s/" STORE_NAME, path);
    } else {
        (void)snprintf(migrate->path, sizeof migrate->path, "%s", path);
    }
    return stat(migrate->path, &found) == 0 && S_ISREG(found.st_mode)
               ? ERR_OK
               : err_set(reterr, ERR_NOT_FOUND, "there is no store at %s", migrate->path);
}

static enum err open_both(struct migrate *migrate, struct error *reterr)
{
    const struct sqlite_options file = {.path = migrate->path};
    const struct postgres_options database = {.url = migrate->url};
    enum store_outcome outcome = sqlite_store_open(&file, &migrate->from, reterr);

    if (outcome == STORE_FENCED) {
        return err_wrap(reterr, ERR_CONFLICT, "stop the server on %s first", migrate->path);
    }
    if (outcome == STORE_DONE) {
        outcome = postgres_store_open(&database, &migrate->to, reterr);
    }
    return outcome == STORE_DONE ? ERR_OK : reterr->code;
}

static enum err count(struct migrate *migrate, const struct copy_watch *watch, struct error *reterr)
{
    enum store_outcome outcome = copy_target_check(migrate->to, reterr);

    if (outcome == STORE_DONE) {
        outcome = copy_tally(migrate->from, watch, COPY_READING, &migrate->tally, reterr);
    }
    return outcome == STORE_DONE ? ERR_OK : reterr->code;
}

static enum err copy(struct migrate *migrate, const struct copy_watch *watch, struct error *reterr)
{
    struct store_owner owner = {.name = STR("belfry migrate"), .url = STR("")};
    enum err err = home_random(owner.nonce, sizeof owner.nonce, reterr);

    if (err != ERR_OK) {
        return err;
    }
    enum store_outcome outcome = copy_all(migrate->from, migrate->to, &owner, watch, &migrate->tally, reterr);

    return outcome == STORE_DONE ? ERR_OK : reterr->code;
}

/* ---- what came of it ---- */

static void print_json(const struct migrate *migrate, bool is_dry)
{
    SCOPE(buf_done) struct buf text;
    char digest[20];
    struct jw jw;

    buf_init(&text, TALLY_JSON_BYTES);
    jw_init(&jw, &text);
    jw_begin_object(&jw);
    jw_key(&jw, "migrated");
    jw_bool(&jw, !is_dry);
    jw_key(&jw, "rows");
    jw_uint(&jw, migrate->tally.total);
    jw_key(&jw, "digest");
    (void)snprintf(digest, sizeof digest, "%016llx", (unsigned long long)migrate->tally.digest);
    jw_text(&jw, digest);
    jw_key(&jw, "tables");
    jw_begin_object(&jw);
    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        jw_key(&jw, copy_kind_text((enum row_kind)kind));
        jw_uint(&jw, migrate->tally.counts[kind]);
    }
    jw_end_object(&jw);
    jw_end_object(&jw);
    (void)printf("%s\n", buf_text(&text));
}

static void print_text(const struct migrate *migrate, bool is_dry)
{
    char safe[SHOW_SAFE_BYTES];

    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        if (migrate->tally.counts[kind] > 0) {
            (void)printf("%12llu  %s\n", (unsigned long long)migrate->tally.counts[kind],
                         copy_kind_text((enum row_kind)kind));
        }
    }
    (void)printf("%12llu  rows in all, digest %016llx\n", (unsigned long long)migrate->tally.total,
                 (unsigned long long)migrate->tally.digest);
    if (is_dry) {
        (void)printf("nothing was copied: --dry-run\n");
        return;
    }
    (void)printf("all of them are in %s, and were read back and compared\n", buf_text(&migrate->shown));
    (void)printf("Start servers with:\n  belfry server --store %s --advertise http://HOST:7600\n",
                 buf_text(&migrate->shown));
    (void)printf("They need the token that clients have: put it into BELFRY_TOKEN, or the file token into their data "
                 "folders.\n%s is as it was. Start no server on it again: both would fire.\n",
                 show_safe(str_from(migrate->path), safe));
}

static int fail(const struct command *command, bool is_json, const struct error *error)
{
    if (is_json) {
        show_error_json(error);
        return EXIT_REFUSED;
    }
    return command_refuse(command->name, error);
}

static int migrate_to(const struct command *command, const struct migrate_options *options, const char *from,
                      const char *url)
{
    struct migrate migrate = {.url = url};
    struct watching watching = {.progress = progress_begin("rows counted", 0)};
    const struct copy_watch watch = {told, &watching};
    struct error error = {0};

    buf_init(&migrate.shown, SHOWN_BYTES);
    mask_append(&migrate.shown, str_from(url));
    enum err err = find_file(from, &migrate, &error);

    if (err == ERR_OK) {
        err = open_both(&migrate, &error);
    }
    if (err == ERR_OK) {
        err = options->is_dry ? count(&migrate, &watch, &error) : copy(&migrate, &watch, &error);
    }
    progress_wipe(&watching.progress);
    store_close(migrate.to);
    store_close(migrate.from);
    if (err == ERR_OK && options->is_json) {
        print_json(&migrate, options->is_dry);
    } else if (err == ERR_OK) {
        print_text(&migrate, options->is_dry);
    }
    buf_done(&migrate.shown);
    return err == ERR_OK ? EXIT_DONE : fail(command, options->is_json, &error);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct migrate_options options = {0};
    struct arguments arguments;

    if (!options_read(command, argc, argv, &options, &arguments)) {
        return arguments.exit_code;
    }
    if (arguments.count < 2) {
        return command_usage(command->name, "say from where and to where: sqlite:PATH postgres://USER@HOST/DATABASE");
    }
    int exit_code = command_no_more(command->name, &arguments, 2);
    if (exit_code != EXIT_DONE) {
        return exit_code;
    }
    if (!str_starts_with(str_from(arguments.rest[0]), STR(SQLITE_PREFIX)) ||
        strlen(arguments.rest[0]) >= PLACE_PATH_BYTES_MAX) {
        return command_usage(command->name, "the first is the file to copy from: sqlite:PATH");
    }
    if (!assemble_is_database(arguments.rest[1])) {
        return command_usage(command->name, "the second is the database to copy to: postgres://USER@HOST/DATABASE");
    }
    return migrate_to(command, &options, arguments.rest[0], arguments.rest[1]);
}

static const struct option table[] = {
    {"dry-run", NULL, "look at both and count what there is to copy", offsetof(struct migrate_options, is_dry)},
    {"json", NULL, "one JSON object instead of text", offsetof(struct migrate_options, is_json)},
    {0},
};

const struct command command_migrate = {
    .name = "migrate",
    .group = "Operating",
    .summary = "move the local store into a PostgreSQL database",
    .usage = "belfry migrate sqlite:PATH postgres://USER@HOST/DATABASE     PATH is the file, or its data folder\n",
    .text = "The server on the file must not run, and the database is made by belfry init and empty. Everything goes\n"
            "over: jobs with their cursors, history, what runs, settings. The rows are read back and compared. Until\n"
            "then no server can use the database; a migration that was cut off is run again, and begins anew. The\n"
            "file is only read.\n",
    .options = table,
    .run = run,
};
