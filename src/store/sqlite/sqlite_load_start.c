#include "store/sqlite/sqlite_load.h"

enum store_outcome sqlite_take_shard(struct sql_conn *conn, uint32_t number, struct shard_row *ret_shard,
                                     struct error *reterr)
{
    struct sql_call call = sql_begin(conn, SQL_SHARD);
    struct shard_row shard = {0};
    bool is_there;

    sql_int(&call, number);
    is_there = sql_next(&call);
    if (is_there) {
        struct sql_row row = sql_row(&call);

        shard.id_high_ms = sql_take_int(&row);
        shard.last_batch = sql_take_id(&row);
        shard.epoch = sql_take_id(&row);
        shard.nonce[0] = sql_take_id(&row);
        shard.nonce[1] = sql_take_id(&row);
    }
    enum store_outcome outcome = sql_end(&call, reterr);

    if (outcome == STORE_DONE && !is_there) {
        return sql_bad_row(conn, "shard", number, "it is not there", reterr);
    }
    if (outcome == STORE_DONE) {
        *ret_shard = shard;
    }
    return outcome;
}

enum store_outcome sqlite_load_job(struct taking *taking, uint64_t id, bool *ret_is_new)
{
    size_t before = taking->rows->jobs.count;
    enum store_outcome outcome = STORE_DONE;

    *ret_is_new = false;
    if (id == 0 || ids_has(&taking->jobs, id)) {
        return STORE_DONE;
    }
    outcome = sqlite_take_of(taking, SQL_JOB_BY_ID, id, sqlite_take_job);
    if (outcome != STORE_DONE || taking->rows->jobs.count == before) {
        return outcome;
    }
    (void)ids_add(&taking->jobs, id);
    *ret_is_new = true;
    return sqlite_take_of(taking, SQL_TRIGGERS_LIVING, id, sqlite_take_trigger_once);
}

static enum store_outcome load_places(struct taking *taking)
{
    enum store_outcome outcome = STORE_DONE;
    int64_t after = 0;

    for (bool has_more = true; has_more && outcome == STORE_DONE;) {
        struct sql_call call = sql_begin(taking->conn, SQL_PLACE_AWAITED);
        int64_t wake_ms = 0;

        sql_int(&call, after);
        has_more = sql_next(&call);
        if (has_more) {
            struct sql_row row = sql_row(&call);

            after = sql_take_int(&row);
            wake_ms = sql_take_time(&row);
        }
        outcome = sql_end(&call, taking->reterr);
        if (has_more && outcome == STORE_DONE) {
            struct place_row *place = ROWS_ADD(taking->rows, places);

            place->wake_ms = wake_ms;
            outcome = sqlite_take_place(taking, after, &place->place);
        }
    }
    return outcome;
}

/* The jobs that have claims, and the triggers of the claims. */
static enum store_outcome load_claimed(struct taking *taking)
{
    const struct rows *rows = taking->rows;
    bool is_new;

    for (size_t i = 0; i < rows->claims.count; i++) {
        for (size_t j = 0; j < rows->claims.items[i].count; j++) {
            const struct claim *claim = &rows->claims.items[i].claims[j];
            enum store_outcome outcome = sqlite_load_job(taking, claim->job, &is_new);

            if (outcome == STORE_DONE) {
                outcome = sqlite_take_of(taking, SQL_TRIGGER_BY_ID, claim->trigger, sqlite_take_trigger_once);
            }
            if (outcome != STORE_DONE) {
                return outcome;
            }
        }
    }
    return STORE_DONE;
}

static enum store_outcome load_linked(struct taking *taking)
{
    const struct rows *rows = taking->rows;
    bool is_new;

    for (size_t i = 0; i < rows->edges.count; i++) {
        enum store_outcome outcome = sqlite_load_job(taking, rows->edges.items[i].upstream, &is_new);

        if (outcome == STORE_DONE) {
            outcome = sqlite_load_job(taking, rows->edges.items[i].downstream, &is_new);
        }
        if (outcome != STORE_DONE) {
            return outcome;
        }
    }
    return STORE_DONE;
}

enum store_outcome sqlite_load_start(struct taking *taking, uint32_t shard)
{
    static const struct {
        enum sql_statement statement;
        taker *take;
    } whole[] = {
        {SQL_SETTINGS_ALL, sqlite_take_setting}, {SQL_TENANTS_ALL, sqlite_take_tenant},
        {SQL_LIMITERS_ALL, sqlite_take_limiter}, {SQL_CIRCUITS_ALL, sqlite_take_circuit},
        {SQL_CLAIMS_ALL, sqlite_take_claims},    {SQL_EDGES_ALL, sqlite_take_edge},
        {SQL_WAITS_ALL, sqlite_take_wait},       {SQL_RULES_ALL, sqlite_take_rules},
    };
    enum store_outcome outcome = sqlite_take_shard(taking->conn, shard, &taking->rows->shard, taking->reterr);

    for (size_t i = 0; outcome == STORE_DONE && i < sizeof whole / sizeof whole[0]; i++) {
        outcome = sqlite_take_table(taking, whole[i].statement, whole[i].take);
    }
    if (outcome == STORE_DONE) {
        outcome = load_places(taking);
    }
    if (outcome == STORE_DONE) {
        outcome = load_claimed(taking);
    }
    return outcome == STORE_DONE ? load_linked(taking) : outcome;
}
