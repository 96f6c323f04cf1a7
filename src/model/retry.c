#include "model/retry.h"

#include <assert.h>
#include <endian.h>

#include "base/hash.h"
#include "base/limits.h"

/* Keeps this hash apart from a fire's jitter. */
#define JITTER_SEED 0x72657472U

struct retry retry_default(void)
{
    return (struct retry){
        .max_attempts = 5,
        .delay_count = 5,
        .delays_ms = {30 * 1000, 2 * 60 * 1000, 10 * 60 * 1000, 30 * 60 * 1000, 2 * 3600 * 1000},
        .jitter_milli = 200,
    };
}

struct retry retry_default_formula(void)
{
    struct retry retry = retry_default();

    return (struct retry){
        .max_attempts = retry.max_attempts,
        .base_ms = 1000,
        .factor_milli = 2000,
        .max_ms = 3600 * 1000,
        .jitter_milli = retry.jitter_milli,
    };
}

bool retry_equal_delays(const struct retry *a, const struct retry *b)
{
    bool same = a->delay_count == b->delay_count;

    for (int i = 0; same && i < a->delay_count; i++) {
        same = a->delays_ms[i] == b->delays_ms[i];
    }
    return same && (a->delay_count > 0 ||
                    (a->base_ms == b->base_ms && a->factor_milli == b->factor_milli && a->max_ms == b->max_ms));
}

bool retry_equal(const struct retry *a, const struct retry *b)
{
    return a->max_attempts == b->max_attempts && a->jitter_milli == b->jitter_milli && retry_equal_delays(a, b);
}

static enum err wrong(struct error *reterr, const char *field, const char *what)
{
    return err_in_field(reterr, err_set(reterr, ERR_INVALID, "%s", what), field);
}

enum err retry_check(const struct retry *retry, struct error *reterr)
{
    if (retry->max_attempts < 1 || retry->max_attempts > RETRY_ATTEMPTS_MAX) {
        return wrong(reterr, "max_attempts", "must be from 1 to 1000, the first attempt counted");
    }
    if (retry->jitter_milli < 0 || retry->jitter_milli > 1000) {
        return wrong(reterr, "jitter", "must be from 0 to 1, a share of the delay");
    }
    if (retry->delay_count < 0 || retry->delay_count > RETRY_DELAYS_MAX) {
        return wrong(reterr, "delays", "must be at most 32");
    }
    for (int i = 0; i < retry->delay_count; i++) {
        if (retry->delays_ms[i] < 0 || retry->delays_ms[i] > DURATION_MAX_MS) {
            return wrong(reterr, "delays", "must each be from 0 to 100 years");
        }
    }
    if (retry->delay_count > 0) {
        return ERR_OK;
    }
    if (retry->base_ms < 1 || retry->base_ms > DURATION_MAX_MS) {
        return wrong(reterr, "base", "must be from 1ms to 100 years");
    }
    if (retry->factor_milli < 1000 || retry->factor_milli > 100 * 1000) {
        return wrong(reterr, "factor", "must be from 1 to 100");
    }
    if (retry->max_ms < retry->base_ms || retry->max_ms > DURATION_MAX_MS) {
        return wrong(reterr, "max", "must not be shorter than base, nor longer than 100 years");
    }
    return ERR_OK;
}

/* base * factor^(failures - 1), in whole numbers, stopping at the maximum. */
static int64_t formula_ms(const struct retry *retry, int failures)
{
    int64_t delay_ms = retry->base_ms;

    for (int i = 1; i < failures && delay_ms < retry->max_ms; i++) {
        if (retry->factor_milli == 1000) {
            break;
        }
        delay_ms = (delay_ms * retry->factor_milli + 999) / 1000; /* no overflow: DURATION_MAX_MS times 100,000 fits */
    }
    return delay_ms < retry->max_ms ? delay_ms : retry->max_ms;
}

int64_t retry_delay_ms(const struct retry *retry, int failures, uint64_t trigger_id)
{
    assert(failures >= 1);
    int index = failures < retry->delay_count ? failures - 1 : retry->delay_count - 1;
    int64_t delay_ms = retry->delay_count > 0 ? retry->delays_ms[index] : formula_ms(retry, failures);
    int64_t room_ms = delay_ms / 1000 * retry->jitter_milli + delay_ms % 1000 * retry->jitter_milli / 1000;
    uint64_t key[] = {htole64(trigger_id), htole64((uint64_t)failures)};

    room_ms = room_ms < RETRY_JITTER_MAX_MS ? room_ms : RETRY_JITTER_MAX_MS;
    return delay_ms + (int64_t)(hash64(key, sizeof key, JITTER_SEED) % (uint64_t)(room_ms + 1));
}
