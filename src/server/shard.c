#include "server/shard.h"

#include <string.h>

#include "base/mem.h"
#include "server/shard_inside.h"

struct letter *letter_new(enum letter_kind kind)
{
    struct letter *letter = mem_zalloc(sizeof *letter);

    list_node_init(&letter->letter.node);
    letter->letter.kind = (int)kind;
    return letter;
}

void letter_free(struct letter *letter)
{
    if (letter->rows != NULL) {
        rows_done(letter->rows);
        mem_free(letter->rows);
    }
    if (letter->letter.kind == LETTER_LOADS) {
        effects_done(&letter->effects);
    }
    mem_free(letter);
}

void letter_post(struct mailbox *mailbox, struct letter *letter)
{
    if (!mailbox_post(mailbox, &letter->letter.node)) {
        letter_free(letter);
    }
}

/* ---- answers ---- */

static bool names_triggers(const struct shard_call *call)
{
    return call->kind == SHARD_COMMAND && call->command.trigger_count > 0;
}

static void over(struct shard *shard, struct shard_call *call, const struct shard_answer *answer)
{
    atomic_fetch_sub(&shard->calls, 1);
    if (names_triggers(call)) {
        atomic_fetch_sub(&shard->naming, 1);
    }
    call->answered(call, answer);
}

void shard_fail(struct shard *shard, struct shard_call *call, const struct error *error, bool is_not_applied)
{
    over(shard, call, &(struct shard_answer){.error = error, .is_not_applied = is_not_applied});
}

void shard_answer(struct shard *shard, struct shard_call *call, const struct reply *reply)
{
    over(shard, call, &(struct shard_answer){.reply = reply});
}

void shard_show(struct shard *shard, struct shard_call *call, const struct engine *engine)
{
    over(shard, call, &(struct shard_answer){.engine = engine});
}

static void batch_free(struct shard_batch *batch)
{
    outbox_free(batch->outbox);
    mem_free(batch->calls);
    mem_free(batch);
}

void shard_batch_deliver(struct shard *shard, struct shard_batch *batch)
{
    const struct reply *reply = batch->outbox->first;

    for (size_t i = 0; i < batch->call_count; i++, reply = reply->next) {
        if (batch->calls[i] != NULL) {
            shard_answer(shard, batch->calls[i], reply);
        }
    }
    batch_free(batch);
}

void shard_batch_fail(struct shard *shard, struct shard_batch *batch, const struct error *error, bool is_not_applied)
{
    for (size_t i = 0; i < batch->call_count; i++) {
        if (batch->calls[i] != NULL) {
            shard_fail(shard, batch->calls[i], error, is_not_applied);
        }
    }
    batch_free(batch);
}

/* ---- calls ---- */

uint64_t shard_submit(struct shard *shard, struct shard_call *call)
{
    uint64_t token = atomic_fetch_add(&shard->next_token, 1);

    call->token = token;
    call->command.token = token;
    call->exchange.token = token;
    call->letter.kind = LETTER_CALL;
    list_node_init(&call->letter.node);
    struct error error;

    if (names_triggers(call)) {
        atomic_fetch_add(&shard->naming, 1); /* before the engine can ask for their rows */
    }
    if (atomic_fetch_add(&shard->calls, 1) >= SHARD_CALLS_MAX) {
        err_set(&error, ERR_OVERLOADED, "too many requests wait at once; try again in a moment");
        shard_fail(shard, call, &error, true);
    } else if (!mailbox_post(&shard->to_engine, &call->letter.node)) {
        err_set(&error, ERR_DRAINING, "the server is stopping");
        shard_fail(shard, call, &error, true);
    }
    return token;
}

void shard_gone(struct shard *shard, uint64_t token)
{
    struct letter *letter = letter_new(LETTER_GONE);

    letter->token = token;
    letter_post(&shard->to_engine, letter);
}

void shard_drain(struct shard *shard)
{
    letter_post(&shard->to_engine, letter_new(LETTER_DRAIN));
}

void shard_leave(struct shard *shard)
{
    letter_post(&shard->to_engine, letter_new(LETTER_LEAVE));
}

void shard_look(struct shard *shard, struct shard_view *ret_view)
{
    pthread_mutex_lock(&shard->lock);
    *ret_view = shard->view;
    pthread_mutex_unlock(&shard->lock);
    ret_view->calls = atomic_load(&shard->calls);
}

/* ---- life ---- */

void shard_free(struct shard *shard)
{
    mailbox_done(&shard->to_engine);
    mailbox_done(&shard->to_store);
    effects_done(&shard->effects);
    idmap_done(&shard->pending);
    pthread_mutex_destroy(&shard->lock);
    pthread_cond_destroy(&shard->has_started);
    mem_free(shard);
}

static struct shard *shard_new(const struct shard_config *config)
{
    struct shard *shard = mem_zalloc(sizeof *shard);

    shard->config = *config;
    shard->config.careful_ms = config->careful_ms > 0 ? config->careful_ms : SHARD_CAREFUL_MS;
    shard->told.code = ERR_NOT_READY; /* nothing was told yet */
    shard->seen = shard->view.seen = config->seen;
    shard->wants_hold = config->engine.is_held;
    mailbox_init(&shard->to_engine);
    mailbox_init(&shard->to_store);
    effects_init(&shard->effects);
    idmap_init(&shard->pending, config->engine.seed);
    atomic_init(&shard->next_token, 1);
    atomic_init(&shard->calls, 0);
    atomic_init(&shard->naming, 0);
    atomic_init(&shard->trusted_mono_ms, 0);
    atomic_init(&shard->ahead_ms, 0);
    atomic_init(&shard->has_clock, false);
    pthread_mutex_init(&shard->lock, NULL);
    pthread_cond_init(&shard->has_started, NULL);
    return shard;
}

enum err shard_start(const struct shard_config *config, struct shard **ret_shard, struct error *reterr)
{
    struct shard *shard = shard_new(config);
    struct shard_view view;

    if (pthread_create(&shard->store_thread, NULL, shard_store_run, shard) != 0) {
        shard_free(shard);
        return err_set(reterr, ERR_IO, "no thread can be started");
    }
    if (pthread_create(&shard->engine_thread, NULL, shard_engine_run, shard) != 0) {
        letter_post(&shard->to_store, letter_new(LETTER_END));
        pthread_join(shard->store_thread, NULL);
        shard_free(shard);
        return err_set(reterr, ERR_IO, "no thread can be started");
    }
    pthread_mutex_lock(&shard->lock);
    while (shard->view.state == SHARD_STARTING) {
        pthread_cond_wait(&shard->has_started, &shard->lock);
    }
    view = shard->view;
    pthread_mutex_unlock(&shard->lock);
    if (view.state != SHARD_SERVING && view.state != SHARD_STANDBY) {
        *reterr = view.error;
        shard_stop(shard);
        return reterr->code;
    }
    *ret_shard = shard;
    return ERR_OK;
}

void shard_close(struct shard *shard)
{
    letter_post(&shard->to_engine, letter_new(LETTER_STOP));
    pthread_join(shard->engine_thread, NULL);
    letter_post(&shard->to_store, letter_new(LETTER_END));
    pthread_join(shard->store_thread, NULL);
}

void shard_stop(struct shard *shard)
{
    shard_close(shard);
    shard_free(shard);
}
