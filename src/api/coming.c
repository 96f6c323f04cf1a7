#include "api/coming.h"

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

static struct query question(enum query_kind kind, int64_t after_ms, int64_t until_ms, int64_t limit)
{
    return (struct query){.kind = kind,
                          .after_ms = after_ms,
                          .until_ms = until_ms,
                          .since_ms = TIME_NONE,
                          .step_ms = 1,
                          .limit = (size_t)limit};
}

/* A read that takes too long is tried with less, before anybody is told: what is left out is said by the answer. */
static bool ask(struct api_request *request, struct store_reader *reader, struct query query, struct rows *rows)
{
    for (; query.limit > LESS_MIN; query.limit /= LESS_BY) {
        if (store_read(reader, &query, rows, NULL) == STORE_DONE && !rows->is_cut) {
            return true;
        }
        rows_done(rows);
        rows_init(rows);
    }
    return api_query(request, reader, &query, rows);
}

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

bool coming_wakes(struct api_request *request, struct store_reader *reader, const struct coming *coming,
                  struct rows *rows)
{
    struct query query = question(QUERY_STEPS, coming->now_ms, coming->to_ms - 1, FIRST_WAKES);

    query.step_ms = coming->step_ms;
    bool is_read = ask(request, reader, query, rows);

    for (size_t round = 1; is_read && round < ROUNDS_MAX && rows->places.count > 0; round++) {
        int64_t more = larger_share(rows, coming->wakes_max);

        if (more < (int64_t)query.limit) { /* not worth another round */
            break;
        }
        query.limit += (size_t)more;
        rows_done(rows);
        rows_init(rows);
        is_read = ask(request, reader, query, rows);
    }
    return is_read;
}

/* How many of each place were counted: neighbours in the list are of the same place. */
static int64_t fair_limit(struct api_request *request, const struct rows *wakes, int64_t max)
{
    int64_t *counts = arena_alloc_array(request->arena, wakes->steps.count + 1, sizeof *counts);
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

bool coming_jobs(struct api_request *request, struct store_reader *reader, const struct coming *coming,
                 const struct rows *wakes, struct rows *rows)
{
    const struct query query =
        question(QUERY_WAKING, coming->now_ms, coming->to_ms - 1, fair_limit(request, wakes, coming->jobs_max));

    return ask(request, reader, query, rows);
}

bool coming_overdue(struct api_request *request, struct store_reader *reader, const struct coming *coming,
                    struct rows *rows)
{
    struct query query = question(QUERY_WAKING, TIME_NONE, coming->now_ms, OVERDUE_MIN);

    if (!ask(request, reader, query, rows)) {
        return false;
    }
    if (rows->places.count == 0) {
        return true;
    }
    query.limit = OVERDUE_MAX / rows->places.count;
    if (query.limit <= OVERDUE_MIN) {
        return true;
    }
    rows_done(rows);
    rows_init(rows);
    return ask(request, reader, query, rows);
}
