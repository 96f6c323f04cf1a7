#include "api/coming.h"

#include "base/chrono.h"
#include "base/mem.h"
#include "forecast/upcoming.h"

/* Of each place at first: few have more, and those are told by it. */
#define FIRST_WAKES 100
/* Each round counts again, and goes further where there is more. */
#define ROUNDS_MAX 4
/* A read that took too long is asked again for so much less, down to this. */
#define LESS_BY 4
#define LESS_MIN 50
/* Of each place that is overdue: so many are read where there are few places. */
#define OVERDUE_MAX 500
#define OVERDUE_MIN 10
/* No read begins later than this: others wait for the reader. */
#define READING_MS 2000
/* Nor one that only makes the picture finer, so that there is time for what is needed. */
#define FINER_MS 500

/* ---- reading ---- */

static struct query question(enum query_kind kind, int64_t after_ms, int64_t until_ms, int64_t limit)
{
    return (struct query){.kind = kind,
                          .after_ms = after_ms,
                          .until_ms = until_ms,
                          .since_ms = TIME_NONE,
                          .step_ms = 1,
                          .limit = (size_t)limit};
}

static bool is_late(const struct coming *coming, int64_t after_ms)
{
    return chrono_mono_ms() >= coming->begun_mono_ms + after_ms;
}

/* A read that takes too long is tried with less, while query->limit is above min and until_ms have not passed: what is
 * left out is said by the answer. A store that is down is not asked again. */
static enum store_outcome ask(struct store_reader *reader, const struct coming *coming, int64_t until_ms,
                              struct query *query, size_t min, struct rows *rows, struct error *reterr)
{
    for (;;) {
        enum store_outcome outcome = store_read(reader, query, rows, reterr);

        if (outcome == STORE_DONE && rows->is_cut) {
            outcome = STORE_AGAIN;
        }
        if (outcome != STORE_AGAIN || query->limit <= min || is_late(coming, until_ms)) {
            return outcome;
        }
        query->limit /= LESS_BY;
        rows_done(rows);
        rows_init(rows);
    }
}

/* What an answer cannot do without. */
static enum store_outcome ask_needed(struct store_reader *reader, const struct coming *coming, struct query *query,
                                     struct rows *rows, struct error *reterr)
{
    return is_late(coming, READING_MS) ? STORE_AGAIN : ask(reader, coming, READING_MS, query, LESS_MIN, rows, reterr);
}

/* The same with a larger limit. False: rows stay as they are (rule 3). */
static bool ask_more(struct store_reader *reader, const struct coming *coming, struct query *query, size_t limit,
                     struct rows *rows)
{
    SCOPE(rows_done) struct rows more;
    struct query larger = *query;

    rows_init(&more);
    larger.limit = limit;
    if (is_late(coming, FINER_MS) ||
        ask(reader, coming, FINER_MS, &larger, query->limit * LESS_BY, &more, NULL) != STORE_DONE) {
        return false;
    }
    struct rows fewer = *rows;

    *rows = more;
    more = fewer;
    *query = larger;
    return true;
}

/* ---- what is read ---- */

/* What each of the places with more may have, if those with less leave their share to them. */
static int64_t larger_share(const struct rows *rows, int64_t max)
{
    int64_t counted = 0;

    for (size_t i = 0; i < rows->steps.count; i++) {
        counted += rows->steps.items[i].count;
    }
    int64_t cut = (int64_t)rows->places.count;

    return cut > 0 && max > counted ? (max - counted) / cut : 0;
}

/* What wakes in (now, to), counted by place and step. */
static enum store_outcome read_wakes(struct store_reader *reader, const struct coming *coming, struct rows *rows,
                                     struct error *reterr)
{
    struct query query = question(QUERY_STEPS, coming->now_ms, coming->to_ms - 1, FIRST_WAKES);

    query.step_ms = coming->step_ms;
    enum store_outcome outcome = ask_needed(reader, coming, &query, rows, reterr);

    for (size_t round = 1; outcome == STORE_DONE && round < ROUNDS_MAX && rows->places.count > 0; round++) {
        int64_t more = larger_share(rows, coming->wakes_max);

        if (more < (int64_t)query.limit || !ask_more(reader, coming, &query, query.limit + (size_t)more, rows)) {
            break; /* not worth another round */
        }
    }
    return outcome;
}

/* How many of each place were counted: neighbours in the list are of the same place. */
static int64_t fair_limit(const struct rows *wakes, int64_t max)
{
    SCOPE_FREE int64_t *counts = mem_alloc_array(wakes->steps.count + 1, sizeof *counts);
    size_t count = 0;

    for (size_t i = 0; i < wakes->steps.count; i++) {
        const struct step_row *step = &wakes->steps.items[i];

        if (i == 0 || !place_equal(&step->place, &wakes->steps.items[i - 1].place)) {
            counts[count++] = 0;
        }
        counts[count - 1] += step->count;
    }
    return upcoming_fair_limit(counts, count, max);
}

/* The first of these, as jobs. */
static enum store_outcome read_jobs(struct store_reader *reader, const struct coming *coming, const struct rows *wakes,
                                    struct rows *rows, struct error *reterr)
{
    struct query query = question(QUERY_WAKING, coming->now_ms, coming->to_ms - 1, fair_limit(wakes, coming->jobs_max));

    return ask_needed(reader, coming, &query, rows, reterr);
}

static enum store_outcome read_overdue(struct store_reader *reader, const struct coming *coming, struct rows *rows,
                                       struct error *reterr)
{
    struct query query = question(QUERY_WAKING, TIME_NONE, coming->now_ms, OVERDUE_MIN);
    enum store_outcome outcome = ask_needed(reader, coming, &query, rows, reterr);

    if (outcome == STORE_DONE && rows->places.count > 0 && OVERDUE_MAX / rows->places.count > OVERDUE_MIN) {
        (void)ask_more(reader, coming, &query, OVERDUE_MAX / rows->places.count, rows);
    }
    return outcome;
}

/* ---- all of it ---- */

void coming_init(struct coming_rows *rows)
{
    rows_init(&rows->wakes);
    rows_init(&rows->overdue);
    rows_init(&rows->jobs);
}

void coming_done(struct coming_rows *rows)
{
    rows_done(&rows->wakes);
    rows_done(&rows->overdue);
    rows_done(&rows->jobs);
}

enum store_outcome coming_read(struct store_reader *reader, const struct coming *coming, struct coming_rows *rows,
                               struct error *reterr)
{
    enum store_outcome outcome = read_wakes(reader, coming, &rows->wakes, reterr);

    if (outcome == STORE_DONE) {
        outcome = read_overdue(reader, coming, &rows->overdue, reterr);
    }
    if (outcome == STORE_DONE) {
        outcome = read_jobs(reader, coming, &rows->wakes, &rows->jobs, reterr);
    }
    return outcome;
}
