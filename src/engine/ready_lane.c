#include <assert.h>

#include "engine/bug.h"
#include "engine/ready_internal.h"

struct ready_bucket *ready_lane_top(const struct ready_lane *lane)
{
    for (size_t i = 0; i < READY_PRIORITIES && lane->open_count > 0; i++) {
        struct heap_node *first = heap_first(&lane->open[BUG(PRIORITY_IGNORED) ? READY_PRIORITIES - 1 - i : i]);

        if (first != NULL) {
            return CONTAINER_OF(first, struct ready_bucket, node);
        }
    }
    return NULL;
}

bool ready_lane_in_ring(const struct ready_lane *lane)
{
    return list_linked(&lane->link) && !lane->is_waiting;
}

void ready_side_changed(struct ready *ready, struct ready_side *side)
{
    if (!list_linked(&side->changed_link)) {
        list_push_back(&ready->changed_sides, &side->changed_link);
    }
}

/* ---- leading ---- */

bool ready_lane_leads_with(const struct ready_lane *lane, const struct ready_strand *strand)
{
    const struct ready_bucket *top = ready_lane_in_ring(lane) ? ready_lane_top(lane) : NULL;

    return top != NULL && top->strand == strand;
}

void ready_lane_lead(struct ready_lane *lane, struct ready_strand *strand)
{
    assert(lane->leader == NULL && strand->lane == lane);
    lane->leader = strand;
    strand->queue->leaders++;
}

void ready_lane_unlead(struct ready *ready, struct ready_lane *lane)
{
    struct ready_queue *queue;

    if (lane->leader == NULL) {
        return;
    }
    queue = lane->leader->queue;
    lane->leader = NULL;
    assert(queue->leaders > 0);
    queue->leaders--;
    ready_queue_hungry(ready, queue); /* rule 6: the next one's chance */
}

/* ---- the ring ---- */

/* Rule 2: out of the ring the deficit is lost. */
static void leave(struct ready_lane *lane)
{
    list_remove(&lane->link);
    lane->is_waiting = false;
    lane->deficit = 0;
}

void ready_lane_settle(struct ready *ready, struct ready_lane *lane)
{
    if (lane->open_count == 0) {
        leave(lane);
    } else if (!list_linked(&lane->link)) {
        list_push_back(&lane->side->ring, &lane->link);
    }
    if (lane->leader != NULL && !ready_lane_leads_with(lane, lane->leader)) {
        ready_lane_unlead(ready, lane);
    }
}

void ready_lane_park(struct ready *ready, struct ready_lane *lane)
{
    leave(lane);
    lane->is_waiting = true;
    list_push_back(&lane->tenant->domain.gate.waiters, &lane->link);
    ready_lane_settle(ready, lane);
    ready_domain_arm(ready, &lane->tenant->domain);
}

void ready_lane_wake(struct ready *ready, struct ready_lane *lane)
{
    leave(lane);
    ready_lane_settle(ready, lane);
    ready_side_changed(ready, lane->side);
}

void ready_lane_begin_turn(struct ready_lane *lane)
{
    int64_t weight = lane->tenant->weight;

    if (lane->deficit == 0 || lane->deficit > weight) { /* the latter: it was lowered */
        lane->deficit = weight;
    }
}

void ready_lane_charge(struct ready_lane *lane)
{
    if (!ready_lane_in_ring(lane)) {
        return;
    }
    lane->deficit -= lane->deficit > 0 ? 1 : 0;
    if (lane->deficit == 0) {
        list_remove(&lane->link);
        list_push_back(&lane->side->ring, &lane->link);
    }
}
