/* sqlite_places: places as the small numbers that rows have, remembered in memory.
 *
 * A connection meets few places and meets them all the time, so a look-up is a comparison with the last one, or a hash.
 *
 * Owns:  its entries and their texts. A place that was committed never changes, so what is remembered stays true; who
 *        rolls back a transaction that made one forgets them all.
 * Rules: (1) at most PLACES_MAX are remembered; one more, and all are forgotten first.
 * See:   store/sql/sqlite/0001_begin.sql
 */
#ifndef STORE_SQLITE_SQLITE_PLACES_H
#define STORE_SQLITE_SQLITE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "model/record.h"
#include "store/store.h"

/* Some hundred bytes each. */
#define PLACES_MAX 65536

struct sql_conn;
struct place_entry;

struct places {
    struct map by_text;
    struct map by_id;
    struct place_entry *last; /* the one asked for last; NULL: none */
    bool has_new;             /* one was made since sqlite_places_settle */
};

void sqlite_places_init(struct places *places);
void sqlite_places_done(struct places *places);

/* Forgets all. */
void sqlite_places_forget(struct places *places);

/* The transaction is over: what it made stays, or goes with it. */
void sqlite_places_settle(struct places *places, bool is_committed);

/* The number of a place, made where there is none yet. */
enum store_outcome sqlite_places_intern(struct sql_conn *conn, const struct place *place, int64_t *ret_id,
                                        struct error *reterr);

/* The same without making one: *ret_id is 0 where there is none. */
enum store_outcome sqlite_places_find(struct sql_conn *conn, const struct place *place, int64_t *ret_id,
                                      struct error *reterr);

/* The place of a number; its texts hold until the next call. STORE_BROKEN where there is none. */
enum store_outcome sqlite_places_get(struct sql_conn *conn, int64_t id, const struct place **ret_place,
                                     struct error *reterr);

#endif
