/* The engine's thread: one letter, one step. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "server/shard_inside.h"

/* Sleeps are at most so long, and so is the time between two steps: a clock that is set, and a machine that slept, are
 * noticed by then. */
#define SLEEP_MAX_MS 1000
/* While a batch is being committed the next one grows up to here; further letters wait. Whatever comes meanwhile waits
 * for two commits, so a batch takes tens of milliseconds at most (a bulk create is larger: it is one letter).
 * Ten times as much would make a job a sixth cheaper at best, and a neighbour of a herd twice as late. */
#define GATHERED_MAX 4000

#define UNTRUSTED "this server has not reached the store for a while and may not own the shard any more"

/* The wall time is the store's, where it has a clock: so all who share it agree. */
struct moment shard_now(struct shard *shard)
{
    struct moment moment = {.wall_ms = chrono_wall_ms(), .mono_ms = chrono_mono_ms()};

    if (atomic_load(&shard->has_clock)) {
        moment.wall_ms = moment.mono_ms + atomic_load(&shard->ahead_ms);
    }
    return moment;
}

int64_t shard_now_ms(struct shard *shard)
{
    struct moment at = shard_now(shard);
    bool is_held;

    pthread_mutex_lock(&shard->lock);
    struct moment believed = {.wall_ms = shard->view.figures.now_ms, .mono_ms = shard->view.figures.mono_ms};
    pthread_mutex_unlock(&shard->lock);
    return believed.mono_ms > 0 ? engine_believes_ms(&shard->config.engine, believed, at, &is_held) : at.wall_ms;
}

/* Whether what is in memory may be told: nobody else can have taken the shard yet. */
static bool is_trusted(struct shard *shard)
{
    return !store_is_shared(shard->config.store) || chrono_mono_ms() < atomic_load(&shard->trusted_mono_ms);
}

/* ---- steps ---- */

static void ask_store(struct shard *shard)
{
    if (shard->effects.load_count == 0) {
        return;
    }
    int64_t wake_mono_ms = shard->effects.wake_mono_ms;
    struct letter *letter = letter_new(LETTER_LOADS);

    letter->effects = shard->effects;
    letter_post(&shard->to_store, letter);
    effects_init(&shard->effects);
    shard->effects.wake_mono_ms = wake_mono_ms;
}

void shard_step(struct shard *shard, struct event event)
{
    event.at = shard_now(shard);
    shard->stepped_mono_ms = event.at.mono_ms;
    effects_reset(&shard->effects);
    engine_step(shard->engine, &event, &shard->effects);
    ask_store(shard);
}

static struct shard_batch *batch_of(struct shard *shard, struct outbox *outbox)
{
    struct shard_batch *batch = mem_zalloc(sizeof *batch);
    size_t count = 0;

    for (const struct reply *reply = outbox->first; reply != NULL; reply = reply->next) {
        count++;
    }
    batch->outbox = outbox;
    batch->calls = mem_alloc_array(count + 1, sizeof(struct shard_call *));
    for (const struct reply *reply = outbox->first; reply != NULL; reply = reply->next) {
        struct shard_call *call = idmap_find(&shard->pending, reply->token);

        if (call != NULL) {
            idmap_remove(&shard->pending, reply->token);
        }
        batch->calls[batch->call_count++] = call;
    }
    return batch;
}

static void deliver_unstored(struct shard *shard, struct shard_batch *batch)
{
    struct error error;

    if (is_trusted(shard)) {
        shard_batch_deliver(shard, batch);
        return;
    }
    err_set(&error, ERR_NO_OWNER, UNTRUSTED);
    shard_batch_fail(shard, batch, &error, true);
}

/* Sends off what was gathered, if nothing is on its way. */
void shard_cut(struct shard *shard)
{
    while (shard->engine != NULL && !shard->is_committing && (!shard->is_leaving || shard->leave_cuts > 0)) {
        struct outbox *outbox = engine_cut(shard->engine, shard_now(shard));

        if (outbox == NULL) {
            return;
        }
        struct shard_batch *batch = batch_of(shard, outbox);

        if (outbox->batch.op_count == 0) { /* nothing to store: it tells of what is durable */
            uint64_t number = outbox->number;

            deliver_unstored(shard, batch);
            shard_step(shard, (struct event){.kind = EVENT_COMMITTED, .batch = number});
            continue;
        }
        struct letter *letter = letter_new(LETTER_COMMIT);

        letter->batch = batch;
        shard->is_committing = true;
        shard->leave_cuts -= shard->is_leaving;
        letter_post(&shard->to_store, letter);
    }
}

/* ---- letters ---- */

static void show(struct shard *shard, struct shard_call *call)
{
    struct error error;

    if (is_trusted(shard)) {
        shard_show(shard, call, shard->engine);
        return;
    }
    err_set(&error, ERR_NO_OWNER, UNTRUSTED);
    shard_fail(shard, call, &error, true);
}

static void take_command(struct shard *shard, struct shard_call *call)
{
    if (call->command.kind == COMMAND_ACCEPT_HELD) {
        shard->config.engine.is_held = false; /* the next engine's, too */
    }
    shard_step(shard, (struct event){.kind = EVENT_COMMAND, .command = &call->command});
}

/* The store holds nothing any more, or could not be told. */
static void take_accepted(struct shard *shard, struct letter *letter)
{
    struct shard_call *call = idmap_find(&shard->pending, letter->token);

    if (call == NULL) {
        return; /* it has failed with the engine that it was for */
    }
    if (letter->outcome == STORE_DONE) {
        take_command(shard, call);
        return;
    }
    idmap_remove(&shard->pending, letter->token);
    err_set(&letter->error, ERR_STORE_DOWN, "the store could not be told; try again in a moment");
    shard_fail(shard, call, &letter->error, true);
}

/* Why nothing can be taken now. */
static void say_why_not(const struct shard *shard, struct error *ret_error)
{
    if (shard->is_stopping) {
        err_set(ret_error, ERR_DRAINING, "the server is stopping");
    } else if (store_is_shared(shard->config.store)) {
        err_set(ret_error, ERR_NO_OWNER, "this server does not own the shard at the moment; try again soon");
    } else {
        err_set(ret_error, ERR_STORE_DOWN, "the store cannot be used at the moment; try again soon");
    }
}

static void take_call(struct shard *shard, struct shard_call *call)
{
    if (shard->engine == NULL || shard->is_stopping || shard->is_leaving) {
        struct error error;

        say_why_not(shard, &error);
        shard_fail(shard, call, &error, true);
        return;
    }
    if (call->kind == SHARD_LOOK) {
        show(shard, call);
        return;
    }
    idmap_put(&shard->pending, call->token, call);
    if (call->kind == SHARD_COMMAND && call->command.kind == COMMAND_ACCEPT_HELD &&
        store_is_shared(shard->config.store)) {
        struct letter *letter = letter_new(LETTER_ACCEPT); /* the store is told first */

        letter->token = call->token;
        letter_post(&shard->to_store, letter);
    } else if (call->kind == SHARD_COMMAND) {
        take_command(shard, call);
    } else {
        shard_step(shard, (struct event){.kind = EVENT_EXCHANGE, .exchange = &call->exchange});
    }
}

static void take_loaded(struct shard *shard, struct letter *letter)
{
    if (shard->engine != NULL) {
        shard_step(shard, (struct event){.kind = EVENT_LOADED, .load_tag = letter->token, .rows = letter->rows});
    }
    rows_done(letter->rows);
    mem_free(letter->rows);
}

/* The engine forgets an exchange that waits for work, so it is answered here; every other one has a reply. */
static void take_gone(struct shard *shard, uint64_t token)
{
    struct error error;

    if (shard->engine == NULL || idmap_find(&shard->pending, token) == NULL) {
        return;
    }
    bool has_waited = engine_waits(shard->engine, token);

    shard_step(shard, (struct event){.kind = EVENT_GONE, .token = token});
    if (!has_waited) {
        return;
    }
    err_set(&error, ERR_REQUEST_TIMEOUT, "the client has gone");
    shard_fail(shard, idmap_remove(&shard->pending, token), &error, false);
}

static void take_letter(struct shard *shard, struct letter *letter)
{
    switch (letter->letter.kind) {
    case LETTER_GONE:
        take_gone(shard, letter->token);
        break;
    case LETTER_DRAIN:
        shard->is_draining = true;
        if (shard->engine != NULL) {
            shard_step(shard, (struct event){.kind = EVENT_DRAIN});
        }
        break;
    case LETTER_LEAVE:
        shard_take_leave(shard);
        break;
    case LETTER_STOP:
        shard->is_stopping = true;
        break;
    case LETTER_LOADED:
        take_loaded(shard, letter);
        break;
    case LETTER_COMMITTED:
        shard->is_committing = false;
        if (shard->engine != NULL) {
            shard_step(shard, (struct event){.kind = EVENT_COMMITTED, .batch = letter->number});
        }
        break;
    case LETTER_FAILED:
        shard_take_failed(shard, letter);
        break;
    case LETTER_ACCEPTED:
        take_accepted(shard, letter);
        break;
    case LETTER_STARTED:
    case LETTER_NOT_STARTED:
        shard_take_started(shard, letter);
        break;
    default:
        abort();
    }
    mem_free(letter);
}

static void take(struct shard *shard, struct list_node *node)
{
    struct shard_letter *letter = CONTAINER_OF(node, struct shard_letter, node);

    if (letter->kind == LETTER_CALL) {
        take_call(shard, CONTAINER_OF(letter, struct shard_call, letter));
    } else {
        take_letter(shard, LETTER_OF(node));
    }
}

/* ---- the loop ---- */

/* While a batch is on its way the next one has all it can hold. */
static bool is_full(const struct shard *shard)
{
    return shard->is_committing && shard->engine != NULL && engine_gathered(shard->engine) > GATHERED_MAX;
}

/* When the thread has to turn next. */
static int64_t wake_mono_ms(const struct shard *shard)
{
    int64_t wake_ms = chrono_mono_ms() + SLEEP_MAX_MS;

    if (shard->engine != NULL && shard->effects.wake_mono_ms < wake_ms && !is_full(shard) && !shard->is_leaving) {
        wake_ms = shard->effects.wake_mono_ms;
    }
    if (shard->engine == NULL && !shard->is_starting && shard->retry_mono_ms < wake_ms) {
        wake_ms = shard->retry_mono_ms;
    }
    return wake_ms;
}

static void sleep_until(struct shard *shard, int64_t wake_ms, struct list *letters)
{
    int64_t mono_ms = chrono_mono_ms();

    mailbox_take(&shard->to_engine, wake_ms > mono_ms ? wake_ms - mono_ms : 0, letters);
}

/* Of turns that the time asked for; one that letters asked for has nothing to be late for. */
static void note_lag(struct shard *shard, int64_t wake_ms)
{
    int64_t mono_ms = chrono_mono_ms();

    if (mono_ms >= wake_ms) {
        histogram_add(&shard->lag, mono_ms - wake_ms);
    }
}

static void on_time(struct shard *shard)
{
    int64_t mono_ms = chrono_mono_ms();

    bool is_time = shard->effects.wake_mono_ms <= mono_ms || shard->stepped_mono_ms + SLEEP_MAX_MS <= mono_ms;

    if (shard->engine != NULL && is_time && !is_full(shard) && !shard->is_leaving) {
        shard_step(shard, (struct event){.kind = EVENT_TICK});
    }
    if (shard->engine == NULL && !shard->is_starting && !shard->is_stopping && shard->retry_mono_ms <= mono_ms) {
        shard_begin(shard);
    }
    if (shard->is_stuck && shard->engine != NULL && mono_ms > shard->started_mono_ms + shard->config.careful_ms) {
        shard->is_stuck = false;
        shard_publish(shard, SHARD_SERVING, NULL);
    }
}

/* Whether the next letter has to wait: the next batch is full, or (rule 6 of shard.h) not this letter's. */
static bool must_hold(const struct shard *shard)
{
    if (shard_is_careful(shard) && !shard->is_stopping) {
        return shard->is_committing || (shard->engine == NULL && !shard->is_stuck);
    }
    return is_full(shard);
}

/* Takes letters as long as the next batch may grow. */
static void take_all(struct shard *shard, struct list *letters)
{
    struct list_node *node;

    while ((node = list_first(letters)) != NULL) {
        if (shard_is_careful(shard)) {
            shard_cut(shard); /* rows that were loaded may have let a command of before go on */
        }
        if (must_hold(shard)) {
            return;
        }
        list_remove(node);
        take(shard, node);
        /* An idle store commits at once what came together. */
        if (!shard->is_committing && shard->engine != NULL &&
            (list_empty(letters) || shard_is_careful(shard) || engine_gathered(shard->engine) > GATHERED_MAX)) {
            shard_cut(shard);
        }
    }
}

/* Only the store's letters: it must tell of the batch before anything else is taken. And the last one: who stops does
 * not wait for a queue. */
static void take_store_letters(struct shard *shard, struct list *letters)
{
    struct list_node *next;

    for (struct list_node *node = list_first(letters); node != NULL; node = next) {
        next = list_next(letters, node);
        int kind = CONTAINER_OF(node, struct shard_letter, node)->kind;

        if (kind == LETTER_COMMITTED || kind == LETTER_FAILED || kind == LETTER_LOADED || kind == LETTER_STARTED ||
            kind == LETTER_NOT_STARTED || kind == LETTER_STOP) {
            list_remove(node);
            take(shard, node);
        }
    }
}

static bool is_over(const struct shard *shard)
{
    return shard->is_stopping && !shard->is_committing && !shard->is_starting &&
           (shard->engine == NULL || engine_gathered(shard->engine) == 0);
}

/* Nothing is decided any more: calls fail, letters of the store are about nothing. */
static void discard(struct shard *shard, struct list *letters, const struct error *error)
{
    for (struct list_node *node = list_pop_front(letters); node != NULL; node = list_pop_front(letters)) {
        struct shard_letter *letter = CONTAINER_OF(node, struct shard_letter, node);

        if (letter->kind == LETTER_CALL) {
            shard_fail(shard, CONTAINER_OF(letter, struct shard_call, letter), error, true);
        } else {
            letter_free(LETTER_OF(node));
        }
    }
}

void *shard_engine_run(void *arg)
{
    struct shard *shard = arg;
    struct list letters;
    struct error error;

    (void)pthread_setname_np(pthread_self(), "engine");
    list_init(&letters);
    shard_begin(shard);
    while (!is_over(shard)) {
        int64_t wake_ms = wake_mono_ms(shard);
        bool has_engine = shard->engine != NULL;

        sleep_until(shard, wake_ms, &letters);
        take_store_letters(shard, &letters);
        take_all(shard, &letters);
        if (has_engine) {
            note_lag(shard, wake_ms);
        }
        on_time(shard);
        shard_cut(shard);
        shard_go_on_leaving(shard);
        shard_publish_figures(shard);
    }
    err_set(&error, ERR_DRAINING, "the server is stopping");
    mailbox_close(&shard->to_engine, &letters);
    discard(shard, &letters, &error);
    shard_fail_pending(shard, &error);
    engine_free(shard->engine);
    shard->engine = NULL;
    shard_publish(shard, SHARD_STOPPED, NULL);
    return NULL;
}
