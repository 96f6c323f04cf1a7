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
/* While another server owns the shard it is asked for so often, with as much again of chance between. */
#define STANDBY_MS 60
/* How old the published figures may be. */
#define VIEW_MS 50
/* Between two attempts to start anew, doubled each time up to the second of them. */
#define RETRY_FIRST_MS 100
#define RETRY_MAX_MS 5000

#define UNTRUSTED "this server has not reached the store for a while and may not own the shard any more"

/* The wall time is the store's, where it has a clock: so all who share it agree. */
static struct moment now(struct shard *shard)
{
    struct moment moment = {.wall_ms = chrono_wall_ms(), .mono_ms = chrono_mono_ms()};

    if (atomic_load(&shard->has_clock)) {
        moment.wall_ms = moment.mono_ms + atomic_load(&shard->ahead_ms);
    }
    return moment;
}

int64_t shard_now_ms(struct shard *shard)
{
    struct moment at = now(shard);
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

/* ---- the view ---- */

/* Once for each change: a store that stays down, and an engine that is stuck, are heard of once. */
static void tell(struct shard *shard, enum shard_state state, const struct error *error)
{
    struct error news = {.code = ERR_OK};
    bool is_serving = state == SHARD_SERVING;

    if (state == SHARD_STANDBY) {
        err_set(&news, ERR_NO_OWNER, "%s", shard->view.owner.url); /* written by this thread alone */
    } else if (!is_serving && error != NULL) {
        news = *error;
    }
    bool is_same = (news.code == ERR_OK) == (shard->told.code == ERR_OK) && strcmp(news.text, shard->told.text) == 0;

    if (shard->config.changed == NULL || is_same || (is_serving && shard->is_stuck)) {
        return;
    }
    shard->told = news;
    shard->config.changed(shard->config.context, is_serving, error);
}

static void publish(struct shard *shard, enum shard_state state, const struct error *error)
{
    pthread_mutex_lock(&shard->lock);
    shard->view.state = state;
    shard->view.is_stuck = shard->is_stuck;
    shard->view.retry_ms = state == SHARD_DOWN ? shard->retry_wait_ms : 0;
    if (error != NULL) {
        shard->view.error = *error;
    }
    pthread_cond_broadcast(&shard->has_started);
    pthread_mutex_unlock(&shard->lock);
    if (state != SHARD_STOPPED) {
        tell(shard, state, error);
    }
}

static void publish_figures(struct shard *shard)
{
    int64_t mono_ms = chrono_mono_ms();
    struct engine_figures figures;

    if (shard->engine == NULL) {
        return;
    }
    engine_figures(shard->engine, &figures);
    if (mono_ms < shard->viewed_mono_ms + VIEW_MS && figures.is_clock_held == shard->view.figures.is_clock_held) {
        return;
    }
    shard->viewed_mono_ms = mono_ms;
    pthread_mutex_lock(&shard->lock);
    shard->view.figures = figures;
    pthread_mutex_unlock(&shard->lock);
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

static void step(struct shard *shard, struct event event)
{
    event.at = now(shard);
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
static void cut(struct shard *shard)
{
    while (shard->engine != NULL && !shard->is_committing) {
        struct outbox *outbox = engine_cut(shard->engine, now(shard));

        if (outbox == NULL) {
            return;
        }
        struct shard_batch *batch = batch_of(shard, outbox);

        if (outbox->batch.op_count == 0) { /* nothing to store: it tells of what is durable */
            uint64_t number = outbox->number;

            deliver_unstored(shard, batch);
            step(shard, (struct event){.kind = EVENT_COMMITTED, .batch = number});
            continue;
        }
        struct letter *letter = letter_new(LETTER_COMMIT);

        letter->batch = batch;
        shard->is_committing = true;
        letter_post(&shard->to_store, letter);
    }
}

/* ---- failure and start ---- */

static void fail_pending(struct shard *shard, const struct error *error)
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

static void begin(struct shard *shard)
{
    shard->is_starting = true;
    letter_post(&shard->to_store, letter_new(LETTER_START));
}

static void begin_later(struct shard *shard)
{
    shard->retry_wait_ms = shard->retry_wait_ms == 0 ? RETRY_FIRST_MS : shard->retry_wait_ms * 2;
    if (shard->retry_wait_ms > RETRY_MAX_MS) {
        shard->retry_wait_ms = RETRY_MAX_MS;
    }
    shard->retry_mono_ms = chrono_mono_ms() + shard->retry_wait_ms;
}

/* Rule 6 of shard.h. */
static bool is_careful(const struct shard *shard)
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
    bool was_careful = is_careful(shard);

    if (outcome == STORE_REFUSED) {
        shard->careful_mono_ms = chrono_mono_ms() + shard->config.careful_ms;
    }
    return outcome == STORE_REFUSED && was_careful ? ERR_INTERNAL : ERR_STORE_DOWN;
}

static void take_failed(struct shard *shard, struct letter *letter)
{
    bool is_not_applied = letter->outcome != STORE_UNKNOWN && letter->outcome != STORE_BROKEN;

    letter->error.code = failure_code(shard, letter->outcome);
    shard->is_committing = false;
    note_refusal(shard, letter);
    if (letter->batch != NULL) {
        shard_batch_fail(shard, letter->batch, &letter->error, is_not_applied);
    }
    if (shard->engine == NULL) {
        return;
    }
    forget_engine(shard);
    letter->error.code = ERR_STORE_DOWN; /* for those who only stood behind it */
    fail_pending(shard, &letter->error);
    pthread_mutex_lock(&shard->lock);
    shard->view.restarts++;
    pthread_mutex_unlock(&shard->lock);
    if (!shard->is_stopping) {
        begin_later(shard);
    }
    publish(shard, SHARD_DOWN, &letter->error);
}

/* Another server owns the shard: it is asked for again and again, so that it is taken as soon as that one has gone. */
static void stand_by(struct shard *shard, const struct letter *letter)
{
    shard->engine = NULL;
    shard->retry_wait_ms = 0;
    shard->retry_mono_ms = chrono_mono_ms() + STANDBY_MS + (int64_t)(letter->token % STANDBY_MS);
    pthread_mutex_lock(&shard->lock);
    shard->view.owner = letter->owner;
    shard->view.epoch = letter->owner.epoch;
    pthread_mutex_unlock(&shard->lock);
    publish(shard, SHARD_STANDBY, NULL);
}

static void take_started(struct shard *shard, struct letter *letter)
{
    struct error error = letter->error;
    bool has_rows = letter->letter.kind == LETTER_STARTED;

    shard->is_starting = false;
    if (has_rows && engine_new(&shard->config.engine, letter->rows, now(shard), &shard->engine, &error) == ERR_OK) {
        shard->started_mono_ms = chrono_mono_ms();
        pthread_mutex_lock(&shard->lock);
        shard->view.epoch = letter->epoch;
        pthread_mutex_unlock(&shard->lock);
        if (shard->is_draining) {
            step(shard, (struct event){.kind = EVENT_DRAIN});
        }
        step(shard, (struct event){.kind = EVENT_TICK});
        shard->viewed_mono_ms = 0;
        publish_figures(shard);
        publish(shard, SHARD_SERVING, NULL);
    } else if (letter->outcome == STORE_FENCED && store_is_shared(shard->config.store)) {
        stand_by(shard, letter);
    } else {
        shard->engine = NULL;
        shard->careful_mono_ms = 0; /* there are other troubles now */
        begin_later(shard);
        publish(shard, SHARD_DOWN, &error);
    }
    rows_done(letter->rows);
    mem_free(letter->rows);
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

static void take_call(struct shard *shard, struct shard_call *call)
{
    if (shard->engine == NULL || shard->is_stopping) {
        struct error error;

        err_set(&error, shard->is_stopping ? ERR_DRAINING : ERR_STORE_DOWN,
                shard->is_stopping ? "the server is stopping"
                                   : "the store cannot be used at the moment; try again soon");
        shard_fail(shard, call, &error, true);
        return;
    }
    if (call->kind == SHARD_LOOK) {
        show(shard, call);
        return;
    }
    idmap_put(&shard->pending, call->token, call);
    if (call->kind == SHARD_COMMAND) {
        step(shard, (struct event){.kind = EVENT_COMMAND, .command = &call->command});
    } else {
        step(shard, (struct event){.kind = EVENT_EXCHANGE, .exchange = &call->exchange});
    }
}

static void take_loaded(struct shard *shard, struct letter *letter)
{
    if (shard->engine != NULL) {
        step(shard, (struct event){.kind = EVENT_LOADED, .load_tag = letter->token, .rows = letter->rows});
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

    step(shard, (struct event){.kind = EVENT_GONE, .token = token});
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
            step(shard, (struct event){.kind = EVENT_DRAIN});
        }
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
            step(shard, (struct event){.kind = EVENT_COMMITTED, .batch = letter->number});
        }
        break;
    case LETTER_FAILED:
        take_failed(shard, letter);
        break;
    case LETTER_STARTED:
    case LETTER_NOT_STARTED:
        take_started(shard, letter);
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

static int64_t sleep_ms(const struct shard *shard)
{
    int64_t mono_ms = chrono_mono_ms();
    int64_t wake_ms = mono_ms + SLEEP_MAX_MS;

    if (shard->engine != NULL && shard->effects.wake_mono_ms < wake_ms && !is_full(shard)) {
        wake_ms = shard->effects.wake_mono_ms;
    }
    if (shard->engine == NULL && !shard->is_starting && shard->retry_mono_ms < wake_ms) {
        wake_ms = shard->retry_mono_ms;
    }
    return wake_ms > mono_ms ? wake_ms - mono_ms : 0;
}

static void on_time(struct shard *shard)
{
    int64_t mono_ms = chrono_mono_ms();

    bool is_time = shard->effects.wake_mono_ms <= mono_ms || shard->stepped_mono_ms + SLEEP_MAX_MS <= mono_ms;

    if (shard->engine != NULL && is_time && !is_full(shard)) {
        step(shard, (struct event){.kind = EVENT_TICK});
    }
    if (shard->engine == NULL && !shard->is_starting && !shard->is_stopping && shard->retry_mono_ms <= mono_ms) {
        begin(shard);
    }
    if (shard->is_stuck && shard->engine != NULL && mono_ms > shard->started_mono_ms + shard->config.careful_ms) {
        shard->is_stuck = false;
        publish(shard, SHARD_SERVING, NULL);
    }
}

/* Whether the next letter has to wait: the next batch is full, or (rule 6 of shard.h) not this letter's. */
static bool must_hold(const struct shard *shard)
{
    if (is_careful(shard) && !shard->is_stopping) {
        return shard->is_committing || (shard->engine == NULL && !shard->is_stuck);
    }
    return is_full(shard);
}

/* Takes letters as long as the next batch may grow. */
static void take_all(struct shard *shard, struct list *letters)
{
    struct list_node *node;

    while ((node = list_first(letters)) != NULL) {
        if (is_careful(shard)) {
            cut(shard); /* rows that were loaded may have let a command of before go on */
        }
        if (must_hold(shard)) {
            return;
        }
        list_remove(node);
        take(shard, node);
        /* An idle store commits at once what came together. */
        if (!shard->is_committing && shard->engine != NULL &&
            (list_empty(letters) || is_careful(shard) || engine_gathered(shard->engine) > GATHERED_MAX)) {
            cut(shard);
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
    begin(shard);
    while (!is_over(shard)) {
        mailbox_take(&shard->to_engine, sleep_ms(shard), &letters);
        take_store_letters(shard, &letters);
        take_all(shard, &letters);
        on_time(shard);
        cut(shard);
        publish_figures(shard);
    }
    err_set(&error, ERR_DRAINING, "the server is stopping");
    mailbox_close(&shard->to_engine, &letters);
    discard(shard, &letters, &error);
    fail_pending(shard, &error);
    engine_free(shard->engine);
    shard->engine = NULL;
    publish(shard, SHARD_STOPPED, NULL);
    return NULL;
}
