/* What the playbook asks where jobs do not run. */
#include <inttypes.h>

#include "api/doctor.h"
#include "calendar/duration.h"
#include "calendar/instant.h"
#include "wire/put.h"

#define OVERDUE_MAX 10
#define LAG_P99_MAX_MS 2000
/* A clock that is behind by less has been slewed, or will soon have caught up. */
#define CLOCK_BEHIND_MS 5000

static void check_starts(struct doctor *doctor)
{
    doctor_check(doctor, "starts", "not_running", "Does anything start?");
    doctor_looked(doctor,
                  "%" PRIu64 " triggers were made and %" PRIu64 " attempts started in the last 24 hours, %" PRIu64
                  " of these in the last five minutes; %" PRId64 " run now",
                  doctor->day.fired, doctor->day.started, doctor->minutes.started, doctor->all.running);
    if (doctor->all.ready > 0 && doctor->minutes.started == 0 && doctor->all.overdue > 0) {
        doctor_put_count(doctor_find(doctor, DOCTOR_CRITICAL, "the checks below say what holds them",
                                     "%" PRId64 " are ready, and nothing has started for five minutes",
                                     doctor->all.ready),
                         doctor->all.ready);
        doctor_command(doctor, "belfry workers; belfry pools; belfry tenants");
        doctor_found(doctor);
    }
}

static size_t count_paused(const struct view_scope *scopes, size_t count)
{
    size_t paused = 0;

    for (size_t i = 0; i < count; i++) {
        paused += scopes[i].settings.is_paused ? 1 : 0;
    }
    return paused;
}

/* key is tenant, pool or type; its plural is a command. */
static void check_paused(struct doctor *doctor, const char *check, const char *title, const char *key,
                         const struct view_scope *scopes, size_t count)
{
    char since[INSTANT_BYTES];

    doctor_check(doctor, check, "not_running", title);
    doctor_looked(doctor, "%zu %ss have something ready or running; %zu of them are paused", count, key,
                  count_paused(scopes, count));
    for (size_t i = 0; i < count; i++) {
        if (scopes[i].settings.is_paused && scopes[i].ready > 0) {
            int64_t paused_ms = scopes[i].settings.paused_ms;
            bool is_known = paused_ms != SETTING_NONE;

            doctor_put(doctor_find(doctor, DOCTOR_WARNING, "resume it when the reason is gone",
                                   "%s %.*s is paused and has %" PRId64 " ready%s%s", key, STR_ARGS(scopes[i].name),
                                   scopes[i].ready, is_known ? "; it is since " : "",
                                   is_known ? instant_format_short(paused_ms, since) : ""),
                       key, scopes[i].name, scopes[i].ready);
            doctor_command(doctor, "belfry %ss resume %.*s", key, STR_ARGS(scopes[i].name));
            doctor_found(doctor);
        }
    }
}

/* Workers wait for work, there is some, and a rate is between them. */
static void check_rate(struct doctor *doctor, const char *key, const struct view_scope *scope)
{
    char rate[RATE_BYTES];

    if (scope->settings.rate_count == SETTING_NONE || scope->ready == 0 || doctor->all.waiting == 0) {
        return;
    }
    doctor_put(doctor_find(doctor, DOCTOR_WARNING, "raise the rate, or let it work off",
                           "%s %.*s has a rate of %s and %" PRId64 " ready, and %" PRId64 " workers wait", key,
                           STR_ARGS(scope->name),
                           rate_format(scope->settings.rate_count, scope->settings.rate_period_ms, rate), scope->ready,
                           doctor->all.waiting),
               key, scope->name, scope->ready);
    doctor_command(doctor, "belfry %ss set %.*s rate=NUMBER/s", key, STR_ARGS(scope->name));
    doctor_found(doctor);
}

static void check_caps(struct doctor *doctor)
{
    const struct {
        const char *key;
        const struct view_scope *scopes;
        size_t count;
    } lists[] = {{"tenant", doctor->tenants, doctor->tenant_count},
                 {"pool", doctor->pools, doctor->pool_count},
                 {"type", doctor->types, doctor->type_count}};

    doctor_check(doctor, "limits_reached", "not_running", "Is anybody held by a limit?");
    doctor_looked(doctor,
                  "%" PRId64 " are ready and %" PRId64 " run; %zu tenants, %zu pools and %zu types were looked at",
                  doctor->all.ready, doctor->all.running, doctor->tenant_count, doctor->pool_count, doctor->type_count);
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        for (size_t i = 0; i < lists[k].count; i++) {
            const struct view_scope *scope = &lists[k].scopes[i];
            int64_t max = scope->settings.max_in_flight;

            if (max != SETTING_NONE && scope->running >= max && scope->ready > 0) {
                doctor_put(doctor_find(doctor, DOCTOR_WARNING, "raise max_in_flight, or let it work off",
                                       "%s %.*s has %" PRId64 " of %" PRId64 " running and %" PRId64 " ready",
                                       lists[k].key, STR_ARGS(scope->name), scope->running, max, scope->ready),
                           lists[k].key, scope->name, scope->ready);
                doctor_command(doctor, "belfry %ss set %.*s max_in_flight=%" PRId64, lists[k].key,
                               STR_ARGS(scope->name), max > 0 ? 2 * max : 1);
                doctor_found(doctor);
            }
            check_rate(doctor, lists[k].key, scope);
        }
    }
}

static void check_workers(struct doctor *doctor)
{
    doctor_check(doctor, "pools_without_workers", "not_running", "Does every pool with work have workers?");
    doctor_looked(doctor, "%zu pools have work or workers; %" PRId64 " workers are there", doctor->pool_count,
                  doctor->all.workers);
    for (size_t i = 0; i < doctor->pool_count; i++) {
        const struct view_scope *pool = &doctor->pools[i];

        if (pool->ready > 0 && pool->workers == 0) {
            doctor_put(doctor_find(doctor, DOCTOR_CRITICAL, "start workers that serve this pool",
                                   "pool %.*s has %" PRId64 " ready and no worker", STR_ARGS(pool->name), pool->ready),
                       "pool", pool->name, pool->ready);
            doctor_command(doctor, "belfry worker --worker-pools %.*s", STR_ARGS(pool->name));
            doctor_found(doctor);
        }
    }
    doctor_check(doctor, "pools_saturated", "not_running", "Have the workers room?");
    doctor_looked(doctor, "%" PRId64 " run with a capacity of %" PRId64 "; %" PRId64 " workers wait for work",
                  doctor->all.running, doctor->all.capacity, doctor->all.waiting);
    for (size_t i = 0; i < doctor->pool_count; i++) {
        const struct view_scope *pool = &doctor->pools[i];

        if (pool->ready > 0 && pool->workers > 0 && pool->capacity > 0 && pool->running >= pool->capacity) {
            doctor_put(doctor_find(doctor, DOCTOR_WARNING, "start more workers, or give those there are more capacity",
                                   "pool %.*s runs %" PRId64 " with a capacity of %" PRId64 ", and %" PRId64
                                   " are ready",
                                   STR_ARGS(pool->name), pool->running, pool->capacity, pool->ready),
                       "pool", pool->name, pool->ready);
            doctor_command(doctor, "belfry workers --pool %.*s", STR_ARGS(pool->name));
            doctor_found(doctor);
        }
    }
}

static void check_breakers(struct doctor *doctor)
{
    char until[INSTANT_BYTES];

    doctor_check(doctor, "breakers_open", "not_running", "Is a circuit breaker open?");
    doctor_looked(doctor, "%zu breakers are open or half open", doctor->breaker_count);
    for (size_t i = 0; i < doctor->breaker_count; i++) {
        const struct view_breaker *breaker = &doctor->breakers[i];
        bool is_open = breaker->state == BREAKER_OPEN;
        struct jw *jw = doctor_find(
            doctor, DOCTOR_WARNING, "see why attempts of this type fail; the breaker closes by itself when they work",
            "the breaker of type %.*s in tenant %.*s is %s%s%s", STR_ARGS(breaker->type), STR_ARGS(breaker->tenant),
            is_open ? "open" : "half open", is_open ? "; it tries again at " : "",
            is_open ? instant_format_short(breaker->open_until_ms, until) : "");

        if (jw != NULL) {
            wire_put_text(jw, "tenant", breaker->tenant);
            wire_put_text(jw, "type", breaker->type);
        }
        doctor_command(doctor, "belfry dead list --type %.*s --tenant %.*s", STR_ARGS(breaker->type),
                       STR_ARGS(breaker->tenant));
        doctor_letters(doctor, breaker->type);
        doctor_found(doctor);
    }
}

static void check_lag(struct doctor *doctor)
{
    char late[DURATION_BYTES];
    int64_t late_ms = doctor->all.oldest_ms != TIME_NONE ? doctor->figures.now_ms - doctor->all.oldest_ms : 0;

    doctor_check(doctor, "overdue", "not_running", "Does what is due start in time?");
    doctor_looked(doctor,
                  "%" PRId64
                  " have been ready for more than a minute; of the starts of the last 24 hours 99 %% were within "
                  "%" PRId64 " ms",
                  doctor->all.overdue, histogram_quantile(&doctor->day.lag, 0.99));
    if (doctor->all.overdue > 0) {
        doctor_put_count(
            doctor_find(doctor, doctor->all.overdue > OVERDUE_MAX ? DOCTOR_CRITICAL : DOCTOR_WARNING,
                        "look at the checks above: a pause, a limit, a breaker or missing workers hold them",
                        "%" PRId64 " have been ready for more than a minute, the oldest for %s", doctor->all.overdue,
                        duration_format_short(late_ms > 0 ? late_ms : 0, late)),
            doctor->all.overdue);
        doctor_command(doctor, "belfry why JOB");
        doctor_found(doctor);
    }
    if (histogram_quantile(&doctor->day.lag, 0.99) > LAG_P99_MAX_MS) {
        doctor_put_count(doctor_find(doctor, DOCTOR_WARNING, "more workers, or fewer fires at one instant (jitter)",
                                     "one start in a hundred was later than %" PRId64 " ms in the last 24 hours",
                                     histogram_quantile(&doctor->day.lag, 0.99)),
                         (int64_t)histogram_count(&doctor->day.lag));
        doctor_found(doctor);
    }
}

static void check_clock(struct doctor *doctor)
{
    char ahead[DURATION_BYTES];

    doctor_check(doctor, "clock_held", "not_running", "Is the clock believed?");
    doctor_looked(doctor, "the clock is %s", doctor->health.is_clock_held ? "not believed" : "believed");
    if (doctor->health.is_clock_held) {
        (void)doctor_find(doctor, DOCTOR_CRITICAL, "if the clock is right now: belfry clock accept; else set it right",
                          "the clock jumped forward by %s and is not believed: schedules are held",
                          duration_format_short(doctor->health.clock_ahead_ms, ahead));
        doctor_found(doctor);
    } else if (doctor->health.clock_ahead_ms <= -CLOCK_BEHIND_MS) {
        (void)doctor_find(doctor, DOCTOR_WARNING,
                          "wait, or set the clock right; if the time before was wrong, restart the server",
                          "the clock was set back by %s: schedules stand still until it has caught up",
                          duration_format_short(-doctor->health.clock_ahead_ms, ahead));
        doctor_found(doctor);
    }
}

static void check_held(struct doctor *doctor)
{
    doctor_check(doctor, "held", "not_running", "Is what is stored believed?");
    doctor_looked(doctor, "%s", doctor->health.is_held ? "nothing is given to workers" : "nothing is held");
    if (doctor->health.is_held) {
        (void)doctor_find(doctor, DOCTOR_CRITICAL,
                          "pause or cancel what must not run again, and then: belfry accept (docs/cluster.md, Backup "
                          "and restore)",
                          "nothing is given to workers: %s, and what is due may have run already", doctor->shard.held);
        doctor_found(doctor);
    }
}

void doctor_not_running(struct doctor *doctor)
{
    check_starts(doctor);
    check_workers(doctor);
    check_paused(doctor, "tenants_paused", "Is a tenant with work paused?", "tenant", doctor->tenants,
                 doctor->tenant_count);
    check_paused(doctor, "pools_paused", "Is a pool with work paused?", "pool", doctor->pools, doctor->pool_count);
    check_paused(doctor, "types_paused", "Is a type with work paused?", "type", doctor->types, doctor->type_count);
    check_caps(doctor);
    check_breakers(doctor);
    check_lag(doctor);
    check_clock(doctor);
    check_held(doctor);
}
