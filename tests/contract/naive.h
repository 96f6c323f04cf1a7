/* naive: a store as simple as can be, for comparing: lists that are searched from one end to the other.
 *
 * Written from store.h, batch.h and load.h alone; shares no code with any store.
 *
 * Owns:  every row, in a struct rows.
 */
#ifndef TESTS_CONTRACT_NAIVE_H
#define TESTS_CONTRACT_NAIVE_H

#include <stdbool.h>

#include "model/batch.h"
#include "model/load.h"
#include "model/rows.h"
#include "store/store.h"

struct naive {
    struct rows rows; /* in no order; places are not kept */
};

void naive_init(struct naive *naive);
void naive_done(struct naive *naive);

/* False: refused, and nothing has changed. */
bool naive_commit(struct naive *naive, const struct batch *batch);

/* Removes these triggers with their attempts, skips, versions and idems. */
void naive_forget(struct naive *naive, const struct rows *rows);

/* Answers with borrowed texts, in the order that the request names and else in any; pages and windows with has_more,
 * after and next_wake_ms. */
void naive_load(const struct naive *naive, const struct load *load, struct rows *rows);
void naive_read(const struct naive *naive, const struct query *query, struct rows *rows);

#endif
