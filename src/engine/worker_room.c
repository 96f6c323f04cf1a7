/* How many workers are kept in memory, and who goes for a new one.
 *
 * Ids of workers are made up by their clients, each process its own: without a bound whoever asks under ever new ids
 * fills the memory. Whoever holds something, or waits, stays; those are bounded by attempts and connections.
 */
#include "engine/worker_internal.h"

/* Pools that all workers together name: some for each of the most workers there are. */
#define POOLS_PER_WORKER 5
/* Looked at for one exchange; those that stay go to the end, so that others are looked at the next time. */
#define LOOKS_MAX 64

static bool is_about_something(const struct worker *worker)
{
    return worker->is_waiting || !list_empty(&worker->leases);
}

/* Attempts of it run since before the restore. */
static bool is_awaited(const struct engine *engine, struct str id)
{
    for (struct list_node *node = list_first(&engine->orphans); node != NULL;
         node = list_next(&engine->orphans, node)) {
        if (str_is(id, CONTAINER_OF(node, struct lease, of_worker)->worker_id)) {
            return true;
        }
    }
    return false;
}

bool worker_make_room(struct engine *engine, const struct exchange *exchange)
{
    const struct worker *known = worker_find(engine, exchange->worker);
    size_t workers = known != NULL ? 0 : 1;
    size_t pools = exchange->pool_count - (known != NULL ? known->pool_count : 0); /* may wrap, and wraps back */

    for (int i = 0; i < LOOKS_MAX; i++) {
        struct list_node *first = list_first(&engine->heard);
        bool has_room = map_count(&engine->workers) + workers <= engine->config.workers_max &&
                        engine->worker_pools + pools <= POOLS_PER_WORKER * engine->config.workers_max;

        if (has_room || first == NULL) {
            return true;
        }
        struct worker *oldest = CONTAINER_OF(first, struct worker, heard);

        if (oldest == known || is_about_something(oldest)) {
            list_remove(first);
            list_push_back(&engine->heard, first);
        } else {
            worker_forget(engine, oldest);
        }
    }
    return known != NULL || is_awaited(engine, exchange->worker);
}
