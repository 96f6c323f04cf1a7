/* What wakes soon: place by place along the index of wakes, in one statement. One job more than asked for is looked at
 * in each place, which tells whether there are others. */
#include "base/limits.h"
#include "store/postgres/postgres_read.h"

static void put_cut(struct rows *rows, const struct place *place, int64_t wake_ms)
{
    struct place_row *row = ROWS_ADD(rows, places);

    row->place = *place;
    row->wake_ms = wake_ms;
}

static void ask(struct page *page, struct pg_call *call, enum pg_statement statement)
{
    const struct query *query = page->query;

    pg_call(call, page->taking->conn, statement);
    pg_int2(call, page->taking->shard);
    pg_int8(call, query->after_ms);
    pg_int8(call, query->until_ms);
    pg_int8(call, postgres_page_limit(page));
}

static enum store_outcome skip_row(struct taking *taking, struct pg_row *row)
{
    (void)taking;
    (void)row;
    return STORE_DONE;
}

/* ---- how many ---- */

/* The place that is being counted. */
struct counting {
    struct place place;
    size_t places; /* so far, with this one */
    int64_t seen;  /* of this place */
};

/* A step of a place. Of one job more than was asked for, which is the latest, is told when it wakes. */
static enum store_outcome count_step(struct page *page, struct counting *counting, struct pg_row *row)
{
    struct rows *rows = page->taking->rows;
    struct step_row step;
    enum store_outcome outcome = postgres_take_place(page->taking, row, &step.place);

    if (counting->places == 0 || !place_equal(&counting->place, &step.place)) {
        *counting = (struct counting){.place = step.place, .places = counting->places + 1};
    }
    if (outcome != STORE_DONE || counting->places > QUERY_SCAN_MAX || pg_next_is_null(row)) {
        rows->has_more = counting->places > QUERY_SCAN_MAX;
        return outcome;
    }
    step.from_ms = pg_take_int(row);
    step.count = pg_take_int(row);
    counting->seen += step.count;
    if ((uint64_t)counting->seen > page->query->limit) {
        step.count--;
        put_cut(rows, &step.place, pg_take_int(row));
    }
    if (step.count > 0) {
        *ROWS_ADD(rows, steps) = step;
    }
    return outcome;
}

static enum store_outcome read_wakes(struct page *page)
{
    struct taking *taking = page->taking;
    struct counting counting = {0};
    struct pg_call call;

    ask(page, &call, SQL_STEPS);
    pg_int8(&call, page->query->step_ms);
    pg_int8(&call, QUERY_SCAN_MAX + 1);
    pg_send(&call);
    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, skip_row);
    const PGresult *answer = taking->conn->answer;
    int count = answer != NULL ? PQntuples(answer) : 0;

    for (int i = 0; i < count && taking->outcome == STORE_DONE; i++) {
        struct pg_row row = pg_row(answer, i);

        taking->outcome = count_step(page, &counting, &row);
    }
    return postgres_take_end(taking);
}

/* ---- the jobs ---- */

static void cut_jobs(struct rows *rows, size_t limit)
{
    size_t kept = 0;
    size_t seen = 0;
    struct place place = {0};

    for (size_t i = 0; i < rows->jobs.count; i++) {
        const struct job_row *job = &rows->jobs.items[i];

        seen = i == 0 || !place_equal(&place, &job->place) ? 1 : seen + 1;
        place = job->place;
        if (seen <= limit) {
            rows->jobs.items[kept++] = *job;
        } else {
            put_cut(rows, &place, job->wake_ms);
        }
    }
    rows->jobs.count = kept;
}

enum store_outcome postgres_read_waking(struct page *page)
{
    struct pg_call call;

    if (page->query->kind == QUERY_STEPS) {
        return read_wakes(page);
    }
    ask(page, &call, SQL_JOBS_COMING);
    pg_int8(&call, QUERY_SCAN_MAX);
    pg_send(&call);
    pg_sync(page->taking->conn);
    (void)postgres_take_answer(page->taking, postgres_take_job);
    enum store_outcome outcome = postgres_take_end(page->taking);

    cut_jobs(page->taking->rows, page->query->limit);
    return outcome;
}
