#include <assert.h>

#include "base/mem.h"
#include "engine/ready_internal.h"

/* ---- orders ---- */

static bool entry_before(const struct ready_entry *a, const struct ready_entry *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->id < b->id;
}

static bool by_due(const struct heap_node *a, const struct heap_node *b)
{
    return entry_before(CONTAINER_OF_CONST(a, struct ready_entry, node),
                        CONTAINER_OF_CONST(b, struct ready_entry, node));
}

static const struct ready_entry *first_entry(const struct heap_node *bucket_node)
{
    const struct ready_bucket *bucket = CONTAINER_OF_CONST(bucket_node, struct ready_bucket, node);

    return CONTAINER_OF_CONST(heap_first(&bucket->entries), struct ready_entry, node);
}

static bool by_first_entry(const struct heap_node *a, const struct heap_node *b)
{
    return entry_before(first_entry(a), first_entry(b));
}

/* ---- what comes with the first that needs it ---- */

static struct ready_queue *queue_need(struct ready *ready, struct ready_side *side, struct ready_type *type)
{
    struct ready_key key = {ready_side_number(side), type->domain.number};
    struct map_node *node = map_find_text(&ready->queues, ready_key_text(&key));
    struct ready_queue *queue;

    if (node != NULL) {
        return CONTAINER_OF(node, struct ready_queue, node);
    }
    queue = mem_zalloc(sizeof *queue);
    queue->key = key;
    queue->pool = side->pool;
    queue->type = type;
    list_init(&queue->waiters);
    list_node_init(&queue->type_link);
    list_node_init(&queue->hungry_link);
    side->pool->domain.users++;
    type->domain.users++;
    map_insert_text(&ready->queues, &queue->node, ready_key_text(&queue->key));
    return queue;
}

static struct ready_lane *lane_need(struct ready *ready, struct ready_side *side, struct ready_tenant *tenant)
{
    struct ready_key key = {ready_side_number(side), tenant->domain.number};
    struct map_node *node = map_find_text(&ready->lanes, ready_key_text(&key));
    struct ready_lane *lane;

    if (node != NULL) {
        return CONTAINER_OF(node, struct ready_lane, node);
    }
    lane = mem_zalloc(sizeof *lane);
    lane->key = key;
    lane->number = ++ready->last_number;
    lane->side = side;
    lane->pool = side->pool;
    lane->tenant = tenant;
    list_node_init(&lane->link);
    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        heap_init(&lane->open[i], by_first_entry);
    }
    side->pool->domain.users++;
    tenant->domain.users++;
    map_insert_text(&ready->lanes, &lane->node, ready_key_text(&lane->key));
    return lane;
}

static struct ready_strand *strand_need(struct ready *ready, struct ready_lane *lane, struct ready_type *type)
{
    struct ready_key key = {lane->number, type->domain.number};
    struct map_node *node = map_find_text(&ready->strands, ready_key_text(&key));
    struct ready_strand *strand;

    if (node != NULL) {
        return CONTAINER_OF(node, struct ready_strand, node);
    }
    strand = mem_zalloc(sizeof *strand);
    strand->key = key;
    strand->lane = lane;
    strand->pair = ready_pair_need(ready, lane->tenant, type);
    strand->queue = queue_need(ready, lane->side, type);
    list_node_init(&strand->link);
    lane->users++;
    strand->pair->domain.users++;
    strand->queue->users++;
    map_insert_text(&ready->strands, &strand->node, ready_key_text(&strand->key));
    return strand;
}

static struct ready_bucket *bucket_need(struct ready *ready, const struct ready_place *place)
{
    struct str none = {NULL, 0};
    struct ready_domain *pool = ready_domain_need(ready, SCOPE_POOL, none, place->pool);
    struct ready_domain *tenant = ready_domain_need(ready, SCOPE_TENANT, none, place->tenant);
    struct ready_domain *type = ready_domain_need(ready, SCOPE_TYPE, none, place->type);
    struct ready_side *side = &ready_domain_pool(pool)->sides[place->target];
    struct ready_lane *lane = lane_need(ready, side, ready_domain_tenant(tenant));
    struct ready_strand *strand = strand_need(ready, lane, ready_domain_type(type));
    struct ready_bucket **bucket;

    assert(place->priority >= 1 && place->priority <= READY_PRIORITIES);
    bucket = &strand->buckets[place->priority - 1];
    if (*bucket == NULL) {
        *bucket = mem_zalloc(sizeof **bucket);
        (*bucket)->strand = strand;
        (*bucket)->priority = place->priority;
        heap_init(&(*bucket)->entries, by_due);
        strand->users++;
    }
    return *bucket;
}

struct ready_bucket *ready_bucket_get(struct ready *ready, const struct ready_place *place)
{
    struct ready_bucket *bucket = bucket_need(ready, place);

    /* Buckets with targets hold the one without: what hangs on a place hangs there. */
    if (place->target != TARGET_NONE && bucket->base == NULL) {
        struct ready_place base = *place;

        base.target = TARGET_NONE;
        bucket->base = ready_bucket_again(bucket_need(ready, &base));
    }
    return ready_bucket_again(bucket);
}

struct ready_bucket *ready_bucket_again(struct ready_bucket *bucket)
{
    bucket->holds++;
    return bucket;
}

/* ---- and goes with the last ---- */

static void lane_put(struct ready *ready, struct ready_lane *lane)
{
    lane->users--;
    if (lane->users > 0) {
        return;
    }
    assert(lane->open_count == 0 && lane->leader == NULL && !list_linked(&lane->link));
    map_remove(&ready->lanes, &lane->node);
    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        heap_done(&lane->open[i]);
    }
    ready_domain_put(ready, &lane->pool->domain);
    ready_domain_put(ready, &lane->tenant->domain);
    mem_free(lane);
}

static void queue_put(struct ready *ready, struct ready_queue *queue)
{
    queue->users--;
    if (queue->users > 0) {
        return;
    }
    assert(queue->leaders == 0 && list_empty(&queue->waiters));
    list_remove(&queue->hungry_link);
    map_remove(&ready->queues, &queue->node);
    ready_domain_put(ready, &queue->pool->domain);
    ready_domain_put(ready, &queue->type->domain);
    mem_free(queue);
}

static void strand_put(struct ready *ready, struct ready_strand *strand)
{
    strand->users--;
    if (strand->users > 0) {
        return;
    }
    assert(strand->count == 0 && strand->wait == READY_WAIT_NOT);
    map_remove(&ready->strands, &strand->node);
    queue_put(ready, strand->queue);
    lane_put(ready, strand->lane);
    ready_domain_put(ready, &strand->pair->domain);
    mem_free(strand);
}

// NOLINTNEXTLINE(misc-no-recursion): once, for the base
void ready_bucket_put(struct ready *ready, struct ready_bucket *bucket)
{
    struct ready_strand *strand = bucket->strand;

    assert(bucket->holds > 0);
    bucket->holds--;
    if (bucket->holds > 0) {
        return;
    }
    assert(heap_count(&bucket->entries) == 0);
    if (bucket->base != NULL) {
        ready_bucket_put(ready, bucket->base);
    }
    strand->buckets[bucket->priority - 1] = NULL;
    heap_done(&bucket->entries);
    mem_free(bucket);
    strand_put(ready, strand);
}

static void strand_free(struct ready_strand *strand)
{
    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        if (strand->buckets[i] != NULL) {
            heap_done(&strand->buckets[i]->entries);
            mem_free(strand->buckets[i]);
        }
    }
    mem_free(strand);
}

static void lane_free(struct ready_lane *lane)
{
    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        heap_done(&lane->open[i]);
    }
    mem_free(lane);
}

void ready_places_free(struct ready *ready)
{
    for (struct map_node *node = map_first(&ready->strands), *next; node != NULL; node = next) {
        next = map_next(&ready->strands, node);
        strand_free(CONTAINER_OF(node, struct ready_strand, node));
    }
    for (struct map_node *node = map_first(&ready->lanes), *next; node != NULL; node = next) {
        next = map_next(&ready->lanes, node);
        lane_free(CONTAINER_OF(node, struct ready_lane, node));
    }
    for (struct map_node *node = map_first(&ready->queues), *next; node != NULL; node = next) {
        next = map_next(&ready->queues, node);
        mem_free(CONTAINER_OF(node, struct ready_queue, node));
    }
    map_done(&ready->strands);
    map_done(&ready->lanes);
    map_done(&ready->queues);
}

/* ---- what a bucket tells ---- */

struct ready_place ready_bucket_place(const struct ready_bucket *bucket)
{
    const struct ready_strand *strand = bucket->strand;

    return (struct ready_place){
        .pool = strand->lane->pool->domain.name,
        .tenant = strand->lane->tenant->domain.name,
        .type = strand->pair->type->domain.name,
        .priority = bucket->priority,
        .target = strand->lane->side->target,
    };
}

void *ready_bucket_user(const struct ready_bucket *bucket)
{
    return bucket->base != NULL ? bucket->base->user : bucket->user;
}

void ready_bucket_set_user(struct ready_bucket *bucket, void *user)
{
    *(bucket->base != NULL ? &bucket->base->user : &bucket->user) = user;
}
