#include "worker/seen.h"

#include "base/mem.h"
#include "worker/limits_worker.h"

struct sight {
    struct map_node by_id;
    struct list_node by_age;
    char id[]; /* what the key points to */
};

void seen_init(struct seen *seen, uint64_t seed)
{
    map_init(&seen->by_id, MAP_KEYS_TEXT, seed);
    list_init(&seen->by_age);
}

static void forget_oldest(struct seen *seen)
{
    struct sight *sight = CONTAINER_OF(list_pop_front(&seen->by_age), struct sight, by_age);

    map_remove(&seen->by_id, &sight->by_id);
    mem_free(sight);
}

void seen_done(struct seen *seen)
{
    while (!list_empty(&seen->by_age)) {
        forget_oldest(seen);
    }
    map_done(&seen->by_id);
}

bool seen_add(struct seen *seen, struct str id)
{
    if (map_find_text(&seen->by_id, id) != NULL) {
        return false;
    }
    struct sight *sight = mem_zalloc(sizeof *sight + id.len + 1);

    memcpy(sight->id, id.ptr, id.len);
    list_node_init(&sight->by_age);
    (void)map_insert_text(&seen->by_id, &sight->by_id, (struct str){sight->id, id.len});
    list_push_back(&seen->by_age, &sight->by_age);
    if (map_count(&seen->by_id) > SEEN_MAX) {
        forget_oldest(seen);
    }
    return true;
}
