/* What may go for its age, found by looking at everything: this store is for tests. */
#include "base/mem.h"
#include "store/memory/disk.h"

static bool is_before(int64_t ms, int64_t limit_ms)
{
    return ms != TIME_NONE && limit_ms != TIME_NONE && ms < limit_ms;
}

static bool is_claimed(const struct memory_disk *disk, uint64_t trigger)
{
    for (struct ordered_node *node = ordered_first(&disk->tables[ROW_CLAIMS]); node != NULL;
         node = ordered_next(node)) {
        const struct claims_row *row = &CONTAINER_OF(node, struct claims_entry, entry.by_key)->row;

        for (size_t i = 0; i < row->count; i++) {
            if (row->claims[i].trigger == trigger) {
                return true;
            }
        }
    }
    return false;
}

static bool may_trigger_go(const struct memory_disk *disk, const struct store_ages *ages, const struct trigger_row *row)
{
    if (disk_is_living(row) || is_claimed(disk, row->id)) {
        return false;
    }
    if (disk_find_job(disk, row->job) == NULL) {
        return true;
    }
    return row->state == TRIGGER_DEAD ? is_before(row->ended_ms, ages->dead_ms)
                                      : row->job != row->id && is_before(row->ended_ms, ages->history_ms);
}

static bool may_go(const struct memory_disk *disk, const struct store_ages *ages, enum row_kind kind, const void *row)
{
    const struct skip_row *skip = row;
    const struct version_row *version = row;
    const struct idem_row *idem = row;

    if (kind == ROW_TRIGGER) {
        return may_trigger_go(disk, ages, row);
    }
    if (kind == ROW_SKIP) {
        return is_before(skip->decided_ms, ages->history_ms) || disk_find_job(disk, skip->job) == NULL;
    }
    if (kind == ROW_VERSION) {
        return disk_find_job(disk, version->job) == NULL;
    }
    return is_before(idem->created_ms, ages->idem_ms);
}

static void give_attempts(const struct memory_disk *disk, struct rows *rows, uint64_t trigger)
{
    const struct attempt_row from = {.trigger = trigger};

    for (struct ordered_node *node = ordered_from(&disk->tables[ROW_ATTEMPT], &from); node != NULL;
         node = ordered_next(node)) {
        const struct attempt_entry *attempt = CONTAINER_OF(node, struct attempt_entry, entry.by_key);

        if (attempt->row.trigger != trigger) {
            return;
        }
        disk_give(rows, ROW_ATTEMPT, &attempt->entry);
    }
}

void memory_old(struct memory_disk *disk, const struct store_ages *ages, struct rows *rows, bool *ret_has_more)
{
    static const enum row_kind kinds[] = {ROW_TRIGGER, ROW_SKIP, ROW_VERSION, ROW_IDEM};

    *ret_has_more = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct ordered_node *node = ordered_first(&disk->tables[kinds[i]]);
        size_t found = 0;

        for (; node != NULL && found < ages->rows_max; node = ordered_next(node)) {
            const struct entry *entry = CONTAINER_OF(node, struct entry, by_key);

            if (may_go(disk, ages, kinds[i], disk_row(kinds[i], entry))) {
                disk_give(rows, kinds[i], entry);
                found++;
                if (kinds[i] == ROW_TRIGGER) {
                    give_attempts(disk, rows, ((const struct trigger_row *)disk_row(ROW_TRIGGER, entry))->id);
                }
            }
        }
        *ret_has_more = *ret_has_more || node != NULL;
    }
}

static void drop(struct memory_disk *disk, enum row_kind kind, const void *row)
{
    struct entry *entry = disk_find(disk, kind, row);

    if (entry != NULL) {
        disk_change(disk, kind, entry, NULL);
        mem_free(entry);
    }
}

void memory_forget(struct memory_disk *disk, const struct rows *rows)
{
    for (size_t i = 0; i < rows->attempts.count; i++) {
        drop(disk, ROW_ATTEMPT, &rows->attempts.items[i]);
    }
    for (size_t i = 0; i < rows->triggers.count; i++) {
        drop(disk, ROW_TRIGGER, &rows->triggers.items[i]);
    }
    for (size_t i = 0; i < rows->skips.count; i++) {
        drop(disk, ROW_SKIP, &rows->skips.items[i]);
    }
    for (size_t i = 0; i < rows->versions.count; i++) {
        drop(disk, ROW_VERSION, &rows->versions.items[i]);
    }
    for (size_t i = 0; i < rows->idems.count; i++) {
        drop(disk, ROW_IDEM, &rows->idems.items[i]);
    }
}
