#include <assert.h>

#include "engine/ready_internal.h"

static struct heap *open_heap(const struct ready_bucket *bucket)
{
    return &bucket->strand->lane->open[bucket->priority - 1];
}

static void show(struct ready_bucket *bucket)
{
    heap_push(open_heap(bucket), &bucket->node);
    bucket->strand->lane->open_count++;
}

static void hide(struct ready_bucket *bucket)
{
    heap_remove(open_heap(bucket), &bucket->node);
    bucket->strand->lane->open_count--;
}

/* Out of the list it waits in. */
static void stop_waiting(struct ready_strand *strand)
{
    list_remove(&strand->link);
    if (strand->wait == READY_WAIT_TYPE && list_empty(&strand->queue->waiters)) {
        list_remove(&strand->queue->type_link);
    }
    strand->wait = READY_WAIT_NOT;
}

static void wait_in_queue(struct ready_strand *strand, bool is_leader)
{
    struct ready_queue *queue = strand->queue;

    if (is_leader) {
        list_push_front(&queue->waiters, &strand->link); /* it is still the longest waiting */
    } else {
        list_push_back(&queue->waiters, &strand->link);
    }
    if (!list_linked(&queue->type_link)) {
        list_push_back(&queue->type->domain.gate.waiters, &queue->type_link);
    }
}

void ready_strand_park(struct ready *ready, struct ready_strand *strand, enum ready_wait wait)
{
    assert(strand->wait == READY_WAIT_NOT && strand->count > 0);
    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        if (strand->buckets[i] != NULL && heap_linked(&strand->buckets[i]->node)) {
            hide(strand->buckets[i]);
        }
    }
    strand->wait = wait;
    if (wait == READY_WAIT_TYPE) {
        wait_in_queue(strand, strand->lane->leader == strand);
    } else {
        list_push_back(&strand->pair->domain.gate.waiters, &strand->link);
    }
    ready_lane_settle(ready, strand->lane);
    ready_domain_arm(ready, wait == READY_WAIT_TYPE ? &strand->pair->type->domain : &strand->pair->domain);
}

void ready_strand_open(struct ready *ready, struct ready_strand *strand)
{
    stop_waiting(strand);
    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        if (strand->buckets[i] != NULL && heap_count(&strand->buckets[i]->entries) > 0) {
            show(strand->buckets[i]);
        }
    }
    ready_lane_settle(ready, strand->lane);
    ready_side_changed(ready, strand->lane->side);
}

void ready_bucket_settle(struct ready *ready, struct ready_bucket *bucket)
{
    struct ready_strand *strand = bucket->strand;
    bool has_entries = heap_count(&bucket->entries) > 0;

    if (strand->wait != READY_WAIT_NOT) {
        if (strand->count == 0) {
            stop_waiting(strand);
        }
        return;
    }
    if (has_entries && heap_linked(&bucket->node)) {
        heap_update(open_heap(bucket), &bucket->node);
    } else if (has_entries) {
        show(bucket);
    } else if (heap_linked(&bucket->node)) {
        hide(bucket);
    }
    ready_lane_settle(ready, strand->lane);
}
