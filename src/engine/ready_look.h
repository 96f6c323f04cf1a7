/* ready_look: the ready queue counted, for figures.
 *
 * Never: changes anything.
 * See:   engine/ready.h, engine/view.h
 */
#ifndef ENGINE_READY_LOOK_H
#define ENGINE_READY_LOOK_H

#include "engine/ready.h"

/* Entries of a tenant, a pool, a type, or a type in a tenant, and what runs of it; 0 for what is unknown. */
size_t ready_look_count(const struct ready *ready, enum scope scope, struct str tenant, struct str name,
                        int64_t *ret_running);

/* The earliest due time in a pool (all pools where it is empty), INT64_MAX where nothing stands there; and how many
 * became due before before_ms. Looks at scan_max strands and counts at most scan_max entries. */
int64_t ready_look_oldest(const struct ready *ready, struct str pool, int64_t before_ms, size_t scan_max,
                          size_t *ret_before);

/* The same for many pools in one pass: their names go in. scan_max holds for all of them together. */
struct ready_pool_look {
    struct str name;
    int64_t oldest_ms;
    size_t before;
};
void ready_look_pools(const struct ready *ready, struct ready_pool_look *looks, size_t count, int64_t before_ms,
                      size_t scan_max);

/* Tenants, pools or types with something ready or running, in an order without meaning: begin with NULL in *pos. False
 * at the end. The name lives as long as the queue knows it. */
bool ready_look_next(const struct ready *ready, enum scope scope, const void **pos, struct str *ret_name,
                     size_t *ret_ready, int64_t *ret_running);

/* Breakers that are not closed, likewise. */
bool ready_look_circuit(const struct ready *ready, const void **pos, struct ready_circuit *ret_circuit);

#endif
