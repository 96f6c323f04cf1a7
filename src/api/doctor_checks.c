/* What each playbook asks. */
#include <inttypes.h>

#include "api/doctor.h"
#include "calendar/duration.h"
#include "wire/put.h"

#define LATE_MS 60000
/* A clock that is behind by less has been slewed, or will soon have caught up. */
#define CLOCK_BEHIND_MS 5000
#define STALE_LEASE_MS 0
#define OVERDUE_MAX 10
#define DEAD_PAGES 1000
#define BACKLOG_MAX 10000
#define LAG_P99_MAX_MS 2000
#define RETRY_SHARE_MAX 0.05
#define SUCCESS_SHARE_MIN 0.95
#define PROVES_SOMETHING 20 /* attempts; fewer show nothing */
#define SLOW_COMMIT_US 1000000
#define DAY_MS (24 * INT64_C(3600000))

static void put(struct jw *jw, const char *key, struct str name, int64_t count)
{
    if (jw != NULL) {
        wire_put_text(jw, key, name);
        wire_put_int(jw, "count", count);
    }
}

static void put_count(struct jw *jw, int64_t count)
{
    if (jw != NULL) {
        wire_put_int(jw, "count", count);
    }
}

/* ---- jobs are not running ---- */

static void check_paused(struct doctor *doctor, const char *check, const char *title, const char *key,
                         const struct view_scope *scopes, size_t count, const char *advice)
{
    doctor_check(doctor, check, "not_running", title);
    for (size_t i = 0; i < count; i++) {
        if (scopes[i].settings.is_paused && scopes[i].ready > 0) {
            put(doctor_find(doctor, DOCTOR_WARNING, advice, "%s %.*s is paused and has %" PRId64 " ready", key,
                            STR_ARGS(scopes[i].name), scopes[i].ready),
                key, scopes[i].name, scopes[i].ready);
            doctor_found(doctor);
        }
    }
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
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        for (size_t i = 0; i < lists[k].count; i++) {
            const struct view_scope *scope = &lists[k].scopes[i];
            int64_t max = scope->settings.max_in_flight;

            if (max != SETTING_NONE && scope->running >= max && scope->ready > 0) {
                put(doctor_find(doctor, DOCTOR_WARNING, "raise max_in_flight, or let it work off",
                                "%s %.*s has %" PRId64 " of %" PRId64 " running and %" PRId64 " ready", lists[k].key,
                                STR_ARGS(scope->name), scope->running, max, scope->ready),
                    lists[k].key, scope->name, scope->ready);
                doctor_found(doctor);
            }
        }
    }
}

static void check_workers(struct doctor *doctor)
{
    doctor_check(doctor, "pools_without_workers", "not_running", "Does every pool with work have workers?");
    for (size_t i = 0; i < doctor->pool_count; i++) {
        const struct view_scope *pool = &doctor->pools[i];

        if (pool->ready > 0 && pool->workers == 0) {
            put(doctor_find(doctor, DOCTOR_CRITICAL, "start workers that serve this pool",
                            "pool %.*s has %" PRId64 " ready and no worker", STR_ARGS(pool->name), pool->ready),
                "pool", pool->name, pool->ready);
            doctor_found(doctor);
        }
    }
    doctor_check(doctor, "pools_saturated", "not_running", "Have the workers room?");
    for (size_t i = 0; i < doctor->pool_count; i++) {
        const struct view_scope *pool = &doctor->pools[i];

        if (pool->ready > 0 && pool->workers > 0 && pool->capacity > 0 && pool->running >= pool->capacity) {
            put(doctor_find(doctor, DOCTOR_WARNING, "start more workers, or give those there are more capacity",
                            "pool %.*s runs %" PRId64 " with a capacity of %" PRId64 ", and %" PRId64 " are ready",
                            STR_ARGS(pool->name), pool->running, pool->capacity, pool->ready),
                "pool", pool->name, pool->ready);
            doctor_found(doctor);
        }
    }
}

static void check_breakers(struct doctor *doctor)
{
    doctor_check(doctor, "breakers_open", "not_running", "Is a circuit breaker open?");
    for (size_t i = 0; i < doctor->breaker_count; i++) {
        const struct view_breaker *breaker = &doctor->breakers[i];
        struct jw *jw = doctor_find(doctor, DOCTOR_WARNING,
                                    "see why attempts of this type fail; the breaker closes by itself when they work",
                                    "the breaker of type %.*s in tenant %.*s is %s", STR_ARGS(breaker->type),
                                    STR_ARGS(breaker->tenant), breaker->state == BREAKER_OPEN ? "open" : "half open");

        if (jw != NULL) {
            wire_put_text(jw, "tenant", breaker->tenant);
            wire_put_text(jw, "type", breaker->type);
        }
        doctor_found(doctor);
    }
}

static void check_lag(struct doctor *doctor)
{
    char late[DURATION_BYTES];
    int64_t late_ms = doctor->all.oldest_ms != TIME_NONE ? doctor->figures.now_ms - doctor->all.oldest_ms : 0;

    doctor_check(doctor, "overdue", "not_running", "Does what is due start in time?");
    if (doctor->all.overdue > 0) {
        put_count(doctor_find(doctor, doctor->all.overdue > OVERDUE_MAX ? DOCTOR_CRITICAL : DOCTOR_WARNING,
                              "look at the checks above: a pause, a limit, a breaker or missing workers hold them",
                              "%" PRId64 " have been ready for more than a minute, the oldest for %s",
                              doctor->all.overdue, duration_format_short(late_ms > 0 ? late_ms : 0, late)),
                  doctor->all.overdue);
        doctor_found(doctor);
    }
    if (histogram_quantile(&doctor->day.lag, 0.99) > LAG_P99_MAX_MS) {
        put_count(doctor_find(doctor, DOCTOR_WARNING, "more workers, or fewer fires at one instant (jitter)",
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

void doctor_not_running(struct doctor *doctor)
{
    check_workers(doctor);
    check_paused(doctor, "tenants_paused", "Is a tenant with work paused?", "tenant", doctor->tenants,
                 doctor->tenant_count, "resume it: POST /v1/tenants/{tenant}/resume");
    check_paused(doctor, "pools_paused", "Is a pool with work paused?", "pool", doctor->pools, doctor->pool_count,
                 "resume it: POST /v1/pools/{pool}/resume");
    check_paused(doctor, "types_paused", "Is a type with work paused?", "type", doctor->types, doctor->type_count,
                 "resume it: POST /v1/types/{type}/resume");
    check_caps(doctor);
    check_breakers(doctor);
    check_lag(doctor);
    check_clock(doctor);
}

/* ---- jobs run twice ---- */

void doctor_running_twice(struct doctor *doctor)
{
    uint64_t lost = doctor->day.attempts[ATTEMPT_LOST], timed_out = doctor->day.attempts[ATTEMPT_TIMED_OUT];

    doctor_check(doctor, "leases_lost", "running_twice", "Do workers fall silent while they hold work?");
    if (lost > 0) {
        put_count(doctor_find(doctor, DOCTOR_WARNING,
                              "workers died, were cut off, or name what they hold too seldom: a lost attempt may have "
                              "done its work",
                              "%" PRIu64 " attempts lost their lease in the last 24 hours", lost),
                  (int64_t)lost);
        doctor_found(doctor);
    }
    doctor_check(doctor, "timeouts", "running_twice", "Do attempts run into their time-out?");
    if (timed_out > 0) {
        put_count(doctor_find(doctor, DOCTOR_WARNING, "raise the time-out of those jobs, or make them shorter",
                              "%" PRIu64 " attempts timed out in the last 24 hours", timed_out),
                  (int64_t)timed_out);
        doctor_found(doctor);
    }
    doctor_check(doctor, "timed_out_held", "running_twice", "Do workers stop what has timed out?");
    if (doctor->health.dropping > 0) {
        put_count(doctor_find(doctor, DOCTOR_WARNING, "see why those workers do not stop what they are told to",
                              "%zu attempts have timed out and their workers still hold them", doctor->health.dropping),
                  (int64_t)doctor->health.dropping);
        doctor_found(doctor);
    }
    doctor_check(doctor, "leases_about_to_end", "running_twice", "Are leases renewed in time?");
    for (size_t i = 0; i < doctor->worker_count; i++) {
        const struct view_worker *worker = &doctor->workers[i];
        size_t late = 0;

        for (size_t k = 0; k < worker->holding_count; k++) {
            late += worker->holding[k].lease_until_ms <= doctor->figures.now_ms + STALE_LEASE_MS ? 1 : 0;
        }
        if (late > 0) {
            put(doctor_find(doctor, DOCTOR_WARNING, "see whether this worker is alive and can reach the server",
                            "worker %.*s holds %zu attempts whose lease is over", STR_ARGS(worker->id), late),
                "worker", worker->id, (int64_t)late);
            doctor_found(doctor);
        }
    }
    doctor_check(doctor, "orphans", "running_twice", "Have all workers come back after the start?");
    if (doctor->health.orphans > 0) {
        put_count(doctor_find(doctor, DOCTOR_WARNING,
                              "they run again when their lease ends, unless their workers report before",
                              "%zu attempts belong to workers that have not been heard of since the server started",
                              doctor->health.orphans),
                  (int64_t)doctor->health.orphans);
        doctor_found(doctor);
    }
}

/* ---- retries explode ---- */

static void check_types(struct doctor *doctor)
{
    doctor_check(doctor, "types_failing", "retries", "Which types fail?");
    for (size_t i = 0; i < doctor->type_day_count; i++) {
        const struct counters_row *row = &doctor->type_days[i];
        double rate = tally_success_rate(&row->tally);

        if (tally_executed(&row->tally) >= PROVES_SOMETHING && rate < SUCCESS_SHARE_MIN) {
            put(doctor_find(doctor, rate < 0.5 ? DOCTOR_CRITICAL : DOCTOR_WARNING,
                            "look at the errors of its last attempts; pause the type while its downstream is broken",
                            "%.1f %% of the attempts of type %.*s succeeded in the last 24 hours", rate * 100,
                            STR_ARGS(row->place.type)),
                "type", row->place.type, (int64_t)tally_failed(&row->tally));
            doctor_found(doctor);
        }
    }
}

void doctor_retries(struct doctor *doctor)
{
    double retry_share = doctor->day.started > 0 ? (double)doctor->day.retried / (double)doctor->day.started : 0;

    check_types(doctor);
    doctor_check(doctor, "retry_rate", "retries", "How much of the work is repeated?");
    if (doctor->day.started >= PROVES_SOMETHING && retry_share > RETRY_SHARE_MAX) {
        put_count(doctor_find(doctor, DOCTOR_WARNING, "find what fails first; raise backoff or cap max_attempts",
                              "%.1f %% of the attempts of the last 24 hours were retries", retry_share * 100),
                  (int64_t)doctor->day.retried);
        doctor_found(doctor);
    }
    doctor_check(doctor, "dead_letters", "retries", "Are there dead letters?");
    if (doctor->dead > 0) {
        put_count(doctor_find(doctor, doctor->dead > DEAD_PAGES ? DOCTOR_CRITICAL : DOCTOR_WARNING,
                              "look at them (GET /v1/dead), mend the cause, then replay or discard them",
                              "%" PRId64 "%s dead letters are there", doctor->dead,
                              doctor->dead >= 10000 ? " or more" : ""),
                  doctor->dead);
        doctor_found(doctor);
    }
    doctor_check(doctor, "released_often", "retries", "Is work given back again and again?");
    if (doctor->day.attempts[ATTEMPT_RELEASED] > doctor->day.started / 2 &&
        doctor->day.attempts[ATTEMPT_RELEASED] >= PROVES_SOMETHING) {
        put_count(doctor_find(doctor, DOCTOR_WARNING, "see why workers give back what they took",
                              "%" PRIu64 " attempts were given back in the last 24 hours",
                              doctor->day.attempts[ATTEMPT_RELEASED]),
                  (int64_t)doctor->day.attempts[ATTEMPT_RELEASED]);
        doctor_found(doctor);
    }
    doctor_check(doctor, "fires_beyond_limit", "retries", "Were fires left out because too many were missed?");
    if (doctor->batches.skipped[SKIP_LIMIT] > 0) {
        put_count(doctor_find(doctor, DOCTOR_WARNING,
                              "queue and backfill go back 100000 fires; backfill the rest by hand where it matters",
                              "%" PRIu64 " fires were skipped because they lay too far back",
                              doctor->batches.skipped[SKIP_LIMIT]),
                  (int64_t)doctor->batches.skipped[SKIP_LIMIT]);
        doctor_found(doctor);
    }
}

/* ---- the system ---- */

void doctor_system(struct doctor *doctor)
{
    doctor_check(doctor, "engine", "system", "Does the engine work?");
    if (doctor->shard.restarts > 0) {
        put_count(doctor_find(doctor, DOCTOR_WARNING, "see the log: shard.down says why",
                              "the engine was made anew %" PRIu64 " times since the start", doctor->shard.restarts),
                  (int64_t)doctor->shard.restarts);
        doctor_found(doctor);
    }
    if (doctor->health.unreadable > 0) {
        put_count(doctor_find(doctor, DOCTOR_CRITICAL, "see the log for which, and create them again",
                              "%zu jobs could not be read back from the store", doctor->health.unreadable),
                  (int64_t)doctor->health.unreadable);
        doctor_found(doctor);
    }
    doctor_check(doctor, "backlog", "system", "Does work pile up?");
    if (doctor->all.ready > BACKLOG_MAX) {
        put_count(doctor_find(doctor, DOCTOR_WARNING, "more workers; see which pool has the most",
                              "%" PRId64 " are ready", doctor->all.ready),
                  doctor->all.ready);
        doctor_found(doctor);
    }
    doctor_check(doctor, "commits", "system", "Is the store quick?");
    if (doctor->shard.commit_max_us > SLOW_COMMIT_US) {
        (void)doctor_find(doctor, DOCTOR_WARNING, "see what else uses that disk", "a commit took %" PRId64 " ms",
                          doctor->shard.commit_max_us / 1000);
        doctor_found(doctor);
    }
    doctor_check(doctor, "zones", "system", "Did time zones get other rules?");
    if (doctor->zones.moved_ms != TIME_NONE && doctor->zones.moved_ms > doctor->figures.now_ms - DAY_MS) {
        put_count(doctor_find(doctor, DOCTOR_WARNING,
                              "look at the next fires of these jobs; their versions and the log say which they are",
                              "tzdata is %s now, and %" PRIu64 " jobs follow the new rules of %s or of others",
                              doctor->zones.version, doctor->zones.moved, doctor->zones.moved_zone),
                  (int64_t)doctor->zones.moved);
        doctor_found(doctor);
    }
    if (doctor->zones.waiting > 0) {
        put_count(doctor_find(doctor, DOCTOR_WARNING, "let them run what is due; they are moved then",
                              "%" PRIu64 " jobs follow former rules of their time zone until a due fire is decided",
                              doctor->zones.waiting),
                  (int64_t)doctor->zones.waiting);
        doctor_found(doctor);
    }
    doctor_check(doctor, "draining", "system", "Does this server stay?");
    if (doctor->health.is_draining) {
        (void)doctor_find(doctor, DOCTOR_WARNING, "wait for it to go, and use another", "this server is going");
        doctor_found(doctor);
    }
}
