#include "store/sqlite/sqlite_take.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "store/claims_pack.h"

void sqlite_taking_init(struct taking *taking, struct sql_conn *conn, struct rows *rows, struct error *reterr)
{
    *taking = (struct taking){.conn = conn, .rows = rows, .reterr = reterr};
}

void sqlite_taking_done(struct taking *taking)
{
    ids_done(&taking->jobs);
    ids_done(&taking->triggers);
    ids_done(&taking->idems);
}

enum store_outcome sqlite_take_all(struct taking *taking, struct sql_call *call, taker *take)
{
    enum store_outcome outcome = STORE_DONE;

    while (outcome == STORE_DONE && sql_next(call)) {
        struct sql_row row = sql_row(call);

        outcome = take(taking, &row);
    }
    enum store_outcome ended = sql_end(call, outcome == STORE_DONE ? taking->reterr : NULL);

    return outcome != STORE_DONE ? outcome : ended;
}

enum store_outcome sqlite_take_table(struct taking *taking, enum sql_statement statement, taker *take)
{
    struct sql_call call = sql_begin(taking->conn, statement);

    return sqlite_take_all(taking, &call, take);
}

enum store_outcome sqlite_take_of(struct taking *taking, enum sql_statement statement, uint64_t id, taker *take)
{
    struct sql_call call = sql_begin(taking->conn, statement);

    sql_id(&call, id);
    return sqlite_take_all(taking, &call, take);
}

enum store_outcome sqlite_take_place(struct taking *taking, int64_t id, struct place *ret_place)
{
    if (taking->place_id != id) {
        const struct place *place;
        enum store_outcome outcome = sqlite_places_get(taking->conn, id, &place, taking->reterr);

        if (outcome != STORE_DONE) {
            return outcome;
        }
        taking->place_id = id;
        taking->place.pool = rows_text(taking->rows, place->pool);
        taking->place.tenant = rows_text(taking->rows, place->tenant);
        taking->place.type = rows_text(taking->rows, place->type);
        taking->place.priority = place->priority;
    }
    *ret_place = taking->place;
    return STORE_DONE;
}

static struct str take_text(const struct taking *taking, struct sql_row *row)
{
    return rows_text(taking->rows, sql_take_text(row));
}

/* Whether all columns made sense. */
static enum store_outcome judge(const struct taking *taking, const struct sql_row *row, const char *table, uint64_t id)
{
    if (row->bad == NULL) {
        return STORE_DONE;
    }
    char what[100];

    (void)snprintf(what, sizeof what, "column %.60s makes no sense", row->bad);
    return sql_bad_row(taking->conn, table, id, what, taking->reterr);
}

enum store_outcome sqlite_take_job(struct taking *taking, struct sql_row *row)
{
    struct job_row *job = ROWS_ADD(taking->rows, jobs);

    job->id = sql_take_id(row);
    enum store_outcome outcome = sqlite_take_place(taking, sql_take_int(row), &job->place);

    job->status = (enum job_status)sql_take_below(row, JOB_COMPLETED);
    job->version = sql_take_u32(row);
    job->cursor_ms = sql_take_time(row);
    job->wake_ms = sql_take_time(row);
    job->held_to_ms = sql_take_time(row);
    job->missed_to_ms = sql_take_time(row);
    job->fired = sql_take_int(row);
    job->anchor_ms = sql_take_time(row);
    job->created_ms = sql_take_time(row);
    job->updated_ms = sql_take_time(row);
    job->name = take_text(taking, row);
    job->def = take_text(taking, row);
    job->rules = sql_take_id(row);
    return outcome != STORE_DONE ? outcome : judge(taking, row, "jobs", job->id);
}

enum store_outcome sqlite_take_version(struct taking *taking, struct sql_row *row)
{
    struct version_row *version = ROWS_ADD(taking->rows, versions);

    version->job = sql_take_id(row);
    version->version = sql_take_u32(row);
    version->from_ms = sql_take_time(row);
    version->anchor_ms = sql_take_time(row);
    version->rules = sql_take_id(row);
    version->def = take_text(taking, row);
    return judge(taking, row, "versions", version->job);
}

/* Everything of an attempt but its trigger. */
static void take_attempt_rest(const struct taking *taking, struct sql_row *row, struct attempt_row *attempt)
{
    attempt->number = sql_take_u32(row);
    attempt->state = (enum attempt_state)sql_take_below(row, ATTEMPT_CANCELLED);
    attempt->started_ms = sql_take_time(row);
    attempt->ended_ms = sql_take_time(row);
    attempt->worker = take_text(taking, row);
    attempt->error_code = take_text(taking, row);
    attempt->error_message = take_text(taking, row);
    attempt->result = take_text(taking, row);
}

enum store_outcome sqlite_take_trigger(struct taking *taking, struct sql_row *row)
{
    struct trigger_row *trigger = ROWS_ADD(taking->rows, triggers);

    trigger->id = sql_take_id(row);
    trigger->job = sql_take_id(row);
    enum store_outcome outcome = sqlite_take_place(taking, sql_take_int(row), &trigger->place);

    trigger->kind = (enum trigger_kind)sql_take_below(row, TRIGGER_DEPENDENCY);
    trigger->state = (enum trigger_state)sql_take_below(row, TRIGGER_CANCELLED);
    trigger->version = sql_take_u32(row);
    trigger->scheduled_ms = sql_take_int(row);
    trigger->due_ms = sql_take_time(row);
    trigger->attempts = sql_take_u32(row);
    trigger->failures = sql_take_u32(row);
    trigger->lost_run = sql_take_u32(row);
    trigger->released_run = sql_take_u32(row);
    trigger->replays = sql_take_u32(row);
    trigger->replay_of = sql_take_id(row);
    trigger->root = sql_take_id(row);
    trigger->created_ms = sql_take_time(row);
    trigger->ended_ms = sql_take_time(row);
    trigger->reason = take_text(taking, row);
    take_attempt_rest(taking, row, &trigger->last);
    trigger->last.trigger = trigger->last.number > 0 ? trigger->id : 0;
    trigger->payload = take_text(taking, row);
    trigger->target = (enum job_target)sql_take_below(row, TARGET_EXEC);
    trigger->replayed_by = sql_take_id(row);
    return outcome != STORE_DONE ? outcome : judge(taking, row, "triggers", trigger->id);
}

enum store_outcome sqlite_take_trigger_once(struct taking *taking, struct sql_row *row)
{
    struct sql_row peek = *row;

    return ids_add(&taking->triggers, sql_take_id(&peek)) ? sqlite_take_trigger(taking, row) : STORE_DONE;
}

enum store_outcome sqlite_take_attempt(struct taking *taking, struct sql_row *row)
{
    struct attempt_row *attempt = ROWS_ADD(taking->rows, attempts);

    attempt->trigger = sql_take_id(row);
    take_attempt_rest(taking, row, attempt);
    return judge(taking, row, "attempts", attempt->trigger);
}

enum store_outcome sqlite_take_claims(struct taking *taking, struct sql_row *row)
{
    struct claims_row *claims = ROWS_ADD(taking->rows, claims);
    struct error why;

    claims->id = sql_take_id(row);
    if (claims_unpack(sql_take_blob(row), &taking->rows->arena, claims, &why) != ERR_OK) {
        return sql_bad_row(taking->conn, "claims", claims->id, why.text, taking->reterr);
    }
    return STORE_DONE;
}

enum store_outcome sqlite_take_skip(struct taking *taking, struct sql_row *row)
{
    struct skip_row *skip = ROWS_ADD(taking->rows, skips);

    skip->job = sql_take_id(row);
    skip->from_ms = sql_take_int(row);
    skip->to_ms = sql_take_time(row);
    skip->count = sql_take_int(row);
    skip->reason = (enum skip_reason)sql_take_below(row, SKIP_MOVED);
    skip->version = sql_take_u32(row);
    skip->blocked_by = sql_take_id(row);
    skip->decided_ms = sql_take_time(row);
    return judge(taking, row, "skips", skip->job);
}

enum store_outcome sqlite_take_wait(struct taking *taking, struct sql_row *row)
{
    struct wait_row *wait = ROWS_ADD(taking->rows, waits);

    wait->job = sql_take_id(row);
    wait->scheduled_ms = sql_take_int(row);
    wait->root = sql_take_id(row);
    wait->trigger = sql_take_id(row);
    wait->is_over = sql_take_below(row, 1) == 1;
    struct str bytes = sql_take_blob(row);

    if (bytes.len % sizeof(uint64_t) != 0) {
        return sql_bad_row(taking->conn, "waits", wait->job, "column ended makes no sense", taking->reterr);
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

enum store_outcome sqlite_take_edge(struct taking *taking, struct sql_row *row)
{
    struct edge_row *edge = ROWS_ADD(taking->rows, edges);

    edge->upstream = sql_take_id(row);
    edge->downstream = sql_take_id(row);
    edge->on = (enum job_edge)sql_take_below(row, EDGE_DONE);
    edge->since_ms = sql_take_time(row);
    edge->since_id = sql_take_id(row);
    return judge(taking, row, "edges", edge->upstream);
}

enum store_outcome sqlite_take_setting(struct taking *taking, struct sql_row *row)
{
    struct setting_row *setting = ROWS_ADD(taking->rows, settings);

    setting->scope = (enum scope)sql_take_below(row, SCOPE_TENANT_TYPE);
    setting->tenant = take_text(taking, row);
    setting->name = take_text(taking, row);
    setting->text = take_text(taking, row);
    return judge(taking, row, "settings", 0);
}

enum store_outcome sqlite_take_limiter(struct taking *taking, struct sql_row *row)
{
    struct limiter_row *limiter = ROWS_ADD(taking->rows, limiters);

    limiter->scope = (enum scope)sql_take_below(row, SCOPE_TENANT_TYPE);
    limiter->tenant = take_text(taking, row);
    limiter->name = take_text(taking, row);
    limiter->tat_ms = sql_take_time(row);
    return judge(taking, row, "limiters", 0);
}

enum store_outcome sqlite_take_circuit(struct taking *taking, struct sql_row *row)
{
    struct circuit_row *circuit = ROWS_ADD(taking->rows, circuits);

    circuit->tenant = take_text(taking, row);
    circuit->type = take_text(taking, row);
    circuit->job = sql_take_id(row);
    circuit->is_half_open = sql_take_below(row, 1) == 1;
    circuit->open_until_ms = sql_take_time(row);
    return judge(taking, row, "circuits", circuit->job);
}

enum store_outcome sqlite_take_idem(struct taking *taking, struct sql_row *row)
{
    struct idem_row *idem = ROWS_ADD(taking->rows, idems);

    idem->tenant = take_text(taking, row);
    idem->key = take_text(taking, row);
    idem->hash[0] = sql_take_id(row);
    idem->hash[1] = sql_take_id(row);
    idem->result = take_text(taking, row);
    idem->created_ms = sql_take_time(row);
    return STORE_DONE;
}

enum store_outcome sqlite_take_tenant(struct taking *taking, struct sql_row *row)
{
    struct tenant_row *tenant = ROWS_ADD(taking->rows, tenants);

    tenant->tenant = take_text(taking, row);
    tenant->jobs = sql_take_int(row);
    return STORE_DONE;
}

enum store_outcome sqlite_take_rules(struct taking *taking, struct sql_row *row)
{
    struct rules_row *rules = ROWS_ADD(taking->rows, rules);

    rules->hash = sql_take_id(row);
    rules->zone = take_text(taking, row);
    rules->text = take_text(taking, row);
    return STORE_DONE;
}
