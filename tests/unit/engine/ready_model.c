#include "ready_model.h"

#include <string.h>

void model_init(struct model *model, int64_t now_ms)
{
    memset(model, 0, sizeof *model);
    model->now_ms = now_ms;
    for (size_t i = 0; i < sizeof model->gates / sizeof(struct model_gate); i++) {
        (&model->gates[0][0][0])[i].max = -1;
    }
}

/* ---- rates ---- */

static bool is_ramping(const struct model *model, const struct model_gate *gate)
{
    return gate->ramp_ms > 0 && model->now_ms < gate->ramp_from_ms + gate->ramp_ms;
}

int64_t model_rate_interval_us(const struct model *model, const struct model_gate *gate)
{
    int64_t full_us = gate->rate_count > 0 ? gate->rate_period_us / gate->rate_count : 1000;
    int64_t least_us = full_us > 1000000 ? full_us : 1000000;
    int64_t elapsed_ms = model->now_ms - gate->ramp_from_ms;
    int64_t ramped_us;

    if (!is_ramping(model, gate)) {
        return gate->rate_count > 0 ? full_us : 0;
    }
    if (elapsed_ms == 0) {
        return least_us;
    }
    ramped_us = (full_us * gate->ramp_ms + elapsed_ms - 1) / elapsed_ms;
    return ramped_us > least_us ? least_us : ramped_us;
}

static int64_t burst_of(const struct model *model, const struct model_gate *gate)
{
    return is_ramping(model, gate) ? 1 : gate->burst;
}

static int64_t whole_ms(int64_t us)
{
    return us >= 0 ? us / 1000 : -((-us + 999) / 1000);
}

bool model_gate_allows(const struct model *model, const struct model_gate *gate)
{
    int64_t interval_us = model_rate_interval_us(model, gate);

    if (gate->is_paused || (gate->max >= 0 && gate->running >= gate->max)) {
        return false;
    }
    return interval_us == 0 || whole_ms(gate->tat_us - (burst_of(model, gate) - 1) * interval_us) <= model->now_ms;
}

static void gate_start(const struct model *model, struct model_gate *gate)
{
    int64_t interval_us = model_rate_interval_us(model, gate);
    int64_t now_us = model->now_ms * 1000;

    gate->running++;
    if (interval_us > 0) {
        gate->tat_us = (gate->tat_us > now_us ? gate->tat_us : now_us) + interval_us;
    }
}

/* ---- breakers ---- */

static struct breaker_settings breaker_settings_of(const struct model *model, size_t tenant, size_t type)
{
    if (type == 0) {
        return (struct breaker_settings){.is_off = true};
    }
    if (model->breakers[tenant][type].has_settings) {
        return model->breakers[tenant][type].settings;
    }
    return model->type_breakers[type].has_settings ? model->type_breakers[type].settings : breaker_settings_default();
}

static void breaker_close(struct model_breaker *breaker)
{
    breaker->state = BREAKER_CLOSED;
    breaker->is_probing = false;
    breaker->successes = 0;
    breaker->result_count = 0;
}

static void breaker_open(const struct model *model, struct model_breaker *breaker, int64_t open_ms)
{
    breaker_close(breaker);
    breaker->state = BREAKER_OPEN;
    breaker->open_until_ms = model->now_ms + open_ms;
}

bool model_is_half_open(const struct model *model, size_t tenant, size_t type)
{
    const struct model_breaker *breaker = &model->breakers[tenant][type];

    return breaker->state == BREAKER_HALF_OPEN ||
           (breaker->state == BREAKER_OPEN && model->now_ms >= breaker->open_until_ms);
}

static bool breaker_lets(const struct model *model, size_t tenant, size_t type)
{
    const struct model_breaker *breaker = &model->breakers[tenant][type];

    return breaker->state == BREAKER_CLOSED || (model_is_half_open(model, tenant, type) && !breaker->is_probing);
}

static void count_result(const struct model *model, struct model_breaker *breaker, bool is_failure,
                         const struct breaker_settings *settings)
{
    int64_t slot_ms = settings->window_ms / BREAKER_SLOTS;
    int64_t ended = 0;
    int64_t failed = 0;

    if (breaker->window_ms != settings->window_ms || breaker->result_count == MODEL_RESULTS) {
        breaker->result_count = 0;
    }
    breaker->window_ms = settings->window_ms;
    breaker->results[breaker->result_count].at_ms = model->now_ms;
    breaker->results[breaker->result_count].is_failure = is_failure;
    breaker->result_count++;
    for (size_t i = 0; i < breaker->result_count; i++) {
        if (breaker->results[i].at_ms / slot_ms > model->now_ms / slot_ms - BREAKER_SLOTS) {
            ended++;
            failed += breaker->results[i].is_failure ? 1 : 0;
        }
    }
    if (ended >= settings->min_attempts && failed * 1000 >= settings->failure_milli * ended) {
        breaker_open(model, breaker, settings->open_ms);
    }
}

void model_result(struct model *model, size_t tenant, size_t type, enum ready_outcome outcome, bool is_probe)
{
    struct model_breaker *breaker = &model->breakers[tenant][type];
    struct breaker_settings settings = breaker_settings_of(model, tenant, type);

    if (settings.is_off) {
        return;
    }
    if (model_is_half_open(model, tenant, type) && breaker->state == BREAKER_OPEN) {
        breaker->state = BREAKER_HALF_OPEN;
        breaker->successes = 0;
    }
    if (is_probe && breaker->state == BREAKER_HALF_OPEN) {
        breaker->is_probing = false;
        breaker->successes += outcome == READY_SUCCEEDED ? 1 : 0;
        if (outcome == READY_FAILED) {
            breaker_open(model, breaker, settings.open_ms);
        } else if (outcome == READY_SUCCEEDED && breaker->successes >= settings.closing_successes) {
            breaker_close(breaker);
        }
    } else if (outcome != READY_UNCOUNTED && breaker->state == BREAKER_CLOSED) {
        count_result(model, breaker, outcome == READY_FAILED, &settings);
    }
}

/* ---- settings ---- */

static void set_breaker(struct model *model, size_t tenant, size_t type)
{
    if (breaker_settings_of(model, tenant, type).is_off) {
        breaker_close(&model->breakers[tenant][type]);
    }
}

void model_set(struct model *model, enum scope scope, size_t tenant, size_t index, const struct settings *settings)
{
    struct model_gate *gate = model_gate(model, scope, tenant, index);
    int64_t interval_us;
    int64_t latest_us;

    gate->is_paused = settings->is_paused;
    gate->max = settings->max_in_flight;
    gate->rate_count = settings->rate_count != SETTING_NONE ? settings->rate_count : 0;
    gate->rate_period_us = settings->rate_period_ms * 1000;
    gate->burst = settings->burst != SETTING_NONE ? settings->burst : 1;
    gate->ramp_ms = settings->ramp_ms != SETTING_NONE ? settings->ramp_ms : 0;
    gate->ramp_from_ms = settings->ramp_from_ms; /* the test's wall time is its monotonic time */
    interval_us = model_rate_interval_us(model, gate);
    latest_us = model->now_ms * 1000 + interval_us * burst_of(model, gate);
    if (interval_us == 0) {
        gate->tat_us = 0;
    } else if (gate->tat_us > latest_us + 1000) {
        gate->tat_us = latest_us;
    }
    if (scope == SCOPE_TYPE) {
        model->type_breakers[index].has_settings = settings->has_breaker;
        model->type_breakers[index].settings = settings->breaker;
        for (size_t i = 0; i < MODEL_TENANTS; i++) {
            set_breaker(model, i, index);
        }
    } else if (scope == SCOPE_TENANT_TYPE) {
        model->breakers[tenant][index].has_settings = settings->has_breaker;
        model->breakers[tenant][index].settings = settings->breaker;
        set_breaker(model, tenant, index);
    }
}

/* ---- items ---- */

/* The four gates of an item. */
static void gates_of(struct model *model, const struct item *item, struct model_gate *ret_gates[4])
{
    ret_gates[0] = model_gate(model, SCOPE_POOL, 0, item->pool);
    ret_gates[1] = model_gate(model, SCOPE_TENANT, 0, item->tenant);
    ret_gates[2] = model_gate(model, SCOPE_TYPE, 0, item->type);
    ret_gates[3] = model_gate(model, SCOPE_TENANT_TYPE, item->tenant, item->type);
}

bool model_allows(struct model *model, const struct item *item)
{
    struct model_gate *gates[4];

    gates_of(model, item, gates);
    for (size_t i = 0; i < 4; i++) {
        if (!model_gate_allows(model, gates[i])) {
            return false;
        }
    }
    return breaker_lets(model, item->tenant, item->type);
}

void model_start(struct model *model, struct item *item)
{
    struct model_breaker *breaker = &model->breakers[item->tenant][item->type];
    struct model_gate *gates[4];

    gates_of(model, item, gates);
    for (size_t i = 0; i < 4; i++) {
        gate_start(model, gates[i]);
    }
    item->state = ITEM_RUNNING;
    item->is_probe = model_is_half_open(model, item->tenant, item->type);
    if (item->is_probe && breaker->state == BREAKER_OPEN) {
        breaker->successes = 0;
    }
    if (item->is_probe) {
        breaker->state = BREAKER_HALF_OPEN;
        breaker->is_probing = true;
    }
}

void model_end(struct model *model, struct item *item, enum ready_outcome outcome)
{
    struct model_gate *gates[4];

    gates_of(model, item, gates);
    for (size_t i = 0; i < 4; i++) {
        gates[i]->running--;
    }
    model_result(model, item->tenant, item->type, outcome, item->is_probe);
    item->state = ITEM_IDLE;
}

void model_restart(struct model *model)
{
    for (size_t i = 0; i < sizeof model->gates / sizeof(struct model_gate); i++) {
        struct model_gate *gate = &(&model->gates[0][0][0])[i];

        gate->tat_us = (gate->tat_us + 999) / 1000 * 1000;
    }
    for (size_t tenant = 0; tenant < MODEL_TENANTS; tenant++) {
        for (size_t type = 0; type < MODEL_TYPES; type++) {
            model->breakers[tenant][type].result_count = 0;
            model->breakers[tenant][type].is_probing = false;
            model->breakers[tenant][type].successes = 0;
        }
    }
    for (size_t i = 0; i < MODEL_ITEMS; i++) {
        model->items[i].is_probe = false;
    }
}
