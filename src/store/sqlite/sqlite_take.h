/* sqlite_take: rows of SQLite's tables into struct rows.
 *
 * Owns:  nothing; texts are copied into the rows' arena.
 * Rules: (1) a value that no Belfry can have written is STORE_BROKEN, naming table, row and column.
 *        (2) a trigger comes at most once into an answer that takes triggers with the _once function.
 */
#ifndef STORE_SQLITE_SQLITE_TAKE_H
#define STORE_SQLITE_SQLITE_TAKE_H

#include "model/rows.h"
#include "store/ids.h"
#include "store/sqlite/sqlite_sql.h"

/* One answer being put together. */
struct taking {
    struct sql_conn *conn;
    struct rows *rows;
    struct error *reterr;
    int64_t place_id;          /* of the place below; 0: none yet */
    struct place place;        /* the last one taken, in the rows' arena: neighbours share it */
    struct ids jobs, triggers; /* what was taken and must not come again */
    struct ids idems;          /* hashes of keys that were asked for */
};

void sqlite_taking_init(struct taking *taking, struct sql_conn *conn, struct rows *rows, struct error *reterr);
void sqlite_taking_done(struct taking *taking);

/* Takes one row of a statement. */
typedef enum store_outcome taker(struct taking *taking, struct sql_row *row);

taker sqlite_take_job;
taker sqlite_take_version;
taker sqlite_take_trigger;
taker sqlite_take_trigger_once; /* skips one that was taken before */
taker sqlite_take_attempt;
taker sqlite_take_claims;
taker sqlite_take_skip;
taker sqlite_take_wait;
taker sqlite_take_edge;
taker sqlite_take_setting;
taker sqlite_take_limiter;
taker sqlite_take_circuit;
taker sqlite_take_idem;
taker sqlite_take_tenant;
taker sqlite_take_rules;

/* Takes every row that the call gives, and ends it. */
enum store_outcome sqlite_take_all(struct taking *taking, struct sql_call *call, taker *take);

/* The same for statements that have no parameter, or one id. */
enum store_outcome sqlite_take_table(struct taking *taking, enum sql_statement statement, taker *take);
enum store_outcome sqlite_take_of(struct taking *taking, enum sql_statement statement, uint64_t id, taker *take);

/* The place of a number, in the rows' arena. */
enum store_outcome sqlite_take_place(struct taking *taking, int64_t id, struct place *ret_place);

#endif
