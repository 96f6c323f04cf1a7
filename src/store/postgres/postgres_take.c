#include "store/postgres/postgres_take.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "store/claims_pack.h"

void postgres_taking_init(struct taking *taking, struct pg_conn *conn, uint32_t shard, struct rows *rows,
                          struct error *reterr)
{
    *taking = (struct taking){.conn = conn, .shard = shard, .rows = rows, .reterr = reterr};
    pg_array_init(&taking->ids, PG_INT8);
    pg_array_init(&taking->ids_to, PG_INT8);
    pg_array_init(&taking->texts[0], PG_TEXT);
    pg_array_init(&taking->texts[1], PG_TEXT);
}

void postgres_taking_done(struct taking *taking)
{
    ids_done(&taking->jobs);
    ids_done(&taking->triggers);
    pg_array_done(&taking->ids);
    pg_array_done(&taking->ids_to);
    pg_array_done(&taking->texts[0]);
    pg_array_done(&taking->texts[1]);
}

bool postgres_is_storable(struct str text)
{
    return str_find_char(text, '\0') == text.len && str_utf8_valid(text, NULL);
}

enum store_outcome postgres_bad_row(const struct pg_conn *conn, const char *table, uint64_t id, const char *what,
                                    struct error *reterr)
{
    (void)err_set(reterr, ERR_CORRUPT, "%s is damaged: row %llu of table %s: %s. Restore a backup", conn->shown,
                  (unsigned long long)id, table, what);
    return STORE_BROKEN;
}

void postgres_take_snapshot(struct taking *taking)
{
    pg_send_plain(taking->conn, SQL_BEGIN_SNAPSHOT);
    taking->owes_begin = taking->has_snapshot = true;
}

void postgres_take_last(struct taking *taking)
{
    if (taking->has_snapshot) {
        pg_send_plain(taking->conn, SQL_ROLLBACK); /* nothing was written: the cheapest way to end it */
        taking->has_snapshot = false;
    }
    pg_sync(taking->conn);
}

void postgres_take_leave(struct taking *taking)
{
    struct pg_conn *conn = taking->conn;

    if (conn->pq != NULL && (taking->owes_begin || PQtransactionStatus(conn->pq) != PQTRANS_IDLE)) {
        postgres_take_last(taking);
        (void)pg_finish(conn, NULL);
    }
}

size_t postgres_take_answer(struct taking *taking, taker *take)
{
    if (taking->owes_begin) {
        taking->owes_begin = false;
        (void)pg_answer(taking->conn);
    }
    const PGresult *answer = pg_answer(taking->conn);
    int count = answer != NULL ? PQntuples(answer) : 0;

    for (int i = 0; i < count && taking->outcome == STORE_DONE; i++) {
        struct pg_row row = pg_row(answer, i);

        taking->outcome = take(taking, &row);
    }
    return (size_t)count;
}

enum store_outcome postgres_take_end(struct taking *taking)
{
    enum store_outcome outcome = pg_finish(taking->conn, taking->outcome == STORE_DONE ? taking->reterr : NULL);

    pg_again(taking->conn);
    return taking->outcome != STORE_DONE ? taking->outcome : outcome;
}

void postgres_ask_ids(struct taking *taking, enum pg_statement statement)
{
    struct pg_call call;

    pg_call(&call, taking->conn, statement);
    pg_int2(&call, taking->shard);
    pg_array(&call, &taking->ids);
    pg_send(&call);
}

/* Copies it, unless the row before had the same. */
static struct str take_shared(const struct taking *taking, struct pg_row *row, struct str last)
{
    struct str text = pg_take_text(row);

    return str_equal(text, last) && last.len > 0 ? last : rows_text(taking->rows, text);
}

static void take_place(struct taking *taking, struct pg_row *row, struct place *place)
{
    if (pg_next_is_null(row) && row->bad == NULL) {
        row->bad = "place"; /* names no lane */
    }
    place->pool = take_shared(taking, row, taking->place.pool);
    if (pg_next_is_null(row) && row->bad == NULL) {
        row->bad = "place"; /* names no tenant */
    }
    place->tenant = take_shared(taking, row, taking->place.tenant);
    place->type = take_shared(taking, row, taking->place.type);
    place->priority = (int)pg_take_int(row);
    taking->place = *place;
}

static struct str take_text(const struct taking *taking, struct pg_row *row)
{
    return rows_text(taking->rows, pg_take_text(row));
}

/* Whether all columns made sense. */
static enum store_outcome judge(const struct taking *taking, const struct pg_row *row, const char *table, uint64_t id)
{
    if (row->bad == NULL) {
        return STORE_DONE;
    }
    char what[100];

    (void)snprintf(what, sizeof what, "column %.60s makes no sense", row->bad);
    return postgres_bad_row(taking->conn, table, id, what, taking->reterr);
}

enum store_outcome postgres_take_job(struct taking *taking, struct pg_row *row)
{
    struct job_row *job = ROWS_ADD(taking->rows, jobs);

    job->id = pg_take_id(row);
    take_place(taking, row, &job->place);
    job->status = (enum job_status)pg_take_below(row, JOB_COMPLETED);
    job->version = pg_take_u32(row);
    job->cursor_ms = pg_take_time(row);
    job->wake_ms = pg_take_time(row);
    job->held_to_ms = pg_take_time(row);
    job->missed_to_ms = pg_take_time(row);
    job->fired = pg_take_int(row);
    job->anchor_ms = pg_take_time(row);
    job->created_ms = pg_take_time(row);
    job->updated_ms = pg_take_time(row);
    job->name = take_text(taking, row);
    job->def = take_text(taking, row);
    job->rules = pg_take_id(row);
    return judge(taking, row, "jobs", job->id);
}

enum store_outcome postgres_take_version(struct taking *taking, struct pg_row *row)
{
    struct version_row *version = ROWS_ADD(taking->rows, versions);

    version->job = pg_take_id(row);
    version->version = pg_take_u32(row);
    version->from_ms = pg_take_time(row);
    version->anchor_ms = pg_take_time(row);
    version->rules = pg_take_id(row);
    version->def = take_text(taking, row);
    return judge(taking, row, "versions", version->job);
}

/* Everything of an attempt but its trigger. */
static void take_attempt_rest(const struct taking *taking, struct pg_row *row, struct attempt_row *attempt)
{
    attempt->number = pg_take_u32(row);
    attempt->state = (enum attempt_state)pg_take_below(row, ATTEMPT_CANCELLED);
    attempt->started_ms = pg_take_time(row);
    attempt->ended_ms = pg_take_time(row);
    attempt->worker = take_text(taking, row);
    attempt->error_code = take_text(taking, row);
    attempt->error_message = take_text(taking, row);
    attempt->result = take_text(taking, row);
}

enum store_outcome postgres_take_trigger(struct taking *taking, struct pg_row *row)
{
    struct trigger_row *trigger = ROWS_ADD(taking->rows, triggers);

    trigger->id = pg_take_id(row);
    trigger->job = pg_take_id(row);
    take_place(taking, row, &trigger->place);
    trigger->kind = (enum trigger_kind)pg_take_below(row, TRIGGER_DEPENDENCY);
    trigger->state = (enum trigger_state)pg_take_below(row, TRIGGER_CANCELLED);
    trigger->version = pg_take_u32(row);
    trigger->scheduled_ms = pg_take_int(row);
    trigger->due_ms = pg_take_time(row);
    trigger->attempts = pg_take_u32(row);
    trigger->failures = pg_take_u32(row);
    trigger->lost_run = pg_take_u32(row);
    trigger->released_run = pg_take_u32(row);
    trigger->replays = pg_take_u32(row);
    trigger->replay_of = pg_take_id(row);
    trigger->root = pg_take_id(row);
    trigger->created_ms = pg_take_time(row);
    trigger->ended_ms = pg_take_time(row);
    trigger->reason = take_text(taking, row);
    take_attempt_rest(taking, row, &trigger->last);
    trigger->last.trigger = trigger->last.number > 0 ? trigger->id : 0;
    trigger->payload = take_text(taking, row);
    trigger->target = (enum job_target)pg_take_below(row, TARGET_EXEC);
    trigger->replayed_by = pg_take_id(row);
    return judge(taking, row, "triggers", trigger->id);
}

enum store_outcome postgres_take_trigger_once(struct taking *taking, struct pg_row *row)
{
    struct pg_row peek = *row;

    return ids_add(&taking->triggers, pg_take_id(&peek)) ? postgres_take_trigger(taking, row) : STORE_DONE;
}

enum store_outcome postgres_take_attempt(struct taking *taking, struct pg_row *row)
{
    struct attempt_row *attempt = ROWS_ADD(taking->rows, attempts);

    attempt->trigger = pg_take_id(row);
    take_attempt_rest(taking, row, attempt);
    return judge(taking, row, "attempts", attempt->trigger);
}

enum store_outcome postgres_take_claims(struct taking *taking, struct pg_row *row)
{
    struct claims_row *claims = ROWS_ADD(taking->rows, claims);
    struct error why;

    claims->id = pg_take_id(row);
    if (claims_unpack(pg_take_text(row), &taking->rows->arena, claims, &why) != ERR_OK) {
        return postgres_bad_row(taking->conn, "claims", claims->id, why.text, taking->reterr);
    }
    return STORE_DONE;
}

enum store_outcome postgres_take_skip(struct taking *taking, struct pg_row *row)
{
    struct skip_row *skip = ROWS_ADD(taking->rows, skips);

    skip->job = pg_take_id(row);
    skip->from_ms = pg_take_int(row);
    skip->to_ms = pg_take_time(row);
    skip->count = pg_take_int(row);
    skip->reason = (enum skip_reason)pg_take_below(row, SKIP_MOVED);
    skip->version = pg_take_u32(row);
    skip->blocked_by = pg_take_id(row);
    skip->decided_ms = pg_take_time(row);
    return judge(taking, row, "skips", skip->job);
}

enum store_outcome postgres_take_wait(struct taking *taking, struct pg_row *row)
{
    struct wait_row *wait = ROWS_ADD(taking->rows, waits);

    wait->job = pg_take_id(row);
    wait->scheduled_ms = pg_take_int(row);
    wait->root = pg_take_id(row);
    wait->trigger = pg_take_id(row);
    wait->is_over = pg_take_below(row, 1) == 1;
    struct str bytes = pg_take_text(row);

    if (bytes.len % sizeof(uint64_t) != 0) {
        return postgres_bad_row(taking->conn, "waits", wait->job, "column ended makes no sense", taking->reterr);
    }
    size_t count = bytes.len / sizeof(uint64_t);
    uint64_t *ended = arena_alloc_array(&taking->rows->arena, count, sizeof *ended);

    for (size_t i = 0; i < count; i++) {
        uint64_t little;

        memcpy(&little, bytes.ptr + i * sizeof little, sizeof little);
        ended[i] = le64toh(little);
    }
    wait->ended = ended;
    wait->ended_count = count;
    return judge(taking, row, "waits", wait->job);
}

enum store_outcome postgres_take_edge(struct taking *taking, struct pg_row *row)
{
    struct edge_row *edge = ROWS_ADD(taking->rows, edges);

    edge->upstream = pg_take_id(row);
    edge->downstream = pg_take_id(row);
    edge->on = (enum job_edge)pg_take_below(row, EDGE_DONE);
    edge->since_ms = pg_take_time(row);
    edge->since_id = pg_take_id(row);
    return judge(taking, row, "edges", edge->upstream);
}

enum store_outcome postgres_take_setting(struct taking *taking, struct pg_row *row)
{
    struct setting_row *setting = ROWS_ADD(taking->rows, settings);

    setting->scope = (enum scope)pg_take_below(row, SCOPE_TENANT_TYPE);
    setting->tenant = take_text(taking, row);
    setting->name = take_text(taking, row);
    setting->text = take_text(taking, row);
    return judge(taking, row, "settings", 0);
}

enum store_outcome postgres_take_limiter(struct taking *taking, struct pg_row *row)
{
    struct limiter_row *limiter = ROWS_ADD(taking->rows, limiters);

    limiter->scope = (enum scope)pg_take_below(row, SCOPE_TENANT_TYPE);
    limiter->tenant = take_text(taking, row);
    limiter->name = take_text(taking, row);
    limiter->tat_ms = pg_take_time(row);
    return judge(taking, row, "limiters", 0);
}

enum store_outcome postgres_take_circuit(struct taking *taking, struct pg_row *row)
{
    struct circuit_row *circuit = ROWS_ADD(taking->rows, circuits);

    circuit->tenant = take_text(taking, row);
    circuit->type = take_text(taking, row);
    circuit->job = pg_take_id(row);
    circuit->is_half_open = pg_take_below(row, 1) == 1;
    circuit->open_until_ms = pg_take_time(row);
    return judge(taking, row, "circuits", circuit->job);
}

enum store_outcome postgres_take_idem(struct taking *taking, struct pg_row *row)
{
    struct idem_row *idem = ROWS_ADD(taking->rows, idems);

    idem->tenant = take_text(taking, row);
    idem->key = take_text(taking, row);
    idem->hash[0] = pg_take_id(row);
    idem->hash[1] = pg_take_id(row);
    idem->result = take_text(taking, row);
    idem->created_ms = pg_take_time(row);
    return STORE_DONE;
}

enum store_outcome postgres_take_tenant(struct taking *taking, struct pg_row *row)
{
    struct tenant_row *tenant = ROWS_ADD(taking->rows, tenants);

    tenant->tenant = take_text(taking, row);
    tenant->jobs = pg_take_int(row);
    return STORE_DONE;
}

enum store_outcome postgres_take_rules(struct taking *taking, struct pg_row *row)
{
    struct rules_row *rules = ROWS_ADD(taking->rows, rules);

    rules->hash = pg_take_id(row);
    rules->zone = take_text(taking, row);
    rules->text = take_text(taking, row);
    return STORE_DONE;
}

enum store_outcome postgres_take_place(struct taking *taking, struct pg_row *row, struct place *ret_place)
{
    take_place(taking, row, ret_place);
    return judge(taking, row, "jobs", 0);
}

enum store_outcome postgres_take_awaited(struct taking *taking, struct pg_row *row)
{
    struct place_row *place = ROWS_ADD(taking->rows, places);

    take_place(taking, row, &place->place);
    place->wake_ms = pg_take_time(row);
    return judge(taking, row, "jobs", 0);
}
