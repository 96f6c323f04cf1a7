/* Dead letters: the list. */
#include "api/dead.h"
#include "api/error_shape.h"
#include "api/filters.h"
#include "api/handlers.h"
#include "api/list.h"
#include "api/show.h"
#include "base/limits.h"
#include "base/mem.h"
#include "model/name.h"
#include "wire/mark.h"
#include "wire/put.h"

/* Rows of a page of the store's in the search for a group's, and in all. */
#define GROUP_PAGE_ROWS 200
#define GROUP_SCAN_MAX 5000

/* A name in the query; false: answered. */
static bool read_name(struct api_request *request, const char *param, bool is_owner, struct str *ret_name)
{
    struct error error;

    if (!api_param(request, param, ret_name)) {
        return true;
    }
    if ((is_owner ? name_check_owner(*ret_name, &error) : name_check(*ret_name, &error)) == ERR_OK) {
        return true;
    }
    (void)err_in_field(&error, error.code, param);
    api_problem(request, &error);
    return false;
}

bool dead_params(struct api_request *request, struct dead_filter *filter)
{
    struct query *query = &filter->query;

    query->kind = QUERY_DEAD;
    query->since_ms = TIME_NONE;
    (void)api_param(request, "error_code", &query->error_code);
    return read_name(request, "tenant", true, &query->tenant) && read_name(request, "type", false, &query->type) &&
           filter_instant(request, "since", &query->since_ms);
}

bool dead_is_in_group(uint64_t group, const struct trigger_row *row)
{
    SCOPE(buf_done) struct buf shape;

    buf_init(&shape, ERROR_SHAPE_BYTES_MAX);
    return group == 0 || error_group(row, &shape) == group;
}

static bool read_group(struct api_request *request, uint64_t *ret_group)
{
    struct str text;
    struct error error;

    if (!api_param(request, "group", &text) || wire_hash_read(text, ret_group)) {
        return true;
    }
    (void)err_in_field(&error, err_set(&error, ERR_INVALID, "is what a group of GET /v1/dead/groups says"), "group");
    api_problem(request, &error);
    return false;
}

static bool list_params(struct api_request *request, struct dead_filter *filter)
{
    struct str after;
    struct error error;

    if (!api_params_only(request, "tenant", "type", "error_code", "since", "group", "limit", "after", NULL) ||
        !dead_params(request, filter) || !read_group(request, &filter->group) ||
        !api_paging(request, &filter->query.limit, &after)) {
        return false;
    }
    if (!str_empty(after) && wire_mark_read_id(after, &filter->query.after, &error) != ERR_OK) {
        api_problem(request, &error);
        return false;
    }
    return true;
}

/* The job of the row before, which is often that of the next, too. */
struct known_job {
    struct rows rows;
    uint64_t id;
    uint32_t max_attempts;
};

static bool know_job(struct api_request *request, struct store_reader *reader, uint64_t id, struct known_job *known)
{
    struct query query = {.kind = QUERY_JOB, .id = id, .limit = 1, .since_ms = TIME_NONE};

    if (known->id == id) {
        return true;
    }
    rows_done(&known->rows);
    rows_init(&known->rows);
    known->id = id;
    if (!api_query(request, reader, &query, &known->rows)) {
        return false;
    }
    known->max_attempts = show_max_attempts(known->rows.jobs.count > 0 ? known->rows.jobs.items[0].def : STR(""));
    return true;
}

static bool write_row(struct api_request *request, struct store_reader *reader, const struct trigger_row *row,
                      struct known_job *known, struct jw *jw)
{
    if (!know_job(request, reader, row->job, known)) {
        return false;
    }
    wire_trigger(jw, &(struct wire_trigger){
                         .row = row,
                         .name = known->rows.jobs.count > 0 ? known->rows.jobs.items[0].name : STR(""),
                         .max_attempts = known->max_attempts,
                     });
    return true;
}

/* A list as it is being written. */
struct listing {
    struct query query; /* of the next page */
    uint64_t group;
    size_t given, limit;
    size_t looked_at;
    bool has_more;
    struct known_job known;
    struct jw jw;
};

/* A page of the store's, of which those of the group are written. False: answered. */
static bool write_page(struct api_request *request, struct store_reader *reader, struct listing *listing)
{
    SCOPE(rows_done) struct rows rows;

    rows_init(&rows);
    if (!api_query(request, reader, &listing->query, &rows)) {
        return false;
    }
    listing->has_more = rows.has_more;
    for (size_t i = 0; i < rows.triggers.count; i++) {
        const struct trigger_row *row = &rows.triggers.items[i];

        if (!dead_is_in_group(listing->group, row)) {
            continue;
        }
        if (listing->given == listing->limit) {
            listing->has_more = true;
            return true;
        }
        if (!write_row(request, reader, row, &listing->known, &listing->jw)) {
            return false;
        }
        listing->given++;
        listing->query.after = row->id;
    }
    listing->looked_at += rows.triggers.count;
    listing->query.after = rows.has_more ? rows.after : listing->query.after;
    return true;
}

/* Of a group, pages are looked through until there is a page of it, or enough was looked at: then it is a short one. */
static bool write_pages(struct api_request *request, struct store_reader *reader, struct listing *listing)
{
    bool is_well = write_page(request, reader, listing);

    while (is_well && listing->group != 0 && listing->has_more && listing->given < listing->limit &&
           listing->looked_at < GROUP_SCAN_MAX) {
        is_well = write_page(request, reader, listing);
    }
    return is_well;
}

static void list_read(struct api_request *request, struct store_reader *reader)
{
    const struct dead_filter *filter = request->state;
    struct listing listing = {.query = filter->query, .group = filter->group, .limit = filter->query.limit};
    char mark[WIRE_MARK_BYTES];

    listing.query.limit = filter->group != 0 ? GROUP_PAGE_ROWS : listing.limit;
    rows_init(&listing.known.rows);
    api_json(request, &listing.jw);
    wire_list_begin(&listing.jw);
    if (write_pages(request, reader, &listing)) {
        api_answer_list(request, &listing.jw, listing.has_more ? wire_mark_id(listing.query.after, mark) : NULL);
    }
    rows_done(&listing.known.rows);
}

void api_dead_list(struct api *api, struct api_request *request)
{
    struct dead_filter *filter = arena_zalloc(request->arena, sizeof *filter);

    (void)api;
    if (list_params(request, filter)) {
        request->state = filter;
        api_read(request, list_read);
    }
}
