#include "engine/ready.h"

#include <assert.h>

#include "base/mem.h"
#include "engine/ready_internal.h"

struct ready *ready_new(uint64_t seed)
{
    struct ready *ready = mem_zalloc(sizeof *ready);

    wheel_init(&ready->wheel, 0);
    for (size_t scope = 0; scope <= SCOPE_TENANT_TYPE; scope++) {
        map_init(&ready->domains[scope], MAP_KEYS_TEXT, seed);
    }
    map_init(&ready->queues, MAP_KEYS_TEXT, seed);
    map_init(&ready->lanes, MAP_KEYS_TEXT, seed);
    map_init(&ready->strands, MAP_KEYS_TEXT, seed);
    ready->breaker_default = breaker_settings_default();
    list_init(&ready->changed_sides);
    list_init(&ready->limiters);
    list_init(&ready->circuits);
    list_init(&ready->hungry);
    return ready;
}

void ready_free(struct ready *ready)
{
    if (ready == NULL) {
        return;
    }
    ready_places_free(ready);
    ready_domains_free(ready);
    mem_free(ready);
}

/* ---- entries ---- */

/* One more, or one less. */
static void count_entry(struct ready *ready, struct ready_strand *strand, size_t change)
{
    strand->count += change;
    strand->lane->pool->count += change;
    strand->lane->tenant->domain.entries += change;
    strand->pair->type->domain.entries += change;
    strand->pair->domain.entries += change;
    ready->count += change;
}

void ready_add(struct ready *ready, struct ready_bucket *bucket, struct ready_entry *entry, int64_t due_ms, uint64_t id)
{
    struct ready_strand *strand = bucket->strand;

    assert(bucket->holds > 0);
    entry->bucket = bucket;
    entry->due_ms = due_ms;
    entry->id = id;
    heap_push(&bucket->entries, &entry->node);
    count_entry(ready, strand, 1);
    if (heap_first(&bucket->entries) == &entry->node) {
        ready_bucket_settle(ready, bucket);
        ready_feed_all(ready);
    }
    if (strand->wait == READY_WAIT_NOT && ready_lane_in_ring(strand->lane)) {
        ready_side_changed(ready, strand->lane->side);
    }
}

/* Out of its bucket, and the bucket where it belongs then. */
static void take_out(struct ready *ready, struct ready_entry *entry)
{
    struct ready_bucket *bucket = entry->bucket;
    bool was_first = heap_first(&bucket->entries) == &entry->node;

    heap_remove(&bucket->entries, &entry->node);
    count_entry(ready, bucket->strand, (size_t)-1);
    if (was_first) {
        ready_bucket_settle(ready, bucket);
    }
}

void ready_remove(struct ready *ready, struct ready_entry *entry)
{
    if (ready_linked(entry)) {
        take_out(ready, entry);
        ready_feed_all(ready);
    }
}

/* ---- picking ---- */

/* The type's room is for those that its queue woke before it is for others. */
static bool type_allows(const struct ready *ready, const struct ready_strand *strand)
{
    int64_t room = gate_room(&strand->pair->type->domain.gate, ready->now_ms);

    return room > 0 && (strand->lane->leader == strand || strand->queue->leaders < room);
}

/* The lane's next entry if all gates behind the pool's let it through; otherwise what was refused has been parked. */
static struct ready_entry *try_lane(struct ready *ready, struct ready_lane *lane)
{
    struct ready_bucket *bucket = ready_lane_top(lane);
    struct ready_strand *strand = bucket->strand;
    int64_t clears_ms;

    if (!gate_allows(&lane->tenant->domain.gate, ready->now_ms, &clears_ms)) {
        ready_lane_park(ready, lane);
        return NULL;
    }
    if (!ready_pair_allows(ready, strand->pair, &clears_ms)) {
        ready_strand_park(ready, strand, READY_WAIT_PAIR);
        return NULL;
    }
    if (!type_allows(ready, strand)) {
        ready_strand_park(ready, strand, READY_WAIT_TYPE);
        return NULL;
    }
    ready_lane_begin_turn(lane);
    return CONTAINER_OF(heap_first(&bucket->entries), struct ready_entry, node);
}

/* Who asks mostly asks the same pool again. */
static struct ready_pool *recall_pool(struct ready *ready, struct str name)
{
    if (ready->asked == NULL || !str_equal(name, ready->asked->domain.name)) {
        ready->asked = ready_pool_find(ready, name);
    }
    return ready->asked;
}

struct ready_entry *ready_pick(struct ready *ready, struct str pool_name, enum job_target target, int64_t now_ms)
{
    struct ready_pool *pool;
    struct ready_entry *entry = NULL;
    struct list_node *link;
    int64_t clears_ms;

    ready_clock(ready, now_ms);
    pool = recall_pool(ready, pool_name);
    if (pool == NULL) {
        return NULL;
    }
    if (!gate_allows(&pool->domain.gate, now_ms, &clears_ms)) {
        pool->is_refused = true;
        ready_domain_arm(ready, &pool->domain);
        return NULL;
    }
    while (entry == NULL && (link = list_first(&pool->sides[target].ring)) != NULL) {
        entry = try_lane(ready, CONTAINER_OF(link, struct ready_lane, link));
        ready_feed_all(ready);
    }
    ready->picked = entry != NULL ? entry->bucket->strand : NULL;
    return entry;
}

/* ---- starting and ending ---- */

static void charge(struct ready *ready, struct ready_domain *domain)
{
    if (!gate_start(&domain->gate, ready->now_ms)) {
        return;
    }
    if (!list_linked(&domain->limiter_link)) {
        list_push_back(&ready->limiters, &domain->limiter_link);
    }
    if (!list_empty(&domain->gate.waiters)) {
        ready_domain_arm(ready, domain); /* a full burst does not grow; one that was drawn from does */
    }
}

bool ready_start(struct ready *ready, struct ready_entry *entry, int64_t now_ms)
{
    struct ready_strand *strand = entry->bucket->strand;
    struct ready_lane *lane = strand->lane;
    bool is_probe;

    assert(ready_linked(entry) && strand == ready->picked);
    ready->picked = NULL;
    ready_clock(ready, now_ms);
    if (lane->leader == strand) {
        ready_lane_unlead(ready, lane);
    }
    take_out(ready, entry);
    ready_lane_charge(lane);
    charge(ready, &lane->pool->domain);
    charge(ready, &lane->tenant->domain);
    charge(ready, &strand->pair->type->domain);
    charge(ready, &strand->pair->domain);
    is_probe = ready_pair_start(ready, strand->pair);
    ready_feed_all(ready);
    return is_probe;
}

void ready_end(struct ready *ready, struct ready_bucket *bucket, enum ready_outcome outcome, bool is_probe,
               int64_t now_ms)
{
    struct ready_strand *strand = bucket->strand;
    struct ready_domain *domains[] = {&strand->lane->pool->domain, &strand->lane->tenant->domain,
                                      &strand->pair->type->domain, &strand->pair->domain};

    ready_clock(ready, now_ms);
    ready_pair_result(ready, strand->pair, outcome, is_probe);
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) {
        gate_end(&domains[i]->gate);
    }
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) {
        ready_domain_wake(ready, domains[i]);
    }
    ready_feed_all(ready);
}

void ready_recount(struct ready *ready, struct ready_bucket *bucket)
{
    struct ready_strand *strand = bucket->strand;

    (void)ready;
    gate_recount(&strand->lane->pool->domain.gate);
    gate_recount(&strand->lane->tenant->domain.gate);
    gate_recount(&strand->pair->type->domain.gate);
    gate_recount(&strand->pair->domain.gate);
}

bool ready_recount_probe(struct ready *ready, struct ready_bucket *bucket)
{
    struct breaker *breaker = &bucket->strand->pair->breaker;

    (void)ready;
    if (breaker->state != BREAKER_HALF_OPEN || breaker->is_probing) {
        return false;
    }
    breaker->is_probing = true;
    return true;
}

void ready_late_result(struct ready *ready, struct ready_bucket *bucket, enum ready_outcome outcome, int64_t now_ms)
{
    ready_clock(ready, now_ms);
    ready_pair_result(ready, bucket->strand->pair, outcome, false);
}

/* ---- time, and what it brought ---- */

void ready_advance(struct ready *ready, int64_t now_ms)
{
    ready_clock(ready, now_ms);
}

int64_t ready_next_ms(const struct ready *ready)
{
    int64_t next_ms = wheel_next_ms(&ready->wheel);

    return next_ms == WHEEL_NEVER ? READY_NEVER : next_ms;
}

bool ready_take_changed_pool(struct ready *ready, struct str *ret_pool, enum job_target *ret_target)
{
    struct list_node *link = list_pop_front(&ready->changed_sides);
    const struct ready_side *side;

    if (link == NULL) {
        return false;
    }
    side = CONTAINER_OF(link, struct ready_side, changed_link);
    *ret_pool = side->pool->domain.name;
    *ret_target = side->target;
    return true;
}

void ready_return_changed_pool(struct ready *ready, struct str pool, enum job_target target)
{
    struct ready_pool *found = ready_pool_find(ready, pool);

    if (found != NULL) {
        ready_side_changed(ready, &found->sides[target]);
    }
}

/* ---- figures ---- */

size_t ready_count(const struct ready *ready)
{
    return ready->count;
}

size_t ready_pool_count(const struct ready *ready, struct str pool)
{
    const struct ready_pool *found = ready_pool_find(ready, pool);

    return found != NULL ? found->count : 0;
}

int64_t ready_in_flight(const struct ready *ready, enum scope scope, struct str name)
{
    const struct ready_domain *domain = ready_domain_find(ready, scope, name);

    return domain != NULL ? domain->gate.in_flight : 0;
}
