/* Which question is answered how, and pages. */
#include "base/limits.h"
#include "store/postgres/postgres_read.h"

/* ---- pages ---- */

bool postgres_page_looks(struct page *page, uint64_t id)
{
    if (page->given == page->query->limit) {
        page->taking->rows->has_more = true;
        return false;
    }
    page->given++;
    page->taking->rows->after = id;
    return true;
}

int64_t postgres_page_limit(const struct page *page)
{
    return page->query->limit < INT64_MAX ? (int64_t)page->query->limit + 1 : INT64_MAX;
}

int64_t postgres_page_after(const struct query *query)
{
    return query->after < INT64_MAX ? (int64_t)query->after : INT64_MAX;
}

int64_t postgres_page_up_to(const struct query *query)
{
    return query->after != 0 && query->after <= INT64_MAX ? (int64_t)query->after - 1 : INT64_MAX;
}

static enum store_outcome skip_row(struct taking *taking, struct pg_row *row)
{
    (void)taking;
    (void)row;
    return STORE_DONE;
}

enum store_outcome postgres_page_bound(struct page *page, enum pg_statement statement, int64_t from, size_t rows_max,
                                       bool *ret_has_more, int64_t *ret_last)
{
    struct taking *taking = page->taking;
    struct pg_call call;

    postgres_take_snapshot(taking);
    pg_call(&call, taking->conn, statement);
    pg_int2(&call, taking->shard);
    pg_int8(&call, from);
    pg_int8(&call, (int64_t)rows_max - 1);
    pg_send(&call);
    pg_sync(taking->conn);
    size_t count = postgres_take_answer(taking, skip_row);

    *ret_has_more = count == 2;
    if (count > 0) {
        struct pg_row row = pg_row(taking->conn->answer, 0);

        *ret_last = pg_take_int(&row);
    }
    return postgres_take_end(taking);
}

/* ---- lists without filters ---- */

enum store_outcome postgres_take_list(struct page *page, taker *take, int column)
{
    struct taking *taking = page->taking;

    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, skip_row);
    const PGresult *answer = taking->conn->answer;
    int count = answer != NULL ? PQntuples(answer) : 0;

    for (int i = 0; i < count && taking->outcome == STORE_DONE; i++) {
        struct pg_row row = pg_row(answer, i);
        struct pg_row number = {.answer = answer, .row = i, .taken = column};

        if (!postgres_page_looks(page, column < 0 ? 0 : pg_take_id(&number))) {
            break;
        }
        taking->outcome = take(taking, &row);
    }
    return postgres_take_end(taking);
}

static void ask(struct pg_call *call, struct page *page, enum pg_statement statement)
{
    pg_call(call, page->taking->conn, statement);
    pg_int2(call, page->taking->shard);
}

/* By (id, number). */
static enum store_outcome read_numbered(struct page *page, enum pg_statement statement, taker *take, int column)
{
    struct pg_call call;

    ask(&call, page, statement);
    pg_id(&call, page->query->id);
    pg_int8(&call, postgres_page_after(page->query));
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    return postgres_take_list(page, take, column);
}

static enum store_outcome read_triggers(struct page *page)
{
    struct pg_call call;

    ask(&call, page, SQL_TRIGGERS_UP_TO);
    pg_id(&call, page->query->id);
    pg_int8(&call, postgres_page_up_to(page->query));
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    return postgres_take_list(page, postgres_take_trigger, 0);
}

static enum store_outcome read_fire(struct page *page)
{
    struct pg_call call;

    ask(&call, page, SQL_TRIGGERS_FIRE);
    pg_id(&call, page->query->id);
    pg_int8(&call, page->query->at_ms);
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    return postgres_take_list(page, postgres_take_trigger, 0);
}

static enum store_outcome read_skips(struct page *page)
{
    struct pg_call call;

    ask(&call, page, SQL_SKIPS_UP_TO);
    pg_id(&call, page->query->id);
    pg_int8(&call, page->query->after_ms == TIME_NONE ? INT64_MAX : page->query->after_ms - 1);
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    return postgres_take_list(page, postgres_take_skip, -1);
}

static enum store_outcome read_tenants(struct page *page)
{
    struct pg_call call;

    if (!postgres_is_storable(page->query->after_text)) {
        (void)err_set(page->taking->reterr, ERR_INVALID, "no tenant has such a name");
        return STORE_REFUSED;
    }
    ask(&call, page, SQL_TENANTS_AFTER);
    pg_text(&call, page->query->after_text);
    pg_int8(&call, postgres_page_limit(page));
    pg_send(&call);
    return postgres_take_list(page, postgres_take_tenant, -1);
}

/* ---- what comes whole ---- */

static enum store_outcome read_whole(struct page *page, enum pg_statement statement, const uint64_t *id, taker *take)
{
    struct pg_call call;

    ask(&call, page, statement);
    if (id != NULL) {
        pg_id(&call, *id);
    }
    pg_send(&call);
    pg_sync(page->taking->conn);
    (void)postgres_take_answer(page->taking, take);
    return postgres_take_end(page->taking);
}

static enum store_outcome take_count(struct taking *taking, struct pg_row *row)
{
    uint32_t state = pg_take_below(row, TRIGGER_CANCELLED);

    if (row->bad != NULL) {
        return postgres_bad_row(taking->conn, "triggers", 0, "column state makes no sense", taking->reterr);
    }
    taking->rows->counts[state] += pg_take_int(row);
    return STORE_DONE;
}

static enum store_outcome read_counts(struct page *page)
{
    static const uint64_t scan_max = QUERY_SCAN_MAX;
    struct pg_call call;

    if (page->query->id == 0) {
        return read_whole(page, SQL_STATES_DEAD, &scan_max, take_count);
    }
    ask(&call, page, SQL_STATES_LIVING);
    pg_id(&call, page->query->id);
    pg_int8(&call, QUERY_SCAN_MAX);
    pg_send(&call);
    ask(&call, page, SQL_STATES_UP_TO);
    pg_id(&call, page->query->id);
    pg_int8(&call, INT64_MAX);
    pg_int8(&call, QUERY_SCAN_MAX);
    pg_send(&call);
    pg_sync(page->taking->conn);
    (void)postgres_take_answer(page->taking, take_count);
    (void)postgres_take_answer(page->taking, take_count);
    return postgres_take_end(page->taking);
}

enum store_outcome postgres_read_query(struct page *page)
{
    const struct query *query = page->query;
    const uint64_t scope = query->scope;

    switch (query->kind) {
    case QUERY_JOB:
        return postgres_read_job(page);
    case QUERY_JOBS:
        return postgres_read_jobs(page);
    case QUERY_VERSIONS:
        return read_numbered(page, SQL_VERSIONS_AFTER, postgres_take_version, 1);
    case QUERY_TRIGGER:
        return postgres_read_trigger(page);
    case QUERY_TRIGGERS:
        return read_triggers(page);
    case QUERY_FIRE:
        return read_fire(page);
    case QUERY_ATTEMPTS:
        return read_numbered(page, SQL_ATTEMPTS_AFTER, postgres_take_attempt, 1);
    case QUERY_SKIPS:
        return read_skips(page);
    case QUERY_DEAD:
        return postgres_read_dead(page);
    case QUERY_CLAIMS:
        return read_whole(page, SQL_CLAIMS_ALL, NULL, postgres_take_claims);
    case QUERY_SETTINGS:
        return read_whole(page, SQL_SETTINGS_OF, &scope, postgres_take_setting);
    case QUERY_TENANTS:
        return read_tenants(page);
    case QUERY_COUNTS:
        return read_counts(page);
    case QUERY_RULES:
        return query->id == 0 ? read_whole(page, SQL_RULES_ALL, NULL, postgres_take_rules)
                              : read_whole(page, SQL_RULES_BY_HASH, &query->id, postgres_take_rules);
    case QUERY_RULED:
        return read_numbered(page, SQL_JOBS_RULED, postgres_take_job, 0);
    case QUERY_NAMED:
        return postgres_read_named(page);
    case QUERY_WAKES:
        return postgres_read_wakes(page);
    case QUERY_STEPS:
    case QUERY_WAKING:
        return postgres_read_waking(page);
    case QUERY_ALL_VERSIONS:
    case QUERY_ALL_TRIGGERS:
    case QUERY_ALL_ATTEMPTS:
    case QUERY_ALL_SKIPS:
    case QUERY_ALL_IDEMS:
        return postgres_read_table(page);
    }
    return STORE_REFUSED;
}
