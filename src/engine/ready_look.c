#include "engine/ready_look.h"

#include "base/idmap.h"
#include "engine/ready_internal.h"

/* As base/heap has it. */
#define HEAP_ARITY 4

static const struct ready_pair *find_pair(const struct ready *ready, struct str tenant, struct str type)
{
    const struct ready_domain *of_tenant = ready_domain_find(ready, SCOPE_TENANT, tenant);
    const struct ready_domain *of_type = ready_domain_find(ready, SCOPE_TYPE, type);

    if (of_tenant == NULL || of_type == NULL) {
        return NULL;
    }
    struct ready_key key = {of_tenant->number, of_type->number};
    struct map_node *node = map_find_text(&ready->domains[SCOPE_TENANT_TYPE], ready_key_text(&key));

    return node != NULL ? CONTAINER_OF(node, struct ready_pair, domain.node) : NULL;
}

static size_t entries_of(const struct ready_domain *domain)
{
    return domain->scope == SCOPE_POOL ? CONTAINER_OF_CONST(domain, struct ready_pool, domain)->count : domain->entries;
}

size_t ready_look_count(const struct ready *ready, enum scope scope, struct str tenant, struct str name,
                        int64_t *ret_running)
{
    const struct ready_domain *domain = NULL;

    if (scope == SCOPE_TENANT_TYPE) {
        const struct ready_pair *pair = find_pair(ready, tenant, name);

        domain = pair != NULL ? &pair->domain : NULL;
    } else {
        domain = ready_domain_find(ready, scope, name);
    }
    *ret_running = domain != NULL ? domain->gate.in_flight : 0;
    return domain != NULL ? entries_of(domain) : 0;
}

/* Entries of a bucket that became due before an instant. No entry is due before its parent in the heap, so that only
 * those that count are looked at, and their children. */
// NOLINTNEXTLINE(misc-no-recursion): as deep as the heap
static size_t count_before(const struct heap *heap, size_t index, int64_t before_ms, size_t max)
{
    size_t count = 0;

    if (index >= heap->count || max == 0 ||
        CONTAINER_OF_CONST(heap_at(heap, index), struct ready_entry, node)->due_ms >= before_ms) {
        return 0;
    }
    count = 1;
    for (size_t child = index * HEAP_ARITY + 1; child <= index * HEAP_ARITY + HEAP_ARITY && count < max; child++) {
        count += count_before(heap, child, before_ms, max - count);
    }
    return count;
}

/* What stands in a strand: its oldest, and how many of it became due before an instant. */
static void look_at_strand(const struct ready_strand *strand, int64_t before_ms, size_t max,
                           struct ready_pool_look *look)
{
    for (size_t i = 0; i < READY_PRIORITIES; i++) {
        const struct heap *entries = strand->buckets[i] != NULL ? &strand->buckets[i]->entries : NULL;

        if (entries == NULL || entries->count == 0) {
            continue;
        }
        int64_t due_ms = CONTAINER_OF_CONST(heap_first(entries), struct ready_entry, node)->due_ms;

        look->oldest_ms = due_ms < look->oldest_ms ? due_ms : look->oldest_ms;
        look->before += count_before(entries, 0, before_ms, max > look->before ? max - look->before : 0);
    }
}

int64_t ready_look_oldest(const struct ready *ready, struct str pool, int64_t before_ms, size_t scan_max,
                          size_t *ret_before)
{
    struct ready_pool_look look = {.oldest_ms = INT64_MAX};
    size_t looked_at = 0;

    for (struct map_node *node = map_first(&ready->strands); node != NULL && looked_at < scan_max;
         node = map_next(&ready->strands, node), looked_at++) {
        const struct ready_strand *strand = CONTAINER_OF_CONST(node, struct ready_strand, node);

        if (strand->count > 0 && (str_empty(pool) || str_equal(pool, strand->lane->pool->domain.name))) {
            look_at_strand(strand, before_ms, scan_max, &look);
        }
    }
    *ret_before = look.before;
    return look.oldest_ms;
}

void ready_look_pools(const struct ready *ready, struct ready_pool_look *looks, size_t count, int64_t before_ms,
                      size_t scan_max)
{
    size_t looked_at = 0, left = scan_max;
    struct idmap by_pool;

    idmap_init(&by_pool, 0);
    for (size_t i = 0; i < count; i++) {
        const struct ready_domain *domain = ready_domain_find(ready, SCOPE_POOL, looks[i].name);

        looks[i].oldest_ms = INT64_MAX;
        looks[i].before = 0;
        if (domain != NULL) {
            idmap_put(&by_pool, (uintptr_t)domain, &looks[i]);
        }
    }
    for (struct map_node *node = map_first(&ready->strands); node != NULL && looked_at < scan_max;
         node = map_next(&ready->strands, node), looked_at++) {
        const struct ready_strand *strand = CONTAINER_OF_CONST(node, struct ready_strand, node);
        struct ready_pool_look *look =
            strand->count > 0 ? idmap_find(&by_pool, (uintptr_t)&strand->lane->pool->domain) : NULL;

        if (look != NULL) {
            size_t before = look->before;

            look_at_strand(strand, before_ms, before + left, look);
            left -= look->before - before;
        }
    }
    idmap_done(&by_pool);
}

bool ready_look_next(const struct ready *ready, enum scope scope, const void **pos, struct str *ret_name,
                     size_t *ret_ready, int64_t *ret_running)
{
    const struct map *map = &ready->domains[scope];
    const struct map_node *node = *pos;

    for (node = node == NULL ? map_first(map) : map_next(map, node); node != NULL; node = map_next(map, node)) {
        const struct ready_domain *domain = CONTAINER_OF_CONST(node, struct ready_domain, node);

        if (entries_of(domain) > 0 || domain->gate.in_flight > 0) {
            *pos = node;
            *ret_name = domain->name;
            *ret_ready = entries_of(domain);
            *ret_running = domain->gate.in_flight;
            return true;
        }
    }
    return false;
}

bool ready_look_circuit(const struct ready *ready, const void **pos, struct ready_circuit *ret_circuit)
{
    const struct map *map = &ready->domains[SCOPE_TENANT_TYPE];
    const struct map_node *node = *pos;

    for (node = node == NULL ? map_first(map) : map_next(map, node); node != NULL; node = map_next(map, node)) {
        const struct ready_pair *pair = CONTAINER_OF_CONST(node, struct ready_pair, domain.node);

        if (pair->has_breaker && pair->breaker.state != BREAKER_CLOSED) {
            *pos = node;
            *ret_circuit = (struct ready_circuit){.tenant = pair->tenant->domain.name,
                                                  .type = pair->type->domain.name,
                                                  .state = pair->breaker.state,
                                                  .open_until_ms = pair->breaker.open_until_ms};
            return true;
        }
    }
    return false;
}
