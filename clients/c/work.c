/* The table of works; all of it under the worker's lock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "worker.h"

/* What an attempt without them gets; the server always sends them. */
#define LEASE_DEFAULT_MS 30000
#define TIMEOUT_DEFAULT_MS 300000
#define LEASE_LEAST_MS 1000

struct work *bf_work_by_id(struct belfry_worker *worker, const char *id)
{
    for (size_t i = 0; i < worker->work_count; i++) {
        struct work *work = &worker->works[i];

        if (work->state != WORK_FREE && strcmp(work->attempt.id, id) == 0) {
            return work;
        }
    }
    return NULL;
}

size_t bf_work_count(const struct belfry_worker *worker, enum work_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < worker->work_count; i++) {
        count += worker->works[i].state == state;
    }
    return count;
}

int64_t bf_work_shortest_lease_ms(const struct belfry_worker *worker)
{
    int64_t shortest_ms = INT64_MAX;

    for (size_t i = 0; i < worker->work_count; i++) {
        const struct work *work = &worker->works[i];

        if (work->state != WORK_FREE && work->attempt.lease_ms < shortest_ms) {
            shortest_ms = work->attempt.lease_ms;
        }
    }
    return shortest_ms;
}

/* ---- taking ---- */

static bool is_seen(const struct belfry_worker *worker, const char *id)
{
    for (size_t i = 0; i < SEEN_MAX; i++) {
        if (strcmp(worker->seen[i], id) == 0) {
            return true;
        }
    }
    return false;
}

static void remember(struct belfry_worker *worker, const char *id)
{
    memcpy(worker->seen[worker->seen_next], id, strlen(id) + 1);
    worker->seen_next = (worker->seen_next + 1) % SEEN_MAX;
}

static struct work *free_place(struct belfry_worker *worker)
{
    for (size_t i = 0; i < worker->work_count; i++) {
        if (worker->works[i].state == WORK_FREE) {
            return &worker->works[i];
        }
    }
    return NULL;
}

static const char *keep(struct work *work, char *string)
{
    for (size_t i = 0; i < WORK_STRINGS_MAX; i++) {
        if (work->strings[i] == NULL) {
            work->strings[i] = string;
            return string;
        }
    }
    abort(); /* one place for each field of read_attempt */
}

static const char *keep_string(struct work *work, struct json from, const char *key)
{
    return keep(work, bf_json_string(bf_json_get(from, key)));
}

static void read_attempt(struct work *work, struct json from)
{
    struct belfry_attempt *attempt = &work->attempt;
    struct json payload = bf_json_get(from, "payload"), target = bf_json_get(from, "target");

    attempt->id = keep_string(work, from, "id");
    attempt->trigger = keep_string(work, from, "trigger");
    attempt->job = keep_string(work, from, "job");
    attempt->tenant = keep_string(work, from, "tenant");
    attempt->name = keep_string(work, from, "name");
    attempt->type = keep_string(work, from, "type");
    attempt->pool = keep_string(work, from, "pool");
    attempt->scheduled_for = keep_string(work, from, "scheduled_for");
    attempt->idempotency_key = keep_string(work, from, "idempotency_key");
    attempt->payload = keep(work, payload.length > 0 ? bf_json_copy(payload) : bf_copy_of("{}"));
    attempt->target = target.length == 0 || bf_json_is_null(target) ? NULL : keep(work, bf_json_copy(target));
    attempt->priority = (int)bf_json_integer(bf_json_get(from, "priority"), 3);
    attempt->number = bf_json_integer(bf_json_get(from, "attempt"), 1);
    attempt->failures = bf_json_integer(bf_json_get(from, "failures"), 0);
    attempt->max_attempts = bf_json_integer(bf_json_get(from, "max_attempts"), 1);
    attempt->timeout_ms = bf_json_duration_ms(bf_json_get(from, "timeout"), TIMEOUT_DEFAULT_MS);
    attempt->lease_ms = bf_json_duration_ms(bf_json_get(from, "lease"), LEASE_DEFAULT_MS);
    attempt->lease_ms = attempt->lease_ms > LEASE_LEAST_MS ? attempt->lease_ms : LEASE_LEAST_MS;
}

bool bf_work_take(struct belfry_worker *worker, struct json attempt)
{
    char *id = bf_json_string(bf_json_get(attempt, "id"));
    struct work *work = free_place(worker);
    bool is_new = id[0] != '\0' && strlen(id) < BELFRY_ID_BYTES && work != NULL && !is_seen(worker, id);

    if (is_new) {
        remember(worker, id); /* rule 4 */
        *work = (struct work){.worker = worker, .state = WORK_QUEUED, .serial = ++worker->serial_last};
        work->renewed_mono_ms = bf_mono_ms();
        read_attempt(work, attempt);
        (void)pthread_cond_signal(&worker->queued);
    }
    free(id);
    return is_new;
}

/* ---- ending ---- */

void bf_work_free(struct work *work)
{
    for (size_t i = 0; i < WORK_STRINGS_MAX; i++) {
        free(work->strings[i]);
    }
    free(work->result);
    free(work->code);
    free(work->message);
    free(work->note);
    *work = (struct work){.state = WORK_FREE};
}

void bf_work_end(struct work *work, enum belfry_outcome outcome)
{
    struct belfry_worker *worker = work->worker;

    work->state = WORK_ENDED;
    work->outcome = outcome;
    if (work->is_cancelled && outcome != BELFRY_SUCCEEDED) {
        bf_work_free(work); /* the server did not wait for this end, only for it to be no longer held */
    }
    worker->news++;
    bf_worker_wake(worker);
}

void bf_work_release_queued(struct belfry_worker *worker)
{
    for (size_t i = 0; i < worker->work_count; i++) {
        if (worker->works[i].state == WORK_QUEUED) {
            bf_work_end(&worker->works[i], BELFRY_RELEASED);
        }
    }
}
