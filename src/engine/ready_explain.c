#include "engine/ready_internal.h"

/* What is being written. */
struct answer {
    int64_t now_ms;
    struct str tenant; /* of the domains that have one */
    struct ready_reason *reasons;
    size_t count;
    size_t max;
};

/* The gates of one domain, in the words of enum ready_gate. */
struct words {
    enum ready_gate paused, in_flight, rate;
};

static const struct words of_tenant = {READY_GATE_TENANT_PAUSED, READY_GATE_TENANT_IN_FLIGHT, READY_GATE_TENANT_RATE};
static const struct words of_pool = {READY_GATE_POOL_PAUSED, READY_GATE_POOL_IN_FLIGHT, READY_GATE_POOL_RATE};
static const struct words of_type = {READY_GATE_TYPE_PAUSED, READY_GATE_TYPE_IN_FLIGHT, READY_GATE_TYPE_RATE};

static void say(struct answer *answer, const struct ready_domain *domain, struct ready_reason reason)
{
    reason.scope = domain->scope;
    reason.name = domain->name;
    reason.tenant = domain->scope == SCOPE_TENANT_TYPE ? answer->tenant : STR("");
    if (answer->count < answer->max) {
        answer->reasons[answer->count] = reason;
        answer->count++;
    }
}

static void say_paused(struct answer *answer, const struct ready_domain *domain, const struct words *words)
{
    if (domain->gate.is_paused) {
        say(answer, domain, (struct ready_reason){.gate = words->paused, .clears_ms = READY_NEVER});
    }
}

static void say_in_flight(struct answer *answer, const struct ready_domain *domain, const struct words *words)
{
    const struct gate *gate = &domain->gate;

    if (gate->in_flight >= gate->in_flight_max) {
        say(answer, domain,
            (struct ready_reason){.gate = words->in_flight,
                                  .running = gate->in_flight,
                                  .max = gate->in_flight_max,
                                  .clears_ms = READY_NEVER});
    }
}

static void say_rate(struct answer *answer, const struct ready_domain *domain, const struct words *words)
{
    const struct gate *gate = &domain->gate;
    int64_t clears_ms;

    if (!gate_rate_allows(gate, answer->now_ms, &clears_ms)) {
        say(answer, domain,
            (struct ready_reason){.gate = words->rate,
                                  .rate_count = gate->rate_count,
                                  .rate_ms = gate->period_us / 1000,
                                  .is_ramp = gate->ramp_until_ms > answer->now_ms,
                                  .clears_ms = clears_ms});
    }
}

static void say_breaker(struct answer *answer, const struct ready_pair *pair)
{
    struct breaker breaker = pair->breaker; /* a copy: to look must not half open it */
    int64_t clears_ms;

    if (!breaker_allows(&breaker, answer->now_ms, &clears_ms)) {
        say(answer, &pair->domain,
            (struct ready_reason){.gate = READY_GATE_BREAKER,
                                  .is_probing = breaker.state == BREAKER_HALF_OPEN,
                                  .successes = breaker.successes,
                                  .clears_ms = clears_ms});
    }
}

size_t ready_explain(const struct ready *ready, const struct ready_bucket *bucket, int64_t now_ms,
                     struct ready_reason *ret_reasons, size_t max)
{
    const struct ready_strand *strand = bucket->strand;
    const struct ready_domain *domains[] = {&strand->lane->tenant->domain, &strand->lane->pool->domain,
                                            &strand->pair->type->domain, &strand->pair->domain};
    const struct words *words[] = {&of_tenant, &of_pool, &of_type, &of_type};
    struct answer answer = {
        .now_ms = now_ms, .tenant = strand->lane->tenant->domain.name, .reasons = ret_reasons, .max = max};

    (void)ready;
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) {
        say_paused(&answer, domains[i], words[i]);
    }
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) {
        say_in_flight(&answer, domains[i], words[i]);
    }
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) {
        say_rate(&answer, domains[i], words[i]);
    }
    say_breaker(&answer, strand->pair);
    return answer.count;
}
