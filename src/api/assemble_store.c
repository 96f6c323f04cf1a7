#include "api/assemble_store.h"

#include <stdio.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "server/home.h"
#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"

#define STORE_NAME "belfry.db"
#define SQLITE_PREFIX "sqlite:"

bool assemble_is_database(const char *store)
{
    return str_starts_with(str_from(store), STR("postgres://")) ||
           str_starts_with(str_from(store), STR("postgresql://"));
}

static enum err code_of(enum store_outcome outcome, const struct error *error)
{
    if (outcome == STORE_FENCED) {
        return ERR_CONFLICT;
    }
    return error->code != ERR_OK ? error->code : ERR_IO;
}

static enum err open_database(const char *url, char *shown, size_t shown_bytes, struct store **ret_store,
                              struct error *reterr)
{
    const struct postgres_options options = {.url = url};
    SCOPE(buf_done) struct buf masked;
    struct error error = {0};

    buf_init(&masked, shown_bytes);
    mask_append(&masked, str_from(url));
    (void)snprintf(shown, shown_bytes, "%s", buf_text(&masked));
    enum store_outcome outcome = postgres_store_open(&options, ret_store, &error);

    return outcome == STORE_DONE ? ERR_OK : err_set(reterr, code_of(outcome, &error), "%s", error.text);
}

static enum err open_file(const char *data, const char *path, char *shown, size_t shown_bytes, struct store **ret_store,
                          struct error *reterr)
{
    char usual[HOME_PATH_BYTES_MAX];
    struct error error = {0};
    enum err err = home_path(data, STORE_NAME, usual, reterr);

    if (err != ERR_OK) {
        return err;
    }
    int written = snprintf(shown, shown_bytes, "%s", path[0] != '\0' ? path : usual);
    if (written < 0 || (size_t)written >= shown_bytes) {
        return err_set(reterr, ERR_INVALID, "the path of the store is too long");
    }
    const struct sqlite_options options = {.path = shown};
    enum store_outcome outcome = sqlite_store_open(&options, ret_store, &error);

    return outcome == STORE_DONE ? ERR_OK : err_set(reterr, code_of(outcome, &error), "%s", error.text);
}

enum err assemble_store(const struct config *config, char *shown, size_t shown_bytes, struct store **ret_store,
                        struct error *reterr)
{
    const char *store = config_text(config, CONFIG_STORE);

    if (assemble_is_database(store)) {
        return open_database(store, shown, shown_bytes, ret_store, reterr);
    }
    const char *kind_end = strstr(store, "://"); /* what follows may hold a password */
    if (kind_end != NULL) {
        return err_set(
            reterr, ERR_INVALID,
            "cannot use the store %.*s://...: give postgres://USER@HOST/DATABASE, the path of an SQLite file, "
            "or nothing",
            (int)(kind_end - store), store);
    }
    if (str_starts_with(str_from(store), STR(SQLITE_PREFIX))) {
        store += strlen(SQLITE_PREFIX);
    }
    return open_file(config_text(config, CONFIG_DATA), store, shown, shown_bytes, ret_store, reterr);
}
