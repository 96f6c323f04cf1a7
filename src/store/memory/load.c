/* What the engine asks for: the start, windows and keys. Each row comes once in an answer (model/load.h, rule 1). */
#include "store/memory/disk.h"

struct answer {
    const struct memory_disk *disk;
    struct rows *rows;
};

/* Every row of a kind. */
static void give_all(const struct answer *answer, enum row_kind kind)
{
    const struct ordered *table = &answer->disk->tables[kind];

    for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
        disk_give_once(answer->disk, answer->rows, kind, CONTAINER_OF(node, struct entry, by_key));
    }
}

static void give_living(const struct answer *answer, uint64_t job)
{
    const struct trigger_row from = {.job = job};
    struct ordered_node *node = ordered_from(&answer->disk->living, &from);

    for (; node != NULL; node = ordered_next(node)) {
        struct trigger_entry *trigger = CONTAINER_OF(node, struct trigger_entry, by_state);

        if (trigger->row.job != job) {
            break;
        }
        disk_give_once(answer->disk, answer->rows, ROW_TRIGGER, &trigger->entry);
    }
}

/* The job and its living triggers; false where there is no job, or it was given before. */
static bool give_job(const struct answer *answer, struct job_entry *job)
{
    if (job == NULL || !disk_give_once(answer->disk, answer->rows, ROW_JOB, &job->entry)) {
        return false;
    }
    give_living(answer, job->row.id);
    return true;
}

/* ---- start ---- */

static void give_claimed(const struct answer *answer)
{
    const struct ordered *table = &answer->disk->tables[ROW_CLAIMS];

    for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
        const struct claims_row *row = &CONTAINER_OF(node, struct claims_entry, entry.by_key)->row;

        for (size_t i = 0; i < row->count; i++) {
            struct trigger_entry *trigger = disk_find_trigger(answer->disk, row->claims[i].trigger);

            give_job(answer, disk_find_job(answer->disk, row->claims[i].job));
            if (trigger != NULL) {
                disk_give_once(answer->disk, answer->rows, ROW_TRIGGER, &trigger->entry);
            }
        }
    }
}

static void give_linked(const struct answer *answer)
{
    const struct ordered *table = &answer->disk->tables[ROW_EDGE];

    for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
        const struct edge_row *row = &CONTAINER_OF(node, struct edge_entry, entry.by_key)->row;

        give_job(answer, disk_find_job(answer->disk, row->upstream));
        give_job(answer, disk_find_job(answer->disk, row->downstream));
    }
}

static void give_places(const struct answer *answer)
{
    const struct ordered *places = &answer->disk->places;

    for (struct ordered_node *node = ordered_first(places); node != NULL; node = ordered_next(node)) {
        const struct place_entry *place = CONTAINER_OF(node, struct place_entry, by_place);
        const struct job_entry *first = CONTAINER_OF(ordered_first(&place->jobs), struct job_entry, by_wake);
        struct place_row *row = ROWS_ADD(answer->rows, places);

        row->place.pool = rows_text(answer->rows, place->place.pool);
        row->place.tenant = rows_text(answer->rows, place->place.tenant);
        row->place.type = rows_text(answer->rows, place->place.type);
        row->place.priority = place->place.priority;
        row->wake_ms = first->row.wake_ms;
    }
}

static void load_start(const struct answer *answer)
{
    static const enum row_kind whole[] = {ROW_CLAIMS,  ROW_WAIT,    ROW_EDGE,   ROW_SETTING,
                                          ROW_LIMITER, ROW_CIRCUIT, ROW_TENANT, ROW_RULES};

    answer->rows->shard = answer->disk->shard;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        give_all(answer, whole[i]);
    }
    give_places(answer);
    give_claimed(answer);
    give_linked(answer);
}

/* ---- a window ---- */

static void load_window(const struct answer *answer, const struct load *load)
{
    const struct place_entry *place = disk_find_place(answer->disk, &load->place);
    const struct job_row edge = {.wake_ms = load->after_ms, .id = load->after_id};

    if (place == NULL) {
        return;
    }
    struct ordered_node *node =
        load->after_ms == TIME_NONE ? ordered_first(&place->jobs) : ordered_after(&place->jobs, &edge);

    for (; node != NULL; node = ordered_next(node)) {
        struct job_entry *job = CONTAINER_OF(node, struct job_entry, by_wake);

        if (job->row.wake_ms > load->until_ms || answer->rows->jobs.count == load->limit) {
            answer->rows->has_more = job->row.wake_ms <= load->until_ms;
            answer->rows->next_wake_ms = job->row.wake_ms;
            return;
        }
        give_job(answer, job);
    }
}

/* ---- keys ---- */

static void give_edges(const struct answer *answer, uint64_t job)
{
    const struct edge_row down = {.upstream = job};
    const struct edge_row up = {.downstream = job};
    struct edge_entry *edge;

    for (struct ordered_node *node = ordered_from(&answer->disk->tables[ROW_EDGE], &down); node != NULL;
         node = ordered_next(node)) {
        edge = CONTAINER_OF(node, struct edge_entry, entry.by_key);
        if (edge->row.upstream != job) {
            break;
        }
        disk_give_once(answer->disk, answer->rows, ROW_EDGE, &edge->entry);
    }
    for (struct ordered_node *node = ordered_from(&answer->disk->edges_by_downstream, &up); node != NULL;
         node = ordered_next(node)) {
        edge = CONTAINER_OF(node, struct edge_entry, by_downstream);
        if (edge->row.downstream != job) {
            break;
        }
        disk_give_once(answer->disk, answer->rows, ROW_EDGE, &edge->entry);
    }
}

static void give_waits(const struct answer *answer, uint64_t job)
{
    const struct wait_row from = {.job = job, .scheduled_ms = INT64_MIN};
    struct ordered_node *node = ordered_from(&answer->disk->tables[ROW_WAIT], &from);

    for (; node != NULL; node = ordered_next(node)) {
        struct wait_entry *wait = CONTAINER_OF(node, struct wait_entry, entry.by_key);

        if (wait->row.job != job) {
            break;
        }
        disk_give_once(answer->disk, answer->rows, ROW_WAIT, &wait->entry);
    }
}

static void give_latest_skip(const struct answer *answer, uint64_t job)
{
    const struct skip_row end = {.job = job, .from_ms = INT64_MAX};
    struct ordered_node *node = ordered_find(&answer->disk->tables[ROW_SKIP], &end);

    if (node == NULL) {
        node = ordered_before(&answer->disk->tables[ROW_SKIP], &end);
    }
    if (node != NULL) {
        struct skip_entry *skip = CONTAINER_OF(node, struct skip_entry, entry.by_key);

        if (skip->row.job == job) {
            disk_give_once(answer->disk, answer->rows, ROW_SKIP, &skip->entry);
        }
    }
}

static void load_job(const struct answer *answer, struct job_entry *job)
{
    if (give_job(answer, job)) {
        give_edges(answer, job->row.id);
        give_waits(answer, job->row.id);
        give_latest_skip(answer, job->row.id);
    }
}

static void load_trigger(const struct answer *answer, uint64_t id)
{
    struct trigger_entry *trigger = disk_find_trigger(answer->disk, id);

    if (trigger != NULL) {
        disk_give_once(answer->disk, answer->rows, ROW_TRIGGER, &trigger->entry);
        load_job(answer, disk_find_job(answer->disk, trigger->row.job));
    }
}

static void load_idem(const struct answer *answer, const struct load_key *key)
{
    const struct idem_row row = {.tenant = key->tenant, .key = key->text};
    struct entry *idem = disk_find(answer->disk, ROW_IDEM, &row);

    if (idem != NULL) {
        disk_give_once(answer->disk, answer->rows, ROW_IDEM, idem);
    }
}

static void load_range(const struct answer *answer, const struct load_key *key)
{
    const struct trigger_row from = {.job = key->id, .scheduled_ms = key->from_ms};
    struct ordered_node *node = ordered_from(&answer->disk->triggers_by_time, &from);

    for (; node != NULL; node = ordered_next(node)) {
        struct trigger_entry *trigger = CONTAINER_OF(node, struct trigger_entry, by_time);

        if (trigger->row.job != key->id || trigger->row.scheduled_ms >= key->to_ms) {
            break;
        }
        disk_give_once(answer->disk, answer->rows, ROW_TRIGGER, &trigger->entry);
    }
}

static void load_key(const struct answer *answer, const struct load_key *key)
{
    switch (key->kind) {
    case KEY_JOB:
        load_job(answer, disk_find_job(answer->disk, key->id));
        break;
    case KEY_NAME:
        load_job(answer, disk_find_name(answer->disk, key->tenant, key->text));
        break;
    case KEY_TRIGGER:
        load_trigger(answer, key->id);
        break;
    case KEY_IDEM:
        load_idem(answer, key);
        break;
    case KEY_RANGE:
        load_range(answer, key);
        break;
    }
}

void memory_load(struct memory_disk *disk, const struct load *load, struct rows *rows)
{
    const struct answer answer = {disk, rows};

    disk->answers++;
    switch (load->kind) {
    case LOAD_START:
        load_start(&answer);
        break;
    case LOAD_WINDOW:
        load_window(&answer, load);
        break;
    case LOAD_KEYS:
        for (size_t i = 0; i < load->key_count; i++) {
            load_key(&answer, &load->keys[i]);
        }
        break;
    }
}
