/* Rows into columns, in the order that pg_statements_write.h has them. */
#include <endian.h>

#include "base/hash.h"
#include "store/claims_pack.h"
#include "store/postgres/postgres_write.h"

static void put_key(struct columns *c, int64_t value)
{
    if (c->rows != NULL) {
        pg_rows_key(c->rows, value);
    } else {
        pg_array_key(c->next++, value);
    }
}

static void put_key_id(struct columns *c, uint64_t id)
{
    put_key(c, (int64_t)id);
}

static void put_int(struct columns *c, int64_t value)
{
    if (c->rows != NULL) {
        pg_rows_int(c->rows, value);
    } else {
        pg_array_int(c->next++, value);
    }
}

static void put_id(struct columns *c, uint64_t id)
{
    put_int(c, (int64_t)id);
}

static void put_time(struct columns *c, int64_t ms)
{
    if (c->rows != NULL) {
        pg_rows_time(c->rows, ms);
    } else {
        pg_array_time(c->next++, ms);
    }
}

static void put_text(struct columns *c, struct str text)
{
    if (c->rows != NULL) {
        pg_rows_text(c->rows, text);
    } else {
        pg_array_text(c->next++, text);
    }
}

static void put_text_opt(struct columns *c, struct str text)
{
    if (c->rows != NULL) {
        pg_rows_text_opt(c->rows, text);
    } else {
        pg_array_text_opt(c->next++, text);
    }
}

/* ---- jobs ---- */

static void put_job_state(struct columns *c, const struct job_row *job)
{
    put_int(c, job->status);
    put_int(c, job->version);
    put_time(c, job->cursor_ms);
    put_time(c, job->wake_ms);
    put_time(c, job->held_to_ms);
    put_time(c, job->missed_to_ms);
    put_int(c, job->fired);
    put_time(c, job->anchor_ms);
}

bool postgres_put_job_insert(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->job.id);
    put_key(c, postgres_names_place(c->names, &op->job.place));
    put_job_state(c, &op->job);
    put_time(c, op->job.created_ms);
    put_time(c, op->job.updated_ms);
    put_text_opt(c, op->job.name);
    put_text(c, op->job.def);
    put_id(c, op->job.rules);
    return true;
}

bool postgres_put_job_update(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->job.id);
    put_key(c, postgres_names_lane(c->names, &op->job.place));
    put_job_state(c, &op->job);
    put_time(c, op->job.updated_ms);
    put_text_opt(c, op->job.def);
    put_id(c, op->job.rules);
    return true;
}

bool postgres_put_version(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->version.job);
    put_key(c, op->version.version);
    put_time(c, op->version.from_ms);
    put_time(c, op->version.anchor_ms);
    put_id(c, op->version.rules);
    put_text(c, op->version.def);
    return true;
}

bool postgres_put_id(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->id);
    return true;
}

/* ---- triggers and attempts ---- */

static void put_counts(struct columns *c, const struct trigger_row *trigger)
{
    put_int(c, trigger->version);
    put_key(c, trigger->scheduled_ms);
    put_time(c, trigger->due_ms);
    put_int(c, trigger->attempts);
    put_int(c, trigger->failures);
    put_int(c, trigger->lost_run);
    put_int(c, trigger->released_run);
    put_int(c, trigger->replays);
    put_id(c, trigger->replay_of);
    put_id(c, trigger->root);
}

/* Everything of an attempt behind its number. */
static void put_attempt(struct columns *c, const struct attempt_row *attempt)
{
    put_int(c, attempt->state);
    put_time(c, attempt->started_ms);
    put_time(c, attempt->ended_ms);
    put_text_opt(c, attempt->worker);
    put_text_opt(c, attempt->error_code);
    put_text_opt(c, attempt->error_message);
    put_text_opt(c, attempt->result);
}

bool postgres_put_trigger_insert(struct columns *c, const struct op *op, struct error *reterr)
{
    const struct trigger_row *trigger = &op->trigger;

    (void)reterr;
    put_key_id(c, trigger->id);
    put_key_id(c, trigger->job);
    put_key(c, postgres_names_place(c->names, &trigger->place));
    put_int(c, trigger->kind);
    put_int(c, trigger->state);
    put_counts(c, trigger);
    put_time(c, trigger->created_ms);
    put_time(c, trigger->ended_ms);
    put_text_opt(c, trigger->reason);
    put_int(c, trigger->last.number);
    put_attempt(c, &trigger->last);
    put_text_opt(c, trigger->payload);
    put_int(c, trigger->target);
    put_id(c, trigger->replayed_by);
    return true;
}

bool postgres_put_trigger_update(struct columns *c, const struct op *op, struct error *reterr)
{
    const struct trigger_row *trigger = &op->trigger;

    (void)reterr;
    put_key_id(c, trigger->id);
    put_key(c, postgres_names_place(c->names, &trigger->place));
    put_int(c, trigger->state);
    put_counts(c, trigger);
    put_time(c, trigger->ended_ms);
    put_text_opt(c, trigger->reason);
    put_int(c, trigger->last.number);
    put_attempt(c, &trigger->last);
    put_int(c, trigger->target);
    put_id(c, trigger->replayed_by);
    return true;
}

bool postgres_put_trigger_replayed(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->trigger.id);
    put_id(c, op->trigger.replayed_by);
    return true;
}

bool postgres_put_attempt_key(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->attempt.trigger);
    put_key(c, op->attempt.number);
    return true;
}

bool postgres_put_attempt_insert(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)postgres_put_attempt_key(c, op, reterr);
    put_attempt(c, &op->attempt);
    return true;
}

bool postgres_put_claims_insert(struct columns *c, const struct op *op, struct error *reterr)
{
    buf_reset(c->packed);
    if (claims_pack(&op->claims, c->packed, reterr) != ERR_OK) {
        return false;
    }
    put_key_id(c, op->claims.id);
    put_text(c, buf_str(c->packed));
    return true;
}

/* ---- skips, waits, edges ---- */

bool postgres_put_skip(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->skip.job);
    put_key(c, op->skip.from_ms);
    put_time(c, op->skip.to_ms);
    put_int(c, op->skip.count);
    put_int(c, op->skip.reason);
    put_int(c, op->skip.version);
    put_id(c, op->skip.blocked_by);
    put_time(c, op->skip.decided_ms);
    return true;
}

bool postgres_put_wait_key(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->wait.job);
    put_key(c, op->wait.scheduled_ms);
    put_id(c, op->wait.root);
    return true;
}

bool postgres_put_wait(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)postgres_put_wait_key(c, op, reterr);
    put_id(c, op->wait.trigger);
    put_int(c, op->wait.is_over);
    buf_reset(c->packed);
    for (size_t i = 0; i < op->wait.ended_count; i++) {
        uint64_t little = htole64(op->wait.ended[i]);

        buf_append(c->packed, &little, sizeof little);
    }
    put_text(c, buf_str(c->packed));
    return true;
}

bool postgres_put_edge_key(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->edge.upstream);
    put_key_id(c, op->edge.downstream);
    return true;
}

bool postgres_put_edge(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)postgres_put_edge_key(c, op, reterr);
    put_int(c, op->edge.on);
    put_time(c, op->edge.since_ms);
    put_id(c, op->edge.since_id);
    return true;
}

/* ---- settings and the like ---- */

bool postgres_put_setting(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_int(c, op->setting.scope);
    put_text(c, op->setting.tenant);
    put_text(c, op->setting.name);
    put_text(c, op->setting.text);
    return true;
}

bool postgres_put_limiter(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_int(c, op->limiter.scope);
    put_text(c, op->limiter.tenant);
    put_text(c, op->limiter.name);
    put_time(c, op->limiter.tat_ms);
    return true;
}

bool postgres_put_circuit_key(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_text(c, op->circuit.tenant);
    put_text(c, op->circuit.type);
    put_id(c, op->circuit.job);
    return true;
}

bool postgres_put_circuit(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)postgres_put_circuit_key(c, op, reterr);
    put_int(c, op->circuit.is_half_open);
    put_time(c, op->circuit.open_until_ms);
    return true;
}

bool postgres_put_idem(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_text(c, op->idem.tenant);
    put_text(c, op->idem.key);
    put_id(c, op->idem.hash[0]);
    put_id(c, op->idem.hash[1]);
    put_text_opt(c, op->idem.result);
    put_time(c, op->idem.created_ms);
    return true;
}

bool postgres_put_tenant(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_text(c, op->tenant.tenant);
    put_int(c, op->tenant.jobs);
    return true;
}

bool postgres_put_rules(struct columns *c, const struct op *op, struct error *reterr)
{
    (void)reterr;
    put_key_id(c, op->rules.hash);
    put_text(c, op->rules.zone);
    put_text(c, op->rules.text);
    return true;
}

/* ---- keys ---- */

static uint64_t mix(uint64_t hash, uint64_t number)
{
    return hash64(&number, sizeof number, hash);
}

static uint64_t mix_text(uint64_t hash, struct str text)
{
    return hash64(text.ptr, text.len, mix(hash, text.len));
}

static uint64_t scope_key(enum scope scope, struct str tenant, struct str name)
{
    return mix_text(mix_text(scope, tenant), name);
}

static uint64_t key_of(const struct op *op)
{
    switch ((int)op->kind) {
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
        return op->trigger.job;
    case OP_TRIGGER_REPLAYED:
        return op->trigger.id;
    case OP_ATTEMPT_INSERT:
    case OP_ATTEMPT_DELETE:
        return mix(op->attempt.trigger, op->attempt.number);
    case OP_CLAIMS_INSERT:
        return op->claims.id;
    case OP_CLAIMS_DELETE:
        return op->id;
    case OP_WAIT_PUT:
    case OP_WAIT_DELETE:
        return mix(mix(op->wait.job, (uint64_t)op->wait.scheduled_ms), op->wait.root);
    case OP_EDGE_INSERT:
    case OP_EDGE_DELETE:
        return mix(op->edge.upstream, op->edge.downstream);
    case OP_CIRCUIT_PUT:
    case OP_CIRCUIT_DELETE:
        return mix_text(mix_text(op->circuit.job, op->circuit.tenant), op->circuit.type);
    case OP_SKIP_PUT:
        return mix(op->skip.job, (uint64_t)op->skip.from_ms);
    case OP_SETTING_PUT:
        return scope_key(op->setting.scope, op->setting.tenant, op->setting.name);
    case OP_LIMITER_PUT:
        return scope_key(op->limiter.scope, op->limiter.tenant, op->limiter.name);
    case OP_IDEM_PUT:
        return mix_text(mix_text(0, op->idem.tenant), op->idem.key);
    case OP_TENANT_PUT:
        return mix_text(0, op->tenant.tenant);
    case OP_RULES_PUT:
        return op->rules.hash;
    default:
        return 1; /* all of one kind are alike */
    }
}

uint64_t postgres_write_key(const struct op *op)
{
    uint64_t key = key_of(op);

    return key != 0 ? key : 1;
}
