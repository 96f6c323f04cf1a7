/* Jobs in lists: by id, or those whose names begin alike, by tenant and name. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "api/filters.h"
#include "api/handlers.h"
#include "api/history.h"
#include "api/list.h"
#include "base/chrono.h"
#include "base/mem.h"
#include "model/name.h"
#include "store/label.h"
#include "wire/job.h"
#include "wire/mark.h"
#include "wire/put.h"

/* Of a job's newest triggers so many are looked at for one that has ended; a list must stay cheap. */
#define ENDED_AMONG 20

/* A page by names looks at so many rows, at so many at a time, in so many tenants, and for so long. */
#define NAMED_ROWS_MAX 2000
#define NAMED_PAGE_ROWS 200
#define NAMED_TENANTS_MAX 1000
#define NAMED_MS_MAX 50

/* Behind every name: no name has such a character. */
#define LAST_NAME "~"

/* A list as it is asked for and being written. */
struct listing {
    struct query query;   /* QUERY_JOBS; of a search by name its filters */
    struct str tenant;    /* the only one; empty: any */
    struct str at_tenant; /* a search by name goes on here: in this tenant, */
    struct str at_name;   /* behind this name */
    char names[2][NAME_BYTES_MAX];
    size_t looked_at, given;
    bool is_over; /* everything was looked at */
    int64_t end_mono_ms;
    struct running running;
    struct jw jw;
};

/* ---- what is asked for ---- */

static bool status_param(struct api_request *request, struct query *query)
{
    struct error error;
    struct str text;

    if (!api_param(request, "status", &text)) {
        return true;
    }
    if (job_status_parse(text, &query->status, &error) != ERR_OK) {
        err_in_field(&error, error.code, "status");
        api_problem(request, &error);
        return false;
    }
    query->has_status = true;
    return true;
}

static bool text_param(struct api_request *request, const char *param, size_t bytes_max, struct str *ret_text)
{
    struct error error;

    if (api_param(request, param, ret_text) && (ret_text->len < 1 || ret_text->len > bytes_max)) {
        err_in_field(&error, err_set(&error, ERR_INVALID, "%s must have 1 to %zu characters", param, bytes_max), param);
        api_problem(request, &error);
        return false;
    }
    return true;
}

/* "tenant/name": neither has a slash. */
static bool named_mark(struct api_request *request, struct str after, struct listing *listing)
{
    struct str text;
    struct error error;

    if (wire_mark_read_text(after, request->arena, &text, &error) != ERR_OK) {
        api_problem(request, &error);
        return false;
    }
    size_t slash = str_find_char(text, '/');

    listing->at_tenant = (struct str){text.ptr, slash};
    listing->at_name = str_skip(text, slash + 1);
    if (slash == text.len || (!str_empty(listing->tenant) && !str_equal(listing->tenant, listing->at_tenant))) {
        err_in_field(&error, err_set(&error, ERR_INVALID, "this mark belongs to another search"), "after");
        api_problem(request, &error);
        return false;
    }
    return true;
}

static bool read_mark(struct api_request *request, struct str after, struct listing *listing)
{
    struct error error;

    if (str_empty(after)) {
        return true;
    }
    if (!str_empty(listing->query.name_prefix)) {
        return named_mark(request, after, listing);
    }
    if (wire_mark_read_id(after, &listing->query.after, &error) != ERR_OK) {
        api_problem(request, &error);
        return false;
    }
    return true;
}

static bool list_params(struct api_request *request, struct listing *listing)
{
    struct query *query = &listing->query;
    struct str label = STR(""), after;

    if (!api_params_only(request, "tenant", "status", "type", "pool", "label", "q", "limit", "after", NULL) ||
        !api_paging(request, &query->limit, &after) || !filter_name(request, "tenant", &query->tenant) ||
        !filter_name(request, "type", &query->type) || !filter_name(request, "pool", &query->pool) ||
        !status_param(request, query) || !text_param(request, "label", 401, &label) ||
        !text_param(request, "q", 200, &query->name_prefix)) {
        return false;
    }
    size_t equals = str_find_char(label, '=');

    query->label_key = (struct str){label.ptr, equals};
    query->label_value = equals < label.len ? str_skip(label, equals + 1) : STR("");
    listing->tenant = query->tenant;
    return read_mark(request, after, listing);
}

/* ---- writing ---- */

static bool write_job(struct api_request *request, struct store_reader *reader, struct listing *listing,
                      struct job_row *row)
{
    SCOPE(rows_done) struct rows triggers;
    struct wire_job job = {.row = row, .last_fired_ms = TIME_NONE};

    rows_init(&triggers);
    running_settle(&listing->running, row);
    if (!history_last(request, reader, &listing->running, ENDED_AMONG, &job, &triggers)) {
        return false;
    }
    wire_job_summary(&listing->jw, &job);
    return true;
}

/* By id: the store filters. */
static void list_ids(struct api_request *request, struct store_reader *reader, struct listing *listing)
{
    SCOPE(rows_done) struct rows jobs;
    char mark[WIRE_MARK_BYTES];

    rows_init(&jobs);
    if (!api_query(request, reader, &listing->query, &jobs)) {
        return;
    }
    for (size_t i = 0; i < jobs.jobs.count; i++) {
        if (!write_job(request, reader, listing, &jobs.jobs.items[i])) {
            return;
        }
    }
    api_answer_list(request, &listing->jw, jobs.has_more ? wire_mark_id(jobs.after, mark) : NULL);
}

/* ---- by name: the store's index of names, tenant by tenant ---- */

static struct str keep(char bytes[static NAME_BYTES_MAX], struct str text)
{
    assert(text.len <= NAME_BYTES_MAX);
    memcpy(bytes, text.ptr, text.len);
    return (struct str){bytes, text.len};
}

static bool matches(struct str wanted, struct str text)
{
    return str_empty(wanted) || str_equal(wanted, text);
}

static bool is_wanted(const struct query *query, const struct job_row *row)
{
    return (!query->has_status || row->status == query->status) && matches(query->type, row->place.type) &&
           matches(query->pool, row->place.pool) &&
           (str_empty(query->label_key) || label_is_in(row->def, query->label_key, query->label_value));
}

/* Whether the page may look at more. */
static bool goes_on(const struct listing *listing)
{
    return listing->given < listing->query.limit && listing->looked_at < NAMED_ROWS_MAX &&
           chrono_mono_ms() < listing->end_mono_ms;
}

/* The tenant at hand, until it or the page is over. False: answered. */
static bool list_names(struct api_request *request, struct store_reader *reader, struct listing *listing)
{
    bool has_more = true;

    while (has_more && goes_on(listing)) {
        SCOPE(rows_done) struct rows rows;
        const struct query query = {.kind = QUERY_NAMED,
                                    .tenant = listing->at_tenant,
                                    .name_prefix = listing->query.name_prefix,
                                    .after_text = listing->at_name,
                                    .limit = NAMED_PAGE_ROWS};

        rows_init(&rows);
        if (!api_query(request, reader, &query, &rows)) {
            return false;
        }
        size_t i = 0;

        for (; i < rows.jobs.count && listing->given < listing->query.limit; i++) {
            struct job_row *row = &rows.jobs.items[i];
            bool is_given = is_wanted(&listing->query, row);

            listing->looked_at++;
            listing->given += is_given ? 1 : 0;
            listing->at_name = keep(listing->names[1], row->name);
            if (is_given && !write_job(request, reader, listing, row)) {
                return false;
            }
        }
        has_more = rows.has_more || i < rows.jobs.count;
    }
    listing->at_name = has_more ? listing->at_name : STR(LAST_NAME);
    return true;
}

/* Every tenant behind the one at hand. False: answered. */
static bool list_tenants(struct api_request *request, struct store_reader *reader, struct listing *listing)
{
    SCOPE(rows_done) struct rows rows;
    const struct query query = {
        .kind = QUERY_TENANTS, .after_text = listing->at_tenant, .limit = NAMED_TENANTS_MAX, .since_ms = TIME_NONE};

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return false;
    }
    for (size_t i = 0; i < rows.tenants.count; i++) {
        if (i > 0 && !goes_on(listing)) { /* one is looked at however slow the read was, or `next` stays where it is */
            return true;
        }
        listing->at_tenant = keep(listing->names[0], rows.tenants.items[i].tenant);
        listing->at_name = STR("");
        if (!list_names(request, reader, listing)) {
            return false;
        }
    }
    listing->is_over = !rows.has_more && str_is(listing->at_name, LAST_NAME);
    return true;
}

static void list_search(struct api_request *request, struct store_reader *reader, struct listing *listing)
{
    char mark[WIRE_MARK_BYTES], text[WIRE_MARK_TEXT_BYTES_MAX + 1];

    listing->end_mono_ms = chrono_mono_ms() + NAMED_MS_MAX;
    if (!str_empty(listing->tenant)) {
        listing->at_tenant = listing->tenant;
    }
    if (!str_empty(listing->at_tenant) && !list_names(request, reader, listing)) {
        return;
    }
    bool is_all = str_is(listing->at_name, LAST_NAME);

    listing->is_over = is_all && !str_empty(listing->tenant);
    if (str_empty(listing->tenant) && (is_all || str_empty(listing->at_tenant))) {
        listing->at_name = STR(LAST_NAME); /* of nobody, where there is no tenant */
        if (!list_tenants(request, reader, listing)) {
            return;
        }
    }
    int len = snprintf(text, sizeof text, "%.*s/%.*s", STR_ARGS(listing->at_tenant), STR_ARGS(listing->at_name));

    api_answer_list(request, &listing->jw,
                    listing->is_over ? NULL : wire_mark_text((struct str){text, (size_t)len}, mark));
}

static void list_read(struct api_request *request, struct store_reader *reader)
{
    struct listing listing = *(const struct listing *)request->state; /* which goes with the answer */

    running_init(&listing.running);
    if (running_read(request, reader, &listing.running)) {
        api_json(request, &listing.jw);
        wire_list_begin(&listing.jw);
        if (str_empty(listing.query.name_prefix)) {
            list_ids(request, reader, &listing);
        } else {
            list_search(request, reader, &listing);
        }
    }
    running_done(&listing.running);
}

void api_job_list(struct api *api, struct api_request *request)
{
    struct listing *listing = arena_zalloc(request->arena, sizeof *listing);

    (void)api;
    listing->query.kind = QUERY_JOBS;
    listing->query.after_ms = TIME_NONE;
    listing->query.since_ms = TIME_NONE;
    if (list_params(request, listing)) {
        request->state = listing;
        api_read(request, list_read);
    }
}
