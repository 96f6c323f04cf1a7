#include "engine/ready_internal.h"

/* What is counted on the way, to be compared with what the structs say. */
struct census {
    size_t entries;
    size_t lanes, strands, queues, pairs;
    int64_t leaders;
    size_t users[SCOPE_TENANT_TYPE + 1];
    int64_t in_flight[SCOPE_TENANT_TYPE + 1];
    size_t scope_entries[SCOPE_TENANT_TYPE + 1];
};

/* ---- lanes and strands: rules 1 and 2 ---- */

static bool bucket_valid(const struct ready_bucket *bucket)
{
    bool has_entries = heap_count(&bucket->entries) > 0;
    bool is_shown = heap_linked(&bucket->node);

    return bucket->holds > 0 && heap_valid(&bucket->entries) &&
           is_shown == (has_entries && bucket->strand->wait == READY_WAIT_NOT);
}

static bool strand_valid(const struct ready_strand *strand, struct census *census)
{
    size_t entries = 0;
    size_t buckets = 0;

    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        const struct ready_bucket *bucket = strand->buckets[i];

        if (bucket == NULL) {
            continue;
        }
        if (bucket->strand != strand || bucket->priority != (int)i + 1 || !bucket_valid(bucket)) {
            return false;
        }
        entries += heap_count(&bucket->entries);
        buckets++;
    }
    census->entries += entries;
    census->strands++;
    return entries == strand->count && buckets == strand->users && buckets > 0 &&
           list_linked(&strand->link) == (strand->wait != READY_WAIT_NOT) &&
           (strand->wait == READY_WAIT_NOT || strand->count > 0);
}

static bool lane_valid(const struct ready_lane *lane, struct census *census)
{
    size_t open_count = 0;

    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        if (!heap_valid(&lane->open[i])) {
            return false;
        }
        open_count += heap_count(&lane->open[i]);
    }
    census->lanes++;
    census->leaders += lane->leader != NULL ? 1 : 0;
    if (open_count != lane->open_count || list_linked(&lane->link) != (open_count > 0)) {
        return false;
    }
    if (lane->leader != NULL && !ready_lane_leads_with(lane, lane->leader)) {
        return false;
    }
    return lane->users > 0 && lane->deficit >= 0 && (lane->deficit == 0 || ready_lane_in_ring(lane)) &&
           (!lane->is_waiting || open_count > 0);
}

/* ---- gates and who waits at them: rule 6 ---- */

static bool queue_valid(const struct ready *ready, const struct ready_queue *queue, struct census *census)
{
    int64_t room = gate_room(&queue->type->domain.gate, ready->now_ms);

    census->queues++;
    census->leaders -= queue->leaders;
    for (struct list_node *link = list_first(&queue->waiters); link != NULL; link = list_next(&queue->waiters, link)) {
        const struct ready_strand *strand = CONTAINER_OF_CONST(link, struct ready_strand, link);

        if (strand->wait != READY_WAIT_TYPE || strand->queue != queue) {
            return false;
        }
    }
    if (list_linked(&queue->type_link) == list_empty(&queue->waiters) || list_linked(&queue->hungry_link)) {
        return false;
    }
    return queue->users > 0 && queue->leaders >= 0 && (list_empty(&queue->waiters) || queue->leaders >= room);
}

static bool strands_wait(const struct ready_pair *pair)
{
    const struct list *waiters = &pair->domain.gate.waiters;

    for (struct list_node *link = list_first(waiters); link != NULL; link = list_next(waiters, link)) {
        const struct ready_strand *strand = CONTAINER_OF_CONST(link, struct ready_strand, link);

        if (strand->wait != READY_WAIT_PAIR || strand->pair != pair) {
            return false;
        }
    }
    return true;
}

static bool lanes_wait(const struct ready_domain *tenant)
{
    const struct list *waiters = &tenant->gate.waiters;

    for (struct list_node *link = list_first(waiters); link != NULL; link = list_next(waiters, link)) {
        const struct ready_lane *lane = CONTAINER_OF_CONST(link, struct ready_lane, link);

        if (!lane->is_waiting || &lane->tenant->domain != tenant) {
            return false;
        }
    }
    return true;
}

/* A gate that time will open has its timer set. */
static bool will_be_woken(const struct ready *ready, const struct ready_domain *domain, int64_t clears_ms)
{
    return clears_ms == READY_NEVER ||
           (clears_ms > ready->now_ms && wheel_linked(&domain->timer) && domain->timer.due_ms <= clears_ms);
}

static bool pair_waits(const struct ready *ready, const struct ready_pair *pair)
{
    struct breaker breaker = pair->breaker;
    int64_t gate_ms = INT64_MIN;
    int64_t breaker_ms = INT64_MIN;
    bool gate_lets = gate_allows(&pair->domain.gate, ready->now_ms, &gate_ms);

    if (breaker_allows(&breaker, ready->now_ms, &breaker_ms) && gate_lets) {
        return false;
    }
    return strands_wait(pair) && will_be_woken(ready, &pair->domain, gate_ms > breaker_ms ? gate_ms : breaker_ms);
}

/* Who waits does so at a closed gate, or behind one that was woken. */
static bool waiters_valid(const struct ready *ready, const struct ready_domain *domain)
{
    int64_t clears_ms;

    if (domain->scope == SCOPE_POOL) {
        const struct ready_pool *pool = CONTAINER_OF_CONST(domain, struct ready_pool, domain);

        return !pool->is_refused || gate_allows(&domain->gate, ready->now_ms, &clears_ms) ||
               will_be_woken(ready, domain, clears_ms);
    }
    if (list_empty(&domain->gate.waiters)) {
        return true;
    }
    if (domain->scope == SCOPE_TYPE) {
        return will_be_woken(ready, domain, gate_grows_ms(&domain->gate, ready->now_ms));
    }
    if (domain->scope == SCOPE_TENANT_TYPE) {
        return pair_waits(ready, CONTAINER_OF_CONST(domain, struct ready_pair, domain));
    }
    return !gate_allows(&domain->gate, ready->now_ms, &clears_ms) && lanes_wait(domain) &&
           will_be_woken(ready, domain, clears_ms);
}

static bool ring_valid(const struct ready_side *side)
{
    for (struct list_node *link = list_first(&side->ring); link != NULL; link = list_next(&side->ring, link)) {
        const struct ready_lane *lane = CONTAINER_OF_CONST(link, struct ready_lane, link);

        if (lane->side != side || lane->pool != side->pool || lane->is_waiting) {
            return false;
        }
    }
    return true;
}

static bool domain_valid(const struct ready *ready, const struct ready_domain *domain, struct census *census)
{
    census->users[domain->scope] += domain->users;
    census->in_flight[domain->scope] += domain->gate.in_flight;
    census->scope_entries[domain->scope] += domain->entries;
    census->pairs += domain->scope == SCOPE_TENANT_TYPE ? 1 : 0;
    if (domain->scope == SCOPE_POOL) {
        const struct ready_pool *pool = CONTAINER_OF_CONST(domain, struct ready_pool, domain);

        census->scope_entries[SCOPE_POOL] += pool->count;
        for (size_t i = 0; i < READY_TARGETS; i++) {
            if (!ring_valid(&pool->sides[i])) {
                return false;
            }
        }
    }
    return gate_valid(&domain->gate) && waiters_valid(ready, domain);
}

/* ---- all of it ---- */

static bool places_valid(const struct ready *ready, struct census *census)
{
    for (struct map_node *node = map_first(&ready->strands); node != NULL; node = map_next(&ready->strands, node)) {
        if (!strand_valid(CONTAINER_OF_CONST(node, struct ready_strand, node), census)) {
            return false;
        }
    }
    for (struct map_node *node = map_first(&ready->lanes); node != NULL; node = map_next(&ready->lanes, node)) {
        if (!lane_valid(CONTAINER_OF_CONST(node, struct ready_lane, node), census)) {
            return false;
        }
    }
    for (struct map_node *node = map_first(&ready->queues); node != NULL; node = map_next(&ready->queues, node)) {
        if (!queue_valid(ready, CONTAINER_OF_CONST(node, struct ready_queue, node), census)) {
            return false;
        }
    }
    return map_valid(&ready->strands) && map_valid(&ready->lanes) && map_valid(&ready->queues);
}

static bool domains_valid(const struct ready *ready, struct census *census)
{
    for (size_t scope = 0; scope <= SCOPE_TENANT_TYPE; scope++) {
        const struct map *map = &ready->domains[scope];

        for (struct map_node *node = map_first(map); node != NULL; node = map_next(map, node)) {
            const struct ready_domain *domain = CONTAINER_OF_CONST(node, struct ready_domain, node);

            if (domain->scope != scope || !domain_valid(ready, domain, census)) {
                return false;
            }
        }
        if (!map_valid(map)) {
            return false;
        }
    }
    return true;
}

static bool census_agrees(const struct ready *ready, const struct census *census)
{
    for (size_t scope = 1; scope <= SCOPE_TENANT_TYPE; scope++) {
        if (census->in_flight[scope] != census->in_flight[0] || census->scope_entries[scope] != ready->count) {
            return false;
        }
    }
    return census->entries == ready->count && census->scope_entries[0] == ready->count && census->leaders == 0 &&
           census->users[SCOPE_TENANT] == census->lanes + census->pairs &&
           census->users[SCOPE_POOL] == census->lanes + census->queues &&
           census->users[SCOPE_TYPE] == census->queues + census->pairs &&
           census->users[SCOPE_TENANT_TYPE] == census->strands;
}

bool ready_valid(const struct ready *ready, int64_t now_ms)
{
    struct census census = {0};

    return now_ms >= ready->now_ms && list_empty(&ready->hungry) && wheel_valid(&ready->wheel) &&
           places_valid(ready, &census) && domains_valid(ready, &census) && census_agrees(ready, &census);
}
