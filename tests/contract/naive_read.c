/* The naive store's answers to people: what fits is put in order, and pages are cut from it. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/mem.h"
#include "naive_lists.h"

#define ORDER_BY(name, type, expression)                                                                               \
    static int name(const void *key_a, const void *key_b)                                                              \
    {                                                                                                                  \
        const struct type *a = key_a, *b = key_b;                                                                      \
        return expression;                                                                                             \
    }
ORDER_BY(job_up, job_row, naive_compare_ids(a->id, b->id))
ORDER_BY(job_by_name, job_row, str_compare(a->name, b->name))
ORDER_BY(version_up, version_row, naive_compare_ids(a->version, b->version))
ORDER_BY(trigger_down, trigger_row, naive_compare_ids(b->id, a->id))
ORDER_BY(trigger_up, trigger_row, naive_compare_ids(a->id, b->id))
ORDER_BY(fire_up, trigger_row,
         a->kind != b->kind && (a->kind == TRIGGER_SCHEDULE || b->kind == TRIGGER_SCHEDULE)
             ? (a->kind == TRIGGER_SCHEDULE ? -1 : 1)
             : naive_compare_ids(a->id, b->id))
ORDER_BY(attempt_up, attempt_row, naive_compare_ids(a->number, b->number))
ORDER_BY(skip_down, skip_row, naive_compare(b->from_ms, a->from_ms))
ORDER_BY(claims_up, claims_row, naive_compare_ids(a->id, b->id))
ORDER_BY(rules_up, rules_row, (int64_t)a->hash<(int64_t)b->hash ? -1 : (int64_t)a->hash>(int64_t) b->hash)
ORDER_BY(tenant_up, tenant_row, str_compare(a->tenant, b->tenant))

static int version_all_up(const void *key_a, const void *key_b)
{
    const struct version_row *a = key_a, *b = key_b;
    int order = naive_compare_ids(a->job, b->job);

    return order != 0 ? order : naive_compare_ids(a->version, b->version);
}

static int attempt_all_up(const void *key_a, const void *key_b)
{
    const struct attempt_row *a = key_a, *b = key_b;
    int order = naive_compare_ids(a->trigger, b->trigger);

    return order != 0 ? order : naive_compare_ids(a->number, b->number);
}

static int skip_all_up(const void *key_a, const void *key_b)
{
    const struct skip_row *a = key_a, *b = key_b;
    int order = naive_compare_ids(a->job, b->job);

    return order != 0 ? order : naive_compare(a->from_ms, b->from_ms);
}

static int idem_all_up(const void *key_a, const void *key_b)
{
    const struct idem_row *a = key_a, *b = key_b;
    int order = str_compare(a->tenant, b->tenant);

    return order != 0 ? order : str_compare(a->key, b->key);
}

static int setting_up(const void *key_a, const void *key_b)
{
    const struct setting_row *a = key_a, *b = key_b;
    int order = str_compare(a->tenant, b->tenant);

    return order != 0 ? order : str_compare(a->name, b->name);
}

/* Sorts a list and cuts it at the limit. */
#define SORT_AND_CUT(list, order, limit)                                                                               \
    do {                                                                                                               \
        if (rows->list.count > 0) {                                                                                    \
            qsort(rows->list.items, rows->list.count, sizeof *rows->list.items, order);                                \
        }                                                                                                              \
        if (rows->list.count > (limit)) {                                                                              \
            rows->list.count = (limit);                                                                                \
            rows->has_more = true;                                                                                     \
        }                                                                                                              \
    } while (0)

static bool any_or(struct str wanted, struct str text)
{
    return wanted.len == 0 || str_equal(wanted, text);
}

static bool has_label(struct str def, struct str key, struct str value)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr_iter iter = {0};
    struct jr labels, label;
    struct str label_key, label_value;

    if (jr_parse(def, NULL, &doc, NULL) != ERR_OK) {
        return false;
    }
    labels = jr_get(jr_root(&doc), "labels");
    while (jr_next(labels, &iter, &label_key, &label)) {
        if (str_equal(label_key, key) && jr_as_str(label, &label_value, NULL) == ERR_OK && any_or(value, label_value)) {
            return true;
        }
    }
    return false;
}

static bool job_fits(const struct job_row *r, const struct query *q)
{
    if (q->label_key.len > 0 && !has_label(r->def, q->label_key, q->label_value)) {
        return false;
    }
    return r->id > q->after && any_or(q->tenant, r->place.tenant) && any_or(q->name, r->name) &&
           any_or(q->type, r->place.type) && any_or(q->pool, r->place.pool) &&
           (!q->has_status || q->status == r->status);
}

static bool name_fits(const struct job_row *r, const struct query *q)
{
    return r->name.len > 0 && str_equal(r->place.tenant, q->tenant) && str_compare(r->name, q->after_text) > 0 &&
           r->name.len >= q->name_prefix.len &&
           (q->name_prefix.len == 0 || memcmp(r->name.ptr, q->name_prefix.ptr, q->name_prefix.len) == 0);
}

static void read_wakes(const struct naive *naive, const struct query *q, struct rows *rows)
{
    EACH(jobs, r)
    {
        bool is_in = r->wake_ms != TIME_NONE && r->wake_ms >= q->since_ms && r->wake_ms < q->until_ms;

        rows->wakes += is_in && rows->wakes < QUERY_SCAN_MAX ? 1 : 0;
    }
}

static bool is_ruled(const struct job_row *r, const struct query *q)
{
    return q->id != 0 && r->rules == q->id && r->id > q->after && r->cursor_ms != TIME_NONE &&
           (r->status == JOB_ACTIVE || r->status == JOB_PAUSED);
}

static bool is_letter(const struct trigger_row *r)
{
    return r->state == TRIGGER_DEAD && r->replayed_by == 0;
}

static bool dead_fits(const struct trigger_row *r, const struct query *q)
{
    return is_letter(r) && (q->after == 0 || r->id < q->after) && any_or(q->tenant, r->place.tenant) &&
           any_or(q->type, r->place.type) && any_or(q->error_code, r->last.error_code) &&
           (q->since_ms == TIME_NONE || r->ended_ms >= q->since_ms);
}

static bool claim_lives(const struct naive *naive, const struct claim *claim)
{
    EACH(triggers, r)
    {
        if (r->id == claim->trigger) {
            return naive_lives(r) && claim->number > r->attempts;
        }
    }
    EACH(jobs, r)
    {
        if (r->id == claim->job) {
            return claim->trigger != claim->job || (r->status != JOB_COMPLETED && r->status != JOB_CANCELLED);
        }
    }
    return false;
}

static bool has_claim(const struct naive *naive, const struct claims_row *row, uint64_t trigger)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->claims[i].trigger == trigger && claim_lives(naive, &row->claims[i])) {
            return true;
        }
    }
    return false;
}

static void read_trigger(const struct naive *naive, uint64_t id, struct rows *rows)
{
    GIVE_WHERE(triggers, r->id == id)
    GIVE_WHERE(attempts, r->trigger == id)
    SORT_AND_CUT(attempts, attempt_up, SIZE_MAX);
    GIVE_WHERE(claims, has_claim(naive, r, id))
    SORT_AND_CUT(claims, claims_up, SIZE_MAX);
}

/* The newest first: so many of them count that have ended, and from the other end so many that live. */
static void read_counts(const struct naive *naive, uint64_t job, struct rows *rows)
{
    size_t living = 0;

    GIVE_WHERE(triggers, job == 0 ? is_letter(r) : r->job == job)
    SORT_AND_CUT(triggers, trigger_down, SIZE_MAX);
    for (size_t i = 0; i < rows->triggers.count && i < QUERY_SCAN_MAX; i++) {
        const struct trigger_row *r = &rows->triggers.items[i];

        rows->counts[r->state] += job == 0 || !naive_lives(r) ? 1 : 0;
    }
    for (size_t i = rows->triggers.count; job != 0 && i > 0 && living < QUERY_SCAN_MAX; i--) {
        const struct trigger_row *r = &rows->triggers.items[i - 1];

        rows->counts[r->state] += naive_lives(r) ? 1 : 0;
        living += naive_lives(r) ? 1 : 0;
    }
    rows->triggers.count = 0;
}

ORDER_BY(job_wakes, job_row, a->wake_ms != b->wake_ms ? naive_compare(a->wake_ms, b->wake_ms) : job_up(a, b))

/* Adds a job that wakes to its step. */
static void count_wake(struct rows *rows, const struct job_row *job, int64_t step_ms)
{
    int64_t from_ms =
        job->wake_ms >= 0 ? job->wake_ms / step_ms * step_ms : -((-job->wake_ms + step_ms - 1) / step_ms * step_ms);

    for (size_t i = 0; i < rows->steps.count; i++) {
        if (rows->steps.items[i].from_ms == from_ms && place_equal(&rows->steps.items[i].place, &job->place)) {
            rows->steps.items[i].count++;
            return;
        }
    }
    *ROWS_ADD(rows, steps) = (struct step_row){job->place, from_ms, 1};
}

static void read_waking(const struct naive *naive, const struct query *q, struct rows *rows)
{
    size_t kept = 0;

    GIVE_WHERE(jobs, r->wake_ms != TIME_NONE && r->wake_ms > q->after_ms && r->wake_ms <= q->until_ms)
    SORT_AND_CUT(jobs, job_wakes, SIZE_MAX);
    for (size_t i = 0; i < rows->jobs.count; i++) {
        const struct job_row job = rows->jobs.items[i];
        size_t before = 0;

        for (size_t k = 0; k < i; k++) { /* those that were given stand first */
            before += k < kept && place_equal(&rows->jobs.items[k].place, &job.place) ? 1 : 0;
        }
        bool is_known = false;

        for (size_t k = 0; k < rows->places.count; k++) {
            is_known = is_known || place_equal(&rows->places.items[k].place, &job.place);
        }
        if (before < q->limit) {
            count_wake(rows, &job, q->step_ms);
            rows->jobs.items[kept++] = job;
        } else if (!is_known) {
            *ROWS_ADD(rows, places) = (struct place_row){job.place, job.wake_ms};
        }
    }
    rows->jobs.count = q->kind == QUERY_WAKING ? kept : 0;
    rows->steps.count = q->kind == QUERY_STEPS ? rows->steps.count : 0;
}

/* Whole tables, behind a key. */
static void read_table(const struct naive *naive, const struct query *q, struct rows *rows)
{
    const struct version_row version = {.job = q->id, .version = (uint32_t)q->after};
    const struct attempt_row attempt = {.trigger = q->id, .number = (uint32_t)q->after};
    const struct skip_row skip = {.job = q->id, .from_ms = q->after_ms};
    const struct idem_row idem = {.tenant = q->tenant, .key = q->after_text};

    if (q->kind == QUERY_ALL_VERSIONS) {
        GIVE_WHERE(versions, version_all_up(r, &version) > 0)
        SORT_AND_CUT(versions, version_all_up, q->limit);
    } else if (q->kind == QUERY_ALL_TRIGGERS) {
        GIVE_WHERE(triggers, r->id > q->after)
        SORT_AND_CUT(triggers, trigger_up, q->limit);
    } else if (q->kind == QUERY_ALL_ATTEMPTS) {
        GIVE_WHERE(attempts, attempt_all_up(r, &attempt) > 0)
        SORT_AND_CUT(attempts, attempt_all_up, q->limit);
    } else if (q->kind == QUERY_ALL_SKIPS) {
        GIVE_WHERE(skips, skip_all_up(r, &skip) > 0)
        SORT_AND_CUT(skips, skip_all_up, q->limit);
    } else {
        GIVE_WHERE(idems, idem_all_up(r, &idem) > 0)
        SORT_AND_CUT(idems, idem_all_up, q->limit);
    }
}

void naive_read(const struct naive *naive, const struct query *q, struct rows *rows)
{
    switch (q->kind) {
    case QUERY_JOB:
        GIVE_WHERE(jobs, q->id != 0
                             ? r->id == q->id
                             : q->name.len > 0 && str_equal(r->name, q->name) && str_equal(r->place.tenant, q->tenant))
        break;
    case QUERY_JOBS:
        GIVE_WHERE(jobs, job_fits(r, q))
        SORT_AND_CUT(jobs, job_up, q->limit);
        break;
    case QUERY_VERSIONS:
        GIVE_WHERE(versions, r->job == q->id && r->version > q->after)
        SORT_AND_CUT(versions, version_up, q->limit);
        break;
    case QUERY_TRIGGER:
        read_trigger(naive, q->id, rows);
        break;
    case QUERY_TRIGGERS:
        GIVE_WHERE(triggers, r->job == q->id && (q->after == 0 || r->id < q->after))
        SORT_AND_CUT(triggers, trigger_down, q->limit);
        break;
    case QUERY_FIRE:
        GIVE_WHERE(triggers, r->job == q->id && r->scheduled_ms == q->at_ms)
        SORT_AND_CUT(triggers, fire_up, q->limit);
        break;
    case QUERY_ATTEMPTS:
        GIVE_WHERE(attempts, r->trigger == q->id && r->number > q->after)
        SORT_AND_CUT(attempts, attempt_up, q->limit);
        break;
    case QUERY_SKIPS:
        GIVE_WHERE(skips, r->job == q->id && (q->after_ms == TIME_NONE || r->from_ms < q->after_ms))
        SORT_AND_CUT(skips, skip_down, q->limit);
        break;
    case QUERY_DEAD:
        GIVE_WHERE(triggers, dead_fits(r, q))
        SORT_AND_CUT(triggers, trigger_down, q->limit);
        break;
    case QUERY_CLAIMS:
        GIVE_WHERE(claims, true)
        SORT_AND_CUT(claims, claims_up, SIZE_MAX);
        break;
    case QUERY_SETTINGS:
        GIVE_WHERE(settings, r->scope == q->scope)
        SORT_AND_CUT(settings, setting_up, SIZE_MAX);
        break;
    case QUERY_TENANTS:
        GIVE_WHERE(tenants, str_compare(r->tenant, q->after_text) > 0)
        SORT_AND_CUT(tenants, tenant_up, q->limit);
        break;
    case QUERY_COUNTS:
        read_counts(naive, q->id, rows);
        break;
    case QUERY_RULES:
        GIVE_WHERE(rules, q->id == 0 || r->hash == q->id)
        SORT_AND_CUT(rules, rules_up, SIZE_MAX);
        break;
    case QUERY_RULED:
        GIVE_WHERE(jobs, is_ruled(r, q))
        SORT_AND_CUT(jobs, job_up, q->limit);
        break;
    case QUERY_NAMED:
        GIVE_WHERE(jobs, name_fits(r, q))
        SORT_AND_CUT(jobs, job_by_name, q->limit);
        break;
    case QUERY_WAKES:
        read_wakes(naive, q, rows);
        break;
    case QUERY_STEPS:
    case QUERY_WAKING:
        read_waking(naive, q, rows);
        break;
    case QUERY_ALL_VERSIONS:
    case QUERY_ALL_TRIGGERS:
    case QUERY_ALL_ATTEMPTS:
    case QUERY_ALL_SKIPS:
    case QUERY_ALL_IDEMS:
        read_table(naive, q, rows);
        break;
    }
}
