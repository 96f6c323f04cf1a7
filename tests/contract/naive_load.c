/* The naive store's answers to the engine: every row of a list is looked at. */
#include <stdlib.h>

#include "naive_lists.h"

static bool given_trigger(const struct rows *rows, uint64_t id)
{
    for (size_t i = 0; i < rows->triggers.count; i++) {
        if (rows->triggers.items[i].id == id) {
            return true;
        }
    }
    return false;
}

static bool given_job(const struct rows *rows, uint64_t id)
{
    for (size_t i = 0; i < rows->jobs.count; i++) {
        if (rows->jobs.items[i].id == id) {
            return true;
        }
    }
    return false;
}

static void give_job(const struct naive *naive, uint64_t id, struct rows *rows)
{
    if (given_job(rows, id)) {
        return;
    }
    GIVE_WHERE(jobs, r->id == id)
    if (given_job(rows, id)) {
        GIVE_WHERE(triggers, r->job == id && naive_lives(r) && !given_trigger(rows, r->id))
    }
}

static void give_trigger(const struct naive *naive, uint64_t id, struct rows *rows)
{
    GIVE_WHERE(triggers, r->id == id && !given_trigger(rows, id))
}

static bool same_place(const struct place *a, const struct place *b)
{
    return str_equal(a->pool, b->pool) && str_equal(a->tenant, b->tenant) && str_equal(a->type, b->type) &&
           a->priority == b->priority;
}

static void give_places(const struct naive *naive, struct rows *rows)
{
    EACH(jobs, r)
    {
        struct place_row *place = NULL;

        for (size_t i = 0; i < rows->places.count && place == NULL; i++) {
            place = same_place(&rows->places.items[i].place, &r->place) ? &rows->places.items[i] : NULL;
        }
        if (r->wake_ms == TIME_NONE) {
            continue;
        }
        if (place == NULL) {
            *ROWS_ADD(rows, places) = (struct place_row){r->place, r->wake_ms};
        } else if (r->wake_ms < place->wake_ms) {
            place->wake_ms = r->wake_ms;
        }
    }
}

static void load_start(const struct naive *naive, struct rows *rows)
{
    rows->shard = naive->rows.shard;
    GIVE_WHERE(settings, true)
    GIVE_WHERE(tenants, true)
    GIVE_WHERE(rules, true)
    GIVE_WHERE(limiters, true)
    GIVE_WHERE(circuits, true)
    GIVE_WHERE(claims, true)
    GIVE_WHERE(edges, true)
    GIVE_WHERE(waits, true)
    give_places(naive, rows);
    EACH(claims, row)
    {
        for (size_t i = 0; i < row->count; i++) {
            give_job(naive, row->claims[i].job, rows);
            give_trigger(naive, row->claims[i].trigger, rows);
        }
    }
    EACH(edges, edge)
    {
        give_job(naive, edge->upstream, rows);
        give_job(naive, edge->downstream, rows);
    }
}

static int by_wake(const void *a, const void *b)
{
    const struct job_row *x = a, *y = b;
    int order = naive_compare(x->wake_ms, y->wake_ms);

    return order != 0 ? order : naive_compare_ids(x->id, y->id);
}

static bool is_behind(const struct job_row *r, const struct load *load)
{
    return load->after_ms == TIME_NONE || r->wake_ms > load->after_ms ||
           (r->wake_ms == load->after_ms && r->id > load->after_id);
}

static void load_window(const struct naive *naive, const struct load *load, struct rows *rows)
{
    size_t count = 0;

    GIVE_WHERE(jobs, r->wake_ms != TIME_NONE && same_place(&r->place, &load->place) && is_behind(r, load))
    if (rows->jobs.count > 0) {
        qsort(rows->jobs.items, rows->jobs.count, sizeof *rows->jobs.items, by_wake);
    }
    while (count < rows->jobs.count && count < load->limit && rows->jobs.items[count].wake_ms <= load->until_ms) {
        count++;
    }
    if (count < rows->jobs.count) {
        rows->next_wake_ms = rows->jobs.items[count].wake_ms;
        rows->has_more = rows->next_wake_ms <= load->until_ms;
    }
    rows->jobs.count = count;
    GIVE_WHERE(triggers, naive_lives(r) && given_job(rows, r->job))
}

static bool has_edge(const struct rows *rows, const struct edge_row *edge)
{
    for (size_t i = 0; i < rows->edges.count; i++) {
        if (rows->edges.items[i].upstream == edge->upstream && rows->edges.items[i].downstream == edge->downstream) {
            return true;
        }
    }
    return false;
}

static void key_job(const struct naive *naive, uint64_t id, struct rows *rows)
{
    const struct skip_row *latest = NULL;

    if (given_job(rows, id)) {
        return;
    }
    give_job(naive, id, rows);
    if (!given_job(rows, id)) {
        return;
    }
    GIVE_WHERE(edges, (r->upstream == id || r->downstream == id) && !has_edge(rows, r))
    GIVE_WHERE(waits, r->job == id)
    EACH(skips, r)
    {
        if (r->job == id && (latest == NULL || r->from_ms > latest->from_ms)) {
            latest = r;
        }
    }
    if (latest != NULL) {
        *ROWS_ADD(rows, skips) = *latest;
    }
}

static void key_trigger(const struct naive *naive, uint64_t id, struct rows *rows)
{
    give_trigger(naive, id, rows);
    EACH(triggers, r)
    {
        if (r->id == id) {
            key_job(naive, r->job, rows);
        }
    }
}

static void key_name(const struct naive *naive, const struct load_key *key, struct rows *rows)
{
    EACH(jobs, r)
    {
        if (key->text.len > 0 && str_equal(r->name, key->text) && str_equal(r->place.tenant, key->tenant)) {
            key_job(naive, r->id, rows);
        }
    }
}

static void key_idem(const struct naive *naive, const struct load_key *key, struct rows *rows)
{
    for (size_t i = 0; i < rows->idems.count; i++) {
        if (str_equal(rows->idems.items[i].tenant, key->tenant) && str_equal(rows->idems.items[i].key, key->text)) {
            return;
        }
    }
    GIVE_WHERE(idems, str_equal(r->tenant, key->tenant) && str_equal(r->key, key->text))
}

static void load_key(const struct naive *naive, const struct load_key *key, struct rows *rows)
{
    switch (key->kind) {
    case KEY_JOB:
        key_job(naive, key->id, rows);
        break;
    case KEY_NAME:
        key_name(naive, key, rows);
        break;
    case KEY_TRIGGER:
        key_trigger(naive, key->id, rows);
        break;
    case KEY_IDEM:
        key_idem(naive, key, rows);
        break;
    case KEY_RANGE:
        GIVE_WHERE(triggers, r->job == key->id && r->scheduled_ms >= key->from_ms && r->scheduled_ms < key->to_ms &&
                                 !given_trigger(rows, r->id))
        break;
    }
}

void naive_load(const struct naive *naive, const struct load *load, struct rows *rows)
{
    switch (load->kind) {
    case LOAD_START:
        load_start(naive, rows);
        break;
    case LOAD_WINDOW:
        load_window(naive, load, rows);
        break;
    case LOAD_KEYS:
        for (size_t i = 0; i < load->key_count; i++) {
            load_key(naive, &load->keys[i], rows);
        }
        break;
    }
}
