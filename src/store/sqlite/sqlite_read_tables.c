/* Whole tables, page by page, for copies. */
#include "store/sqlite/sqlite_read.h"

/* Behind (id, number). */
static enum store_outcome read_pairs(struct page *page, enum sql_statement statement, int64_t number, taker *take,
                                     int column)
{
    struct sql_call call = sql_begin(page->taking->conn, statement);

    sql_id(&call, page->query->id);
    sql_int(&call, number);
    return sqlite_read_list(page, &call, take, column);
}

static int64_t after_of(const struct query *query)
{
    return query->after < INT64_MAX ? (int64_t)query->after : INT64_MAX;
}

enum store_outcome sqlite_read_table(struct page *page)
{
    const struct query *query = page->query;
    struct sql_call call;

    switch ((int)query->kind) {
    case QUERY_ALL_VERSIONS:
        return read_pairs(page, SQL_VERSIONS_BEHIND, after_of(query), sqlite_take_version, 1);
    case QUERY_ALL_ATTEMPTS:
        return read_pairs(page, SQL_ATTEMPTS_BEHIND, after_of(query), sqlite_take_attempt, 1);
    case QUERY_ALL_SKIPS:
        return read_pairs(page, SQL_SKIPS_BEHIND, query->after_ms, sqlite_take_skip, -1);
    case QUERY_ALL_TRIGGERS:
        call = sql_begin(page->taking->conn, SQL_TRIGGERS_AFTER);
        sql_int(&call, after_of(query));
        return sqlite_read_list(page, &call, sqlite_take_trigger, 0);
    default: /* QUERY_ALL_IDEMS */
        call = sql_begin(page->taking->conn, SQL_IDEMS_BEHIND);
        sql_text(&call, query->tenant);
        sql_text(&call, query->after_text);
        return sqlite_read_list(page, &call, sqlite_take_idem, -1);
    }
}
