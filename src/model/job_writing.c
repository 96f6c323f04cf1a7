#include "model/job_writing.h"

#include <assert.h>

#include "calendar/duration.h"
#include "calendar/instant.h"

void writing_text(struct jw *jw, const char *field, struct str text)
{
    jw_key(jw, field);
    jw_str(jw, text);
}

void writing_duration(struct jw *jw, const char *field, int64_t ms)
{
    char text[DURATION_BYTES];

    jw_key(jw, field);
    jw_text(jw, duration_format(ms, text));
}

void writing_instant(struct jw *jw, const char *field, int64_t ms)
{
    char text[INSTANT_BYTES];

    jw_key(jw, field);
    jw_text(jw, instant_format(ms, text));
}

void writing_milli(struct jw *jw, const char *field, int64_t milli)
{
    jw_key(jw, field);
    jw_double(jw, (double)milli / 1000);
}

static void put_delays(struct jw *jw, const struct retry *retry)
{
    jw_key(jw, "delays");
    jw_begin_array(jw);
    for (int i = 0; i < retry->delay_count; i++) {
        char text[DURATION_BYTES];

        jw_text(jw, duration_format(retry->delays_ms[i], text));
    }
    jw_end_array(jw);
}

/* base stays in: without it the list would be meant. */
static void put_formula(struct jw *jw, const struct retry *retry, bool is_full)
{
    struct retry usual = retry_default_formula();

    writing_duration(jw, "base", retry->base_ms);
    if (is_full || retry->factor_milli != usual.factor_milli) {
        writing_milli(jw, "factor", retry->factor_milli);
    }
    if (is_full || retry->max_ms != usual.max_ms) {
        writing_duration(jw, "max", retry->max_ms);
    }
}

void writing_retry(struct jw *jw, const struct retry *retry, bool is_full)
{
    struct retry usual = retry_default();

    jw_key(jw, "retry");
    jw_begin_object(jw);
    if (is_full || retry->max_attempts != usual.max_attempts) {
        jw_key(jw, "max_attempts");
        jw_int(jw, retry->max_attempts);
    }
    if (retry->delay_count == 0) {
        put_formula(jw, retry, is_full);
    } else if (is_full || !retry_equal_delays(retry, &usual)) {
        put_delays(jw, retry);
    }
    if (is_full || retry->jitter_milli != usual.jitter_milli) {
        writing_milli(jw, "jitter", retry->jitter_milli);
    }
    jw_end_object(jw);
}

void writing_dead_policy(struct jw *jw, const struct dead_policy *policy)
{
    assert(policy->is_set);
    jw_begin_object(jw);
    writing_duration(jw, "replay_after", policy->replay_after_ms);
    jw_key(jw, "max_replays");
    jw_int(jw, policy->max_replays);
    jw_end_object(jw);
}
