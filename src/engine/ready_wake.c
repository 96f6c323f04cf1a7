#include <assert.h>

#include "engine/bug.h"
#include "engine/ready_internal.h"

void ready_queue_hungry(struct ready *ready, struct ready_queue *queue)
{
    if (!list_linked(&queue->hungry_link)) {
        list_push_back(&ready->hungry, &queue->hungry_link);
    }
}

/* Rule 6: wakes as many as there is room for, the longest waiting first. */
static void feed(struct ready *ready, struct ready_queue *queue)
{
    struct ready_domain *domain = &queue->type->domain;
    int64_t room = gate_room(&domain->gate, ready->now_ms);
    struct list_node *link;

    while (queue->leaders < room && (link = list_first(&queue->waiters)) != NULL) {
        struct ready_strand *strand = CONTAINER_OF(link, struct ready_strand, link);

        ready_strand_open(ready, strand);
        if (ready_lane_leads_with(strand->lane, strand)) {
            ready_lane_lead(strand->lane, strand);
        }
    }
    if (!list_empty(&queue->waiters)) {
        ready_domain_arm(ready, domain);
    }
}

void ready_feed_all(struct ready *ready)
{
    for (struct list_node *link; (link = list_pop_front(&ready->hungry)) != NULL;) {
        feed(ready, CONTAINER_OF(link, struct ready_queue, hungry_link));
    }
}

/* ---- gates that open ---- */

static void wake_lanes(struct ready *ready, struct list *waiters)
{
    for (struct list_node *link; (link = list_first(waiters)) != NULL;) {
        ready_lane_wake(ready, CONTAINER_OF(link, struct ready_lane, link));
    }
}

static void wake_strands(struct ready *ready, struct list *waiters)
{
    for (struct list_node *link; (link = list_first(waiters)) != NULL;) {
        ready_strand_open(ready, CONTAINER_OF(link, struct ready_strand, link));
    }
}

static void wake_queues(struct ready *ready, struct list *waiters)
{
    for (struct list_node *link = list_first(waiters); link != NULL; link = list_next(waiters, link)) {
        ready_queue_hungry(ready, CONTAINER_OF(link, struct ready_queue, type_link));
    }
}

static void wake_pool(struct ready *ready, struct ready_pool *pool)
{
    int64_t clears_ms;

    if (!pool->is_refused) {
        return;
    }
    if (gate_allows(&pool->domain.gate, ready->now_ms, &clears_ms)) {
        pool->is_refused = false;
        for (size_t i = 0; i < READY_TARGETS; i++) {
            if (i == TARGET_NONE || !list_empty(&pool->sides[i].ring)) {
                ready_side_changed(ready, &pool->sides[i]);
            }
        }
    }
    ready_domain_arm(ready, &pool->domain);
}

void ready_domain_wake(struct ready *ready, struct ready_domain *domain)
{
    struct list *waiters = &domain->gate.waiters;
    int64_t clears_ms;

    if (BUG(WAKE_LOST)) {
        return;
    }
    if (domain->scope == SCOPE_POOL) {
        wake_pool(ready, ready_domain_pool(domain));
        return;
    }
    if (list_empty(waiters)) {
        return;
    }
    if (domain->scope == SCOPE_TYPE) {
        wake_queues(ready, waiters);
        return;
    }
    if (domain->scope == SCOPE_TENANT && gate_allows(&domain->gate, ready->now_ms, &clears_ms)) {
        wake_lanes(ready, waiters);
    } else if (domain->scope == SCOPE_TENANT_TYPE && ready_pair_allows(ready, ready_domain_pair(domain), &clears_ms)) {
        wake_strands(ready, waiters);
    }
    ready_domain_arm(ready, domain);
}

void ready_clock(struct ready *ready, int64_t now_ms)
{
    struct list due;

    assert(now_ms >= ready->now_ms); /* time never goes back */
    ready->now_ms = now_ms;
    if (ready->wheel.now_ms == now_ms && !wheel_has_overdue(&ready->wheel)) {
        return;
    }
    list_init(&due);
    (void)wheel_advance(&ready->wheel, now_ms, SIZE_MAX, &due);
    for (struct list_node *link; (link = list_pop_front(&due)) != NULL;) {
        struct wheel_node *timer = CONTAINER_OF(link, struct wheel_node, link);
        struct ready_domain *domain = CONTAINER_OF(timer, struct ready_domain, timer);

        if (ready_domain_needed(domain)) {
            ready_domain_wake(ready, domain);
        } else {
            ready_domain_tidy(ready, domain);
        }
    }
    ready_feed_all(ready);
}
