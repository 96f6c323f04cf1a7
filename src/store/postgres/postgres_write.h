/* postgres_write: the operations of a batch, as few statements with many rows each.
 *
 * Operations of one kind are gathered into a group, a column at a time, and a group is one statement. Groups that touch
 * the same tables are a family; a family's groups are sent in a fixed order (the order of the table in
 * postgres_write.c).
 *
 * Rules: (1) what comes out is what the operations in their own order would give (rule 3 of model/batch.h), also where
 *            they are refused. Families share no table and no constraint, so their order among each other is free.
 *            Within a family an operation may overtake those gathered before it if they cannot meet; where they might,
 *            the family is sent first.
 *        (2) a group has bounded rows and bytes.
 * See:   tests/contract (random batches against a store that applies them one by one)
 */
#ifndef STORE_POSTGRES_POSTGRES_WRITE_H
#define STORE_POSTGRES_POSTGRES_WRITE_H

#include "store/postgres/postgres_inside.h"

struct writer *postgres_writer_new(void);
void postgres_writer_free(struct writer *writer);

/* Sends all operations of a batch, whose names are known, inside of a transaction. STORE_REFUSED where one cannot be
 * written down; the transaction is then to be given up. */
enum store_outcome postgres_write_all(struct postgres_store *store, const struct batch *batch, struct error *reterr);

/* Puts before a failure's text which operation of which batch it was. */
void postgres_write_blame(const struct postgres_store *store, const struct batch *batch, struct error *reterr);

/* ---- for postgres_write.c alone: a row into the columns of its group ---- */

struct columns {
    struct pg_array *next; /* the column that comes next; */
    struct pg_rows *rows;  /* or, where this is not NULL, all of them */
    struct names *names;
    struct buf *packed; /* scratch */
};

/* False where it cannot be; *reterr says why. */
typedef bool row_putter(struct columns *columns, const struct op *op, struct error *reterr);

row_putter postgres_put_job_insert;
row_putter postgres_put_job_update;
row_putter postgres_put_version;
row_putter postgres_put_trigger_insert;
row_putter postgres_put_trigger_update;
row_putter postgres_put_trigger_replayed;
row_putter postgres_put_attempt_insert;
row_putter postgres_put_attempt_key;
row_putter postgres_put_claims_insert;
row_putter postgres_put_id;
row_putter postgres_put_skip;
row_putter postgres_put_wait;
row_putter postgres_put_wait_key;
row_putter postgres_put_edge;
row_putter postgres_put_edge_key;
row_putter postgres_put_setting;
row_putter postgres_put_limiter;
row_putter postgres_put_circuit;
row_putter postgres_put_circuit_key;
row_putter postgres_put_idem;
row_putter postgres_put_tenant;
row_putter postgres_put_rules;

/* A number for what two operations of a family may have in common; not 0. */
uint64_t postgres_write_key(const struct op *op);

#endif
