/* What wakes soon, and how much of it. */
#include "base/limits.h"
#include "store/memory/disk.h"

static void count_wake(const struct query *query, const struct place *place, int64_t wake_ms, struct rows *rows)
{
    struct step_row *step = rows->steps.count > 0 ? &rows->steps.items[rows->steps.count - 1] : NULL;
    int64_t from_ms = wake_step(wake_ms, query->step_ms);

    if (step == NULL || step->from_ms != from_ms || !place_equal(&step->place, place)) {
        step = ROWS_ADD(rows, steps);
        step->place = *place;
        step->from_ms = from_ms;
    }
    step->count++;
}

static void read_place(const struct place_entry *entry, const struct query *query, struct rows *rows)
{
    const struct job_row after = {.wake_ms = query->after_ms, .id = UINT64_MAX};
    const struct place place = {.pool = rows_text(rows, entry->place.pool),
                                .tenant = rows_text(rows, entry->place.tenant),
                                .type = rows_text(rows, entry->place.type),
                                .priority = entry->place.priority};
    struct ordered_node *node = ordered_after(&entry->jobs, &after);

    for (size_t seen = 0; node != NULL; node = ordered_next(node), seen++) {
        const struct job_entry *job = CONTAINER_OF(node, struct job_entry, by_wake);

        if (job->row.wake_ms > query->until_ms) {
            return;
        }
        if (seen == query->limit) {
            *ROWS_ADD(rows, places) = (struct place_row){place, job->row.wake_ms};
            return;
        }
        if (query->kind == QUERY_WAKING) {
            disk_give(rows, ROW_JOB, &job->entry);
        } else {
            count_wake(query, &place, job->row.wake_ms, rows);
        }
    }
}

void memory_waking(const struct memory_disk *disk, const struct query *query, struct rows *rows)
{
    struct ordered_node *node = ordered_first(&disk->places);

    for (size_t places = 0; node != NULL && places < QUERY_SCAN_MAX; node = ordered_next(node), places++) {
        read_place(CONTAINER_OF(node, struct place_entry, by_place), query, rows);
    }
    rows->has_more = node != NULL;
}
