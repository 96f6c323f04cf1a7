/* Which question is answered how, and pages. */
#include "base/chrono.h"
#include "base/limits.h"
#include "store/sqlite/sqlite_read.h"

/* Rows looked at between two looks at the clock. */
#define LOOKS_BETWEEN 64

bool sqlite_page_looks(struct page *page, bool is_wanted, uint64_t id)
{
    bool is_enough = page->looked_at >= QUERY_SCAN_MAX;

    if (page->looked_at > 0 && page->looked_at % LOOKS_BETWEEN == 0) {
        bool is_seeking = page->given < page->looked_at;

        is_enough = is_enough || chrono_mono_ms() > (is_seeking ? page->seek_mono_ms : page->end_mono_ms);
    }
    if (is_enough || (is_wanted && page->given == page->query->limit)) {
        page->taking->rows->has_more = true;
        return false;
    }
    page->looked_at++;
    page->given += is_wanted ? 1 : 0;
    page->taking->rows->after = id;
    return true;
}

int64_t sqlite_page_limit(const struct page *page, bool has_filter)
{
    bool is_all = has_filter || page->query->limit >= QUERY_SCAN_MAX;

    return (is_all ? QUERY_SCAN_MAX : (int64_t)page->query->limit) + 1;
}

enum store_outcome sqlite_read_list(struct page *page, struct sql_call *call, taker *take, int column)
{
    enum store_outcome outcome = STORE_DONE;

    sql_int(call, sqlite_page_limit(page, false));
    while (outcome == STORE_DONE && sql_next(call)) {
        struct sql_row row = sql_row(call);

        if (!sqlite_page_looks(page, true, column < 0 ? 0 : (uint64_t)sqlite3_column_int64(row.stmt, column))) {
            break;
        }
        outcome = take(page->taking, &row);
    }
    enum store_outcome ended = sql_end(call, outcome == STORE_DONE ? page->taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}

/* By (id, number). */
static enum store_outcome read_numbered(struct page *page, enum sql_statement statement, taker *take)
{
    struct sql_call call = sql_begin(page->taking->conn, statement);

    sql_id(&call, page->query->id);
    sql_int(&call, page->query->after < INT64_MAX ? (int64_t)page->query->after : INT64_MAX);
    return sqlite_read_list(page, &call, take, 1);
}

static enum store_outcome read_skips(struct page *page)
{
    struct sql_call call = sql_begin(page->taking->conn, SQL_SKIPS_UP_TO);

    sql_id(&call, page->query->id);
    sql_int(&call, page->query->after_ms == TIME_NONE ? INT64_MAX : page->query->after_ms - 1);
    return sqlite_read_list(page, &call, sqlite_take_skip, -1);
}

static enum store_outcome read_tenants(struct page *page)
{
    struct sql_call call = sql_begin(page->taking->conn, SQL_TENANTS_AFTER);

    sql_text(&call, page->query->after_text);
    return sqlite_read_list(page, &call, sqlite_take_tenant, -1);
}

static enum store_outcome read_rules(struct page *page)
{
    if (page->query->id == 0) {
        return sqlite_take_table(page->taking, SQL_RULES_ALL, sqlite_take_rules);
    }
    return sqlite_take_of(page->taking, SQL_RULES_BY_HASH, page->query->id, sqlite_take_rules);
}

static enum store_outcome read_ruled(struct page *page)
{
    struct sql_call call = sql_begin(page->taking->conn, SQL_JOBS_RULED);

    sql_id(&call, page->query->id);
    sql_int(&call, page->query->after < INT64_MAX ? (int64_t)page->query->after : INT64_MAX);
    return sqlite_read_list(page, &call, sqlite_take_job, 0);
}

enum store_outcome sqlite_read_query(struct page *page)
{
    switch (page->query->kind) {
    case QUERY_JOB:
        return sqlite_read_job(page);
    case QUERY_JOBS:
        return sqlite_read_jobs(page);
    case QUERY_VERSIONS:
        return read_numbered(page, SQL_VERSIONS_AFTER, sqlite_take_version);
    case QUERY_TRIGGER:
        return sqlite_read_trigger(page);
    case QUERY_TRIGGERS:
        return sqlite_read_triggers(page);
    case QUERY_FIRE:
        return sqlite_read_fire(page);
    case QUERY_ATTEMPTS:
        return read_numbered(page, SQL_ATTEMPTS_AFTER, sqlite_take_attempt);
    case QUERY_SKIPS:
        return read_skips(page);
    case QUERY_DEAD:
        return sqlite_read_dead(page);
    case QUERY_CLAIMS:
        return sqlite_take_table(page->taking, SQL_CLAIMS_ALL, sqlite_take_claims);
    case QUERY_SETTINGS:
        return sqlite_take_of(page->taking, SQL_SETTINGS_OF, page->query->scope, sqlite_take_setting);
    case QUERY_TENANTS:
        return read_tenants(page);
    case QUERY_COUNTS:
        return sqlite_read_counts(page);
    case QUERY_RULES:
        return read_rules(page);
    case QUERY_RULED:
        return read_ruled(page);
    case QUERY_NAMED:
        return sqlite_read_named(page);
    case QUERY_WAKES:
        return sqlite_read_wakes(page);
    case QUERY_STEPS:
    case QUERY_WAKING:
        return sqlite_read_waking(page);
    case QUERY_ALL_VERSIONS:
    case QUERY_ALL_TRIGGERS:
    case QUERY_ALL_ATTEMPTS:
    case QUERY_ALL_SKIPS:
    case QUERY_ALL_IDEMS:
        return sqlite_read_table(page);
    }
    return STORE_REFUSED;
}
