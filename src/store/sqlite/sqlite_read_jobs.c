#include "base/limits.h"
#include "store/label.h"
#include "store/sqlite/sqlite_read.h"

/* Where SQL_JOB_COLUMNS has what filters look at. */
enum { COLUMN_ID = 0, COLUMN_PLACE = 1, COLUMN_STATUS = 2, COLUMN_NAME = 12, COLUMN_DEF = 13 };

static struct str text_at(const struct sql_row *row, int column)
{
    struct sql_row at = {.stmt = row->stmt, .taken = column};

    return sql_take_text(&at);
}

static bool matches(struct str wanted, struct str text)
{
    return str_empty(wanted) || str_equal(wanted, text);
}

/* ---- lists ---- */

static bool has_filter(const struct query *query)
{
    return query->has_status || !str_empty(query->tenant) || !str_empty(query->name) || !str_empty(query->type) ||
           !str_empty(query->pool) || !str_empty(query->label_key);
}

/* What costs least is asked first. */
static enum store_outcome job_is_wanted(struct page *page, const struct sql_row *row, bool *ret_is_wanted)
{
    const struct query *query = page->query;
    const struct place *place;
    enum store_outcome outcome = sqlite_places_get(page->taking->conn, sqlite3_column_int64(row->stmt, COLUMN_PLACE),
                                                   &place, page->taking->reterr);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    *ret_is_wanted = false;
    if (query->has_status && sqlite3_column_int64(row->stmt, COLUMN_STATUS) != query->status) {
        return STORE_DONE;
    }
    if (!matches(query->tenant, place->tenant) || !matches(query->type, place->type) ||
        !matches(query->pool, place->pool)) {
        return STORE_DONE;
    }
    *ret_is_wanted =
        matches(query->name, text_at(row, COLUMN_NAME)) &&
        (str_empty(query->label_key) || label_is_in(text_at(row, COLUMN_DEF), query->label_key, query->label_value));
    return STORE_DONE;
}

enum store_outcome sqlite_read_jobs(struct page *page)
{
    struct sql_call call = sql_begin(page->taking->conn, SQL_JOBS_AFTER);
    enum store_outcome outcome = STORE_DONE;
    bool filters = has_filter(page->query);

    sql_int(&call, page->query->after < INT64_MAX ? (int64_t)page->query->after : INT64_MAX);
    sql_int(&call, sqlite_page_limit(page, filters));
    while (outcome == STORE_DONE && sql_next(&call)) {
        struct sql_row row = sql_row(&call);
        bool is_wanted = true;

        if (filters) {
            outcome = job_is_wanted(page, &row, &is_wanted);
        }
        if (outcome == STORE_DONE) {
            if (!sqlite_page_looks(page, is_wanted, (uint64_t)sqlite3_column_int64(row.stmt, COLUMN_ID))) {
                break;
            }
            outcome = is_wanted ? sqlite_take_job(page->taking, &row) : STORE_DONE;
        }
    }
    enum store_outcome ended = sql_end(&call, outcome == STORE_DONE ? page->taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}

enum store_outcome sqlite_read_named(struct page *page)
{
    const struct query *query = page->query;
    bool is_first = str_compare(query->after_text, query->name_prefix) < 0;
    struct sql_call call = sql_begin(page->taking->conn, SQL_JOBS_NAMED);
    enum store_outcome outcome = STORE_DONE;

    sql_text(&call, query->tenant);
    sql_text(&call, is_first ? query->name_prefix : query->after_text);
    sql_int(&call, sqlite_page_limit(page, false) + 1);
    while (outcome == STORE_DONE && sql_next(&call)) {
        struct sql_row row = sql_row(&call);
        struct str name = text_at(&row, COLUMN_NAME);

        if (!is_first && str_equal(name, query->after_text)) {
            continue;
        }
        if (!str_starts_with(name, query->name_prefix) || !sqlite_page_looks(page, true, 0)) {
            break;
        }
        outcome = sqlite_take_job(page->taking, &row);
    }
    enum store_outcome ended = sql_end(&call, outcome == STORE_DONE ? page->taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}

/* Of one place. */
static enum store_outcome count_wakes(struct page *page, int64_t place)
{
    struct rows *rows = page->taking->rows;
    struct sql_call call = sql_begin(page->taking->conn, SQL_JOBS_WAKING);

    sql_int(&call, place);
    sql_int(&call, page->query->since_ms);
    sql_int(&call, page->query->until_ms);
    sql_int(&call, QUERY_SCAN_MAX - rows->wakes);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);

        rows->wakes += sql_take_int(&row);
    }
    return sql_end(&call, page->taking->reterr);
}

enum store_outcome sqlite_read_wakes(struct page *page)
{
    enum store_outcome outcome = STORE_DONE;
    int64_t place = 0;

    for (bool has_more = true; has_more && outcome == STORE_DONE && page->taking->rows->wakes < QUERY_SCAN_MAX;) {
        struct sql_call call = sql_begin(page->taking->conn, SQL_PLACE_AWAITED);
        int64_t wake_ms = 0;

        sql_int(&call, place);
        has_more = sql_next(&call);
        if (has_more) {
            struct sql_row row = sql_row(&call);

            place = sql_take_int(&row);
            wake_ms = sql_take_time(&row);
        }
        outcome = sql_end(&call, page->taking->reterr);
        if (has_more && outcome == STORE_DONE && wake_ms < page->query->until_ms) {
            outcome = count_wakes(page, place);
        }
    }
    return outcome;
}

enum store_outcome sqlite_read_job(struct page *page)
{
    const struct query *query = page->query;

    if (query->id != 0) {
        return sqlite_take_of(page->taking, SQL_JOB_BY_ID, query->id, sqlite_take_job);
    }
    struct sql_call call = sql_begin(page->taking->conn, SQL_JOB_BY_NAME);

    sql_text(&call, query->tenant);
    sql_text(&call, query->name);
    return sqlite_take_all(page->taking, &call, sqlite_take_job);
}
