/* postgres_take: rows of answers into struct rows.
 *
 * Owns:  nothing; texts are copied into the rows' arena.
 * Rules: (1) a value that no Belfry can have written is STORE_BROKEN, naming table, row and column.
 *        (2) a trigger comes at most once into an answer that takes triggers with the _once function.
 */
#ifndef STORE_POSTGRES_POSTGRES_TAKE_H
#define STORE_POSTGRES_POSTGRES_TAKE_H

#include "model/rows.h"
#include "store/ids.h"
#include "store/postgres/pg_array.h"
#include "store/postgres/pg_conn.h"
#include "store/postgres/pg_row.h"

/* One answer being put together. */
struct taking {
    struct pg_conn *conn;
    uint32_t shard;
    struct rows *rows;
    struct error *reterr;
    enum store_outcome outcome; /* of the rows: BROKEN where one makes no sense */
    bool owes_begin;            /* BEGIN was sent, and its answer is still to come */
    bool has_snapshot;
    struct place place;          /* the last one taken, in the rows' arena: neighbours share it */
    struct ids jobs, triggers;   /* what was taken and must not come again */
    struct pg_array ids, ids_to; /* scratch for what is asked */
    struct pg_array texts[2];
};

void postgres_taking_init(struct taking *taking, struct pg_conn *conn, uint32_t shard, struct rows *rows,
                          struct error *reterr);
void postgres_taking_done(struct taking *taking);

/* Takes one row of an answer. */
typedef enum store_outcome taker(struct taking *taking, struct pg_row *row);

taker postgres_take_job;
taker postgres_take_version;
taker postgres_take_trigger;
taker postgres_take_trigger_once; /* skips one that was taken before */
taker postgres_take_attempt;
taker postgres_take_claims;
taker postgres_take_skip;
taker postgres_take_wait;
taker postgres_take_edge;
taker postgres_take_setting;
taker postgres_take_limiter;
taker postgres_take_circuit;
taker postgres_take_idem;
taker postgres_take_tenant;
taker postgres_take_rules;
taker postgres_take_awaited; /* a place with its first wake */

/* The columns of a place, which more may follow. */
enum store_outcome postgres_take_place(struct taking *taking, struct pg_row *row, struct place *ret_place);

/* One snapshot for the exchanges that follow: sent with the first of them, and ended with the last or by
 * postgres_take_leave. A reader's single exchange is one without it. */
void postgres_take_snapshot(struct taking *taking);
void postgres_take_last(struct taking *taking);
void postgres_take_leave(struct taking *taking);

/* Takes every row of the next answer; returns how many there were. What went wrong is in taking->outcome, or for
 * pg_finish to say. */
size_t postgres_take_answer(struct taking *taking, taker *take);

/* Ends an exchange: what failed in it, or in a row. */
enum store_outcome postgres_take_end(struct taking *taking);

/* Sends a statement whose one parameter, beside the shard, is an array of ids: those in taking->ids. */
void postgres_ask_ids(struct taking *taking, enum pg_statement statement);

/* Texts that no column can hold (NUL, or no UTF-8) name nothing. */
bool postgres_is_storable(struct str text);

/* STORE_BROKEN, naming the table, the row and what makes no sense. */
enum store_outcome postgres_bad_row(const struct pg_conn *conn, const char *table, uint64_t id, const char *what,
                                    struct error *reterr);

#endif
