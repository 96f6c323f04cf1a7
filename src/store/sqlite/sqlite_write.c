#include "store/sqlite/sqlite_write.h"

#include <assert.h>
#include <stdio.h>

enum store_outcome sqlite_write_guarded(struct sql_call *call, struct error *reterr)
{
    enum store_outcome outcome = sql_run(call, reterr);

    if (outcome == STORE_DONE && sqlite3_changes64(call->conn->db) != 1) {
        (void)err_set(reterr, ERR_CONFLICT, "there is no such row");
        return STORE_REFUSED;
    }
    return outcome;
}

enum store_outcome sqlite_write_delete_by_id(struct sqlite_store *store, enum sql_statement statement, uint64_t id,
                                             struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, statement);

    sql_id(&call, id);
    return sqlite_write_guarded(&call, reterr);
}

static enum store_outcome sqlite_write_job_delete(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    return sqlite_write_delete_by_id(store, SQL_JOB_DELETE, op->id, reterr);
}

static enum store_outcome sqlite_write_claims_delete(struct sqlite_store *store, const struct op *op,
                                                     struct error *reterr)
{
    return sqlite_write_delete_by_id(store, SQL_CLAIMS_DELETE, op->id, reterr);
}

typedef enum store_outcome writer(struct sqlite_store *store, const struct op *op, struct error *reterr);

static writer *const writers[] = {
    [OP_JOB_INSERT] = sqlite_write_job_insert,
    [OP_JOB_UPDATE] = sqlite_write_job_update,
    [OP_JOB_DELETE] = sqlite_write_job_delete,
    [OP_VERSION_INSERT] = sqlite_write_version_insert,
    [OP_TRIGGER_INSERT] = sqlite_write_trigger_insert,
    [OP_TRIGGER_UPDATE] = sqlite_write_trigger_update,
    [OP_TRIGGER_REPLAYED] = sqlite_write_trigger_replayed,
    [OP_TRIGGER_DELETE] = sqlite_write_trigger_delete,
    [OP_ATTEMPT_INSERT] = sqlite_write_attempt_insert,
    [OP_ATTEMPT_DELETE] = sqlite_write_attempt_delete,
    [OP_CLAIMS_INSERT] = sqlite_write_claims_insert,
    [OP_CLAIMS_DELETE] = sqlite_write_claims_delete,
    [OP_SKIP_PUT] = sqlite_write_skip_put,
    [OP_WAIT_PUT] = sqlite_write_wait_put,
    [OP_WAIT_DELETE] = sqlite_write_wait_delete,
    [OP_EDGE_INSERT] = sqlite_write_edge_insert,
    [OP_EDGE_DELETE] = sqlite_write_edge_delete,
    [OP_SETTING_PUT] = sqlite_write_setting_put,
    [OP_LIMITER_PUT] = sqlite_write_limiter_put,
    [OP_CIRCUIT_PUT] = sqlite_write_circuit_put,
    [OP_CIRCUIT_DELETE] = sqlite_write_circuit_delete,
    [OP_IDEM_PUT] = sqlite_write_idem_put,
    [OP_TENANT_PUT] = sqlite_write_tenant_put,
    [OP_RULES_PUT] = sqlite_write_rules_put,
    [OP_IDS_RESERVE] = sqlite_write_ids_reserve,
};

#define NAME_BYTES 300

/* The row that an operation is about, for people. */
static void name_row(const struct op *op, char name[static NAME_BYTES])
{
    switch (op->kind) {
    case OP_JOB_INSERT:
    case OP_JOB_UPDATE:
        (void)snprintf(name, NAME_BYTES, "job %llu", (unsigned long long)op->job.id);
        return;
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
        (void)snprintf(name, NAME_BYTES, "trigger %llu of job %llu", (unsigned long long)op->trigger.id,
                       (unsigned long long)op->trigger.job);
        return;
    case OP_TRIGGER_REPLAYED:
        (void)snprintf(name, NAME_BYTES, "trigger %llu", (unsigned long long)op->trigger.id);
        return;
    case OP_JOB_DELETE:
    case OP_TRIGGER_DELETE:
    case OP_CLAIMS_DELETE:
        (void)snprintf(name, NAME_BYTES, "row %llu", (unsigned long long)op->id);
        return;
    case OP_VERSION_INSERT:
        (void)snprintf(name, NAME_BYTES, "job %llu, version %u", (unsigned long long)op->version.job,
                       op->version.version);
        return;
    case OP_ATTEMPT_INSERT:
    case OP_ATTEMPT_DELETE:
        (void)snprintf(name, NAME_BYTES, "trigger %llu, attempt %u", (unsigned long long)op->attempt.trigger,
                       op->attempt.number);
        return;
    case OP_CLAIMS_INSERT:
        (void)snprintf(name, NAME_BYTES, "row %llu", (unsigned long long)op->claims.id);
        return;
    case OP_SKIP_PUT:
        (void)snprintf(name, NAME_BYTES, "job %llu from %lld", (unsigned long long)op->skip.job,
                       (long long)op->skip.from_ms);
        return;
    case OP_WAIT_PUT:
    case OP_WAIT_DELETE:
        (void)snprintf(name, NAME_BYTES, "job %llu at %lld", (unsigned long long)op->wait.job,
                       (long long)op->wait.scheduled_ms);
        return;
    case OP_EDGE_INSERT:
    case OP_EDGE_DELETE:
        (void)snprintf(name, NAME_BYTES, "%llu to %llu", (unsigned long long)op->edge.upstream,
                       (unsigned long long)op->edge.downstream);
        return;
    case OP_SETTING_PUT:
        (void)snprintf(name, NAME_BYTES, "%.*s", STR_ARGS(op->setting.name));
        return;
    case OP_LIMITER_PUT:
        (void)snprintf(name, NAME_BYTES, "%.*s", STR_ARGS(op->limiter.name));
        return;
    case OP_CIRCUIT_PUT:
    case OP_CIRCUIT_DELETE:
        (void)snprintf(name, NAME_BYTES, "%.*s", STR_ARGS(op->circuit.type));
        return;
    case OP_IDEM_PUT:
        (void)snprintf(name, NAME_BYTES, "%.*s", STR_ARGS(op->idem.key));
        return;
    case OP_TENANT_PUT:
        (void)snprintf(name, NAME_BYTES, "%.*s", STR_ARGS(op->tenant.tenant));
        return;
    case OP_RULES_PUT:
        (void)snprintf(name, NAME_BYTES, "%.*s", STR_ARGS(op->rules.zone));
        return;
    case OP_IDS_RESERVE:
        (void)snprintf(name, NAME_BYTES, "up to %lld", (long long)op->ms);
        return;
    }
}

enum store_outcome sqlite_apply(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    assert((size_t)op->kind < sizeof writers / sizeof writers[0]);
    enum store_outcome outcome = writers[op->kind](store, op, reterr);

    if (outcome != STORE_DONE && reterr != NULL) {
        char name[NAME_BYTES] = "";

        name_row(op, name);
        (void)err_wrap(reterr, reterr->code, "%s of %s", op_kind_text(op->kind), name);
    }
    return outcome;
}
