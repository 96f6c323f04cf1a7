#include "engine/ready_internal.h"

static const struct breaker_settings off = {.is_off = true};

const struct breaker_settings *ready_pair_breaking(const struct ready *ready, const struct ready_pair *pair)
{
    if (!pair->has_breaker) {
        return &off;
    }
    if (pair->breaking.is_set) {
        return &pair->breaking.settings;
    }
    return pair->type->breaking.is_set ? &pair->type->breaking.settings : &ready->breaker_default;
}

void ready_pair_changed(struct ready *ready, struct ready_pair *pair)
{
    if (!list_linked(&pair->circuit_link)) {
        list_push_back(&ready->circuits, &pair->circuit_link);
    }
}

/* A breaker that is off is closed for ever, so it need not be asked whether it is. */
static bool breaker_lets(struct ready *ready, struct ready_pair *pair, int64_t *ret_clears_ms)
{
    enum breaker_state before = pair->breaker.state;
    bool is_open = breaker_allows(&pair->breaker, ready->now_ms, ret_clears_ms);

    if (pair->breaker.state != before) {
        ready_pair_changed(ready, pair);
    }
    return is_open;
}

bool ready_pair_allows(struct ready *ready, struct ready_pair *pair, int64_t *ret_clears_ms)
{
    int64_t gate_ms = INT64_MIN;
    int64_t breaker_ms = INT64_MIN;
    bool gate_lets = gate_allows(&pair->domain.gate, ready->now_ms, &gate_ms);

    if (breaker_lets(ready, pair, &breaker_ms) && gate_lets) {
        return true;
    }
    *ret_clears_ms = gate_ms > breaker_ms ? gate_ms : breaker_ms;
    return false;
}

bool ready_pair_start(struct ready *ready, struct ready_pair *pair)
{
    int64_t clears_ms;

    /* A result that came between pick and start may have opened it: then the start is no probe of it. */
    return breaker_lets(ready, pair, &clears_ms) && breaker_start(&pair->breaker);
}

void ready_pair_result(struct ready *ready, struct ready_pair *pair, enum ready_outcome outcome, bool is_probe)
{
    const struct breaker_settings *settings = ready_pair_breaking(ready, pair);

    if (breaker_end(&pair->breaker, settings, outcome != READY_UNCOUNTED, outcome == READY_FAILED, is_probe,
                    ready->now_ms)) {
        ready_pair_changed(ready, pair);
    }
}

void ready_pair_breaking_changed(struct ready *ready, struct ready_pair *pair)
{
    if (!ready_pair_breaking(ready, pair)->is_off) {
        return;
    }
    if (pair->breaker.state != BREAKER_CLOSED) {
        ready_pair_changed(ready, pair);
    }
    breaker_init(&pair->breaker);
    ready_domain_wake(ready, &pair->domain);
}
