/* What wakes soon: place by place along the index of wakes, since SQLite finds nothing by time alone. */
#include "base/limits.h"
#include "store/sqlite/sqlite_read.h"

/* So many wakes in one step, and it is counted at once. */
#define DENSE 64

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

static struct sql_call begin_place(const struct page *page, int64_t place)
{
    const struct query *query = page->query;
    struct sql_call call = sql_begin(page->taking->conn, SQL_JOBS_COMING);

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

/* The place that is being counted. */
struct counting {
    struct page *page;
    const struct place *place;
    int64_t number;
    int64_t after_ms; /* counted up to here */
    size_t seen;
    struct step_row *step; /* the last one; NULL: none yet */
    bool is_over;
};

/* A step that has many is counted by SQLite itself, which is five times as fast as row by row; unless the limit lies
 * within it. */
static enum store_outcome count_dense(struct counting *counting)
{
    const struct query *query = counting->page->query;
    int64_t step_end_ms = counting->step->from_ms + query->step_ms - 1;
    int64_t end_ms = step_end_ms < query->until_ms ? step_end_ms : query->until_ms;
    struct sql_call call = sql_begin(counting->page->taking->conn, SQL_STEP_COUNT);
    size_t count = 0;

    sql_int(&call, counting->number);
    sql_int(&call, counting->after_ms);
    sql_int(&call, end_ms);
    sql_int(&call, query->limit < INT64_MAX ? (int64_t)(query->limit - counting->seen) + 1 : INT64_MAX);
    if (sql_next(&call)) {
        count = (size_t)sqlite3_column_int64(call.stmt, 0);
    }
    if (counting->seen + count <= query->limit) {
        counting->step->count += (int64_t)count;
        counting->seen += count;
        counting->after_ms = end_ms;
    }
    return sql_end(&call, counting->page->taking->reterr);
}

/* The step that has many is counted anew, from its beginning. */
static void forget_step(struct counting *counting)
{
    int64_t before_ms = counting->step->from_ms - 1;

    counting->seen -= (size_t)counting->step->count;
    counting->step->count = 0;
    counting->after_ms = before_ms > counting->page->query->after_ms ? before_ms : counting->page->query->after_ms;
    counting->is_over = false;
}

/* Wakes come in their order, so a step is over when the next begins. Ends early where a step has many. */
static enum store_outcome walk_steps(struct counting *counting, size_t dense)
{
    const struct query *query = counting->page->query;
    struct rows *rows = counting->page->taking->rows;
    struct sql_call call = sql_begin(counting->page->taking->conn, SQL_STEPS);

    sql_int(&call, counting->number);
    sql_int(&call, counting->after_ms);
    sql_int(&call, query->until_ms);
    sql_int(&call, query->limit < INT64_MAX ? (int64_t)query->limit + 1 : INT64_MAX);
    counting->is_over = true;
    while (sql_next(&call)) {
        int64_t wake_ms = sqlite3_column_int64(call.stmt, 0);

        if (counting->step == NULL || wake_ms - counting->step->from_ms >= query->step_ms) {
            counting->step = ROWS_ADD(rows, steps);
            counting->step->place = *counting->place;
            counting->step->from_ms = wake_step(wake_ms, query->step_ms);
        } else if ((size_t)counting->step->count >= dense) {
            forget_step(counting);
            break;
        }
        if (counting->seen == query->limit) {
            put_cut(rows, counting->place, wake_ms);
            break;
        }
        counting->step->count++;
        counting->seen++;
    }
    return sql_end(&call, counting->page->taking->reterr);
}

static enum store_outcome count_wakes(struct page *page, int64_t number, const struct place *place)
{
    struct rows *rows = page->taking->rows;
    struct counting counting = {.page = page, .place = place, .number = number, .after_ms = page->query->after_ms};
    enum store_outcome outcome = walk_steps(&counting, DENSE);

    while (outcome == STORE_DONE && !counting.is_over) {
        int64_t before_ms = counting.after_ms;

        outcome = count_dense(&counting);
        if (outcome == STORE_DONE) { /* where the limit is within the step, the rest is walked to its end */
            outcome = walk_steps(&counting, counting.after_ms == before_ms ? SIZE_MAX : DENSE);
        }
    }
    if (counting.step != NULL && counting.step->count == 0) { /* the limit was reached where it began */
        rows->steps.count--;
    }
    return outcome;
}

static enum store_outcome take_waking(struct page *page, int64_t number, const struct place *place)
{
    struct rows *rows = page->taking->rows;
    enum store_outcome outcome = STORE_DONE;
    struct sql_call call = begin_place(page, number);

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
