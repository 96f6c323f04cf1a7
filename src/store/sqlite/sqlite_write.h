/* sqlite_write: the operations of a batch, as SQL.
 *
 * Rules: (1) guarded as model/batch.h says: a row that is there already, or is not, is STORE_REFUSED.
 *        (2) all of it happens inside of a transaction that the caller has begun.
 */
#ifndef STORE_SQLITE_SQLITE_WRITE_H
#define STORE_SQLITE_SQLITE_WRITE_H

#include "store/sqlite/sqlite_inside.h"

/* Applies one operation; an error names it and its row. */
enum store_outcome sqlite_apply(struct sqlite_store *store, const struct op *op, struct error *reterr);

/* ---- for sqlite_write.c alone ---- */

/* Runs a call that must change exactly one row. */
enum store_outcome sqlite_write_guarded(struct sql_call *call, struct error *reterr);

/* Deletes the row with that id. */
enum store_outcome sqlite_write_delete_by_id(struct sqlite_store *store, enum sql_statement statement, uint64_t id,
                                             struct error *reterr);

enum store_outcome sqlite_write_job_insert(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_job_update(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_version_insert(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_trigger_insert(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_trigger_update(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_trigger_replayed(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_trigger_delete(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_attempt_insert(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_attempt_delete(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_claims_insert(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_skip_put(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_wait_put(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_wait_delete(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_edge_insert(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_edge_delete(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_setting_put(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_limiter_put(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_circuit_put(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_circuit_delete(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_idem_put(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_tenant_put(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_rules_put(struct sqlite_store *store, const struct op *op, struct error *reterr);
enum store_outcome sqlite_write_ids_reserve(struct sqlite_store *store, const struct op *op, struct error *reterr);

#endif
