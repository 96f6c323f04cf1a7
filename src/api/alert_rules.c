#include "api/alert_rules.h"

#include <math.h>

#define MINUTE_MS 60000
/* So few show nothing. */
#define ATTEMPTS_MIN 20
#define QUEUE_MIN 10

const struct alert_rule alert_rules[ALERTS] = {
    [ALERT_DEAD_LETTERS] = {"dead_letters", "warning", 0, 0, "", " dead letters",
                            "belfry dead list shows them; mend the cause, then replay or discard them"},
    [ALERT_DEAD_LETTERS_MANY] = {"dead_letters_many", "critical", 0, 1000, "", " dead letters (counted up to 10000)",
                                 "pause the type that fails, mend what it needs, then replay with a rate"},
    [ALERT_TYPE_FAILING] = {"type_failing", "warning", MINUTE_MS, 0.05, "",
                            " of the attempts of a type failed in the last hour",
                            "look at the errors of its last attempts; pause the type while what it needs is broken"},
    [ALERT_RETRY_RATE] = {"retry_rate", "warning", 5 * MINUTE_MS, 0.05, "", " of the last day's attempts were retries",
                          "find the type that fails first; raise its backoff or cap max_attempts"},
    [ALERT_BREAKER_OPEN] = {"breaker_open", "warning", 0, 0, "", " circuit breakers are open",
                            "see why attempts of these types fail; they close by themselves when attempts succeed"},
    [ALERT_OVERDUE] = {"overdue", "critical", 0, 10, "", " triggers have been due for more than a minute",
                       "belfry doctor says what holds them: a pause, a limit, a breaker, missing workers"},
    [ALERT_TRIGGER_LAG] = {"trigger_lag", "critical", MINUTE_MS, 2000, "one start in a hundred is later than ", " ms",
                           "more workers, or fewer fires at one instant (jitter)"},
    [ALERT_QUEUE_GROWING] = {"queue_growing", "warning", 5 * MINUTE_MS, 0,
                             "the queue has been growing for five minutes, by ", " in the last two",
                             "see which pool has the most, and start workers there"},
    [ALERT_BACKLOG] = {"backlog", "critical", MINUTE_MS, 10000, "", " triggers are due and wait for workers",
                       "see which pool has the most, and start workers there"},
    [ALERT_POOL_WITHOUT_WORKERS] = {"pool_without_workers", "critical", MINUTE_MS, 0, "",
                                    " pools have work and no worker", "start workers that serve them"},
    [ALERT_WORKER_HEARTBEATS] = {"worker_heartbeats", "warning", 0, 0, "",
                                 " workers fell silent in the last five minutes",
                                 "they died or were cut off; what they held is run again"},
    [ALERT_INDEX_LARGE] = {"index_large", "warning", 5 * MINUTE_MS, 20e6, "", " jobs are in the index",
                           "delete what is not needed, or shorten --keep-finished"},
    [ALERT_STORE_ERRORS] = {"store_errors", "critical", 0, 0, "the store failed ", " times in the last five minutes",
                            "the log says why (shard.down); Belfry tries again by itself"},
    [ALERT_CLOCK_HELD] = {"clock_held", "critical", 0, 0, "the clock jumped ahead: schedules wait", NULL,
                          "if the clock is right now: belfry clock accept; otherwise set it right"},
};

static double share(uint64_t part, uint64_t whole)
{
    return whole >= ATTEMPTS_MIN ? (double)part / (double)whole : 0;
}

static double growth(const struct alert_figures *figures)
{
    if (figures->due_before < 0 || figures->due <= QUEUE_MIN) {
        return 0;
    }
    return (double)(figures->due - figures->due_before);
}

/* Not a number where it is not known. */
static double value_of(enum alert alert, const struct alert_figures *figures)
{
    if (alert == ALERT_STORE_ERRORS) {
        return (double)figures->store_failures;
    }
    if (!figures->has_engine) {
        return (double)NAN;
    }
    switch (alert) {
    case ALERT_DEAD_LETTERS:
    case ALERT_DEAD_LETTERS_MANY:
        return figures->has_dead ? (double)figures->dead : (double)NAN;
    case ALERT_TYPE_FAILING:
        return figures->failing_share > 0 ? figures->failing_share : 0;
    case ALERT_RETRY_RATE:
        return share(figures->day_retried, figures->day_started);
    case ALERT_BREAKER_OPEN:
        return (double)figures->breakers_open;
    case ALERT_OVERDUE:
        return (double)figures->overdue;
    case ALERT_TRIGGER_LAG:
        return figures->lag_p99_ms > 0 ? (double)figures->lag_p99_ms : 0;
    case ALERT_QUEUE_GROWING:
        return growth(figures);
    case ALERT_BACKLOG:
        return (double)figures->due;
    case ALERT_POOL_WITHOUT_WORKERS:
        return (double)figures->bare_pools;
    case ALERT_WORKER_HEARTBEATS:
        return (double)figures->silences;
    case ALERT_INDEX_LARGE:
        return (double)figures->jobs;
    case ALERT_CLOCK_HELD:
        return figures->is_clock_held ? 1 : 0;
    case ALERT_STORE_ERRORS:
    case ALERTS:
        break;
    }
    return (double)NAN;
}

const char *alert_subject(enum alert alert, const struct alert_figures *figures)
{
    if (alert == ALERT_TYPE_FAILING) {
        return figures->failing_type;
    }
    return alert == ALERT_POOL_WITHOUT_WORKERS ? figures->bare_pool : "";
}

static bool step_above(const struct alert_rule *rule, struct alert_state *state, int64_t mono_ms, int64_t wall_ms)
{
    if (!state->is_above) {
        state->is_above = true;
        state->above_mono_ms = mono_ms;
        state->since_ms = state->is_firing ? state->since_ms : wall_ms;
    }
    if (state->is_firing || mono_ms - state->above_mono_ms < rule->for_ms) {
        return false;
    }
    state->is_firing = true;
    return true;
}

static bool step_below(struct alert_state *state, int64_t mono_ms)
{
    if (state->is_above) {
        state->is_above = false;
        state->calm_mono_ms = mono_ms;
    }
    if (!state->is_firing || mono_ms - state->calm_mono_ms < ALERT_CALM_MS) {
        return false;
    }
    state->is_firing = false;
    return true;
}

bool alert_step(enum alert alert, struct alert_state *state, const struct alert_figures *figures, int64_t mono_ms,
                int64_t wall_ms)
{
    const struct alert_rule *rule = &alert_rules[alert];
    double value = value_of(alert, figures);

    if (isnan(value)) { /* rule 2 */
        return false;
    }
    state->value = value;
    return value > rule->threshold ? step_above(rule, state, mono_ms, wall_ms) : step_below(state, mono_ms);
}
