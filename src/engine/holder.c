#include "engine/holder.h"

#include "engine/gather.h"

void holder_lease(struct engine *engine, struct why_reason *reason, const struct lease *lease)
{
    const char *worker = NULL;

    if (lease == NULL) {
        return;
    }
    if (lease->worker != NULL) {
        worker = lease->worker->name != NULL ? lease->worker->name : lease->worker->id;
    } else {
        worker = lease->worker_id;
    }
    reason->worker = worker != NULL ? gather_text(engine, str_from(worker)) : STR("");
    reason->since_ms = lease->started_ms;
}

void holder_trigger(struct engine *engine, struct why_reason *reason, const struct trigger *trigger)
{
    reason->id = trigger->id;
    holder_lease(engine, reason, trigger->lease);
}

/* The first lease of the list that holds the key; *left bounds how many are looked at. */
static const struct lease *find_lease(const struct list *leases, const struct key *key, size_t *left)
{
    for (struct list_node *node = list_first(leases); node != NULL && *left > 0; node = list_next(leases, node)) {
        const struct lease *lease = CONTAINER_OF(node, struct lease, of_worker);

        (*left)--;
        if (lease->key == key) {
            return lease;
        }
    }
    return NULL;
}

const struct lease *holder_of_key(const struct engine *engine, const struct key *key)
{
    size_t left = HOLDER_LEASES_MAX;
    const struct lease *lease = find_lease(&engine->orphans, key, &left);

    for (struct list_node *node = list_first(&engine->heard); node != NULL && lease == NULL && left > 0;
         node = list_next(&engine->heard, node)) {
        lease = find_lease(&CONTAINER_OF(node, struct worker, heard)->leases, key, &left);
        left -= left > 0 ? 1 : 0;
    }
    return lease;
}
