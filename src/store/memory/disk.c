#include "store/memory/disk.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "store/memory/keys.h"

/* Entry and row of each kind. */
static const struct {
    size_t entry_bytes;
    size_t row_offset;
} layouts[ROW_KINDS] = {
#define LAYOUT(type)                                                                                                   \
    {                                                                                                                  \
        sizeof(struct type), offsetof(struct type, row)                                                                \
    }
    [ROW_JOB] = LAYOUT(job_entry),         [ROW_VERSION] = LAYOUT(version_entry), [ROW_TRIGGER] = LAYOUT(trigger_entry),
    [ROW_ATTEMPT] = LAYOUT(attempt_entry), [ROW_CLAIMS] = LAYOUT(claims_entry),   [ROW_SKIP] = LAYOUT(skip_entry),
    [ROW_WAIT] = LAYOUT(wait_entry),       [ROW_EDGE] = LAYOUT(edge_entry),       [ROW_SETTING] = LAYOUT(setting_entry),
    [ROW_LIMITER] = LAYOUT(limiter_entry), [ROW_CIRCUIT] = LAYOUT(circuit_entry), [ROW_IDEM] = LAYOUT(idem_entry),
    [ROW_TENANT] = LAYOUT(tenant_entry),   [ROW_RULES] = LAYOUT(rules_entry),
#undef LAYOUT
};

/* From a node in an entry to the entry's row. */
#define KEY_OFFSET(type, node) ((ptrdiff_t)offsetof(struct type, row) - (ptrdiff_t)offsetof(struct type, node))

struct memory_disk *memory_disk_new(void)
{
    struct memory_disk *disk = mem_zalloc(sizeof *disk);

    for (size_t kind = 0; kind < ROW_KINDS; kind++) {
        ordered_init(&disk->tables[kind], key_compare_of((enum row_kind)kind), (ptrdiff_t)layouts[kind].row_offset);
    }
    ordered_init(&disk->jobs_by_name, key_job_name, KEY_OFFSET(job_entry, by_name));
    ordered_init(&disk->places, key_place,
                 (ptrdiff_t)offsetof(struct place_entry, place) - (ptrdiff_t)offsetof(struct place_entry, by_place));
    ordered_init(&disk->triggers_by_job, key_trigger_job, KEY_OFFSET(trigger_entry, by_job));
    ordered_init(&disk->triggers_by_time, key_trigger_time, KEY_OFFSET(trigger_entry, by_time));
    ordered_init(&disk->living, key_trigger_job, KEY_OFFSET(trigger_entry, by_state));
    ordered_init(&disk->dead, key_trigger, KEY_OFFSET(trigger_entry, by_state));
    ordered_init(&disk->edges_by_downstream, key_edge_downstream, KEY_OFFSET(edge_entry, by_downstream));
    return disk;
}

const void *disk_row(enum row_kind kind, const struct entry *entry)
{
    return (const char *)entry + layouts[kind].row_offset;
}

struct entry *disk_entry_new(enum row_kind kind, const void *row, uint64_t batch)
{
    const struct shape *shape = shape_of(kind);
    struct entry *entry = mem_alloc(layouts[kind].entry_bytes + shape_tail_bytes(shape, row));
    char *own = (char *)entry + layouts[kind].row_offset;

    memset(entry, 0, layouts[kind].row_offset);
    entry->batch = batch;
    memcpy(own, row, shape->size);
    shape_own(shape, own, (char *)entry + layouts[kind].entry_bytes);
    return entry;
}

/* ---- orders beside the key ---- */

/* Puts a node in the place of another; either may be NULL. Where their keys are equal that costs nothing. */
static void reorder(struct ordered *ordered, struct ordered_node *old, struct ordered_node *node)
{
    if (old != NULL && node != NULL &&
        ordered->compare((char *)old + ordered->key_offset, (char *)node + ordered->key_offset) == 0) {
        ordered_replace(ordered, old, node);
        return;
    }
    if (old != NULL) {
        ordered_remove(ordered, old);
    }
    if (node != NULL) {
        const struct ordered_node *taken = ordered_insert(ordered, node);

        assert(taken == NULL);
    }
}

static struct place_entry *place_new(struct memory_disk *disk, const struct place *place)
{
    struct place_entry *entry = mem_alloc(sizeof *entry + place->pool.len + place->tenant.len + place->type.len);
    char *tail = (char *)(entry + 1);
    struct str *const texts[] = {&entry->place.pool, &entry->place.tenant, &entry->place.type};

    entry->place = *place;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i]->len > 0) {
            memcpy(tail, texts[i]->ptr, texts[i]->len);
        }
        texts[i]->ptr = tail;
        tail += texts[i]->len;
    }
    ordered_init(&entry->jobs, key_job_wake, KEY_OFFSET(job_entry, by_wake));
    ordered_insert(&disk->places, &entry->by_place);
    return entry;
}

struct place_entry *disk_find_place(const struct memory_disk *disk, const struct place *place)
{
    struct ordered_node *node = ordered_find(&disk->places, place);

    return node != NULL ? CONTAINER_OF(node, struct place_entry, by_place) : NULL;
}

/* Where a job is to wait; NULL where it does not. near is the place of its former self: mostly the same. */
static struct place_entry *place_for(struct memory_disk *disk, const struct job_row *row, struct place_entry *near)
{
    struct place_entry *place = near;

    if (row->wake_ms == TIME_NONE) {
        return NULL;
    }
    if (place == NULL || key_place(&place->place, &row->place) != 0) {
        place = disk_find_place(disk, &row->place);
    }
    return place != NULL ? place : place_new(disk, &row->place);
}

static void change_place(struct memory_disk *disk, struct job_entry *old, struct job_entry *job)
{
    struct place_entry *from = old != NULL ? old->place : NULL;
    struct place_entry *to = job != NULL ? place_for(disk, &job->row, from) : NULL;

    if (from != NULL && from == to) {
        reorder(&from->jobs, &old->by_wake, &job->by_wake);
    } else if (from != NULL) {
        reorder(&from->jobs, &old->by_wake, NULL);
    }
    if (to != NULL && from != to) {
        reorder(&to->jobs, NULL, &job->by_wake);
    }
    if (old != NULL) {
        old->place = NULL;
    }
    if (job != NULL) {
        job->place = to;
    }
    if (from != NULL && from->jobs.count == 0) { /* rule 3 */
        ordered_remove(&disk->places, &from->by_place);
        mem_free(from);
    }
}

static struct ordered_node *name_node(struct job_entry *job)
{
    return job != NULL && !str_empty(job->row.name) ? &job->by_name : NULL;
}

static void change_job(struct memory_disk *disk, struct job_entry *old, struct job_entry *job)
{
    reorder(&disk->jobs_by_name, name_node(old), name_node(job));
    change_place(disk, old, job);
}

bool disk_is_living(const struct trigger_row *row)
{
    return row->state == TRIGGER_WAITING || row->state == TRIGGER_PENDING;
}

bool disk_is_letter(const struct trigger_row *row)
{
    return row->state == TRIGGER_DEAD && row->replayed_by == 0;
}

static struct ordered_node *living_node(struct trigger_entry *trigger)
{
    return trigger != NULL && disk_is_living(&trigger->row) ? &trigger->by_state : NULL;
}

static struct ordered_node *dead_node(struct trigger_entry *trigger)
{
    return trigger != NULL && disk_is_letter(&trigger->row) ? &trigger->by_state : NULL;
}

static void change_trigger(struct memory_disk *disk, struct trigger_entry *old, struct trigger_entry *trigger)
{
    reorder(&disk->triggers_by_job, old != NULL ? &old->by_job : NULL, trigger != NULL ? &trigger->by_job : NULL);
    reorder(&disk->triggers_by_time, old != NULL ? &old->by_time : NULL, trigger != NULL ? &trigger->by_time : NULL);
    reorder(&disk->living, living_node(old), living_node(trigger));
    reorder(&disk->dead, dead_node(old), dead_node(trigger));
}

static void change_edge(struct memory_disk *disk, struct edge_entry *old, struct edge_entry *edge)
{
    reorder(&disk->edges_by_downstream, old != NULL ? &old->by_downstream : NULL,
            edge != NULL ? &edge->by_downstream : NULL);
}

void disk_change(struct memory_disk *disk, enum row_kind kind, struct entry *old, struct entry *entry)
{
    reorder(&disk->tables[kind], old != NULL ? &old->by_key : NULL, entry != NULL ? &entry->by_key : NULL);
    if (kind == ROW_JOB) { /* an entry is the first member of its struct */
        change_job(disk, (struct job_entry *)(void *)old, (struct job_entry *)(void *)entry);
    } else if (kind == ROW_TRIGGER) {
        change_trigger(disk, (struct trigger_entry *)(void *)old, (struct trigger_entry *)(void *)entry);
    } else if (kind == ROW_EDGE) {
        change_edge(disk, (struct edge_entry *)(void *)old, (struct edge_entry *)(void *)entry);
    }
}

/* ---- finding ---- */

struct entry *disk_find(const struct memory_disk *disk, enum row_kind kind, const void *row)
{
    struct ordered_node *node = ordered_find(&disk->tables[kind], row);

    return node != NULL ? CONTAINER_OF(node, struct entry, by_key) : NULL;
}

struct job_entry *disk_find_job(const struct memory_disk *disk, uint64_t id)
{
    const struct job_row key = {.id = id};

    return (struct job_entry *)(void *)disk_find(disk, ROW_JOB, &key);
}

struct job_entry *disk_find_name(const struct memory_disk *disk, struct str tenant, struct str name)
{
    const struct job_row key = {.place.tenant = tenant, .name = name};
    struct ordered_node *node = str_empty(name) ? NULL : ordered_find(&disk->jobs_by_name, &key);

    return node != NULL ? CONTAINER_OF(node, struct job_entry, by_name) : NULL;
}

struct trigger_entry *disk_find_trigger(const struct memory_disk *disk, uint64_t id)
{
    const struct trigger_row key = {.id = id};

    return (struct trigger_entry *)(void *)disk_find(disk, ROW_TRIGGER, &key);
}

/* ---- giving ---- */

static void *add_row(struct rows *rows, enum row_kind kind)
{
    switch (kind) {
#define X(name, type, list)                                                                                            \
    case name:                                                                                                         \
        return ROWS_ADD(rows, list);
        ROW_TABLE(X)
#undef X
    case ROW_KINDS:
        break;
    }
    assert(kind < ROW_KINDS);
    return NULL;
}

void disk_give(struct rows *rows, enum row_kind kind, const struct entry *entry)
{
    const struct shape *shape = shape_of(kind);
    const void *from = disk_row(kind, entry);
    void *row = add_row(rows, kind);

    memcpy(row, from, shape->size);
    shape_own(shape, row, arena_alloc(&rows->arena, shape_tail_bytes(shape, from)));
}

bool disk_give_once(const struct memory_disk *disk, struct rows *rows, enum row_kind kind, struct entry *entry)
{
    if (entry->given == disk->answers) {
        return false;
    }
    entry->given = disk->answers;
    disk_give(rows, kind, entry);
    return true;
}
