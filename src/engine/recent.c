#include "engine/recent.h"

#include <string.h>

#include "base/mem.h"
#include "engine/gather.h"

void recent_ended(struct engine *engine, const struct trigger *trigger)
{
    struct recent_end *end = mem_zalloc(sizeof *end);

    end->batch = engine->batch;
    end->id = trigger->id;
    end->attempts = trigger->attempts;
    end->state = trigger->state;
    end->last_state = trigger->last_state;
    end->last_worker = mem_strdup(trigger->last_worker);
    list_node_init(&end->link);
    list_push_back(&engine->recent_ends, &end->link);
    idmap_put(&engine->ends, end->id, end);
}

const struct recent_end *recent_find_end(const struct engine *engine, uint64_t trigger)
{
    return idmap_find(&engine->ends, trigger);
}

/* Ids have 63 bits. */
static uint64_t key_of(enum id_kind kind, uint64_t id)
{
    return id | (kind == ID_TRIGGER ? UINT64_C(1) << 63 : 0);
}

void recent_deleted(struct engine *engine, enum id_kind kind, uint64_t id)
{
    struct recent_delete *deleted = mem_zalloc(sizeof *deleted);

    deleted->batch = engine->batch;
    deleted->key = key_of(kind, id);
    list_node_init(&deleted->link);
    list_push_back(&engine->recent_deletes, &deleted->link);
    idmap_put(&engine->deletes, deleted->key, deleted);
}

bool recent_is_deleted(const struct engine *engine, enum id_kind kind, uint64_t id)
{
    return idmap_find(&engine->deletes, key_of(kind, id)) != NULL;
}

static void free_deletes(struct engine *engine, uint64_t durable)
{
    for (struct list_node *node = list_first(&engine->recent_deletes); node != NULL;
         node = list_first(&engine->recent_deletes)) {
        struct recent_delete *deleted = CONTAINER_OF(node, struct recent_delete, link);

        if (deleted->batch > durable) {
            return;
        }
        list_remove(node);
        idmap_remove(&engine->deletes, deleted->key);
        mem_free(deleted);
    }
}

void recent_replayed(struct engine *engine, uint64_t dead, uint64_t replay)
{
    struct recent_replay *recent = idmap_find(&engine->replays, dead);

    if (recent == NULL) {
        recent = mem_zalloc(sizeof *recent);
        recent->dead = dead;
        list_node_init(&recent->link);
        idmap_put(&engine->replays, dead, recent);
    }
    if (recent->batch != engine->batch) {
        recent->batch = engine->batch;
        recent->op = gather_op(engine, OP_TRIGGER_REPLAYED);
        recent->op->trigger.id = dead;
        list_remove(&recent->link);
        list_push_back(&engine->recent_replays, &recent->link);
    }
    recent->op->trigger.replayed_by = replay;
    recent->replay = replay;
}

uint64_t recent_replay_of(const struct engine *engine, uint64_t dead)
{
    const struct recent_replay *recent = idmap_find(&engine->replays, dead);

    return recent != NULL ? recent->replay : ID_NONE;
}

static void free_replays(struct engine *engine, uint64_t durable)
{
    for (struct list_node *node = list_first(&engine->recent_replays); node != NULL;
         node = list_first(&engine->recent_replays)) {
        struct recent_replay *recent = CONTAINER_OF(node, struct recent_replay, link);

        if (recent->batch > durable) {
            return;
        }
        list_remove(node);
        idmap_remove(&engine->replays, recent->dead);
        mem_free(recent);
    }
}

void recent_answered(struct engine *engine, struct str tenant, struct str key, const uint64_t hash[2],
                     struct str result)
{
    size_t len = tenant.len + 1 + key.len;
    struct recent_idem *idem = mem_zalloc(sizeof *idem + len + result.len + 1);

    memcpy(idem->text, tenant.ptr, tenant.len);
    memcpy(idem->text + tenant.len + 1, key.ptr, key.len);
    memcpy(idem->text + len, result.ptr, result.len);
    idem->batch = engine->batch;
    idem->hash[0] = hash[0];
    idem->hash[1] = hash[1];
    idem->result = (struct str){idem->text + len, result.len};
    list_node_init(&idem->link);
    list_push_back(&engine->recent_idems, &idem->link);
    map_insert_text(&engine->idems, &idem->node, (struct str){idem->text, len});
}

const struct recent_idem *recent_find_idem(const struct engine *engine, struct str tenant, struct str key)
{
    size_t len = tenant.len + 1 + key.len;
    SCOPE_FREE char *text = mem_zalloc(len + 1);

    memcpy(text, tenant.ptr, tenant.len);
    memcpy(text + tenant.len + 1, key.ptr, key.len);
    struct map_node *node = map_find_text(&engine->idems, (struct str){text, len});
    return node != NULL ? CONTAINER_OF(node, struct recent_idem, node) : NULL;
}

static void free_ends(struct engine *engine, uint64_t durable)
{
    for (struct list_node *node = list_first(&engine->recent_ends); node != NULL;
         node = list_first(&engine->recent_ends)) {
        struct recent_end *end = CONTAINER_OF(node, struct recent_end, link);

        if (end->batch > durable) {
            return;
        }
        list_remove(node);
        idmap_remove(&engine->ends, end->id);
        mem_free(end->last_worker);
        mem_free(end);
    }
}

static void free_idems(struct engine *engine, uint64_t durable)
{
    for (struct list_node *node = list_first(&engine->recent_idems); node != NULL;
         node = list_first(&engine->recent_idems)) {
        struct recent_idem *idem = CONTAINER_OF(node, struct recent_idem, link);

        if (idem->batch > durable) {
            return;
        }
        list_remove(node);
        map_remove(&engine->idems, &idem->node);
        mem_free(idem);
    }
}

void recent_settle(struct engine *engine)
{
    free_ends(engine, engine->durable);
    free_deletes(engine, engine->durable);
    free_replays(engine, engine->durable);
    free_idems(engine, engine->durable);
}

void recent_free_all(struct engine *engine)
{
    free_ends(engine, UINT64_MAX);
    free_deletes(engine, UINT64_MAX);
    free_replays(engine, UINT64_MAX);
    free_idems(engine, UINT64_MAX);
}
