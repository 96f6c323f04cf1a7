#include "engine/breaker.h"

#include <assert.h>
#include <string.h>

#include "engine/bug.h"

void breaker_init(struct breaker *breaker)
{
    *breaker = (struct breaker){.state = BREAKER_CLOSED};
}

/* Rule 2. */
static void let_time_pass(struct breaker *breaker, int64_t now_ms)
{
    if (breaker->state == BREAKER_OPEN && now_ms >= breaker->open_until_ms && !BUG(BREAKER_STAYS_OPEN)) {
        breaker->state = BREAKER_HALF_OPEN;
        breaker->successes = 0;
        breaker->is_probing = false;
    }
}

bool breaker_allows(struct breaker *breaker, int64_t now_ms, int64_t *ret_clears_ms)
{
    let_time_pass(breaker, now_ms);
    if (breaker->state == BREAKER_OPEN) {
        *ret_clears_ms = breaker->open_until_ms;
        return false;
    }
    if (breaker->state == BREAKER_HALF_OPEN && breaker->is_probing) {
        *ret_clears_ms = INT64_MAX;
        return false;
    }
    return true;
}

bool breaker_start(struct breaker *breaker)
{
    assert(breaker->state != BREAKER_OPEN && !breaker->is_probing);
    breaker->is_probing = breaker->state == BREAKER_HALF_OPEN && !BUG(BREAKER_MANY_PROBES);
    return breaker->state == BREAKER_HALF_OPEN;
}

/* ---- the window ---- */

static int64_t slot_length_ms(const struct breaker_settings *settings)
{
    assert(settings->window_ms >= BREAKER_SLOTS);
    return settings->window_ms / BREAKER_SLOTS;
}

static void empty_window(struct breaker *breaker)
{
    memset(breaker->ended, 0, sizeof breaker->ended);
    memset(breaker->failed, 0, sizeof breaker->failed);
}

/* The slot of now, with those that have left the window emptied. */
static size_t roll(struct breaker *breaker, const struct breaker_settings *settings, int64_t now_ms)
{
    int64_t index = now_ms / slot_length_ms(settings);
    int64_t steps = index - breaker->slot_index;

    if (steps < 0 || steps >= BREAKER_SLOTS) {
        empty_window(breaker); /* rule 6, or long ago */
        breaker->slot_index = index;
    }
    while (breaker->slot_index < index) {
        breaker->slot_index++;
        breaker->ended[breaker->slot_index % BREAKER_SLOTS] = 0;
        breaker->failed[breaker->slot_index % BREAKER_SLOTS] = 0;
    }
    return (size_t)(index % BREAKER_SLOTS);
}

static void open_it(struct breaker *breaker, const struct breaker_settings *settings, int64_t now_ms)
{
    breaker_init(breaker);
    breaker->state = BREAKER_OPEN;
    breaker->open_until_ms = now_ms + settings->open_ms;
}

/* Rule 1. */
static void count(struct breaker *breaker, const struct breaker_settings *settings, bool is_failure, int64_t now_ms)
{
    size_t slot = roll(breaker, settings, now_ms);
    uint64_t ended = 0;
    uint64_t failed = 0;

    breaker->ended[slot]++;
    breaker->failed[slot] += is_failure ? 1 : 0;
    for (size_t i = 0; i < BREAKER_SLOTS; i++) {
        ended += breaker->ended[i];
        failed += breaker->failed[i];
    }
    if (ended >= (uint64_t)settings->min_attempts && failed * 1000 >= (uint64_t)settings->failure_milli * ended) {
        open_it(breaker, settings, now_ms);
    }
}

/* ---- ends ---- */

/* Rule 3. */
static void end_probe(struct breaker *breaker, const struct breaker_settings *settings, bool is_counted,
                      bool is_failure, int64_t now_ms)
{
    breaker->is_probing = false;
    if (!is_counted) {
        return;
    }
    if (is_failure) {
        open_it(breaker, settings, now_ms);
        return;
    }
    breaker->successes++;
    if (breaker->successes >= settings->closing_successes) {
        breaker_init(breaker);
    }
}

bool breaker_end(struct breaker *breaker, const struct breaker_settings *settings, bool is_counted, bool is_failure,
                 bool is_probe, int64_t now_ms)
{
    enum breaker_state before = breaker->state;
    int64_t before_until_ms = breaker->open_until_ms;

    if (settings->is_off) {
        return false;
    }
    let_time_pass(breaker, now_ms);
    if (is_probe && breaker->state == BREAKER_HALF_OPEN) {
        end_probe(breaker, settings, is_counted, is_failure, now_ms);
    } else if (is_counted && breaker->state == BREAKER_CLOSED) { /* rule 4 */
        count(breaker, settings, is_failure, now_ms);
    }
    return breaker->state != before || breaker->open_until_ms != before_until_ms;
}

int64_t breaker_forgets_ms(const struct breaker *breaker, const struct breaker_settings *settings)
{
    if (breaker->state != BREAKER_CLOSED) {
        return INT64_MAX;
    }
    for (size_t i = 0; i < BREAKER_SLOTS; i++) {
        if (breaker->ended[i] > 0) {
            return (breaker->slot_index + BREAKER_SLOTS) * slot_length_ms(settings);
        }
    }
    return INT64_MIN;
}
