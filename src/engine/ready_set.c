#include <assert.h>

#include "engine/ready_internal.h"

/* ---- what an operator set ---- */

static void set_breaking(struct ready_breaking *breaking, const struct settings *settings)
{
    breaking->is_set = settings->has_breaker;
    breaking->settings = settings->breaker;
}

static void set_type(struct ready *ready, struct ready_type *type, const struct settings *settings)
{
    set_breaking(&type->breaking, settings);
    for (struct list_node *link = list_first(&type->pairs); link != NULL; link = list_next(&type->pairs, link)) {
        ready_pair_breaking_changed(ready, CONTAINER_OF(link, struct ready_pair, link));
    }
}

static void set_pair(struct ready *ready, struct ready_pair *pair, const struct settings *settings)
{
    set_breaking(&pair->breaking, settings);
    ready_pair_breaking_changed(ready, pair);
}

/* Whether anything was set that matters here. */
static bool says_something(const struct settings *settings)
{
    return settings->is_paused || settings->max_in_flight != SETTING_NONE || settings->rate_count != SETTING_NONE ||
           settings->weight != SETTING_NONE || settings->has_breaker || settings->ramp_from_ms != SETTING_NONE;
}

void ready_set(struct ready *ready, enum scope scope, struct str tenant, struct str name,
               const struct settings *settings, int64_t now_ms, int64_t wall_ms)
{
    struct ready_domain *domain;

    ready_clock(ready, now_ms);
    domain = ready_domain_need(ready, scope, tenant, name);
    domain->is_set = says_something(settings);
    gate_set(&domain->gate, settings, now_ms, wall_ms);
    if (scope == SCOPE_TENANT) {
        ready_domain_tenant(domain)->weight = settings->weight != SETTING_NONE ? settings->weight : 1;
    } else if (scope == SCOPE_TYPE) {
        set_type(ready, ready_domain_type(domain), settings);
    } else if (scope == SCOPE_TENANT_TYPE) {
        set_pair(ready, ready_domain_pair(domain), settings);
    }
    ready_domain_wake(ready, domain);
    ready_feed_all(ready);
    ready_domain_tidy(ready, domain);
}

/* ---- what must be remembered ---- */

bool ready_take_limiter(struct ready *ready, struct ready_limiter *ret_limiter)
{
    struct list_node *link = list_pop_front(&ready->limiters);
    struct ready_domain *domain;

    if (link == NULL) {
        return false;
    }
    domain = CONTAINER_OF(link, struct ready_domain, limiter_link);
    *ret_limiter = (struct ready_limiter){
        .scope = domain->scope,
        .tenant =
            domain->scope == SCOPE_TENANT_TYPE ? ready_domain_pair(domain)->tenant->domain.name : (struct str){NULL, 0},
        .name = domain->name,
        .tat_ms = gate_tat_ms(&domain->gate),
    };
    return true;
}

void ready_restore_limiter(struct ready *ready, const struct ready_limiter *limiter)
{
    struct ready_domain *domain = ready_domain_need(ready, limiter->scope, limiter->tenant, limiter->name);

    gate_restore_tat(&domain->gate, limiter->tat_ms);
    ready_domain_tidy(ready, domain);
}

bool ready_take_circuit(struct ready *ready, struct ready_circuit *ret_circuit)
{
    struct list_node *link = list_pop_front(&ready->circuits);
    struct ready_pair *pair;

    if (link == NULL) {
        return false;
    }
    pair = CONTAINER_OF(link, struct ready_pair, circuit_link);
    *ret_circuit = (struct ready_circuit){
        .tenant = pair->tenant->domain.name,
        .type = pair->type->domain.name,
        .state = pair->breaker.state,
        .open_until_ms = pair->breaker.open_until_ms,
    };
    ready_domain_arm(ready, &pair->domain); /* it may go now, but not before the caller has read the names */
    return true;
}

void ready_restore_circuit(struct ready *ready, const struct ready_circuit *circuit, int64_t now_ms)
{
    struct ready_pair *pair;

    ready_clock(ready, now_ms);
    pair = ready_domain_pair(ready_domain_need(ready, SCOPE_TENANT_TYPE, circuit->tenant, circuit->type));
    if (!ready_pair_breaking(ready, pair)->is_off) {
        breaker_init(&pair->breaker);
        pair->breaker.state = circuit->state;
        pair->breaker.open_until_ms = circuit->open_until_ms;
    }
    ready_domain_wake(ready, &pair->domain);
    ready_feed_all(ready);
    ready_domain_tidy(ready, &pair->domain);
}
