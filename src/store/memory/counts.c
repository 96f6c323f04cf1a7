/* How many triggers there are, by state. */
#include "base/limits.h"
#include "store/memory/disk.h"

static void count_dead(const struct memory_disk *disk, struct rows *rows)
{
    const struct ordered_node *node = ordered_first(&disk->dead);

    for (int64_t count = 0; node != NULL && count < QUERY_SCAN_MAX; count++) {
        rows->counts[TRIGGER_DEAD]++;
        node = ordered_next(node);
    }
}

static const struct trigger_row *of_job(const struct ordered_node *node, uint64_t job)
{
    const struct trigger_row *row = node != NULL ? &CONTAINER_OF_CONST(node, struct trigger_entry, by_job)->row : NULL;

    return row != NULL && row->job == job ? row : NULL;
}

static void count_living(const struct memory_disk *disk, uint64_t job, struct rows *rows)
{
    const struct trigger_row begin = {.job = job, .id = 0};
    const struct ordered_node *node = ordered_after(&disk->triggers_by_job, &begin);
    const struct trigger_row *row;
    size_t count = 0;

    for (; (row = of_job(node, job)) != NULL && count < QUERY_SCAN_MAX; node = ordered_next(node)) {
        if (disk_is_living(row)) {
            rows->counts[row->state]++;
            count++;
        }
    }
}

static void count_ended(const struct memory_disk *disk, uint64_t job, struct rows *rows)
{
    const struct trigger_row end = {.job = job, .id = UINT64_MAX};
    const struct ordered_node *node = ordered_before(&disk->triggers_by_job, &end);
    const struct trigger_row *row;

    for (size_t looked_at = 0; (row = of_job(node, job)) != NULL && looked_at < QUERY_SCAN_MAX; looked_at++) {
        rows->counts[row->state] += disk_is_living(row) ? 0 : 1;
        node = ordered_prev(node);
    }
}

void memory_counts(const struct memory_disk *disk, uint64_t job, struct rows *rows)
{
    if (job == 0) {
        count_dead(disk, rows);
        return;
    }
    count_living(disk, job, rows);
    count_ended(disk, job, rows);
}
