#include "base/limits.h"
#include "store/sqlite/sqlite_read.h"

/* Counts the states that the call gives, those of triggers that live or those of the others, and ends it. */
static enum store_outcome count(struct page *page, struct sql_call *call, bool is_living, size_t *ret_looked_at)
{
    struct taking *taking = page->taking;
    const char *bad = NULL;

    while (bad == NULL && sql_next(call)) {
        struct sql_row row = sql_row(call);
        uint32_t state = sql_take_below(&row, TRIGGER_CANCELLED);

        bad = row.bad;
        (*ret_looked_at)++;
        if (bad == NULL && trigger_ended((enum trigger_state)state) != is_living) {
            taking->rows->counts[state]++;
        }
    }
    enum store_outcome ended = sql_end(call, taking->reterr);

    return bad != NULL ? sql_bad_row(taking->conn, "triggers", page->query->id, bad, taking->reterr) : ended;
}

static enum store_outcome count_dead(struct page *page)
{
    struct sql_call call = sql_begin(page->taking->conn, SQL_TRIGGER_STATES_DEAD);
    size_t looked_at = 0;

    sql_int(&call, QUERY_SCAN_MAX);
    return count(page, &call, false, &looked_at);
}

enum store_outcome sqlite_read_counts(struct page *page)
{
    struct sql_conn *conn = page->taking->conn;
    size_t looked_at = 0;

    if (page->query->id == 0) {
        return count_dead(page);
    }
    struct sql_call call = sql_begin(conn, SQL_TRIGGER_STATES_LIVING);

    sql_id(&call, page->query->id);
    sql_int(&call, QUERY_SCAN_MAX);
    enum store_outcome outcome = count(page, &call, true, &looked_at);

    if (outcome == STORE_DONE) {
        looked_at = 0;
        call = sql_begin(conn, SQL_TRIGGER_STATES_UP_TO);
        sql_id(&call, page->query->id);
        sql_int(&call, INT64_MAX);
        sql_int(&call, QUERY_SCAN_MAX);
        outcome = count(page, &call, false, &looked_at);
    }
    if (outcome == STORE_DONE && looked_at < QUERY_SCAN_MAX) { /* the one with the job's id is in no index */
        call = sql_begin(conn, SQL_TRIGGER_STATE_OWN);
        sql_id(&call, page->query->id);
        outcome = count(page, &call, false, &looked_at);
    }
    return outcome;
}
