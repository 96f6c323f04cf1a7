#include "api/history.h"

#include "base/limits.h"
#include "base/mem.h"

/* The newest trigger has mostly ended, so one is read first; each page after is so much larger. */
#define PAGE_GROWTH 10

static struct query newest_of(uint64_t job, uint64_t before, size_t limit)
{
    return (struct query){.kind = QUERY_TRIGGERS,
                          .id = job,
                          .after = before,
                          .limit = limit,
                          .after_ms = TIME_NONE,
                          .since_ms = TIME_NONE};
}

/* ---- the last ---- */

static const struct trigger_row *first_ended(const struct rows *rows)
{
    for (size_t i = 0; i < rows->triggers.count; i++) {
        if (trigger_ended(rows->triggers.items[i].state)) {
            return &rows->triggers.items[i];
        }
    }
    return NULL;
}

bool history_last(struct api_request *request, struct store_reader *reader, const struct running *running, size_t among,
                  struct wire_job *job, struct rows *rows)
{
    const struct claim *claim = running_newest_of(running, job->row);
    struct query query = newest_of(job->row->id, 0, 1);
    bool has_more = true;

    job->last_fired_ms = claim != NULL ? claim->started_ms : TIME_NONE;
    for (size_t looked_at = 0; has_more && job->last_ended == NULL && looked_at < among;) {
        rows_done(rows); /* one page is kept at a time */
        rows_init(rows);
        if (!api_query(request, reader, &query, rows)) {
            return false;
        }
        if (looked_at == 0 && rows->triggers.count > 0 &&
            (claim == NULL || rows->triggers.items[0].id >= claim->trigger)) {
            job->last_fired_ms = rows->triggers.items[0].created_ms;
        }
        job->last_ended = first_ended(rows);
        has_more = rows->has_more;
        looked_at += rows->triggers.count;
        query.after = rows->after;
        query.limit = query.limit < PAGE_ROWS_MAX ? query.limit * PAGE_GROWTH : PAGE_ROWS_MAX;
    }
    return true;
}

/* ---- counts ---- */

/* What a claim adds: a trigger that runs, whose row, if it has one, was counted as pending. */
static bool count_claim(struct api_request *request, struct store_reader *reader, const struct running *running,
                        const struct claim *claim, struct wire_job *job)
{
    const struct query query = newest_of(job->row->id, claim->trigger + 1, 1);
    SCOPE(rows_done) struct rows rows;

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return false;
    }
    bool has_row = rows.triggers.count > 0 && rows.triggers.items[0].id == claim->trigger;

    if (running_of(running, claim->trigger, has_row ? &rows.triggers.items[0] : NULL, job->row) != NULL) {
        job->counts.running++;
        job->counts.pending -= has_row && job->counts.pending > 0 ? 1 : 0;
    }
    return true;
}

bool history_counts(struct api_request *request, struct store_reader *reader, const struct running *running,
                    struct wire_job *job)
{
    const struct query query = {
        .kind = QUERY_COUNTS, .id = job->row->id, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    SCOPE(rows_done) struct rows rows;
    const struct claim **claims;
    size_t count = running_list(running, job->row->id, 0, request->arena, &claims);

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return false;
    }
    job->counts = (struct wire_counts){
        .waiting = rows.counts[TRIGGER_WAITING],
        .pending = rows.counts[TRIGGER_PENDING],
        .succeeded = rows.counts[TRIGGER_SUCCEEDED],
        .dead = rows.counts[TRIGGER_DEAD],
        .cancelled = rows.counts[TRIGGER_CANCELLED],
    };
    for (size_t i = 0; i < count; i++) {
        if (!count_claim(request, reader, running, claims[i], job)) {
            return false;
        }
    }
    return true;
}
