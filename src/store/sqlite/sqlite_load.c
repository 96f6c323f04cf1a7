/* What the engine asks for, on the writer's connection, inside of one read transaction. */
#include "base/hash.h"
#include "store/sqlite/sqlite_load.h"

/* ---- a job with what belongs to it ---- */

/* An edge comes with the first of its two jobs. */
static enum store_outcome take_edge_down(struct taking *taking, struct sql_row *row)
{
    struct sql_row peek = *row;
    uint64_t upstream = sql_take_id(&peek);
    uint64_t downstream = sql_take_id(&peek);

    return upstream != downstream && ids_has(&taking->jobs, downstream) ? STORE_DONE : sqlite_take_edge(taking, row);
}

static enum store_outcome take_edge_up(struct taking *taking, struct sql_row *row)
{
    struct sql_row peek = *row;

    return ids_has(&taking->jobs, sql_take_id(&peek)) ? STORE_DONE : sqlite_take_edge(taking, row);
}

static enum store_outcome load_latest_skip(struct taking *taking, uint64_t job)
{
    struct sql_call call = sql_begin(taking->conn, SQL_SKIPS_UP_TO);

    sql_id(&call, job);
    sql_int(&call, INT64_MAX);
    sql_int(&call, 1);
    return sqlite_take_all(taking, &call, sqlite_take_skip);
}

/* KEY_JOB. */
static enum store_outcome load_whole_job(struct taking *taking, uint64_t id)
{
    bool is_new;
    enum store_outcome outcome = sqlite_load_job(taking, id, &is_new);

    if (outcome != STORE_DONE || !is_new) {
        return outcome;
    }
    outcome = sqlite_take_of(taking, SQL_EDGES_DOWN, id, take_edge_down);
    if (outcome == STORE_DONE) {
        outcome = sqlite_take_of(taking, SQL_EDGES_UP, id, take_edge_up);
    }
    if (outcome == STORE_DONE) {
        outcome = sqlite_take_of(taking, SQL_WAITS_OF, id, sqlite_take_wait);
    }
    return outcome == STORE_DONE ? load_latest_skip(taking, id) : outcome;
}

/* ---- a window ---- */

/* Takes jobs until the page ends; *ret_ended: it did, and rows say where. */
static enum store_outcome load_some(struct taking *taking, const struct load *load, struct sql_call *call,
                                    bool *ret_ended)
{
    struct rows *rows = taking->rows;
    enum store_outcome outcome = STORE_DONE;

    while (outcome == STORE_DONE && !*ret_ended && sql_next(call)) {
        struct sql_row row = sql_row(call);

        outcome = sqlite_take_job(taking, &row);
        const struct job_row *last = &rows->jobs.items[rows->jobs.count - 1];

        if (last->wake_ms > load->until_ms || rows->jobs.count > load->limit) {
            rows->has_more = last->wake_ms <= load->until_ms;
            rows->next_wake_ms = last->wake_ms;
            rows->jobs.count--;
            *ret_ended = true;
        }
    }
    enum store_outcome ended = sql_end(call, outcome == STORE_DONE ? taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}

/* The jobs of a page, and when the first behind it is to wake. First the rest of those that wake with the edge, which
 * can be very many, then those after it: SQLite finds either by the index, but not both at once. */
static enum store_outcome load_page(struct taking *taking, const struct load *load, int64_t place)
{
    const int64_t rows_max = load->limit < INT64_MAX ? (int64_t)load->limit + 1 : INT64_MAX;
    enum store_outcome outcome = STORE_DONE;
    bool ended = false;

    if (load->after_ms != TIME_NONE) {
        struct sql_call tie = sql_begin(taking->conn, SQL_JOBS_WINDOW_TIE);

        sql_int(&tie, place);
        sql_int(&tie, load->after_ms);
        sql_id(&tie, load->after_id);
        sql_int(&tie, rows_max);
        outcome = load_some(taking, load, &tie, &ended);
    }
    if (outcome == STORE_DONE && !ended) {
        struct sql_call call = sql_begin(taking->conn, SQL_JOBS_WINDOW);

        sql_int(&call, place);
        sql_int(&call, load->after_ms);
        sql_int(&call, rows_max);
        outcome = load_some(taking, load, &call, &ended);
    }
    return outcome;
}

static enum store_outcome load_window(struct taking *taking, const struct load *load)
{
    int64_t place;
    enum store_outcome outcome = sqlite_places_find(taking->conn, &load->place, &place, taking->reterr);

    if (outcome != STORE_DONE || place == 0) {
        return outcome;
    }
    outcome = load_page(taking, load, place);
    for (size_t i = 0; outcome == STORE_DONE && i < taking->rows->jobs.count; i++) {
        outcome = sqlite_take_of(taking, SQL_TRIGGERS_LIVING, taking->rows->jobs.items[i].id, sqlite_take_trigger);
    }
    return outcome;
}

/* ---- keys ---- */

static enum store_outcome load_name(struct taking *taking, const struct load_key *key)
{
    struct sql_call call = sql_begin(taking->conn, SQL_JOB_BY_NAME);
    uint64_t id = 0;

    sql_text(&call, key->tenant);
    sql_text(&call, key->text);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);

        id = sql_take_id(&row);
    }
    enum store_outcome outcome = sql_end(&call, taking->reterr);

    return outcome == STORE_DONE ? load_whole_job(taking, id) : outcome;
}

static enum store_outcome load_trigger(struct taking *taking, uint64_t id)
{
    struct sql_call call = sql_begin(taking->conn, SQL_TRIGGER_BY_ID);
    enum store_outcome outcome = STORE_DONE;
    uint64_t job = 0;

    sql_id(&call, id);
    if (sql_next(&call)) {
        struct sql_row row = sql_row(&call);
        struct sql_row peek = row;

        (void)sql_take_id(&peek);
        job = sql_take_id(&peek);
        outcome = sqlite_take_trigger_once(taking, &row);
    }
    enum store_outcome ended = sql_end(&call, outcome == STORE_DONE ? taking->reterr : NULL);

    if (outcome == STORE_DONE && ended == STORE_DONE) {
        return load_whole_job(taking, job);
    }
    return outcome != STORE_DONE ? outcome : ended;
}

/* Whether this answer has the row already. A hash says no at once; yes is looked at. */
static bool has_idem(struct taking *taking, const struct load_key *key)
{
    const struct rows *rows = taking->rows;
    uint64_t hash = hash64(key->text.ptr, key->text.len, hash64(key->tenant.ptr, key->tenant.len, 0));

    if (ids_add(&taking->idems, hash)) {
        return false;
    }
    for (size_t i = 0; i < rows->idems.count; i++) {
        if (str_equal(rows->idems.items[i].tenant, key->tenant) && str_equal(rows->idems.items[i].key, key->text)) {
            return true;
        }
    }
    return false;
}

static enum store_outcome load_idem(struct taking *taking, const struct load_key *key)
{
    if (has_idem(taking, key)) {
        return STORE_DONE;
    }
    struct sql_call call = sql_begin(taking->conn, SQL_IDEM);

    sql_text(&call, key->tenant);
    sql_text(&call, key->text);
    return sqlite_take_all(taking, &call, sqlite_take_idem);
}

static void bind_range(struct sql_call *call, const struct load_key *key)
{
    sql_id(call, key->id);
    sql_int(call, key->from_ms);
    sql_int(call, key->to_ms);
}

/* The scheduled trigger of a one-time job has its id and is in no index. */
static enum store_outcome load_range(struct taking *taking, const struct load_key *key)
{
    struct sql_call own = sql_begin(taking->conn, SQL_TRIGGER_OWN_RANGE);

    bind_range(&own, key);
    enum store_outcome outcome = sqlite_take_all(taking, &own, sqlite_take_trigger_once);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    struct sql_call others = sql_begin(taking->conn, SQL_TRIGGERS_RANGE);

    bind_range(&others, key);
    return sqlite_take_all(taking, &others, sqlite_take_trigger_once);
}

static enum store_outcome load_key(struct taking *taking, const struct load_key *key)
{
    switch (key->kind) {
    case KEY_JOB:
        return load_whole_job(taking, key->id);
    case KEY_NAME:
        return load_name(taking, key);
    case KEY_TRIGGER:
        return load_trigger(taking, key->id);
    case KEY_IDEM:
        return load_idem(taking, key);
    case KEY_RANGE:
        return load_range(taking, key);
    }
    return STORE_REFUSED;
}

static enum store_outcome load_keys(struct taking *taking, const struct load *load)
{
    enum store_outcome outcome = STORE_DONE;

    for (size_t i = 0; outcome == STORE_DONE && i < load->key_count; i++) {
        outcome = load_key(taking, &load->keys[i]);
    }
    return outcome;
}

/* ---- all of them ---- */

static enum store_outcome load_any(struct taking *taking, const struct load *load, uint32_t shard)
{
    switch (load->kind) {
    case LOAD_START:
        return sqlite_load_start(taking, shard);
    case LOAD_WINDOW:
        return load_window(taking, load);
    case LOAD_KEYS:
        return load_keys(taking, load);
    }
    return STORE_REFUSED;
}

enum store_outcome sqlite_load(struct store *base, const struct load *load, struct rows *rows, struct error *reterr)
{
    struct sqlite_store *store = sqlite_store_of(base);
    struct taking taking;

    if (store->is_broken) {
        return sqlite_is_broken(store, reterr);
    }
    struct sql_call begin = sql_begin(&store->conn, SQL_BEGIN_READ);
    enum store_outcome outcome = sql_run(&begin, reterr);

    if (outcome == STORE_DONE) {
        sqlite_taking_init(&taking, &store->conn, rows, reterr);
        outcome = load_any(&taking, load, store->shard);
        sqlite_taking_done(&taking);
        sqlite_rollback(store); /* nothing was written: the cheapest way to end it */
    }
    return sqlite_note(store, outcome);
}
