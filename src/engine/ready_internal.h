/* ready_internal: the parts of the ready queue, for its own files only.
 *
 *     domain   what one gate governs: a tenant, a pool, a type, or a pair (type within a tenant, with its breaker)
 *     side     a pool's part for one kind of targets
 *     lane     a tenant on a side            strand   a type in a lane, with up to five buckets
 *     queue    a type on a side: the strands there that wait at the type's gate
 *
 * Who waits where: lanes at their tenant's gate, strands at their pair's gate or in their queue; a pool that refuses
 * just gives nothing. A tenant or a pair has one waiter in each pool at most, so all are woken when it opens. A type
 * may have one for each tenant, so its queues wake as many as there is room: rule 6 of engine/ready.h.
 *
 * A strand that its queue woke is the leader of its lane: the room is kept for it until the lane's turn comes. It leads
 * only as long as it is what the lane would start next, and the lane is in its ring; otherwise the room goes to the
 * next in the queue. So a chance is never held by who cannot use it soon.
 *
 * Functions that open or close something leave queues in ready->hungry; ready_feed_all works them off. Every entry
 * point of engine/ready.h ends with it.
 */
#ifndef ENGINE_READY_INTERNAL_H
#define ENGINE_READY_INTERNAL_H

#include "base/list.h"
#include "base/map.h"
#include "engine/gate.h"
#include "engine/ready.h"
#include "engine/wheel.h"

#define READY_PRIORITIES 5

/* Numbers of two domains (or of a lane and a type) as the bytes of a map's key. */
struct ready_key {
    uint64_t a, b;
};

struct ready_domain {
    struct map_node node; /* in ready->domains[scope], by name; pairs by key */
    enum scope scope;
    uint64_t number;      /* never used again for another */
    struct ready_key key; /* pairs: numbers of tenant and type */
    char *text;           /* owned; NULL in pairs */
    struct str name;      /* that text; a pair's is its type's */
    size_t users;         /* lanes, strands, queues and pairs that point here */
    size_t entries;       /* that stand in buckets of this tenant, type or pair; a pool has its count */
    bool is_set;          /* an operator's settings keep it */
    struct gate gate;
    struct wheel_node timer; /* when to look at it again */
    struct list_node limiter_link;
};

struct ready_tenant {
    struct ready_domain domain; /* gate.waiters: lanes */
    int64_t weight;
};

struct ready_side {
    struct ready_pool *pool;
    enum job_target target;
    struct list ring; /* of lanes */
    struct list_node changed_link;
};

struct ready_pool {
    struct ready_domain domain;
    struct ready_side sides[READY_TARGETS];
    size_t count;    /* entries, of all sides */
    bool is_refused; /* its gate refused a pick: tell when it opens */
};

/* Where breaker numbers may be set. */
struct ready_breaking {
    bool is_set;
    struct breaker_settings settings;
};

struct ready_type {
    struct ready_domain domain; /* gate.waiters: queues that have waiters */
    struct ready_breaking breaking;
    struct list pairs;
};

struct ready_pair {
    struct ready_domain domain; /* gate.waiters: strands */
    struct ready_tenant *tenant;
    struct ready_type *type;
    struct list_node link; /* in type->pairs */
    struct ready_breaking breaking;
    bool has_breaker; /* false for READY_TYPE_NONE */
    struct breaker breaker;
    struct list_node circuit_link;
};

struct ready_queue {
    struct map_node node;
    struct ready_key key; /* numbers of side and type */
    struct ready_pool *pool;
    struct ready_type *type;
    size_t users;                 /* strands */
    struct list waiters;          /* strands, the longest waiting first */
    int64_t leaders;              /* strands it woke that lead their lanes */
    struct list_node type_link;   /* in type's gate.waiters while it has waiters */
    struct list_node hungry_link; /* in ready->hungry */
};

struct ready_lane {
    struct map_node node;
    struct ready_key key; /* numbers of side and tenant */
    uint64_t number;
    struct ready_side *side;
    struct ready_pool *pool; /* the side's */
    struct ready_tenant *tenant;
    size_t users;                       /* strands */
    struct heap open[READY_PRIORITIES]; /* buckets with entries whose strand does not wait, by their first entry */
    size_t open_count;                  /* buckets in all of them */
    struct ready_strand *leader;        /* NULL: none */
    int64_t deficit;                    /* starts left in this turn; 0 while it is not in the ring */
    struct list_node link;              /* in the ring, or in the tenant's gate.waiters */
    bool is_waiting;                    /* the latter */
};

enum ready_wait { READY_WAIT_NOT, READY_WAIT_PAIR, READY_WAIT_TYPE };

struct ready_strand {
    struct map_node node;
    struct ready_key key; /* numbers of lane and type */
    struct ready_lane *lane;
    struct ready_pair *pair;
    struct ready_queue *queue;
    struct ready_bucket *buckets[READY_PRIORITIES]; /* NULL where nobody needs one */
    size_t users;                                   /* buckets */
    size_t count;                                   /* entries */
    enum ready_wait wait;
    struct list_node link; /* in pair's gate.waiters or queue's waiters, as wait says */
};

struct ready_bucket {
    struct ready_strand *strand;
    int priority;
    size_t holds;
    struct heap entries;
    struct heap_node node;     /* in the lane's open heap */
    struct ready_bucket *base; /* of the same place with TARGET_NONE, held: who has the user. NULL: it is that one */
    void *user;
};

struct ready {
    int64_t now_ms; /* the latest that was heard of */
    struct wheel wheel;
    struct map domains[SCOPE_TENANT_TYPE + 1];
    struct map queues;
    struct map lanes;
    struct map strands;
    uint64_t last_number;
    size_t count;                      /* entries */
    const struct ready_strand *picked; /* whose gates have just let one through */
    struct ready_pool *asked;          /* that was last picked from; NULL */
    struct breaker_settings breaker_default;
    struct list changed_sides;
    struct list limiters; /* domains */
    struct list circuits; /* pairs */
    struct list hungry;   /* queues */
};

/* A side's number: one that no other side has. */
static inline uint64_t ready_side_number(const struct ready_side *side)
{
    return side->pool->domain.number * READY_TARGETS + (uint64_t)side->target;
}

static inline struct str ready_key_text(const struct ready_key *key)
{
    return str_from_bytes(key, sizeof *key);
}

/* ---- domains: ready_domain.c ---- */

struct ready_domain *ready_domain_find(const struct ready *ready, enum scope scope, struct str name); /* no pairs */
struct ready_domain *ready_domain_need(struct ready *ready, enum scope scope, struct str tenant, struct str name);
struct ready_pool *ready_pool_find(const struct ready *ready, struct str name);
struct ready_pair *ready_pair_need(struct ready *ready, struct ready_tenant *tenant, struct ready_type *type);

bool ready_domain_needed(const struct ready_domain *domain); /* has users or settings */

/* A user less; and the domain goes when it has none and nothing is to be remembered. */
void ready_domain_put(struct ready *ready, struct ready_domain *domain);
void ready_domain_tidy(struct ready *ready, struct ready_domain *domain);

/* Lets the timer come when time alone may change what the gate says to its waiters, or when it may be forgotten. */
void ready_domain_arm(struct ready *ready, struct ready_domain *domain);
void ready_domains_free(struct ready *ready);

static inline struct ready_tenant *ready_domain_tenant(struct ready_domain *domain)
{
    return CONTAINER_OF(domain, struct ready_tenant, domain);
}

static inline struct ready_pool *ready_domain_pool(struct ready_domain *domain)
{
    return CONTAINER_OF(domain, struct ready_pool, domain);
}

static inline struct ready_type *ready_domain_type(struct ready_domain *domain)
{
    return CONTAINER_OF(domain, struct ready_type, domain);
}

static inline struct ready_pair *ready_domain_pair(struct ready_domain *domain)
{
    return CONTAINER_OF(domain, struct ready_pair, domain);
}

/* ---- pairs and their breakers: ready_pair.c ---- */

const struct breaker_settings *ready_pair_breaking(const struct ready *ready, const struct ready_pair *pair);
bool ready_pair_allows(struct ready *ready, struct ready_pair *pair, int64_t *ret_clears_ms);
bool ready_pair_start(struct ready *ready, struct ready_pair *pair); /* whether it is a probe */
void ready_pair_result(struct ready *ready, struct ready_pair *pair, enum ready_outcome outcome, bool is_probe);
void ready_pair_breaking_changed(struct ready *ready, struct ready_pair *pair);
void ready_pair_changed(struct ready *ready, struct ready_pair *pair); /* its circuit is to be told */

/* ---- lanes: ready_lane.c ---- */

/* The bucket whose first entry the lane would start next; NULL. */
struct ready_bucket *ready_lane_top(const struct ready_lane *lane);

/* Brings a lane whose open buckets have changed where it belongs: into the ring, or out; its leader leads or not. */
void ready_lane_settle(struct ready *ready, struct ready_lane *lane);
bool ready_lane_in_ring(const struct ready_lane *lane);

/* Leading: see the top of this file. Whether the lane would start this strand's next; makes it lead; ends that. */
bool ready_lane_leads_with(const struct ready_lane *lane, const struct ready_strand *strand);
void ready_lane_lead(struct ready_lane *lane, struct ready_strand *strand);
void ready_lane_unlead(struct ready *ready, struct ready_lane *lane); /* does nothing where none leads */

/* To its tenant's gate, and back to the ring. */
void ready_lane_park(struct ready *ready, struct ready_lane *lane);
void ready_lane_wake(struct ready *ready, struct ready_lane *lane);

/* Deficit round robin (rule 2): what a turn brings, what a start costs. */
void ready_lane_begin_turn(struct ready_lane *lane);
void ready_lane_charge(struct ready_lane *lane);
void ready_side_changed(struct ready *ready, struct ready_side *side);

/* ---- strands: ready_strand.c ---- */

void ready_strand_park(struct ready *ready, struct ready_strand *strand, enum ready_wait wait);
void ready_strand_open(struct ready *ready, struct ready_strand *strand);

/* After an entry came in or went out. */
void ready_bucket_settle(struct ready *ready, struct ready_bucket *bucket);

/* ---- waking: ready_wake.c ---- */

/* Something that the gate asks about has changed: wakes who may go now. */
void ready_domain_wake(struct ready *ready, struct ready_domain *domain);
void ready_queue_hungry(struct ready *ready, struct ready_queue *queue);
void ready_feed_all(struct ready *ready);

/* Time has come to now_ms. */
void ready_clock(struct ready *ready, int64_t now_ms);

/* ---- places: ready_place.c ---- */

void ready_places_free(struct ready *ready);

#endif
