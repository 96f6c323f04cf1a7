#include "order.h"

#include <string.h>

#include "show.h"

static bool says(const struct grant *grant, const char *text)
{
    return memmem(grant->def.ptr, grant->def.len, text, strlen(text)) != NULL;
}

/* A one-time job's first attempt, of a job without a concurrency key. */
static bool is_plain(const struct grant *grant)
{
    return grant->kind == TRIGGER_SCHEDULE && grant->trigger == grant->job && grant->number == 1 &&
           grant->def.len > 0 && !says(grant, "concurrency");
}

static bool is_claimed_in(const struct batch *batch, uint64_t trigger)
{
    BATCH_EACH(batch, chunk, i)
    {
        const struct op *op = &chunk->ops[i];

        for (size_t j = 0; op->kind == OP_CLAIMS_INSERT && j < op->claims.count; j++) {
            if (op->claims.claims[j].trigger == trigger) {
                return true;
            }
        }
    }
    return false;
}

static bool is_one_lane(const struct grant *a, const struct grant *b)
{
    return str_equal(a->place.pool, b->place.pool) && str_equal(a->place.tenant, b->place.tenant) &&
           str_equal(a->place.type, b->place.type) && says(a, "{\"http\":") == says(b, "{\"http\":") &&
           says(a, "{\"exec\":") == says(b, "{\"exec\":");
}

/* What is sent again may have been granted before the other came. */
static bool is_sent_once(const struct outbox *outbox, uint64_t trigger)
{
    size_t count = 0;

    for (const struct reply *reply = outbox->first; reply != NULL; reply = reply->next) {
        for (size_t i = 0; i < reply->grant_count; i++) {
            count += reply->grants[i].trigger == trigger ? 1 : 0;
        }
    }
    return count == 1;
}

void order_check(struct world *world, const struct outbox *outbox, const struct reply *reply)
{
    for (size_t i = 1; i < reply->grant_count; i++) {
        const struct grant *one = &reply->grants[i - 1];
        const struct grant *next = &reply->grants[i];

        if (one->place.priority > next->place.priority && is_plain(one) && is_plain(next) && is_one_lane(one, next) &&
            is_claimed_in(&outbox->batch, one->trigger) && is_claimed_in(&outbox->batch, next->trigger) &&
            is_sent_once(outbox, one->trigger)) {
            world_find(world, "priority", "%s of priority %d starts before %s of priority %d", show_id(one->trigger),
                       one->place.priority, show_id(next->trigger), next->place.priority);
        }
    }
}
