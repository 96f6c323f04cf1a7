#include "base/mem.h"
#include "engine/gather.h"
#include "engine/lease.h"

struct claims *claims_new(uint64_t id)
{
    struct claims *claims = mem_zalloc(sizeof *claims);

    claims->id = id;
    list_init(&claims->leases);
    list_node_init(&claims->all);
    return claims;
}

void claims_free(struct claims *claims)
{
    if (claims != NULL) {
        list_remove(&claims->all);
        mem_free(claims->named);
        mem_free(claims);
    }
}

void claims_stored(struct engine *engine, struct claims *claims, const struct claim *list, size_t count)
{
    claims->is_stored = true;
    claims->named = mem_alloc_array(count, sizeof *claims->named);
    claims->named_count = count;
    for (size_t i = 0; i < count; i++) {
        claims->named[i] = list[i].trigger;
    }
    list_push_back(&engine->all_claims, &claims->all);
}

static bool names(const struct claims *claims, uint64_t trigger)
{
    for (size_t i = 0; i < claims->named_count; i++) {
        if (claims->named[i] == trigger) {
            return true;
        }
    }
    return false;
}

/* What lives of it goes into the row of this batch. */
static void move(struct engine *engine, struct claims *old)
{
    if (engine->claims == NULL) {
        engine->claims = claims_new(gather_id(engine));
    }
    for (struct list_node *node = list_pop_front(&old->leases); node != NULL; node = list_pop_front(&old->leases)) {
        struct lease *lease = CONTAINER_OF(node, struct lease, of_claims);

        list_push_back(&engine->claims->leases, node);
        lease->claims = engine->claims;
        engine->claims->count++;
        gather_touch(engine, lease->trigger->job);
    }
    gather_op(engine, OP_CLAIMS_DELETE)->id = old->id;
    claims_free(old);
}

void claims_forget(struct engine *engine, uint64_t trigger)
{
    struct list_node *next;

    for (struct list_node *node = list_first(&engine->all_claims); node != NULL; node = next) {
        struct claims *claims = CONTAINER_OF(node, struct claims, all);

        next = list_next(&engine->all_claims, node);
        if (names(claims, trigger)) {
            move(engine, claims);
        }
    }
}
