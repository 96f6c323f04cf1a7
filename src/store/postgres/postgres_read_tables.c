/* Whole tables, page by page, for copies. */
#include "store/postgres/postgres_read.h"

/* Behind (id, number). */
static enum store_outcome read_pairs(struct page *page, enum pg_statement statement, int64_t number, taker *take,
                                     int column)
{
    struct pg_call call;

    pg_call(&call, page->taking->conn, statement);
    pg_int2(&call, page->taking->shard);
    pg_id(&call, page->query->id);
    pg_int8(&call, number);
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    return postgres_take_list(page, take, column);
}

static enum store_outcome read_triggers(struct page *page)
{
    struct pg_call call;

    pg_call(&call, page->taking->conn, SQL_TRIGGERS_AFTER);
    pg_int2(&call, page->taking->shard);
    pg_int8(&call, postgres_page_after(page->query));
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    return postgres_take_list(page, postgres_take_trigger, 0);
}

static enum store_outcome read_idems(struct page *page)
{
    const struct query *query = page->query;
    struct pg_call call;

    if (!postgres_is_storable(query->tenant) || !postgres_is_storable(query->after_text)) {
        (void)err_set(page->taking->reterr, ERR_INVALID, "no answer is kept under such a key");
        return STORE_REFUSED;
    }
    pg_call(&call, page->taking->conn, SQL_IDEMS_BEHIND);
    pg_int2(&call, page->taking->shard);
    pg_text(&call, query->tenant);
    pg_text(&call, query->after_text);
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    return postgres_take_list(page, postgres_take_idem, -1);
}

enum store_outcome postgres_read_table(struct page *page)
{
    const struct query *query = page->query;

    switch ((int)query->kind) {
    case QUERY_ALL_VERSIONS:
        return read_pairs(page, SQL_VERSIONS_BEHIND, postgres_page_after(query), postgres_take_version, 1);
    case QUERY_ALL_TRIGGERS:
        return read_triggers(page);
    case QUERY_ALL_ATTEMPTS:
        return read_pairs(page, SQL_ATTEMPTS_BEHIND, postgres_page_after(query), postgres_take_attempt, 1);
    case QUERY_ALL_SKIPS:
        return read_pairs(page, SQL_SKIPS_BEHIND, query->after_ms, postgres_take_skip, -1);
    default: /* QUERY_ALL_IDEMS */
        return read_idems(page);
    }
}
