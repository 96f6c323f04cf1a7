/* postgres_names: tenants and lanes as the small numbers that rows have, remembered by who writes.
 *
 * A batch is one pipeline, in which nothing can be asked; so what it needs to know is known before. A name that is not
 * remembered is looked up first, and one that is not in the database gets its number here: only the owner of a shard
 * gives them, and a batch of somebody who is it no longer is fenced before its names are inserted.
 *
 * Owns:  its entries and their texts.
 * Rules: (1) what was committed never changes, so what is remembered stays true as long as the session lives. A new
 *            session forgets all: after a failover the database may have lost what was committed.
 *        (2) numbers that were given in a batch that was not committed are forgotten, with all others.
 *        (3) at most NAMES_MAX are remembered; one more, and all are forgotten first.
 * See:   store/sql/postgres/0001_begin.sql (tenant_numbers, lanes)
 */
#ifndef STORE_POSTGRES_POSTGRES_NAMES_H
#define STORE_POSTGRES_POSTGRES_NAMES_H

#include "base/map.h"
#include "model/batch.h"
#include "store/postgres/pg_array.h"
#include "store/postgres/pg_conn.h"

/* Of each kind; some hundred bytes each. */
#define NAMES_MAX 65536

struct name;

/* Names of one kind: tenants or lanes. */
struct names_kind {
    struct map known;
    struct name *last;  /* the one asked for last; NULL: none */
    struct name **some; /* of this batch: those that were not remembered, and after the look-up those that are new */
    size_t some_count, some_cap;
};

struct names {
    struct names_kind tenants, lanes;
    struct pg_array numbers, priorities, texts[2]; /* columns of what is asked or sent */
    uint64_t session;                              /* in which all was learned */
};

void postgres_names_init(struct names *names);
void postgres_names_done(struct names *names);
void postgres_names_forget(struct names *names);

/* Makes sure that every name in the batch has a number: asks for those that are not remembered, in an exchange of its
 * own. STORE_REFUSED for names that are too long for any. */
enum store_outcome postgres_names_learn(struct names *names, struct pg_conn *conn, uint32_t shard,
                                        const struct batch *batch, struct error *reterr);

/* Sends the new ones, inside of the batch's transaction. */
void postgres_names_send(struct names *names, struct pg_conn *conn, uint32_t shard);

/* The transaction is over: what it made stays, or goes with it. */
void postgres_names_settle(struct names *names, bool is_committed);

/* The number of a place whose names were learned. */
int64_t postgres_names_place(struct names *names, const struct place *place);

/* The lower half of it, which is all that an update of a job needs. */
int64_t postgres_names_lane(struct names *names, const struct place *place);

#endif
