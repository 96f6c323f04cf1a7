/* Skips, waits, edges; settings, limiters, circuits, idempotency keys, tenants, rules of time zones. */
#include <endian.h>

#include "store/sqlite/sqlite_write.h"

enum store_outcome sqlite_write_skip_put(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_SKIP_PUT);

    sql_id(&call, op->skip.job);
    sql_int(&call, op->skip.from_ms);
    sql_time(&call, op->skip.to_ms);
    sql_int(&call, op->skip.count);
    sql_int(&call, op->skip.reason);
    sql_int(&call, op->skip.version);
    sql_id(&call, op->skip.blocked_by);
    sql_time(&call, op->skip.decided_ms);
    return sql_run(&call, reterr);
}

static void bind_wait_key(struct sql_call *call, const struct wait_row *wait)
{
    sql_id(call, wait->job);
    sql_int(call, wait->scheduled_ms);
    sql_id(call, wait->root);
}

enum store_outcome sqlite_write_wait_put(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_WAIT_PUT);

    buf_reset(&store->packed);
    for (size_t i = 0; i < op->wait.ended_count; i++) {
        uint64_t little = htole64(op->wait.ended[i]);

        buf_append(&store->packed, &little, sizeof little);
    }
    bind_wait_key(&call, &op->wait);
    sql_id(&call, op->wait.trigger);
    sql_int(&call, op->wait.is_over);
    sql_blob(&call, store->packed.data, store->packed.len);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_wait_delete(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_WAIT_DELETE);

    bind_wait_key(&call, &op->wait);
    return sqlite_write_guarded(&call, reterr);
}

enum store_outcome sqlite_write_edge_insert(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_EDGE_INSERT);

    sql_id(&call, op->edge.upstream);
    sql_id(&call, op->edge.downstream);
    sql_int(&call, op->edge.on);
    sql_time(&call, op->edge.since_ms);
    sql_id(&call, op->edge.since_id);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_edge_delete(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_EDGE_DELETE);

    sql_id(&call, op->edge.upstream);
    sql_id(&call, op->edge.downstream);
    return sqlite_write_guarded(&call, reterr);
}

/* ---- settings and the like ---- */

enum store_outcome sqlite_write_setting_put(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_SETTING_PUT);

    sql_int(&call, op->setting.scope);
    sql_text(&call, op->setting.tenant);
    sql_text(&call, op->setting.name);
    sql_text(&call, op->setting.text);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_limiter_put(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_LIMITER_PUT);

    sql_int(&call, op->limiter.scope);
    sql_text(&call, op->limiter.tenant);
    sql_text(&call, op->limiter.name);
    sql_time(&call, op->limiter.tat_ms);
    return sql_run(&call, reterr);
}

static void bind_circuit_key(struct sql_call *call, const struct circuit_row *circuit)
{
    sql_text(call, circuit->tenant);
    sql_text(call, circuit->type);
    sql_id(call, circuit->job);
}

enum store_outcome sqlite_write_circuit_put(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_CIRCUIT_PUT);

    bind_circuit_key(&call, &op->circuit);
    sql_int(&call, op->circuit.is_half_open);
    sql_time(&call, op->circuit.open_until_ms);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_circuit_delete(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_CIRCUIT_DELETE);

    bind_circuit_key(&call, &op->circuit);
    return sqlite_write_guarded(&call, reterr);
}

enum store_outcome sqlite_write_idem_put(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_IDEM_PUT);

    sql_text(&call, op->idem.tenant);
    sql_text(&call, op->idem.key);
    sql_id(&call, op->idem.hash[0]);
    sql_id(&call, op->idem.hash[1]);
    sql_text_opt(&call, op->idem.result);
    sql_time(&call, op->idem.created_ms);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_tenant_put(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_TENANT_PUT);

    sql_text(&call, op->tenant.tenant);
    sql_int(&call, op->tenant.jobs);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_rules_put(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_RULES_PUT);

    sql_id(&call, op->rules.hash);
    sql_text(&call, op->rules.zone);
    sql_text(&call, op->rules.text);
    return sql_run(&call, reterr);
}

enum store_outcome sqlite_write_ids_reserve(struct sqlite_store *store, const struct op *op, struct error *reterr)
{
    struct sql_call call = sql_begin(&store->conn, SQL_SHARD_RESERVE);

    sql_int(&call, op->ms);
    sql_int(&call, store->shard);
    return sql_run(&call, reterr);
}
