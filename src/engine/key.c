#include "engine/key.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/line.h"

struct key *key_get(struct engine *engine, struct str tenant, struct str name)
{
    size_t len = tenant.len + 1 + name.len;
    struct key *key = mem_zalloc(sizeof *key + len + 1);

    memcpy(key->text, tenant.ptr, tenant.len);
    memcpy(key->text + tenant.len + 1, name.ptr, name.len);
    key->name_at = tenant.len + 1;
    key->text_len = len;
    struct map_node *there = map_insert_text(&engine->keys, &key->node, (struct str){key->text, len});
    if (there != NULL) {
        mem_free(key);
        key = CONTAINER_OF(there, struct key, node);
    } else {
        list_init(&key->groups);
    }
    key->users++;
    return key;
}

static void group_free(struct engine *engine, struct key_group *group)
{
    list_remove(&group->link);
    heap_done(&group->waiting);
    ready_bucket_put(engine->ready, group->bucket);
    mem_free(group);
}

void key_put(struct engine *engine, struct key *key)
{
    assert(key->users > 0);
    if (--key->users > 0) {
        return;
    }
    assert(key->running == 0 && list_empty(&key->groups));
    map_remove(&engine->keys, &key->node);
    mem_free(key);
}

struct str key_name(const struct key *key)
{
    return (struct str){key->text + key->name_at, key->text_len - key->name_at};
}

static bool waits_before(const struct heap_node *a, const struct heap_node *b)
{
    return entry_before(CONTAINER_OF_CONST(a, struct entry, node), CONTAINER_OF_CONST(b, struct entry, node));
}

static struct key_group *group_of(struct key *key, struct ready_bucket *bucket, int64_t max)
{
    for (struct list_node *node = list_first(&key->groups); node != NULL; node = list_next(&key->groups, node)) {
        struct key_group *group = CONTAINER_OF(node, struct key_group, link);

        if (group->bucket == bucket && group->max == max) {
            return group;
        }
    }
    struct key_group *group = mem_zalloc(sizeof *group);

    group->key = key;
    group->bucket = ready_bucket_again(bucket);
    group->max = max;
    heap_init(&group->waiting, waits_before);
    list_node_init(&group->link);
    list_push_back(&key->groups, &group->link);
    return group;
}

/* Rule 2: at most one of a group is on its way. */
static void let_go(struct engine *engine, struct key_group *group)
{
    if (group->awake != NULL || group->key->running >= group->max) {
        return;
    }
    struct heap_node *node = heap_pop(&group->waiting);

    if (node == NULL) {
        return;
    }
    struct entry *entry = CONTAINER_OF(node, struct entry, node);

    group->awake = entry;
    entry_to_ready(engine, entry); /* entry->group stays: it is the one on its way */
}

static void let_go_all(struct engine *engine, struct key *key)
{
    for (struct list_node *node = list_first(&key->groups); node != NULL; node = list_next(&key->groups, node)) {
        let_go(engine, CONTAINER_OF(node, struct key_group, link));
    }
}

/* Empty groups go; walking on is the caller's. */
static void group_settle(struct engine *engine, struct key_group *group)
{
    if (group->awake == NULL && heap_count(&group->waiting) == 0) {
        group_free(engine, group);
    }
}

bool key_admits(struct engine *engine, struct entry *entry)
{
    struct job *job = entry_job(entry);
    struct key *key = job->key;

    if (key == NULL || key->running < job->key_max || BUG(KEY_IGNORED)) {
        return true;
    }
    struct key_group *old = entry->group;
    struct key_group *group = group_of(key, entry_bucket(entry), job->key_max);

    ready_remove(engine->ready, &entry->ready);
    if (old != NULL && old != group) {
        entry->group = NULL;
        old->awake = NULL;
        let_go(engine, old);
        group_settle(engine, old);
    } else if (old != NULL) {
        old->awake = NULL;
    }
    entry->place = ENTRY_KEYED;
    entry->group = group;
    heap_push(&group->waiting, &entry->node);
    return false;
}

void key_started(struct key *key)
{
    key->running++;
    key->users++;
}

void key_ended(struct engine *engine, struct key *key)
{
    assert(key->running > 0);
    key->running--;
    let_go_all(engine, key);
    key_put(engine, key);
}

void key_forget(struct engine *engine, struct entry *entry)
{
    struct key_group *group = entry->group;

    heap_remove(&group->waiting, &entry->node);
    entry->group = NULL;
    group_settle(engine, group);
}

void key_handed_back(struct engine *engine, struct entry *entry)
{
    struct key_group *group = entry->group;

    entry->group = NULL;
    group->awake = NULL;
    let_go(engine, group);
    group_settle(engine, group);
}

bool key_valid(const struct key *key)
{
    for (struct list_node *node = list_first(&key->groups); node != NULL; node = list_next(&key->groups, node)) {
        struct key_group *group = CONTAINER_OF(node, struct key_group, link);

        if (!heap_valid(&group->waiting)) {
            return false;
        }
        if (group->awake != NULL && group->awake->group != group) {
            return false;
        }
        if (heap_count(&group->waiting) > 0 && group->awake == NULL && key->running < group->max) {
            return false; /* a lost wake-up */
        }
    }
    return true;
}
