/* What wakes soon: place by place along the index of wakes, since SQLite finds nothing by time alone. */
#include "base/limits.h"
#include "store/sqlite/sqlite_read.h"

static enum store_outcome next_place(struct taking *taking, int64_t after, int64_t *ret_place)
{
    struct sql_call call = sql_begin(taking->conn, SQL_PLACE_AWAITED);

    *ret_place = 0;
    sql_int(&call, after);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);

        *ret_place = sql_take_int(&row);
    }
    return sql_end(&call, taking->reterr);
}

static struct sql_call begin_place(const struct page *page, enum sql_statement statement, int64_t place)
{
    const struct query *query = page->query;
    struct sql_call call = sql_begin(page->taking->conn, statement);

    sql_int(&call, place);
    sql_int(&call, query->after_ms);
    sql_int(&call, query->until_ms);
    sql_int(&call, query->limit < INT64_MAX ? (int64_t)query->limit + 1 : INT64_MAX);
    return call;
}

/* There is more in a place than was asked for. */
static void put_cut(struct rows *rows, const struct place *place, int64_t wake_ms)
{
    struct place_row *row = ROWS_ADD(rows, places);

    row->place = *place;
    row->wake_ms = wake_ms;
}

/* Wakes come in their order, so a step is over when the next begins. */
static enum store_outcome count_wakes(struct page *page, int64_t number, const struct place *place)
{
    const struct query *query = page->query;
    struct rows *rows = page->taking->rows;
    struct step_row *step = NULL;
    struct sql_call call = begin_place(page, SQL_STEPS, number);

    for (size_t seen = 0; sql_next(&call); seen++) {
        int64_t wake_ms = sqlite3_column_int64(call.stmt, 0);

        if (seen == query->limit) {
            put_cut(rows, place, wake_ms);
            break;
        }
        if (step == NULL || wake_ms - step->from_ms >= query->step_ms) {
            step = ROWS_ADD(rows, steps);
            step->place = *place;
            step->from_ms = wake_step(wake_ms, query->step_ms);
        }
        step->count++;
    }
    return sql_end(&call, page->taking->reterr);
}

static enum store_outcome take_waking(struct page *page, int64_t number, const struct place *place)
{
    struct rows *rows = page->taking->rows;
    enum store_outcome outcome = STORE_DONE;
    struct sql_call call = begin_place(page, SQL_JOBS_COMING, number);

    for (size_t seen = 0; outcome == STORE_DONE && sql_next(&call); seen++) {
        struct sql_row row = sql_row(&call);

        outcome = sqlite_take_job(page->taking, &row);
        if (outcome == STORE_DONE && seen == page->query->limit) {
            put_cut(rows, place, rows->jobs.items[--rows->jobs.count].wake_ms);
            break;
        }
    }
    enum store_outcome ended = sql_end(&call, outcome == STORE_DONE ? page->taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}

enum store_outcome sqlite_read_waking(struct page *page)
{
    struct taking *taking = page->taking;
    enum store_outcome outcome = STORE_DONE;
    int64_t number = 0;

    for (size_t places = 0; outcome == STORE_DONE; places++) {
        outcome = next_place(taking, number, &number);
        if (outcome != STORE_DONE || number == 0) {
            break;
        }
        if (places == QUERY_SCAN_MAX) {
            taking->rows->has_more = true;
            break;
        }
        struct place place;

        outcome = sqlite_take_place(taking, number, &place);
        if (outcome == STORE_DONE) {
            outcome = page->query->kind == QUERY_STEPS ? count_wakes(page, number, &place)
                                                       : take_waking(page, number, &place);
        }
    }
    return outcome;
}
