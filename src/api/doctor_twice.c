/* What the playbooks ask where jobs run twice, and where retries explode. */
#include <inttypes.h>
#include <string.h>

#include "api/doctor.h"
#include "base/limits.h"
#include "wire/put.h"

#define DEAD_PAGES 1000
#define RETRY_SHARE_MAX 0.05
#define SUCCESS_SHARE_MIN 0.95
#define PROVES_SOMETHING 20 /* attempts; fewer show nothing */

/* ---- jobs run twice ---- */

static void check_lost(struct doctor *doctor)
{
    uint64_t lost = doctor->day.attempts[ATTEMPT_LOST];

    doctor_check(doctor, "leases_lost", "running_twice", "Do workers fall silent while they hold work?");
    doctor_looked(doctor, "%" PRIu64 " of %" PRIu64 " attempts of the last 24 hours lost their lease", lost,
                  doctor->day.started);
    if (lost > 0) {
        doctor_put_count(
            doctor_find(doctor, DOCTOR_WARNING,
                        "workers died, were cut off, or name what they hold too seldom: a lost attempt may "
                        "have done its work; a longer lease helps those that are slow to answer",
                        "%" PRIu64 " attempts lost their lease in the last 24 hours", lost),
            (int64_t)lost);
        doctor_command(doctor, "belfry edit JOB --lease 2m; belfry workers");
        doctor_found(doctor);
    }
}

static void check_timeouts(struct doctor *doctor)
{
    uint64_t timed_out = doctor->day.attempts[ATTEMPT_TIMED_OUT];

    doctor_check(doctor, "timeouts", "running_twice", "Do attempts run into their time-out?");
    doctor_looked(doctor, "%" PRIu64 " of %" PRIu64 " attempts of the last 24 hours timed out", timed_out,
                  doctor->day.started);
    if (timed_out > 0) {
        doctor_put_count(doctor_find(doctor, DOCTOR_WARNING, "raise the time-out of those jobs, or make them shorter",
                                     "%" PRIu64 " attempts timed out in the last 24 hours", timed_out),
                         (int64_t)timed_out);
        doctor_command(doctor, "belfry edit JOB --timeout 10m");
        doctor_letters(doctor, STR(""));
        doctor_found(doctor);
    }
    doctor_check(doctor, "timed_out_held", "running_twice", "Do workers stop what has timed out?");
    doctor_looked(doctor, "%zu attempts that have timed out are still held", doctor->health.dropping);
    if (doctor->health.dropping > 0) {
        doctor_put_count(doctor_find(doctor, DOCTOR_WARNING, "see why those workers do not stop what they are told to",
                                     "%zu attempts have timed out and their workers still hold them",
                                     doctor->health.dropping),
                         (int64_t)doctor->health.dropping);
        doctor_command(doctor, "belfry workers");
        doctor_found(doctor);
    }
}

static void check_renewals(struct doctor *doctor)
{
    size_t held = 0;

    doctor_check(doctor, "leases_about_to_end", "running_twice", "Are leases renewed in time?");
    for (size_t i = 0; i < doctor->worker_count; i++) {
        const struct view_worker *worker = &doctor->workers[i];
        size_t late = 0;

        held += worker->holding_count;
        for (size_t k = 0; k < worker->holding_count; k++) {
            late += worker->holding[k].lease_until_ms <= doctor->figures.now_ms ? 1 : 0;
        }
        if (late > 0) {
            doctor_put(doctor_find(doctor, DOCTOR_WARNING, "see whether this worker is alive and can reach the server",
                                   "worker %.*s holds %zu attempts whose lease is over", STR_ARGS(worker->id), late),
                       "worker", worker->id, (int64_t)late);
            doctor_command(doctor, "belfry workers");
            doctor_found(doctor);
        }
    }
    doctor_looked(doctor, "%zu attempts of %zu workers were looked at", held, doctor->worker_count);
}

void doctor_running_twice(struct doctor *doctor)
{
    check_lost(doctor);
    check_timeouts(doctor);
    check_renewals(doctor);
    doctor_check(doctor, "orphans", "running_twice", "Have all workers come back after the start?");
    doctor_looked(doctor, "%zu attempts belong to workers that have not come back", doctor->health.orphans);
    if (doctor->health.orphans > 0) {
        doctor_put_count(doctor_find(doctor, DOCTOR_WARNING,
                                     "they run again when their lease ends, unless their workers report before",
                                     "%zu attempts belong to workers that have not been heard of since the server "
                                     "started",
                                     doctor->health.orphans),
                         (int64_t)doctor->health.orphans);
        doctor_command(doctor, "belfry workers");
        doctor_found(doctor);
    }
}

/* ---- retries explode ---- */

static void check_types(struct doctor *doctor)
{
    doctor_check(doctor, "types_failing", "retries", "Which types fail?");
    doctor_looked(doctor, "%" PRIu64 " of %" PRIu64 " attempts of the last 24 hours failed; %zu types were looked at",
                  tally_failed(&doctor->day), tally_judged(&doctor->day), doctor->type_day_count);
    for (size_t i = 0; i < doctor->type_day_count; i++) {
        const struct counters_row *row = &doctor->type_days[i];
        double rate = tally_success_rate(&row->tally);

        if (tally_judged(&row->tally) >= PROVES_SOMETHING && rate < SUCCESS_SHARE_MIN) {
            doctor_put(
                doctor_find(doctor, rate < 0.5 ? DOCTOR_CRITICAL : DOCTOR_WARNING,
                            "look at the errors of its last attempts; pause the type while what it calls is broken",
                            "%.1f %% of the %" PRIu64 " attempts of type %.*s succeeded in the last 24 hours",
                            rate * 100, tally_judged(&row->tally), STR_ARGS(row->place.type)),
                "type", row->place.type, (int64_t)tally_failed(&row->tally));
            doctor_command(doctor, "belfry dead list --type %.*s; belfry types pause %.*s", STR_ARGS(row->place.type),
                           STR_ARGS(row->place.type));
            doctor_letters(doctor, row->place.type);
            doctor_found(doctor);
        }
    }
}

/* Whose retries are the most; NULL: nobody's. */
static const struct counters_row *most_retried(const struct doctor *doctor)
{
    const struct counters_row *most = NULL;

    for (size_t i = 0; i < doctor->tenant_day_count; i++) {
        const struct counters_row *row = &doctor->tenant_days[i];

        if (row->tally.retried > 0 && (most == NULL || row->tally.retried > most->tally.retried)) {
            most = row;
        }
    }
    return most;
}

static void check_retries(struct doctor *doctor)
{
    double share = doctor->day.started > 0 ? (double)doctor->day.retried / (double)doctor->day.started : 0;
    const struct counters_row *most = most_retried(doctor);

    doctor_check(doctor, "retry_rate", "retries", "How much of the work is repeated?");
    doctor_looked(doctor, "%" PRIu64 " of %" PRIu64 " attempts of the last 24 hours were retries (%.1f %%)",
                  doctor->day.retried, doctor->day.started, share * 100);
    if (doctor->day.started >= PROVES_SOMETHING && share > RETRY_SHARE_MAX && most != NULL) {
        doctor_put(doctor_find(doctor, DOCTOR_WARNING, "find what fails first; longer pauses or fewer attempts help",
                               "%.1f %% of the attempts of the last 24 hours were retries; tenant %.*s made %" PRIu64
                               " of the %" PRIu64,
                               share * 100, STR_ARGS(most->place.tenant), most->tally.retried, doctor->day.retried),
                   "tenant", most->place.tenant, (int64_t)doctor->day.retried);
        doctor_command(doctor, "belfry tenants set %.*s 'retry={\"max_attempts\":3,\"delays\":[\"1m\",\"10m\"]}'",
                       STR_ARGS(most->place.tenant));
        doctor_found(doctor);
    }
}

/* The error that most of the newest dead letters ended with; empty: none names one. */
static struct str common_error(const struct doctor *doctor, size_t *ret_count)
{
    const struct trigger_row *items = doctor->letters->triggers.items;
    size_t count = doctor->letters->triggers.count;
    struct str most = STR("");

    *ret_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;

        for (size_t k = 0; k < count && !str_empty(items[i].last.error_code); k++) {
            same += str_equal(items[i].last.error_code, items[k].last.error_code) ? 1 : 0;
        }
        if (same > *ret_count) {
            *ret_count = same;
            most = items[i].last.error_code;
        }
    }
    return most;
}

/* Whether a text that a worker chose is one word on a command line, whatever the shell. */
static bool is_plain_word(struct str text)
{
    bool is_plain = text.len > 0 && text.ptr[0] != '-';

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        is_plain = is_plain && (is_letter || (c >= '0' && c <= '9') || (c != '\0' && strchr("._:-", c) != NULL));
    }
    return is_plain;
}

static void check_dead(struct doctor *doctor)
{
    const char *more = doctor->dead >= QUERY_SCAN_MAX ? " or more" : "";
    size_t same;
    struct str error = common_error(doctor, &same);

    doctor_check(doctor, "dead_letters", "retries", "Are there dead letters?");
    doctor_looked(doctor, "%" PRId64 "%s wait; %" PRIu64 " died in the last 24 hours", doctor->dead, more,
                  doctor->day.dead);
    if (doctor->dead > 0) {
        bool has_error = !str_empty(error);

        doctor_put_count(doctor_find(doctor, doctor->dead > DEAD_PAGES ? DOCTOR_CRITICAL : DOCTOR_WARNING,
                                     "look at them, mend the cause, then replay or discard them",
                                     "%" PRId64 "%s dead letters are there%s%.*s", doctor->dead, more,
                                     has_error ? "; the most common error of the newest is " : "", STR_ARGS(error)),
                         doctor->dead);
        if (is_plain_word(error)) {
            doctor_command(doctor, "belfry dead list --error-code %.*s", STR_ARGS(error));
        } else {
            doctor_command(doctor, "belfry dead list");
        }
        doctor_letters(doctor, STR(""));
        doctor_found(doctor);
    }
}

static void check_released(struct doctor *doctor)
{
    uint64_t released = doctor->day.attempts[ATTEMPT_RELEASED];

    doctor_check(doctor, "released_often", "retries", "Is work given back again and again?");
    doctor_looked(doctor, "%" PRIu64 " of %" PRIu64 " attempts of the last 24 hours were given back", released,
                  doctor->day.started);
    if (released > doctor->day.started / 2 && released >= PROVES_SOMETHING) {
        doctor_put_count(doctor_find(doctor, DOCTOR_WARNING, "see why workers give back what they took",
                                     "%" PRIu64 " attempts were given back in the last 24 hours", released),
                         (int64_t)released);
        doctor_command(doctor, "belfry workers");
        doctor_found(doctor);
    }
}

void doctor_retries(struct doctor *doctor)
{
    uint64_t beyond = doctor->batches.skipped[SKIP_LIMIT];

    check_types(doctor);
    check_retries(doctor);
    check_dead(doctor);
    check_released(doctor);
    doctor_check(doctor, "fires_beyond_limit", "retries", "Were fires left out because too many were missed?");
    doctor_looked(doctor, "%" PRIu64 " fires lay further back than %d since the start", beyond, CATCH_UP_MAX);
    if (beyond > 0) {
        doctor_put_count(
            doctor_find(doctor, DOCTOR_WARNING,
                        "queue and backfill go back so far and no further; backfill the rest by hand where "
                        "it matters",
                        "%" PRIu64 " fires were skipped because they lay too far back", beyond),
            (int64_t)beyond);
        doctor_command(doctor, "belfry backfill JOB --from TIME --to TIME");
        doctor_found(doctor);
    }
}
