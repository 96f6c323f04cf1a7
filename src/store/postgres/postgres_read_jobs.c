#include "base/limits.h"
#include "store/label.h"
#include "store/postgres/postgres_read.h"

/* ---- lists ---- */

/* With a label in it, a page looks at fewer rows, since their definitions must be read. */
#define LABEL_SCAN_MAX 1000

/* Rows asked for at a time, where the database's filter lets some through that do not fit. */
#define LABEL_ROWS 100

static bool has_filter(const struct query *query)
{
    return query->has_status || !str_empty(query->tenant) || !str_empty(query->name) || !str_empty(query->type) ||
           !str_empty(query->pool) || !str_empty(query->label_key);
}

/* What the text of a definition must have in it for a label of this key: nothing is said of keys that are written with
 * escapes. */
static struct str label_sign(struct str key)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) {
            return STR("");
        }
    }
    return key;
}

static bool is_storable_query(const struct query *query)
{
    return postgres_is_storable(query->tenant) && postgres_is_storable(query->name) &&
           postgres_is_storable(query->type) && postgres_is_storable(query->pool);
}

static void ask_filtered(struct page *page, int64_t after, int64_t last, int64_t rows_max)
{
    const struct query *query = page->query;
    struct pg_call call;

    pg_call(&call, page->taking->conn, SQL_JOBS_FILTERED);
    pg_int2(&call, page->taking->shard);
    pg_int8(&call, after);
    pg_int8(&call, last);
    pg_int8(&call, query->has_status ? (int64_t)query->status : -1);
    pg_text(&call, query->tenant);
    pg_text(&call, query->type);
    pg_text(&call, query->pool);
    pg_text(&call, query->name);
    pg_text(&call, label_sign(query->label_key));
    pg_int8(&call, rows_max);
    pg_send(&call);
    pg_sync(page->taking->conn);
}

/* Looks at the rows from before on that an answer brought, and lets go of those that do not fit. *ret_is_full: the page
 * is. */
static void sift(struct page *page, size_t before, bool *ret_is_full)
{
    const struct query *query = page->query;
    struct rows *rows = page->taking->rows;
    size_t kept = before;

    for (size_t i = before; i < rows->jobs.count && !*ret_is_full; i++) {
        const struct job_row *job = &rows->jobs.items[i];

        if (str_empty(query->label_key) || label_is_in(job->def, query->label_key, query->label_value)) {
            *ret_is_full = !postgres_page_looks(page, job->id);
            if (!*ret_is_full) {
                rows->jobs.items[kept++] = *job;
            }
        }
    }
    rows->jobs.count = kept;
}

/* Up to the last row to look at. */
static enum store_outcome read_filtered_to(struct page *page, int64_t last, bool *ret_is_full)
{
    struct rows *rows = page->taking->rows;
    int64_t after = postgres_page_after(page->query);
    int64_t rows_max = str_empty(page->query->label_key) ? postgres_page_limit(page) : LABEL_ROWS;
    enum store_outcome outcome = STORE_DONE;
    bool is_over = false;

    while (outcome == STORE_DONE && !is_over && !*ret_is_full) {
        size_t before = rows->jobs.count;

        ask_filtered(page, after, last, rows_max);
        size_t count = postgres_take_answer(page->taking, postgres_take_job);

        outcome = postgres_take_end(page->taking);
        is_over = count < (size_t)rows_max;
        after = rows->jobs.count > before ? (int64_t)rows->jobs.items[rows->jobs.count - 1].id : after;
        sift(page, before, ret_is_full);
    }
    return outcome;
}

static enum store_outcome read_filtered(struct page *page)
{
    const struct query *query = page->query;
    size_t scan_max = str_empty(query->label_key) ? QUERY_SCAN_MAX : LABEL_SCAN_MAX;
    int64_t last = INT64_MAX;
    bool has_more = false;
    bool is_full = false;

    if (!is_storable_query(query)) {
        return STORE_DONE;
    }
    enum store_outcome outcome =
        postgres_page_bound(page, SQL_JOBS_BOUND, postgres_page_after(query), scan_max, &has_more, &last);

    if (outcome == STORE_DONE) {
        outcome = read_filtered_to(page, has_more ? last : INT64_MAX, &is_full);
    }
    if (outcome == STORE_DONE && has_more && !is_full) {
        page->taking->rows->has_more = true;
        page->taking->rows->after = (uint64_t)last;
    }
    return outcome;
}

enum store_outcome postgres_read_jobs(struct page *page)
{
    struct rows *rows = page->taking->rows;
    struct pg_call call;
    bool is_full = false;

    if (has_filter(page->query)) {
        return read_filtered(page);
    }
    pg_call(&call, page->taking->conn, SQL_JOBS_AFTER);
    pg_int2(&call, page->taking->shard);
    pg_int8(&call, postgres_page_after(page->query));
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    pg_sync(page->taking->conn);
    (void)postgres_take_answer(page->taking, postgres_take_job);
    enum store_outcome outcome = postgres_take_end(page->taking);

    if (rows->jobs.count > 0) {
        sift(page, 0, &is_full);
    }
    return outcome;
}

/* ---- by name ---- */

/* Lets go of the row that the page is behind, and of those that do not fit any more. */
static void sift_named(struct page *page)
{
    const struct query *query = page->query;
    struct rows *rows = page->taking->rows;
    size_t kept = 0;

    for (size_t i = 0; i < rows->jobs.count; i++) {
        struct str name = rows->jobs.items[i].name;

        if (str_equal(name, query->after_text)) {
            continue;
        }
        if (!str_starts_with(name, query->name_prefix) || !postgres_page_looks(page, 0)) {
            break;
        }
        rows->jobs.items[kept++] = rows->jobs.items[i];
    }
    rows->jobs.count = kept;
}

enum store_outcome postgres_read_named(struct page *page)
{
    const struct query *query = page->query;
    struct str from = str_compare(query->after_text, query->name_prefix) < 0 ? query->name_prefix : query->after_text;
    struct pg_call call;

    if (!postgres_is_storable(query->tenant) || !postgres_is_storable(from)) {
        return STORE_DONE;
    }
    pg_call(&call, page->taking->conn, SQL_JOBS_NAMED);
    pg_int2(&call, page->taking->shard);
    pg_text(&call, query->tenant);
    pg_text(&call, from);
    pg_int8(&call, query->limit < INT64_MAX - 2 ? (int64_t)query->limit + 2 : INT64_MAX);
    pg_send(&call);
    pg_sync(page->taking->conn);
    (void)postgres_take_answer(page->taking, postgres_take_job);
    enum store_outcome outcome = postgres_take_end(page->taking);

    sift_named(page);
    return outcome;
}

static enum store_outcome take_wakes(struct taking *taking, struct pg_row *row)
{
    taking->rows->wakes = pg_take_int(row);
    return STORE_DONE;
}

enum store_outcome postgres_read_wakes(struct page *page)
{
    struct pg_call call;

    pg_call(&call, page->taking->conn, SQL_JOBS_WAKING);
    pg_int2(&call, page->taking->shard);
    pg_int8(&call, page->query->since_ms);
    pg_int8(&call, page->query->until_ms);
    pg_int8(&call, QUERY_SCAN_MAX);
    pg_send(&call);
    pg_sync(page->taking->conn);
    (void)postgres_take_answer(page->taking, take_wakes);
    return postgres_take_end(page->taking);
}

/* ---- one ---- */

static enum store_outcome take_id(struct taking *taking, struct pg_row *row)
{
    pg_array_id(&taking->ids, pg_take_id(row));
    return STORE_DONE;
}

static enum store_outcome find_by_name(struct page *page)
{
    const struct query *query = page->query;
    struct taking *taking = page->taking;
    struct pg_call call;

    if (str_empty(query->name) || !is_storable_query(query)) {
        return STORE_DONE;
    }
    postgres_take_snapshot(taking);
    pg_array_text(&taking->texts[0], query->tenant);
    pg_array_text(&taking->texts[1], query->name);
    pg_call(&call, taking->conn, SQL_JOB_IDS_BY_NAME);
    pg_int2(&call, taking->shard);
    pg_array(&call, &taking->texts[0]);
    pg_array(&call, &taking->texts[1]);
    pg_send(&call);
    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, take_id);
    return postgres_take_end(taking);
}

enum store_outcome postgres_read_job(struct page *page)
{
    struct taking *taking = page->taking;
    enum store_outcome outcome = STORE_DONE;

    if (page->query->id != 0) {
        pg_array_id(&taking->ids, page->query->id);
    } else {
        outcome = find_by_name(page);
    }
    if (outcome != STORE_DONE || taking->ids.count == 0) {
        return outcome;
    }
    postgres_ask_ids(taking, SQL_JOBS_BY_ID);
    postgres_take_last(taking);
    (void)postgres_take_answer(taking, postgres_take_job);
    return postgres_take_end(taking);
}
