/* scope: tenants, pools and types are operated alike: list, show, set, pause, resume.
 *
 * See: tenants.c, pools.c, types.c, docs/openapi.yaml (settings)
 */
#ifndef CLI_SCOPE_H
#define CLI_SCOPE_H

#include "cli/api.h"
#include "cli/listing.h"

struct scope_options {
    struct api_options api;
    struct listing_options listing;
    struct str tenant; /* types only */
    struct str ramp;
    struct str json_file;
    bool is_replaced;
};

struct scope_kind {
    const char *path;     /* "/v1/pools" */
    const char *field;    /* what an answer calls it: "pool" */
    const char *plural;   /* "pools" */
    const char *settings; /* the names of its settings, separated by blanks */
    const struct column *columns;
    listing_row *row;
};

/* Rows of an option table that all three have. */
#define SCOPE_OPTION_ROWS                                                                                              \
    {"ramp", "LENGTH", "resume: the rate grows over this time", offsetof(struct scope_options, ramp)},                 \
        {"replace", NULL, "set: what is not named is not set any more", offsetof(struct scope_options, is_replaced)},  \
        {"json-file", "FILE", "set: settings as JSON (- is standard input)",                                           \
         offsetof(struct scope_options, json_file), .choices = "@file"},                                               \
        LISTING_OPTION_ROWS(struct scope_options, listing)

#define SCOPE_WORDS "list show set pause resume"

/* The whole of such a command. */
int scope_run(const struct command *command, const struct scope_kind *kind, int argc, char **argv);

/* "paused", "resuming", "active", as a cell. */
void scope_put_state(struct table *table, struct jr item);

/* "max_in_flight 10, rate 100/s" as a cell. */
void scope_put_settings(struct table *table, struct jr item);

#endif
