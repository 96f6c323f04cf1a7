/* How a shard's engine begins and ends: starting, failing, standing by, leaving. On the engine's thread. */
#include <stdio.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "server/shard_inside.h"

/* While another server owns the shard it is asked for so often, with as much again of chance between. */
#define STANDBY_MS 60
/* A server that leaves asks who has it so often: requests wait for that. */
#define LEAVING_MS 10
/* Between two attempts to start anew, doubled each time up to the second of them. */
#define RETRY_FIRST_MS 100
#define RETRY_MAX_MS 5000

void shard_fail_pending(struct shard *shard, const struct error *error)
{
    size_t pos = 0;
    struct shard_call *call;

    while ((call = idmap_next(&shard->pending, &pos, NULL)) != NULL) {
        /* Nothing of it was handed to the store; but the reports of a poll that waits were, before it began to. */
        shard_fail(shard, call, error, call->kind != SHARD_EXCHANGE || call->exchange.report_count == 0);
    }
    idmap_done(&shard->pending);
    idmap_init(&shard->pending, shard->config.engine.seed);
}

void shard_begin(struct shard *shard)
{
    shard->is_starting = true;
    letter_post(&shard->to_store, letter_new(shard->is_leaving ? LETTER_LOOK : LETTER_START));
}

static void begin_later(struct shard *shard)
{
    shard->retry_wait_ms = shard->retry_wait_ms == 0 ? RETRY_FIRST_MS : shard->retry_wait_ms * 2;
    if (shard->retry_wait_ms > RETRY_MAX_MS) {
        shard->retry_wait_ms = RETRY_MAX_MS;
    }
    shard->retry_mono_ms = chrono_mono_ms() + shard->retry_wait_ms;
}

bool shard_is_careful(const struct shard *shard)
{
    return shard->careful_mono_ms > chrono_mono_ms();
}

/* Rule 7 of shard.h: whether somebody asked for what is in the batch. A poll that only waits did not. */
static bool is_asked_for(const struct shard_batch *batch)
{
    for (size_t i = 0; batch != NULL && i < batch->call_count; i++) {
        const struct shard_call *call = batch->calls[i];

        if (call != NULL && (call->kind == SHARD_COMMAND || call->exchange.report_count > 0)) {
            return true;
        }
    }
    return false;
}

/* What it believed about the time is the next one's to begin with. */
static void forget_engine(struct shard *shard)
{
    struct engine_figures figures;

    engine_figures(shard->engine, &figures);
    shard->config.engine.believed = (struct moment){.wall_ms = figures.now_ms, .mono_ms = figures.mono_ms};
    engine_free(shard->engine);
    shard->engine = NULL;
}

/* Before the waiters of the batch are told. */
static void note_refusal(struct shard *shard, const struct letter *letter)
{
    bool was_calm = chrono_mono_ms() > shard->started_mono_ms + shard->config.careful_ms;

    shard->is_stuck = letter->outcome == STORE_REFUSED && !is_asked_for(letter->batch);
    if (!shard->is_stuck || was_calm) {
        shard->retry_wait_ms = 0;
    }
}

static enum err failure_code(struct shard *shard, enum store_outcome outcome)
{
    bool was_careful = shard_is_careful(shard);

    if (outcome == STORE_REFUSED) {
        shard->careful_mono_ms = chrono_mono_ms() + shard->config.careful_ms;
    }
    return outcome == STORE_REFUSED && was_careful ? ERR_INTERNAL : ERR_STORE_DOWN;
}

/* The engine goes; what it had in mind is told nobody. */
static void end_engine(struct shard *shard, const struct letter *letter)
{
    struct error error = letter->error;

    forget_engine(shard);
    pthread_mutex_lock(&shard->lock);
    shard->view.restarts++;
    pthread_mutex_unlock(&shard->lock);
    if (!shard->is_stopping) {
        begin_later(shard);
    }
    if (letter->outcome == STORE_FENCED) {
        shard->retry_mono_ms = 0; /* somebody else has it: who that is can be asked at once */
    }
    error.code = ERR_STORE_DOWN;
    shard_publish(shard, SHARD_DOWN, &error);
}

static void count_failure(struct shard *shard, enum store_outcome outcome)
{
    pthread_mutex_lock(&shard->lock);
    shard->view.failures[outcome]++;
    pthread_mutex_unlock(&shard->lock);
}

/* The view has changed before anybody is told: who then asks where to go finds out that it is not here. */
void shard_take_failed(struct shard *shard, struct letter *letter)
{
    bool is_not_applied = letter->outcome != STORE_UNKNOWN && letter->outcome != STORE_BROKEN;
    bool is_elsewhere = letter->outcome == STORE_FENCED && store_is_shared(shard->config.store);
    bool had_engine = shard->engine != NULL;
    enum err code = failure_code(shard, letter->outcome);

    count_failure(shard, letter->outcome);
    shard->is_committing = false;
    note_refusal(shard, letter);
    if (had_engine) {
        end_engine(shard, letter);
    }
    if (letter->batch != NULL) {
        letter->error.code = is_elsewhere ? ERR_NO_OWNER : code;
        shard_batch_fail(shard, letter->batch, &letter->error, is_not_applied);
    }
    if (had_engine) { /* those who only stood behind it */
        letter->error.code = is_elsewhere ? ERR_NO_OWNER : ERR_STORE_DOWN;
        shard_fail_pending(shard, &letter->error);
    }
}

/* Somebody else has had the shard since: what time it is was for that one to find out, perhaps for weeks. */
static void forget_time(struct shard *shard)
{
    shard->config.engine.believed = (struct moment){0};
    shard->view.figures.now_ms = 0; /* under the lock, by who calls */
    shard->view.figures.mono_ms = 0;
}

/* Another server owns the shard: it is asked for again and again, so that it is taken as soon as that one has gone. */
static void stand_by(struct shard *shard, const struct letter *letter)
{
    shard->engine = NULL;
    shard->retry_wait_ms = 0;
    shard->retry_mono_ms =
        chrono_mono_ms() + (shard->is_leaving ? LEAVING_MS : STANDBY_MS + (int64_t)(letter->token % STANDBY_MS));
    pthread_mutex_lock(&shard->lock);
    if (letter->owner.epoch != shard->view.epoch) {
        forget_time(shard);
    }
    shard->view.owner = letter->owner;
    shard->view.epoch = letter->owner.epoch;
    pthread_mutex_unlock(&shard->lock);
    shard_publish(shard, SHARD_STANDBY, NULL);
}

void shard_take_started(struct shard *shard, struct letter *letter)
{
    struct error error = letter->error;
    bool has_rows = letter->letter.kind == LETTER_STARTED;

    shard->is_starting = false;
    if (has_rows && store_is_shared(shard->config.store)) {
        shard->config.engine.is_held = letter->owner.held[0] != '\0';
    }
    if (has_rows &&
        engine_new(&shard->config.engine, letter->rows, shard_now(shard), &shard->engine, &error) == ERR_OK) {
        shard->started_mono_ms = chrono_mono_ms();
        pthread_mutex_lock(&shard->lock);
        shard->view.epoch = letter->epoch;
        (void)snprintf(shard->view.held, sizeof shard->view.held, "%s",
                       letter->owner.held[0] != '\0' ? letter->owner.held : "the server was started with --hold");
        pthread_mutex_unlock(&shard->lock);
        if (shard->is_draining) {
            shard_step(shard, (struct event){.kind = EVENT_DRAIN});
        }
        shard_step(shard, (struct event){.kind = EVENT_TICK});
        shard->viewed_mono_ms = 0;
        shard_publish_figures(shard);
        if (shard->is_leaving) {
            shard_take_leave(shard); /* it came too late: it goes as it came */
        } else {
            shard_publish(shard, SHARD_SERVING, NULL);
        }
    } else if (letter->outcome == STORE_FENCED && store_is_shared(shard->config.store)) {
        stand_by(shard, letter);
    } else {
        shard->engine = NULL;
        count_failure(shard, has_rows ? STORE_REFUSED : letter->outcome);
        shard->careful_mono_ms = 0; /* there are other troubles now */
        begin_later(shard);
        shard_publish(shard, SHARD_DOWN, &error);
    }
    if (letter->rows != NULL) {
        rows_done(letter->rows);
        mem_free(letter->rows);
    }
}

/* ---- leaving ---- */

void shard_take_leave(struct shard *shard)
{
    shard->is_leaving = true;
    shard->leave_cuts = 1;
    if (shard->engine == NULL) {
        return; /* from now on it is only asked who has it */
    }
    pthread_mutex_lock(&shard->lock);
    shard->view.owner = (struct store_ownership){.is_owned = false};
    pthread_mutex_unlock(&shard->lock);
    shard_publish(shard, SHARD_STANDBY, NULL); /* who comes from now on waits for the next owner */
    shard_step(shard, (struct event){.kind = EVENT_LEAVE});
}

void shard_go_on_leaving(struct shard *shard)
{
    struct error error;

    if (!shard->is_leaving || shard->engine == NULL || shard->is_committing) {
        return;
    }
    shard_cut(shard);
    if (shard->is_committing) {
        return;
    }
    engine_free(shard->engine); /* what it decided since was never handed to the store */
    shard->engine = NULL;
    shard->is_starting = true;
    letter_post(&shard->to_store, letter_new(LETTER_RELEASE));
    err_set(&error, ERR_NO_OWNER, "this server has handed the shard over");
    shard_fail_pending(shard, &error);
}
