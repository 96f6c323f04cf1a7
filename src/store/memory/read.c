/* What people ask for: lists in pages, each after the key of the page before. */
#include "base/json.h"
#include "base/json_raw.h"
#include "base/limits.h"
#include "base/mem.h"
#include "store/memory/disk.h"

/* A page that is being filled. */
struct page {
    const struct memory_disk *disk;
    const struct query *query;
    struct rows *rows;
    size_t given;
    size_t looked_at;
};

/* Puts the next row of a list on the page if it is wanted. False where the page ends before it. id is what a list that
 * goes by id or number is continued from. */
static bool page_take(struct page *page, enum row_kind kind, const struct entry *entry, bool is_wanted, uint64_t id)
{
    if (page->looked_at == QUERY_SCAN_MAX || (is_wanted && page->given == page->query->limit)) {
        page->rows->has_more = true;
        return false;
    }
    page->looked_at++;
    page->rows->after = id;
    if (is_wanted) {
        disk_give(page->rows, kind, entry);
        page->given++;
    }
    return true;
}

/* ---- jobs ---- */

static bool matches(struct str wanted, struct str text)
{
    return str_empty(wanted) || str_equal(wanted, text);
}

/* Whether the value that JSON text says is the string wanted. */
static bool is_string(struct str json, struct str wanted)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct str value;

    return jr_parse(json, NULL, &doc, NULL) == ERR_OK && jr_as_str(jr_root(&doc), &value, NULL) == ERR_OK &&
           str_equal(value, wanted);
}

static bool has_label(struct str def, struct str key, struct str value)
{
    struct str labels, label;

    return jraw_member(def, STR("labels"), &labels) && jraw_member(labels, key, &label) &&
           (str_empty(value) || is_string(label, value));
}

static bool job_is_wanted(const struct query *query, const struct job_row *row)
{
    return matches(query->tenant, row->place.tenant) && matches(query->name, row->name) &&
           matches(query->type, row->place.type) && matches(query->pool, row->place.pool) &&
           (!query->has_status || query->status == row->status) &&
           (str_empty(query->label_key) || has_label(row->def, query->label_key, query->label_value));
}

static void read_jobs(struct page *page)
{
    const struct job_row after = {.id = page->query->after};
    struct ordered_node *node = ordered_after(&page->disk->tables[ROW_JOB], &after);

    for (; node != NULL; node = ordered_next(node)) {
        const struct job_entry *job = CONTAINER_OF(node, struct job_entry, entry.by_key);

        if (!page_take(page, ROW_JOB, &job->entry, job_is_wanted(page->query, &job->row), job->row.id)) {
            return;
        }
    }
}

/* Names come first in their order, then tenants. */
static void read_named(struct page *page)
{
    const struct query *query = page->query;
    bool is_first = str_compare(query->after_text, query->name_prefix) < 0;
    const struct job_row key = {.place.tenant = is_first ? STR("") : query->tenant,
                                .name = is_first ? query->name_prefix : query->after_text};
    struct ordered_node *node = ordered_from(&page->disk->jobs_by_name, &key);

    for (; node != NULL; node = ordered_next(node)) {
        const struct job_entry *job = CONTAINER_OF(node, struct job_entry, by_name);
        bool is_wanted =
            str_equal(job->row.place.tenant, query->tenant) && !str_equal(job->row.name, query->after_text);

        if (!str_starts_with(job->row.name, query->name_prefix) ||
            (is_wanted && !page_take(page, ROW_JOB, &job->entry, true, 0))) {
            return;
        }
    }
}

static void read_wakes(struct page *page)
{
    const struct query *query = page->query;
    struct ordered_node *node = ordered_first(&page->disk->tables[ROW_JOB]);

    for (; node != NULL && page->rows->wakes < QUERY_SCAN_MAX; node = ordered_next(node)) {
        int64_t wake_ms = CONTAINER_OF(node, struct job_entry, entry.by_key)->row.wake_ms;

        page->rows->wakes += wake_ms != TIME_NONE && wake_ms >= query->since_ms && wake_ms < query->until_ms ? 1 : 0;
    }
}

static bool is_ruled(const struct query *query, const struct job_row *row)
{
    return query->id != 0 && row->rules == query->id && row->cursor_ms != TIME_NONE &&
           (row->status == JOB_ACTIVE || row->status == JOB_PAUSED);
}

static void read_ruled(struct page *page)
{
    const struct job_row after = {.id = page->query->after};
    struct ordered_node *node = ordered_after(&page->disk->tables[ROW_JOB], &after);

    for (; node != NULL; node = ordered_next(node)) {
        const struct job_entry *job = CONTAINER_OF(node, struct job_entry, entry.by_key);

        if (!page_take(page, ROW_JOB, &job->entry, is_ruled(page->query, &job->row), job->row.id)) {
            return;
        }
    }
}

static void read_job(struct page *page)
{
    const struct query *query = page->query;
    const struct job_entry *job =
        query->id != 0 ? disk_find_job(page->disk, query->id) : disk_find_name(page->disk, query->tenant, query->name);

    if (job != NULL) {
        disk_give(page->rows, ROW_JOB, &job->entry);
    }
}

static void read_versions(struct page *page)
{
    const struct version_row after = {.job = page->query->id, .version = (uint32_t)page->query->after};
    struct ordered_node *node = ordered_after(&page->disk->tables[ROW_VERSION], &after);

    for (; node != NULL; node = ordered_next(node)) {
        const struct version_entry *version = CONTAINER_OF(node, struct version_entry, entry.by_key);

        if (version->row.job != page->query->id ||
            !page_take(page, ROW_VERSION, &version->entry, true, version->row.version)) {
            return;
        }
    }
}

static void read_skips(struct page *page)
{
    const struct query *query = page->query;
    const struct ordered *skips = &page->disk->tables[ROW_SKIP];
    const struct skip_row end = {.job = query->id, .from_ms = query->after_ms};
    const struct skip_row next_job = {.job = query->id + 1, .from_ms = INT64_MIN};
    struct ordered_node *node = ordered_before(skips, query->after_ms == TIME_NONE ? &next_job : &end);

    for (; node != NULL; node = ordered_prev(node)) {
        const struct skip_entry *skip = CONTAINER_OF(node, struct skip_entry, entry.by_key);

        if (skip->row.job != query->id || !page_take(page, ROW_SKIP, &skip->entry, true, 0)) {
            return;
        }
    }
}

/* ---- triggers ---- */

/* model/record.h, rule 2. */
static bool claim_lives(const struct memory_disk *disk, const struct claim *claim)
{
    const struct trigger_entry *trigger = disk_find_trigger(disk, claim->trigger);
    const struct job_entry *job;

    if (trigger != NULL) {
        return !trigger_ended(trigger->row.state) && claim->number > trigger->row.attempts;
    }
    job = disk_find_job(disk, claim->job);
    if (job == NULL) {
        return false;
    }
    /* A one-time job's trigger has the job's id (record.h, rule 4). */
    return claim->trigger != claim->job || (job->row.status != JOB_COMPLETED && job->row.status != JOB_CANCELLED);
}

static void read_claims_of(struct page *page, uint64_t trigger)
{
    const struct ordered *table = &page->disk->tables[ROW_CLAIMS];

    for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
        const struct claims_entry *claims = CONTAINER_OF(node, struct claims_entry, entry.by_key);

        for (size_t i = 0; i < claims->row.count; i++) {
            if (claims->row.claims[i].trigger == trigger && claim_lives(page->disk, &claims->row.claims[i])) {
                disk_give(page->rows, ROW_CLAIMS, &claims->entry);
                break;
            }
        }
    }
}

static void read_attempts(struct page *page, uint64_t after, bool is_whole)
{
    const struct attempt_row key = {.trigger = page->query->id, .number = (uint32_t)after};
    struct ordered_node *node = ordered_after(&page->disk->tables[ROW_ATTEMPT], &key);

    for (; node != NULL; node = ordered_next(node)) {
        const struct attempt_entry *attempt = CONTAINER_OF(node, struct attempt_entry, entry.by_key);

        if (attempt->row.trigger != page->query->id) {
            return;
        }
        if (is_whole) {
            disk_give(page->rows, ROW_ATTEMPT, &attempt->entry);
        } else if (!page_take(page, ROW_ATTEMPT, &attempt->entry, true, attempt->row.number)) {
            return;
        }
    }
}

static void read_trigger(struct page *page)
{
    const struct trigger_entry *trigger = disk_find_trigger(page->disk, page->query->id);

    if (trigger != NULL) {
        disk_give(page->rows, ROW_TRIGGER, &trigger->entry);
    }
    read_attempts(page, 0, true);
    read_claims_of(page, page->query->id);
}

/* Where a list of triggers that goes down begins: before the last id seen, or at the end. */
static uint64_t end_id(const struct query *query)
{
    return query->after != 0 ? query->after : UINT64_MAX;
}

static void read_triggers(struct page *page)
{
    const struct trigger_row end = {.job = page->query->id, .id = end_id(page->query)};
    struct ordered_node *node = ordered_before(&page->disk->triggers_by_job, &end);

    for (; node != NULL; node = ordered_prev(node)) {
        const struct trigger_entry *trigger = CONTAINER_OF(node, struct trigger_entry, by_job);

        if (trigger->row.job != page->query->id ||
            !page_take(page, ROW_TRIGGER, &trigger->entry, true, trigger->row.id)) {
            return;
        }
    }
}

/* Those that the schedule made, or the others. */
static void read_fire(struct page *page, bool is_scheduled)
{
    const struct trigger_row from = {.job = page->query->id, .scheduled_ms = page->query->at_ms};
    struct ordered_node *node = ordered_from(&page->disk->triggers_by_time, &from);

    for (; node != NULL; node = ordered_next(node)) {
        const struct trigger_entry *trigger = CONTAINER_OF(node, struct trigger_entry, by_time);
        const struct trigger_row *row = &trigger->row;

        if (row->job != page->query->id || row->scheduled_ms != page->query->at_ms ||
            ((row->kind == TRIGGER_SCHEDULE) == is_scheduled &&
             !page_take(page, ROW_TRIGGER, &trigger->entry, true, row->id))) {
            return;
        }
    }
}

static bool dead_is_wanted(const struct query *query, const struct trigger_row *row)
{
    return matches(query->tenant, row->place.tenant) && matches(query->type, row->place.type) &&
           matches(query->error_code, row->last.error_code) &&
           (query->since_ms == TIME_NONE || row->ended_ms >= query->since_ms);
}

static void read_dead(struct page *page)
{
    const struct trigger_row end = {.id = end_id(page->query)};
    struct ordered_node *node = ordered_before(&page->disk->dead, &end);

    for (; node != NULL; node = ordered_prev(node)) {
        const struct trigger_entry *trigger = CONTAINER_OF(node, struct trigger_entry, by_state);

        if (!page_take(page, ROW_TRIGGER, &trigger->entry, dead_is_wanted(page->query, &trigger->row),
                       trigger->row.id)) {
            return;
        }
    }
}

/* ---- the rest ---- */

static void read_claims(struct page *page)
{
    const struct ordered *table = &page->disk->tables[ROW_CLAIMS];

    for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
        disk_give(page->rows, ROW_CLAIMS, CONTAINER_OF(node, struct entry, by_key));
    }
}

static void read_settings(struct page *page)
{
    const struct setting_row from = {.scope = page->query->scope};
    struct ordered_node *node = ordered_from(&page->disk->tables[ROW_SETTING], &from);

    for (; node != NULL; node = ordered_next(node)) {
        const struct setting_entry *setting = CONTAINER_OF(node, struct setting_entry, entry.by_key);

        if (setting->row.scope != page->query->scope) {
            return;
        }
        disk_give(page->rows, ROW_SETTING, &setting->entry);
    }
}

static void read_tenants(struct page *page)
{
    const struct tenant_row after = {.tenant = page->query->after_text};
    struct ordered_node *node = ordered_after(&page->disk->tables[ROW_TENANT], &after);

    for (; node != NULL; node = ordered_next(node)) {
        if (!page_take(page, ROW_TENANT, CONTAINER_OF(node, struct entry, by_key), true, 0)) {
            return;
        }
    }
}

static void read_rules(struct page *page)
{
    const struct ordered *table = &page->disk->tables[ROW_RULES];

    for (struct ordered_node *node = ordered_first(table); node != NULL; node = ordered_next(node)) {
        const struct rules_entry *rules = CONTAINER_OF(node, struct rules_entry, entry.by_key);

        if (page->query->id == 0 || page->query->id == rules->row.hash) {
            disk_give(page->rows, ROW_RULES, &rules->entry);
        }
    }
}

void memory_read(struct memory_disk *disk, const struct query *query, struct rows *rows)
{
    struct page page = {.disk = disk, .query = query, .rows = rows};

    switch (query->kind) {
    case QUERY_JOB:
        read_job(&page);
        break;
    case QUERY_JOBS:
        read_jobs(&page);
        break;
    case QUERY_VERSIONS:
        read_versions(&page);
        break;
    case QUERY_TRIGGER:
        read_trigger(&page);
        break;
    case QUERY_TRIGGERS:
        read_triggers(&page);
        break;
    case QUERY_FIRE:
        read_fire(&page, true);
        read_fire(&page, false);
        break;
    case QUERY_ATTEMPTS:
        read_attempts(&page, query->after, false);
        break;
    case QUERY_SKIPS:
        read_skips(&page);
        break;
    case QUERY_DEAD:
        read_dead(&page);
        break;
    case QUERY_CLAIMS:
        read_claims(&page);
        break;
    case QUERY_SETTINGS:
        read_settings(&page);
        break;
    case QUERY_TENANTS:
        read_tenants(&page);
        break;
    case QUERY_COUNTS:
        memory_counts(disk, query->id, rows);
        break;
    case QUERY_RULES:
        read_rules(&page);
        break;
    case QUERY_RULED:
        read_ruled(&page);
        break;
    case QUERY_NAMED:
        read_named(&page);
        break;
    case QUERY_WAKES:
        read_wakes(&page);
        break;
    case QUERY_STEPS:
    case QUERY_WAKING:
        memory_waking(disk, query, rows);
        break;
    case QUERY_ALL_VERSIONS:
    case QUERY_ALL_TRIGGERS:
    case QUERY_ALL_ATTEMPTS:
    case QUERY_ALL_SKIPS:
    case QUERY_ALL_IDEMS:
        memory_read_table(disk, query, rows);
        break;
    }
}
