/* crontab: the lines of a crontab file, as cron itself reads them.
 *
 * Pure: text in, entries out, one line at a time.
 *
 * Owns:  the variables seen so far. Entries point into the reader and hold until the next call.
 * Rules: (1) a line is blank, a comment, a variable (NAME=VALUE) or an entry: a schedule, in system files a user, and a
 *            command. A variable is meant for the entries below it.
 *        (2) in a command an unescaped % ends it; what follows is its standard input, with each further % a new line.
 * \% is a plain %. (3) what Belfry cannot do (@reboot) or nobody can read is refused with a sentence; the position is
 * in the line. See:   import.c, tests/unit/cli/test_crontab.c
 */
#ifndef CLI_CRONTAB_H
#define CLI_CRONTAB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#define CRONTAB_LINE_BYTES_MAX 4096
#define CRONTAB_VARIABLES_MAX 64
#define CRONTAB_NAME_BYTES_MAX 128
#define CRONTAB_VALUE_BYTES_MAX 1024

enum crontab_kind { CRONTAB_NOTHING, CRONTAB_VARIABLE, CRONTAB_ENTRY };

struct crontab_variable {
    char name[CRONTAB_NAME_BYTES_MAX];
    char value[CRONTAB_VALUE_BYTES_MAX];
};

struct crontab {
    bool has_users; /* /etc/crontab and /etc/cron.d: a user stands before each command */
    struct crontab_variable variables[CRONTAB_VARIABLES_MAX];
    size_t variable_count;
    /* the last entry */
    char expr[CRONTAB_LINE_BYTES_MAX];
    char user[CRONTAB_NAME_BYTES_MAX];    /* "" where the file has none */
    char command[CRONTAB_LINE_BYTES_MAX]; /* rule 2 */
    char input[CRONTAB_LINE_BYTES_MAX];
    bool has_input;
};

void crontab_init(struct crontab *crontab, bool has_users);

/* One line without its line feed. */
enum err crontab_line(struct crontab *crontab, struct str line, enum crontab_kind *ret_kind,
                      struct error *reterr) MUST_CHECK;

/* The value of a variable seen so far; NULL where there is none. */
const char *crontab_value(const struct crontab *crontab, const char *name);

/* A name for the job of the last entry: the command's first word that is a program, without its folder, in characters
 * that names may have; "job" where nothing is left of it. */
#define CRONTAB_SLUG_BYTES 64
const char *crontab_slug(const struct crontab *crontab, char out[CRONTAB_SLUG_BYTES]);

#endif
