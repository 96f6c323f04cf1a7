/* A disk as a whole: its end, its copy, its dump, its digest, and whether its orders hold what they should. */
#include <assert.h>

#include "base/hash.h"
#include "base/mem.h"
#include "store/memory/disk.h"

/* One kind after the other. */
void memory_clear(struct memory_disk *disk)
{
    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        for (struct ordered_node *node; (node = ordered_first(&disk->tables[kind])) != NULL;) {
            struct entry *entry = CONTAINER_OF(node, struct entry, by_key);

            disk_change(disk, (enum row_kind)kind, entry, NULL);
            mem_free(entry);
        }
    }
}

void memory_disk_free(struct memory_disk *disk)
{
    if (disk == NULL) {
        return;
    }
    assert(disk->open_count == 0);
    memory_clear(disk);
    mem_free(disk->changes);
    mem_free(disk);
}

void memory_disk_restore(struct memory_disk *disk, const struct memory_disk *from)
{
    assert(disk != from);
    memory_clear(disk);
    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        const struct ordered *table = &from->tables[kind];

        for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
            const struct entry *entry = CONTAINER_OF(node, struct entry, by_key);

            disk_change(disk, (enum row_kind)kind, NULL,
                        disk_entry_new((enum row_kind)kind, disk_row((enum row_kind)kind, entry), entry->batch));
        }
    }
    disk->shard = from->shard;
}

struct memory_disk *memory_disk_copy(const struct memory_disk *disk)
{
    struct memory_disk *copy = memory_disk_new();

    memory_disk_restore(copy, disk);
    return copy;
}

void memory_disk_dump(const struct memory_disk *disk, struct rows *rows)
{
    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        const struct ordered *table = &disk->tables[kind];

        for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
            disk_give(rows, (enum row_kind)kind, CONTAINER_OF(node, struct entry, by_key));
        }
    }
    rows->shard = disk->shard;
}

/* ---- digest: a sum, so that the order does not count ---- */

static uint64_t digest_shard(const struct shard_row *shard)
{
    const uint64_t numbers[] = {(uint64_t)shard->id_high_ms, shard->last_batch};

    return hash64(numbers, sizeof numbers, 0);
}

uint64_t memory_disk_digest(const struct memory_disk *disk)
{
    uint64_t digest = digest_shard(&disk->shard);

    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        const struct ordered *table = &disk->tables[kind];

        for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
            const struct entry *entry = CONTAINER_OF(node, struct entry, by_key);

            digest += shape_digest_row((enum row_kind)kind, disk_row((enum row_kind)kind, entry));
        }
    }
    return digest;
}

uint64_t memory_rows_digest(const struct rows *rows)
{
    uint64_t digest = digest_shard(&rows->shard);

#define X(kind, type, list)                                                                                            \
    for (size_t i = 0; i < rows->list.count; i++) {                                                                    \
        digest += shape_digest_row(kind, &rows->list.items[i]);                                                        \
    }
    ROW_TABLE(X)
#undef X
    return digest;
}

/* ---- validity ---- */

static bool jobs_valid(const struct memory_disk *disk)
{
    const struct ordered *table = &disk->tables[ROW_JOB];
    size_t named = 0, waiting = 0, placed = 0;

    for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
        const struct job_entry *job = CONTAINER_OF(node, struct job_entry, entry.by_key);

        named += str_empty(job->row.name) ? 0 : 1;
        waiting += job->row.wake_ms != TIME_NONE ? 1 : 0;
        if ((job->place != NULL) != (job->row.wake_ms != TIME_NONE) ||
            (job->place != NULL && job->place != disk_find_place(disk, &job->row.place))) {
            return false;
        }
    }
    for (struct ordered_node *node = ordered_first(&disk->places); node != NULL; node = ordered_next(node)) {
        const struct place_entry *place = CONTAINER_OF(node, struct place_entry, by_place);

        placed += place->jobs.count;
        if (place->jobs.count == 0 || !ordered_valid(&place->jobs)) { /* disk.h, rule 3 */
            return false;
        }
    }
    return named == disk->jobs_by_name.count && waiting == placed;
}

static bool triggers_valid(const struct memory_disk *disk)
{
    const struct ordered *table = &disk->tables[ROW_TRIGGER];
    size_t living = 0, dead = 0;

    for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
        const struct trigger_entry *trigger = CONTAINER_OF(node, struct trigger_entry, entry.by_key);

        living += disk_is_living(&trigger->row) ? 1 : 0;
        dead += disk_is_letter(&trigger->row) ? 1 : 0;
    }
    return disk->triggers_by_job.count == table->count && disk->triggers_by_time.count == table->count &&
           disk->living.count == living && disk->dead.count == dead;
}

bool memory_disk_valid(const struct memory_disk *disk)
{
    const struct ordered *const others[] = {&disk->jobs_by_name,       &disk->places, &disk->triggers_by_job,
                                            &disk->triggers_by_time,   &disk->living, &disk->dead,
                                            &disk->edges_by_downstream};

    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        if (!ordered_valid(&disk->tables[kind])) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (!ordered_valid(others[i])) {
            return false;
        }
    }
    return jobs_valid(disk) && triggers_valid(disk) && disk->edges_by_downstream.count == disk->tables[ROW_EDGE].count;
}
