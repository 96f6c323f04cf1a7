/* Whole tables, page by page, for copies. */
#include "store/memory/disk.h"

static void give_behind(const struct memory_disk *disk, enum row_kind kind, const void *after, size_t limit,
                        struct rows *rows)
{
    struct ordered_node *node = ordered_after(&disk->tables[kind], after);

    for (size_t given = 0; node != NULL; given++, node = ordered_next(node)) {
        if (given == limit) {
            rows->has_more = true;
            return;
        }
        disk_give(rows, kind, CONTAINER_OF(node, struct entry, by_key));
    }
}

void memory_read_table(const struct memory_disk *disk, const struct query *query, struct rows *rows)
{
    const struct version_row version = {.job = query->id, .version = (uint32_t)query->after};
    const struct trigger_row trigger = {.id = query->after};
    const struct attempt_row attempt = {.trigger = query->id, .number = (uint32_t)query->after};
    const struct skip_row skip = {.job = query->id, .from_ms = query->after_ms};
    const struct idem_row idem = {.tenant = query->tenant, .key = query->after_text};

    switch ((int)query->kind) {
    case QUERY_ALL_VERSIONS:
        give_behind(disk, ROW_VERSION, &version, query->limit, rows);
        break;
    case QUERY_ALL_TRIGGERS:
        give_behind(disk, ROW_TRIGGER, &trigger, query->limit, rows);
        break;
    case QUERY_ALL_ATTEMPTS:
        give_behind(disk, ROW_ATTEMPT, &attempt, query->limit, rows);
        break;
    case QUERY_ALL_SKIPS:
        give_behind(disk, ROW_SKIP, &skip, query->limit, rows);
        break;
    default: /* QUERY_ALL_IDEMS */
        give_behind(disk, ROW_IDEM, &idem, query->limit, rows);
        break;
    }
}
