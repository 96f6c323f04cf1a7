/* listing: commands that show a list of the server's, page by page.
 *
 * Rules: (1) without --all one page is shown, and how to see the next is said below it (on standard error).
 *        (2) with --json each page is one line, the server's own.
 * See:   table.h, docs/openapi.yaml (lists)
 */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "base/json.h"
#include "cli/api.h"
#include "cli/table.h"

struct listing_options {
    struct str limit;
    struct str after;
    bool is_all;
};

/* Rows of an option table, with offsets in struct type, whose listing_options is called member. */
#define LISTING_OPTION_ROWS(type, member)                                                                              \
    {"limit", "N", "so many at most, 1 to 1000 (default 50)", offsetof(type, member.limit)},                           \
        {"after", "NEXT", "the page behind another, as that page says", offsetof(type, member.after)},                 \
    {                                                                                                                  \
        "all", NULL, "every page", offsetof(type, member.is_all)                                                       \
    }

/* Puts one item's row into the table. */
typedef void listing_row(struct table *table, struct jr item, int64_t now_ms);

struct listing {
    const struct listing_options *options;
    const struct column *columns;
    listing_row *row;
    const char *none; /* what is said where there is nothing: "no jobs" */
};

/* Shows what is behind path and its filters; put has no limit and after yet. Returns the exit code. */
int listing_show(struct api *api, const struct listing *listing, const struct url *url);

#endif
