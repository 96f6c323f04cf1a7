/* config: how a server or worker is set up, and who said so.
 *
 * A setting comes from the command line, else from the environment, else from the file, else it is the default. The
 * file has lines of `name = value`; # begins a comment, at the beginning of a line or behind a blank. It is the one
 * that --config or BELFRY_CONFIG names, else belfry.conf in the data folder, where there is one.
 *
 * Owns:  the texts of its values.
 * Never: prints. Reads nothing but the file, and the environment through the function it is given.
 * Rules: (1) what is wrong is refused with its place and the nearest name; nothing is ignored in silence.
 *        (2) an empty variable of the environment counts as not given.
 *        (3) secrets come from the environment alone: a command line is seen by everybody, a file is copied.
 *        (4) the data folder's own file cannot say where the data folder is.
 * See:   config_table.h (the settings), tests/unit/server/test_config.c
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "server/config_table.h"

#define CONFIG_FILE_NAME "belfry.conf"
#define CONFIG_FILE_BYTES_MAX (64 * 1024)

enum config_kind {
    CONFIG_TEXT,
    CONFIG_PATH,
    CONFIG_COUNT,
    CONFIG_BYTES,    /* 4096, 64KiB, 32MiB, 1GiB */
    CONFIG_DURATION, /* 30s, 90d; in milliseconds */
    CONFIG_CHOICE,   /* one of a few words */
    CONFIG_SWITCH,   /* yes or no; on the command line it takes no value */
    CONFIG_SECRET,   /* rule 3 */
};

enum config_source { CONFIG_FROM_DEFAULT, CONFIG_FROM_FILE, CONFIG_FROM_ENVIRONMENT, CONFIG_FROM_FLAG };

struct config_setting {
    const char *name;
    enum config_kind kind;
    const char *value;    /* what stands for it in the help */
    const char *standard; /* the default, "" for none or for one that depends */
    int64_t low, high;    /* of numbers */
    const char *choices;  /* separated by blanks */
    const char *help;
};

struct config_value {
    char *text;
    int64_t number; /* COUNT, BYTES, DURATION; SWITCH: 0 or 1; CHOICE: which, from 0 */
    enum config_source source;
};

struct config {
    struct config_value values[CONFIG_SETTINGS];
    char *file; /* that was read; NULL: none */
};

/* What the command line said. An empty ptr: not given. */
struct config_flags {
    struct str values[CONFIG_SETTINGS];
    bool switches[CONFIG_SETTINGS];
};

/* Where the rest comes from. */
struct config_around {
    const char *(*variable)(void *context, const char *name); /* NULL: not there */
    void *context;
    const char *data_default; /* the data folder where nobody names one */
};

extern const struct config_setting config_settings[CONFIG_SETTINGS];

/* The config is filled in, or untouched. The data folder need not be there. */
enum err config_read(const struct config_flags *flags, const struct config_around *around, struct config *ret_config,
                     struct error *reterr) MUST_CHECK;
void config_done(struct config *config);

/* Never NULL; "" where there is none. */
const char *config_text(const struct config *config, enum config_id id);
int64_t config_number(const struct config *config, enum config_id id);

/* Whether the choice is that word. */
bool config_is(const struct config *config, enum config_id id, const char *word);

/* BELFRY_WORKER_SLOTS for worker-slots. */
#define CONFIG_VARIABLE_BYTES 64
const char *config_variable(enum config_id id, char out[CONFIG_VARIABLE_BYTES]);

/* "the command line", "the environment", "the file", "default". */
const char *config_source_text(enum config_source source);

#endif
