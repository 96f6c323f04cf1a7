/* What the engine asks for: each answer is one snapshot, so that it holds whole batches even if the shard is somebody
 * else's by now. Rows are asked for by arrays of keys: a load costs some round trips, whatever it brings. */
#include "base/hash.h"
#include "base/mem.h"
#include "store/postgres/postgres_inside.h"
#include "store/postgres/postgres_take.h"

/* ---- jobs, by their ids ---- */

/* The id is to be asked for, if it was not before. */
static void want_job(struct taking *taking, uint64_t id)
{
    if (id != 0 && ids_add(&taking->jobs, id)) {
        pg_array_id(&taking->ids, id);
    }
}

/* Takes the jobs that are in taking->ids; and puts there those of them that exist. */
static enum store_outcome load_jobs(struct taking *taking)
{
    size_t before = taking->rows->jobs.count;

    postgres_ask_ids(taking, SQL_JOBS_BY_ID);
    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, postgres_take_job);
    pg_array_reset(&taking->ids);
    for (size_t i = before; i < taking->rows->jobs.count; i++) {
        pg_array_id(&taking->ids, taking->rows->jobs.items[i].id);
    }
    return postgres_take_end(taking);
}

/* ---- the start ---- */

static enum store_outcome take_shard(struct taking *taking, struct pg_row *row)
{
    struct shard_row *shard = &taking->rows->shard;

    shard->id_high_ms = pg_take_int(row);
    shard->last_batch = pg_take_id(row);
    shard->epoch = pg_take_id(row);
    shard->nonce[0] = pg_take_id(row);
    shard->nonce[1] = pg_take_id(row);
    shard->is_filling = pg_take_int(row) != 0;
    return STORE_DONE;
}

/* The jobs that have claims or edges, with their living triggers; and the trigger of each claim. */
static enum store_outcome load_held(struct taking *taking)
{
    const struct rows *rows = taking->rows;

    pg_array_reset(&taking->ids);
    for (size_t i = 0; i < rows->claims.count; i++) {
        for (size_t j = 0; j < rows->claims.items[i].count; j++) {
            want_job(taking, rows->claims.items[i].claims[j].job);
        }
    }
    for (size_t i = 0; i < rows->edges.count; i++) {
        want_job(taking, rows->edges.items[i].upstream);
        want_job(taking, rows->edges.items[i].downstream);
    }
    enum store_outcome outcome = load_jobs(taking);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    postgres_ask_ids(taking, SQL_TRIGGERS_LIVING);
    pg_array_reset(&taking->ids);
    for (size_t i = 0; i < rows->claims.count; i++) {
        for (size_t j = 0; j < rows->claims.items[i].count; j++) {
            pg_array_id(&taking->ids, rows->claims.items[i].claims[j].trigger);
        }
    }
    postgres_ask_ids(taking, SQL_TRIGGERS_BY_ID);
    postgres_take_last(taking);
    (void)postgres_take_answer(taking, postgres_take_trigger_once);
    (void)postgres_take_answer(taking, postgres_take_trigger_once);
    return postgres_take_end(taking);
}

static enum store_outcome load_start(struct taking *taking)
{
    static const struct {
        enum pg_statement statement;
        taker *take;
    } whole[] = {
        {SQL_SETTINGS_ALL, postgres_take_setting},   {SQL_TENANTS_ALL, postgres_take_tenant},
        {SQL_LIMITERS_ALL, postgres_take_limiter},   {SQL_CIRCUITS_ALL, postgres_take_circuit},
        {SQL_CLAIMS_ALL, postgres_take_claims},      {SQL_EDGES_ALL, postgres_take_edge},
        {SQL_WAITS_ALL, postgres_take_wait},         {SQL_RULES_ALL, postgres_take_rules},
        {SQL_PLACES_AWAITED, postgres_take_awaited},
    };
    const size_t count = sizeof whole / sizeof whole[0];

    pg_send_for(taking->conn, SQL_SHARD, taking->shard);
    for (size_t i = 0; i < count; i++) {
        pg_send_for(taking->conn, whole[i].statement, taking->shard);
    }
    pg_sync(taking->conn);
    size_t shards = postgres_take_answer(taking, take_shard);

    for (size_t i = 0; i < count; i++) {
        (void)postgres_take_answer(taking, whole[i].take);
    }
    enum store_outcome outcome = postgres_take_end(taking);

    if (outcome == STORE_DONE && shards != 1) {
        return postgres_bad_row(taking->conn, "shards", taking->shard, "it is not there", taking->reterr);
    }
    return outcome == STORE_DONE ? load_held(taking) : outcome;
}

/* ---- a window ---- */

/* Cuts the page where it ends, and says what is next. */
static void cut_page(struct rows *rows, const struct load *load)
{
    for (size_t i = 0; i < rows->jobs.count; i++) {
        int64_t wake_ms = rows->jobs.items[i].wake_ms;

        if (wake_ms > load->until_ms || i == load->limit) {
            rows->has_more = wake_ms <= load->until_ms;
            rows->next_wake_ms = wake_ms;
            rows->jobs.count = i;
            return;
        }
    }
}

static enum store_outcome load_window(struct taking *taking, const struct load *load)
{
    struct rows *rows = taking->rows;
    struct pg_call call;

    if (!postgres_is_storable(load->place.tenant) || !postgres_is_storable(load->place.pool) ||
        !postgres_is_storable(load->place.type)) {
        return STORE_DONE;
    }
    pg_call(&call, taking->conn, SQL_JOBS_WINDOW);
    pg_int2(&call, taking->shard);
    pg_text(&call, load->place.tenant);
    pg_text(&call, load->place.pool);
    pg_text(&call, load->place.type);
    pg_int8(&call, load->place.priority);
    pg_int8(&call, load->after_ms);
    pg_id(&call, load->after_ms == TIME_NONE ? 0 : load->after_id);
    pg_int8(&call, load->limit < INT64_MAX ? (int64_t)load->limit + 1 : INT64_MAX);
    pg_send(&call);
    pg_sync(taking->conn);
    (void)postgres_take_answer(taking, postgres_take_job);
    enum store_outcome outcome = postgres_take_end(taking);

    cut_page(rows, load);
    if (outcome != STORE_DONE || rows->jobs.count == 0) {
        return outcome;
    }
    pg_array_reset(&taking->ids);
    for (size_t i = 0; i < rows->jobs.count; i++) {
        pg_array_id(&taking->ids, rows->jobs.items[i].id);
    }
    postgres_ask_ids(taking, SQL_TRIGGERS_LIVING);
    postgres_take_last(taking);
    (void)postgres_take_answer(taking, postgres_take_trigger);
    return postgres_take_end(taking);
}

/* ---- keys ---- */

/* Names and answers under keys: two texts each, of those that are asked for. */
static void ask_texts(struct taking *taking, const struct load *load, enum load_key_kind kind,
                      enum pg_statement statement)
{
    struct ids seen = {0};
    struct pg_call call;

    pg_array_reset(&taking->texts[0]);
    pg_array_reset(&taking->texts[1]);
    for (size_t i = 0; i < load->key_count; i++) {
        const struct load_key *key = &load->keys[i];

        bool is_nobody = kind == KEY_NAME && str_empty(key->text);

        if (key->kind != kind || is_nobody || !postgres_is_storable(key->tenant) || !postgres_is_storable(key->text)) {
            continue;
        }
        /* Equal hashes of different keys do not happen in the life of a database: 64 bits, a thousand keys. */
        if (ids_add(&seen, hash64(key->text.ptr, key->text.len, hash64(key->tenant.ptr, key->tenant.len, 0)) | 1)) {
            pg_array_text(&taking->texts[0], key->tenant);
            pg_array_text(&taking->texts[1], key->text);
        }
    }
    ids_done(&seen);
    pg_call(&call, taking->conn, statement);
    pg_int2(&call, taking->shard);
    pg_array(&call, &taking->texts[0]);
    pg_array(&call, &taking->texts[1]);
    pg_send(&call);
}

static void ask_triggers(struct taking *taking, const struct load *load)
{
    pg_array_reset(&taking->ids);
    for (size_t i = 0; i < load->key_count; i++) {
        if (load->keys[i].kind == KEY_TRIGGER) {
            pg_array_id(&taking->ids, load->keys[i].id);
        }
    }
    postgres_ask_ids(taking, SQL_TRIGGERS_BY_ID);
}

static void ask_ranges(struct taking *taking, const struct load *load)
{
    SCOPE(pg_array_done) struct pg_array from;
    struct pg_call call;

    pg_array_init(&from, PG_INT8);
    pg_array_reset(&taking->ids);
    pg_array_reset(&taking->ids_to);
    for (size_t i = 0; i < load->key_count; i++) {
        const struct load_key *key = &load->keys[i];

        if (key->kind == KEY_RANGE) {
            pg_array_id(&taking->ids, key->id);
            pg_array_key(&from, key->from_ms);
            pg_array_key(&taking->ids_to, key->to_ms);
        }
    }
    pg_call(&call, taking->conn, SQL_TRIGGERS_RANGE);
    pg_int2(&call, taking->shard);
    pg_array(&call, &taking->ids);
    pg_array(&call, &from);
    pg_array(&call, &taking->ids_to);
    pg_send(&call);
}

/* A name's job is asked for with the others. */
static enum store_outcome take_job_id(struct taking *taking, struct pg_row *row)
{
    want_job(taking, pg_take_id(row));
    return STORE_DONE;
}

/* What leads to jobs, and what has nothing to do with them. */
static enum store_outcome load_ways(struct taking *taking, const struct load *load)
{
    ask_texts(taking, load, KEY_NAME, SQL_JOB_IDS_BY_NAME);
    ask_texts(taking, load, KEY_IDEM, SQL_IDEMS);
    ask_triggers(taking, load);
    ask_ranges(taking, load);
    pg_sync(taking->conn);
    pg_array_reset(&taking->ids); /* from here on the jobs */
    for (size_t i = 0; i < load->key_count; i++) {
        if (load->keys[i].kind == KEY_JOB) {
            want_job(taking, load->keys[i].id);
        }
    }
    (void)postgres_take_answer(taking, take_job_id);
    (void)postgres_take_answer(taking, postgres_take_idem);
    (void)postgres_take_answer(taking, postgres_take_trigger_once);
    for (size_t i = 0; i < taking->rows->triggers.count; i++) {
        want_job(taking, taking->rows->triggers.items[i].job);
    }
    (void)postgres_take_answer(taking, postgres_take_trigger_once);
    return postgres_take_end(taking);
}

/* What belongs to the jobs in taking->ids. */
static enum store_outcome load_belongings(struct taking *taking)
{
    static const struct {
        enum pg_statement statement;
        taker *take;
    } parts[] = {
        {SQL_TRIGGERS_LIVING, postgres_take_trigger_once},
        {SQL_EDGES_OF, postgres_take_edge},
        {SQL_WAITS_OF, postgres_take_wait},
        {SQL_SKIPS_LATEST, postgres_take_skip},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        postgres_ask_ids(taking, parts[i].statement);
    }
    postgres_take_last(taking);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        (void)postgres_take_answer(taking, parts[i].take);
    }
    return postgres_take_end(taking);
}

static enum store_outcome load_keys(struct taking *taking, const struct load *load)
{
    enum store_outcome outcome = load_ways(taking, load);

    if (outcome == STORE_DONE && taking->ids.count > 0) {
        outcome = load_jobs(taking);
    }
    return outcome == STORE_DONE && taking->rows->jobs.count > 0 ? load_belongings(taking) : outcome;
}

/* ---- all of them ---- */

static enum store_outcome load_any(struct taking *taking, const struct load *load)
{
    switch (load->kind) {
    case LOAD_START:
        return load_start(taking);
    case LOAD_WINDOW:
        return load_window(taking, load);
    case LOAD_KEYS:
        return load_keys(taking, load);
    }
    return STORE_REFUSED;
}

enum store_outcome postgres_load(struct store *base, const struct load *load, struct rows *rows, struct error *reterr)
{
    struct postgres_store *store = postgres_store_of(base);
    enum store_outcome outcome = pg_start(&store->conn, store->call_ms, reterr);
    struct taking taking;

    if (outcome != STORE_DONE) {
        return outcome;
    }
    postgres_taking_init(&taking, &store->conn, store->shard, rows, reterr);
    postgres_take_snapshot(&taking);
    outcome = load_any(&taking, load);
    postgres_take_leave(&taking);
    postgres_taking_done(&taking);
    return outcome;
}
