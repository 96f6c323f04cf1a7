/* What a handler says of its attempt, and asks. */
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "worker.h"

static struct work *work_of(struct belfry_attempt *attempt)
{
    return (struct work *)(void *)attempt; /* its first member */
}

enum belfry_stop belfry_attempt_stop(const struct belfry_attempt *attempt)
{
    const struct work *work = (const struct work *)(const void *)attempt;
    struct belfry_worker *worker = work->worker;

    (void)pthread_mutex_lock(&worker->lock);
    bool is_cancelled = work->is_cancelled;
    int64_t lost_mono_ms = work->renewed_mono_ms + attempt->lease_ms;
    (void)pthread_mutex_unlock(&worker->lock);

    if (is_cancelled) {
        return BELFRY_CANCELLED;
    }
    if (bf_mono_ms() > lost_mono_ms) {
        return BELFRY_LEASE_LOST;
    }
    return atomic_load(&worker->is_stopping) ? BELFRY_STOPPING : BELFRY_GO_ON;
}

void belfry_attempt_progress(struct belfry_attempt *attempt, int percent, const char *note)
{
    struct work *work = work_of(attempt);
    struct belfry_worker *worker = work->worker;

    percent = percent < 0 ? 0 : percent;
    (void)pthread_mutex_lock(&worker->lock);
    free(work->note);
    work->note = bf_copy_of(note);
    work->percent = percent > 100 ? 100 : percent;
    work->note_state = NOTE_NEW;
    worker->has_notes = true;
    (void)pthread_mutex_unlock(&worker->lock);
    bf_worker_wake(worker);
}

enum belfry_status belfry_attempt_result(struct belfry_attempt *attempt, const char *json)
{
    struct work *work = work_of(attempt);
    struct json value;

    if (strlen(json) > BELFRY_JSON_BYTES_MAX || !bf_json_check(json, strlen(json), &value)) {
        return BELFRY_INVALID;
    }
    free(work->result); /* nobody else looks before the handler returns */
    work->result = bf_json_copy(value);
    return BELFRY_OK;
}

static enum belfry_outcome set_failure(struct belfry_attempt *attempt, const char *code, const char *message)
{
    struct work *work = work_of(attempt);

    free(work->code);
    free(work->message);
    work->code = bf_copy_of(code);
    work->message = bf_copy_of(message);
    work->is_for_good = false;
    work->retry_after_ms = 0;
    return BELFRY_FAILED;
}

enum belfry_outcome belfry_attempt_fail(struct belfry_attempt *attempt, const char *code, const char *message)
{
    return set_failure(attempt, code, message);
}

enum belfry_outcome belfry_attempt_fail_for_good(struct belfry_attempt *attempt, const char *code, const char *message)
{
    (void)set_failure(attempt, code, message);
    work_of(attempt)->is_for_good = true;
    return BELFRY_FAILED;
}

enum belfry_outcome belfry_attempt_fail_until(struct belfry_attempt *attempt, const char *code, const char *message,
                                              int64_t retry_after_ms)
{
    (void)set_failure(attempt, code, message);
    work_of(attempt)->retry_after_ms = retry_after_ms > 0 ? retry_after_ms : 0;
    return BELFRY_FAILED;
}
