#include "api/running.h"

#include <stdlib.h>

#include "base/mem.h"

void running_init(struct running *running)
{
    rows_init(&running->rows);
    idmap_init(&running->by_trigger, 0);
    idmap_init(&running->by_job, 0);
}

void running_done(struct running *running)
{
    idmap_done(&running->by_trigger);
    idmap_done(&running->by_job);
    rows_done(&running->rows);
}

/* idmap holds what may be changed; claims are not. */
static void put(struct idmap *map, uint64_t id, const struct claim *claim)
{
    union {
        const struct claim *claim;
        void *ptr;
    } value = {.claim = claim};

    (void)idmap_remove(map, id);
    idmap_put(map, id, value.ptr);
}

static void take(struct running *running, const struct claim *claim)
{
    const struct claim *of_trigger = idmap_find(&running->by_trigger, claim->trigger);
    const struct claim *of_job = idmap_find(&running->by_job, claim->job);

    if (of_trigger == NULL || of_trigger->number < claim->number) {
        put(&running->by_trigger, claim->trigger, claim);
    }
    if (of_job == NULL || of_job->trigger < claim->trigger) {
        put(&running->by_job, claim->job, claim);
    }
}

bool running_read(struct api_request *request, struct store_reader *reader, struct running *running)
{
    const struct query query = {.kind = QUERY_CLAIMS, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};

    if (!api_query(request, reader, &query, &running->rows)) {
        return false;
    }
    for (size_t i = 0; i < running->rows.claims.count; i++) {
        for (size_t k = 0; k < running->rows.claims.items[i].count; k++) {
            take(running, &running->rows.claims.items[i].claims[k]);
        }
    }
    return true;
}

/* Of a trigger without a row. */
static bool lives(const struct claim *claim, const struct job_row *job)
{
    return job != NULL &&
           (claim->trigger != claim->job || (job->status != JOB_COMPLETED && job->status != JOB_CANCELLED));
}

const struct claim *running_of(const struct running *running, uint64_t trigger, const struct trigger_row *row,
                               const struct job_row *job)
{
    const struct claim *claim = idmap_find(&running->by_trigger, trigger);

    if (claim == NULL) {
        return NULL;
    }
    if (row != NULL) {
        return !trigger_ended(row->state) && claim->number > row->attempts ? claim : NULL;
    }
    return lives(claim, job) ? claim : NULL;
}

const struct claim *running_newest_of(const struct running *running, const struct job_row *job)
{
    const struct claim *claim = idmap_find(&running->by_job, job->id);

    return claim != NULL && lives(claim, job) ? claim : NULL;
}

void running_settle(const struct running *running, struct job_row *job)
{
    if (running_of(running, job->id, NULL, job) != NULL) { /* its own trigger has its id */
        job->cursor_ms = TIME_NONE;
    }
}

static int newest_first(const void *key_a, const void *key_b)
{
    const struct claim *a = *(const struct claim *const *)key_a, *b = *(const struct claim *const *)key_b;

    return (a->trigger < b->trigger) - (a->trigger > b->trigger);
}

size_t running_list(const struct running *running, uint64_t job, uint64_t before_id, struct arena *arena,
                    const struct claim ***ret_claims)
{
    const struct claim **claims =
        arena_alloc_array(arena, idmap_count(&running->by_trigger) + 1, sizeof(struct claim *));
    const struct claim *claim;
    size_t count = 0, pos = 0;

    while ((claim = idmap_next(&running->by_trigger, &pos, NULL)) != NULL) {
        if (claim->job == job && (before_id == 0 || claim->trigger < before_id)) {
            claims[count++] = claim;
        }
    }
    qsort(claims, count, sizeof(struct claim *), newest_first);
    *ret_claims = claims;
    return count;
}
