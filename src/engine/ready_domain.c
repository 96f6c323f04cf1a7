#include <assert.h>
#include <stddef.h>

#include "base/mem.h"
#include "engine/ready_internal.h"

/* However far ahead a gate's time lies, it is looked at once a day: the wheel's reach is finite, and no harm is done.
 */
#define LOOK_AGAIN_MS (INT64_C(24) * 3600 * 1000)

/* Domains are made and freed through a pointer to their first member. */
static_assert(offsetof(struct ready_tenant, domain) == 0, "the domain is the first member");
static_assert(offsetof(struct ready_pool, domain) == 0, "the domain is the first member");
static_assert(offsetof(struct ready_type, domain) == 0, "the domain is the first member");
static_assert(offsetof(struct ready_pair, domain) == 0, "the domain is the first member");

/* ---- making ---- */

static struct ready_domain *tenant_new(void)
{
    struct ready_tenant *tenant = mem_zalloc(sizeof *tenant);

    tenant->weight = 1;
    return &tenant->domain;
}

static struct ready_domain *pool_new(void)
{
    struct ready_pool *pool = mem_zalloc(sizeof *pool);

    for (size_t i = 0; i < READY_TARGETS; i++) {
        pool->sides[i].pool = pool;
        pool->sides[i].target = (enum job_target)i;
        list_init(&pool->sides[i].ring);
        list_node_init(&pool->sides[i].changed_link);
    }
    return &pool->domain;
}

static struct ready_domain *type_new(void)
{
    struct ready_type *type = mem_zalloc(sizeof *type);

    list_init(&type->pairs);
    return &type->domain;
}

static void domain_init(struct ready *ready, struct ready_domain *domain, enum scope scope)
{
    domain->scope = scope;
    domain->number = ++ready->last_number;
    gate_init(&domain->gate);
    wheel_node_init(&domain->timer);
    list_node_init(&domain->limiter_link);
}

static struct ready_domain *named_need(struct ready *ready, enum scope scope, struct str name)
{
    struct map_node *node = map_find_text(&ready->domains[scope], name);
    struct ready_domain *domain;

    if (node != NULL) {
        return CONTAINER_OF(node, struct ready_domain, node);
    }
    domain = scope == SCOPE_TENANT ? tenant_new() : scope == SCOPE_POOL ? pool_new() : type_new();
    domain_init(ready, domain, scope);
    domain->text = mem_strndup(name.ptr, name.len);
    domain->name = (struct str){domain->text, name.len};
    map_insert_text(&ready->domains[scope], &domain->node, domain->name);
    return domain;
}

static struct ready_key pair_key(const struct ready_tenant *tenant, const struct ready_type *type)
{
    return (struct ready_key){tenant->domain.number, type->domain.number};
}

struct ready_pair *ready_pair_need(struct ready *ready, struct ready_tenant *tenant, struct ready_type *type)
{
    struct ready_key key = pair_key(tenant, type);
    struct map_node *node = map_find_text(&ready->domains[SCOPE_TENANT_TYPE], ready_key_text(&key));
    struct ready_pair *pair;

    if (node != NULL) {
        return CONTAINER_OF(node, struct ready_pair, domain.node);
    }
    pair = mem_zalloc(sizeof *pair);
    domain_init(ready, &pair->domain, SCOPE_TENANT_TYPE);
    pair->domain.key = key;
    pair->domain.name = type->domain.name;
    pair->tenant = tenant;
    pair->type = type;
    pair->has_breaker = !str_is(type->domain.name, READY_TYPE_NONE);
    breaker_init(&pair->breaker);
    list_node_init(&pair->link);
    list_node_init(&pair->circuit_link);
    list_push_back(&type->pairs, &pair->link);
    tenant->domain.users++;
    type->domain.users++;
    map_insert_text(&ready->domains[SCOPE_TENANT_TYPE], &pair->domain.node, ready_key_text(&pair->domain.key));
    return pair;
}

struct ready_domain *ready_domain_need(struct ready *ready, enum scope scope, struct str tenant, struct str name)
{
    struct ready_domain *owner;

    if (scope != SCOPE_TENANT_TYPE) {
        return named_need(ready, scope, name);
    }
    owner = named_need(ready, SCOPE_TENANT, tenant);
    return &ready_pair_need(ready, ready_domain_tenant(owner), ready_domain_type(named_need(ready, SCOPE_TYPE, name)))
                ->domain;
}

struct ready_domain *ready_domain_find(const struct ready *ready, enum scope scope, struct str name)
{
    struct map_node *node = map_find_text(&ready->domains[scope], name);

    assert(scope != SCOPE_TENANT_TYPE);
    return node != NULL ? CONTAINER_OF(node, struct ready_domain, node) : NULL;
}

struct ready_pool *ready_pool_find(const struct ready *ready, struct str name)
{
    struct ready_domain *domain = ready_domain_find(ready, SCOPE_POOL, name);

    return domain != NULL ? ready_domain_pool(domain) : NULL;
}

/* ---- going ---- */

/* The timer may be in the list that ready_clock is working off, too. */
static void disarm(struct ready *ready, struct ready_domain *domain)
{
    wheel_remove(&ready->wheel, &domain->timer);
    list_remove(&domain->timer.link);
}

static void domain_free(struct ready *ready, struct ready_domain *domain)
{
    assert(domain->users == 0 && list_empty(&domain->gate.waiters));
    disarm(ready, domain);
    list_remove(&domain->limiter_link);
    map_remove(&ready->domains[domain->scope], &domain->node);
    for (size_t i = 0; domain->scope == SCOPE_POOL && i < READY_TARGETS; i++) {
        list_remove(&ready_domain_pool(domain)->sides[i].changed_link);
    }
    ready->asked = NULL;
    mem_free(domain->text);
    mem_free(domain);
}

/* From when on nothing is lost with a domain that nobody uses. */
static int64_t forgets_ms(const struct ready *ready, const struct ready_domain *domain)
{
    int64_t tat_ms = gate_tat_ms(&domain->gate);
    const struct ready_pair *pair;
    int64_t breaker_ms;

    if (domain->scope != SCOPE_TENANT_TYPE) {
        return tat_ms;
    }
    pair = CONTAINER_OF_CONST(domain, struct ready_pair, domain);
    if (list_linked(&pair->circuit_link)) {
        return READY_NEVER; /* not before it was taken */
    }
    breaker_ms = breaker_forgets_ms(&pair->breaker, ready_pair_breaking(ready, pair));
    return breaker_ms > tat_ms ? breaker_ms : tat_ms;
}

bool ready_domain_needed(const struct ready_domain *domain)
{
    return domain->users > 0 || domain->is_set;
}

/* Whether it is to go now; if it is only to go later, it is looked at again then. */
static bool may_go(struct ready *ready, struct ready_domain *domain)
{
    if (ready_domain_needed(domain)) {
        return false;
    }
    if (forgets_ms(ready, domain) <= ready->now_ms) {
        return true;
    }
    ready_domain_arm(ready, domain);
    return false;
}

/* One that no other domain points from. */
static void named_put(struct ready *ready, struct ready_domain *domain)
{
    domain->users--;
    if (may_go(ready, domain)) {
        domain_free(ready, domain);
    }
}

static void pair_free(struct ready *ready, struct ready_pair *pair)
{
    struct ready_tenant *tenant = pair->tenant;
    struct ready_type *type = pair->type;

    list_remove(&pair->link);
    list_remove(&pair->circuit_link);
    domain_free(ready, &pair->domain);
    named_put(ready, &tenant->domain);
    named_put(ready, &type->domain);
}

void ready_domain_tidy(struct ready *ready, struct ready_domain *domain)
{
    if (!may_go(ready, domain)) {
        return;
    }
    if (domain->scope == SCOPE_TENANT_TYPE) {
        pair_free(ready, ready_domain_pair(domain));
    } else {
        domain_free(ready, domain);
    }
}

void ready_domain_put(struct ready *ready, struct ready_domain *domain)
{
    assert(domain->users > 0);
    domain->users--;
    ready_domain_tidy(ready, domain);
}

void ready_domains_free(struct ready *ready)
{
    for (size_t scope = 0; scope <= SCOPE_TENANT_TYPE; scope++) {
        struct map *map = &ready->domains[scope];

        for (struct map_node *node = map_first(map), *next; node != NULL; node = next) {
            struct ready_domain *domain = CONTAINER_OF(node, struct ready_domain, node);

            next = map_next(map, node);
            mem_free(domain->text);
            mem_free(domain);
        }
        map_done(map);
    }
}

/* ---- timers ---- */

static int64_t look_again_ms(struct ready *ready, struct ready_domain *domain)
{
    int64_t clears_ms = READY_NEVER;
    bool is_open = true;

    if (!ready_domain_needed(domain)) {
        return forgets_ms(ready, domain);
    }
    switch (domain->scope) {
    case SCOPE_POOL:
        is_open = !ready_domain_pool(domain)->is_refused || gate_allows(&domain->gate, ready->now_ms, &clears_ms);
        break;
    case SCOPE_TENANT:
        is_open = list_empty(&domain->gate.waiters) || gate_allows(&domain->gate, ready->now_ms, &clears_ms);
        break;
    case SCOPE_TENANT_TYPE:
        is_open = list_empty(&domain->gate.waiters) || ready_pair_allows(ready, ready_domain_pair(domain), &clears_ms);
        break;
    case SCOPE_TYPE:
        is_open = list_empty(&domain->gate.waiters);
        clears_ms = is_open ? READY_NEVER : gate_grows_ms(&domain->gate, ready->now_ms);
        break;
    }
    return is_open ? READY_NEVER : clears_ms;
}

void ready_domain_arm(struct ready *ready, struct ready_domain *domain)
{
    int64_t due_ms = look_again_ms(ready, domain);

    if (due_ms == READY_NEVER) {
        disarm(ready, domain);
        return;
    }
    if (due_ms > ready->now_ms + LOOK_AGAIN_MS) {
        due_ms = ready->now_ms + LOOK_AGAIN_MS;
    }
    if (!wheel_linked(&domain->timer) || domain->timer.due_ms != due_ms) {
        disarm(ready, domain);
        wheel_add(&ready->wheel, &domain->timer, due_ms);
    }
}
