#include "cli/listing.h"

#include <stdio.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "cli/field.h"
#include "cli/show.h"

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 1000
/* Of a page where all are wanted: large enough to be quick, small enough for every list. */
#define LIMIT_ALL 500
/* A list with more pages than this would not end in a day. */
#define PAGES_MAX 1000000
#define NEXT_BYTES_MAX 513

static int get_page(struct api *api, const struct url *url, int64_t limit, struct str after)
{
    SCOPE(url_done) struct url page;

    url_init(&page);
    buf_append_str(&page.text, url_str(url));
    page.has_query = url->has_query;
    url_query_int(&page, "limit", limit);
    url_query(&page, "after", after.len > 0 ? after : (struct str){0});
    return api_get(api, &page);
}

static void show_page(struct api *api, const struct listing *listing, bool has_titles)
{
    struct jr items = jr_get(api->root, "items");
    int64_t now_ms = chrono_wall_ms();
    SCOPE(table_done) struct table table;

    table_init(&table, listing->columns);
    for (size_t i = 0; i < jr_count(items); i++) {
        listing->row(&table, jr_at(items, i), now_ms);
    }
    if (table_rows(&table) > 0) {
        table_print(&table, has_titles);
    }
}

/* A page may be empty and not be the last. */
static int show_pages(struct api *api, const struct listing *listing, const struct url *url, int64_t limit)
{
    char next[NEXT_BYTES_MAX] = "";
    struct str after = listing->options->after;
    size_t shown = 0;

    for (int page = 0; page < PAGES_MAX; page++) {
        int exit_code = get_page(api, url, limit, after);

        if (exit_code != EXIT_DONE) {
            return exit_code;
        }
        if (api->is_json) {
            api_print_json(api);
        } else {
            show_page(api, listing, shown == 0);
        }
        shown += jr_count(jr_get(api->root, "items"));
        struct str text = field_str(api->root, "next");
        (void)snprintf(next, sizeof next, "%.*s", (int)(text.len < NEXT_BYTES_MAX ? text.len : 0),
                       text.len > 0 ? text.ptr : "");
        after = str_from(next);
        bool has_more = next[0] != '\0';
        if (!has_more || (!listing->options->is_all && shown > 0)) {
            break;
        }
    }
    if (!api->is_json && shown == 0) {
        (void)fprintf(stderr, "%s\n", listing->none);
    } else if (!api->is_json && next[0] != '\0') { /* rule 1 */
        char safe[SHOW_SAFE_BYTES];

        (void)fprintf(stderr, "there are more: --after %s, or --all\n", show_safe(str_from(next), safe));
    }
    return EXIT_DONE;
}

int listing_show(struct api *api, const struct listing *listing, const struct url *url)
{
    const struct listing_options *options = listing->options;
    int64_t limit = options->is_all ? LIMIT_ALL : LIMIT_DEFAULT;

    if (options->limit.ptr != NULL && str_to_int(options->limit, 1, LIMIT_MAX, &limit, NULL) != ERR_OK) {
        return command_usage(api->name, "--limit: \"%.*s\" is not a number from 1 to %d", STR_ARGS(options->limit),
                             LIMIT_MAX);
    }
    return show_pages(api, listing, url, limit);
}
