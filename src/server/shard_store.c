/* The store's thread: letters in their order, and its housekeeping when there are none. */
#include <stdlib.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "server/home.h"
#include "server/shard_inside.h"

/* A store that is busy is asked again so often, with so much time between. */
#define AGAIN_MAX 100
#define AGAIN_MS 10
#define NS_PER_US 1000
/* How often a shared store is told that we live: well within anybody's patience with us. */
#define RENEW_MS 2000
/* While config.idle may not be called it is thought of again after this. */
#define NAMING_MS 100

struct backup_wait {
    pthread_mutex_t lock;
    pthread_cond_t is_over;
    const char *path;
    bool has_ended;
    enum store_outcome outcome;
    struct error error;
};

static void nap(void)
{
    struct timespec wait = {.tv_nsec = AGAIN_MS * 1000000L};

    nanosleep(&wait, NULL);
}

/* ---- failures ---- */

static void fail(struct shard *shard, struct shard_batch *batch, enum store_outcome outcome, const struct error *error)
{
    struct letter *letter = letter_new(LETTER_FAILED);

    shard->has_failed = true;
    letter->batch = batch;
    letter->outcome = outcome;
    letter->error = *error;
    if (outcome == STORE_BROKEN) {
        shard->config.broken(shard->config.context, error);
    }
    letter_post(&shard->to_engine, letter);
}

/* ---- stores that are shared ---- */

/* After every call that reached the store. */
static void note_trust(struct shard *shard)
{
    struct store_trust trust;

    if (!store_is_shared(shard->config.store) || store_look(shard->config.store, NULL, &trust, NULL) != STORE_DONE) {
        return;
    }
    atomic_store(&shard->trusted_mono_ms, trust.until_mono_ms);
    if (trust.has_clock) {
        atomic_store(&shard->ahead_ms, trust.ahead_of_mono_ms);
        atomic_store(&shard->has_clock, true);
    }
}

static void renew(struct shard *shard)
{
    struct error error = {0};
    int64_t mono_ms = chrono_mono_ms();

    if (!store_is_shared(shard->config.store) || shard->has_failed || mono_ms < shard->renew_mono_ms) {
        return;
    }
    shard->renew_mono_ms = mono_ms + RENEW_MS;
    enum store_outcome outcome = store_renew(shard->config.store, &error);

    note_trust(shard);
    if (outcome != STORE_DONE && outcome != STORE_AGAIN) {
        fail(shard, NULL, outcome, &error);
    }
}

/* ---- letters ---- */

static enum store_outcome load(struct shard *shard, const struct load *asked, struct rows *rows, struct error *error)
{
    enum store_outcome outcome = store_load(shard->config.store, asked, rows, error);

    for (int i = 0; outcome == STORE_AGAIN && i < AGAIN_MAX; i++) {
        nap();
        rows_done(rows);
        rows_init(rows);
        outcome = store_load(shard->config.store, asked, rows, error);
    }
    return outcome;
}

static void start(struct shard *shard)
{
    struct store_owner owner = {.name = shard->config.name, .url = shard->config.url};
    struct load all = {.kind = LOAD_START, .after_ms = TIME_NONE};
    struct letter *letter = letter_new(LETTER_STARTED);
    enum store_outcome outcome = STORE_DOWN;

    letter->rows = mem_alloc(sizeof *letter->rows);
    rows_init(letter->rows);
    /* The nonce tells two owners of one store apart, whatever their clocks and pids. */
    if (home_random(owner.nonce, sizeof owner.nonce, &letter->error) == ERR_OK) {
        outcome = store_acquire(shard->config.store, &owner, &letter->epoch, &letter->error);
    }
    if (outcome == STORE_DONE) {
        outcome = load(shard, &all, letter->rows, &letter->error);
    }
    if (outcome == STORE_DONE && store_is_shared(shard->config.store)) {
        outcome = shard_lineage_check(shard, letter);
    }
    note_trust(shard);
    shard->renew_mono_ms = chrono_mono_ms() + RENEW_MS;
    letter->outcome = outcome;
    if (outcome == STORE_FENCED && store_is_shared(shard->config.store)) {
        struct store_trust trust;

        if (store_look(shard->config.store, &letter->owner, &trust, NULL) == STORE_DONE) {
            shard_lineage_stand_by(shard, &letter->owner);
        }
        letter->token = (uint64_t)chrono_mono_ns(); /* as good as chance, to tell those who wait apart */
    }
    if (outcome != STORE_DONE) {
        letter->letter.kind = LETTER_NOT_STARTED;
        if (outcome == STORE_BROKEN) {
            shard->config.broken(shard->config.context, &letter->error);
        }
    }
    shard->has_failed = outcome != STORE_DONE;
    letter_post(&shard->to_engine, letter);
}

/* Tells the engine who owns the shard, and that it is not ours. */
static void look(struct shard *shard)
{
    struct letter *letter = letter_new(LETTER_NOT_STARTED);
    struct store_trust trust;
    enum store_outcome outcome = store_look(shard->config.store, &letter->owner, &trust, &letter->error);

    letter->outcome = outcome == STORE_DONE ? STORE_FENCED : outcome;
    shard->has_failed = true;
    letter_post(&shard->to_engine, letter);
}

static void release(struct shard *shard)
{
    if (!shard->has_failed) {
        (void)store_release(shard->config.store, NULL); /* else the lease ends by itself */
    }
    note_trust(shard);
    look(shard);
}

/* Rule 9 of shard.h: the mark goes before anything is given to workers. */
static void accept_held(struct shard *shard, uint64_t token)
{
    struct letter *letter = letter_new(LETTER_ACCEPTED);

    letter->token = token;
    letter->outcome = STORE_DOWN;
    if (!shard->has_failed) {
        letter->outcome = store_set_held(shard->config.store, "", &letter->error);
    }
    letter_post(&shard->to_engine, letter);
}

static void load_all(struct shard *shard, struct effects *effects)
{
    for (size_t i = 0; i < effects->load_count && !shard->has_failed; i++) {
        struct letter *letter = letter_new(LETTER_LOADED);
        enum store_outcome outcome;

        letter->rows = mem_alloc(sizeof *letter->rows);
        rows_init(letter->rows);
        letter->token = effects->loads[i].tag;
        outcome = load(shard, &effects->loads[i], letter->rows, &letter->error);
        if (outcome == STORE_DONE) {
            letter_post(&shard->to_engine, letter);
        } else {
            fail(shard, NULL, outcome, &letter->error);
            rows_done(letter->rows);
            mem_free(letter->rows);
            mem_free(letter);
        }
    }
}

static void count_commit(struct shard *shard, const struct batch *batch, int64_t took_us)
{
    pthread_mutex_lock(&shard->lock);
    shard_lineage_committed(shard, batch);
    shard->view.batches++;
    shard->view.operations += batch->op_count;
    shard->view.commit_last_us = took_us;
    if (took_us > shard->view.commit_max_us) {
        shard->view.commit_max_us = took_us;
    }
    pthread_mutex_unlock(&shard->lock);
}

static void commit(struct shard *shard, struct shard_batch *batch)
{
    const struct batch *ops = &batch->outbox->batch;
    uint64_t number = batch->outbox->number;
    int64_t began_ns = chrono_mono_ns();
    struct error error;
    enum store_outcome outcome = store_commit(shard->config.store, ops, &error);

    for (int i = 0; outcome == STORE_AGAIN && i < AGAIN_MAX; i++) {
        nap();
        outcome = store_commit(shard->config.store, ops, &error);
    }
    if (outcome != STORE_DONE) {
        fail(shard, batch, outcome, &error);
        return;
    }
    struct letter *letter = letter_new(LETTER_COMMITTED);

    note_trust(shard);
    letter->number = number;
    count_commit(shard, ops, (chrono_mono_ns() - began_ns) / NS_PER_US);
    letter_post(&shard->to_engine, letter); /* the engine can cut the next while we tell */
    if (shard->config.committed != NULL) {
        shard->config.committed(shard->config.context, ops);
    }
    shard_batch_deliver(shard, batch);
    store_tidy(shard->config.store, false);
}

static void end_backup(struct backup_wait *wait, enum store_outcome outcome)
{
    pthread_mutex_lock(&wait->lock);
    wait->outcome = outcome;
    wait->has_ended = true;
    pthread_cond_signal(&wait->is_over);
    pthread_mutex_unlock(&wait->lock);
}

static void refuse_backup(struct backup_wait *wait)
{
    err_set(&wait->error, ERR_DRAINING, "the server is stopping");
    end_backup(wait, STORE_DOWN);
}

static void back_up(struct shard *shard, struct letter *letter)
{
    struct backup_wait *wait = letter->backup;
    enum store_outcome outcome = store_backup(shard->config.store, wait->path, &wait->error);

    if (outcome == STORE_AGAIN) { /* another step, behind what came meanwhile */
        struct letter *more = letter_new(LETTER_BACKUP);

        more->backup = wait;
        letter_post(&shard->to_store, more); /* open: this thread closes it */
        return;
    }
    end_backup(wait, outcome);
}

/* False: it is over. */
static bool do_letter(struct shard *shard, struct letter *letter)
{
    switch (letter->letter.kind) {
    case LETTER_START:
        start(shard);
        break;
    case LETTER_LOOK:
        look(shard);
        break;
    case LETTER_RELEASE:
        release(shard);
        break;
    case LETTER_LOADS:
        if (!shard->has_failed) {
            load_all(shard, &letter->effects);
        }
        effects_done(&letter->effects);
        break;
    case LETTER_COMMIT:
        if (shard->has_failed) {
            struct error error;

            err_set(&error, ERR_STORE_DOWN, "the store failed before this was stored");
            shard_batch_fail(shard, letter->batch, &error, true);
        } else {
            commit(shard, letter->batch);
        }
        break;
    case LETTER_ACCEPT:
        accept_held(shard, letter->token);
        break;
    case LETTER_BACKUP:
        back_up(shard, letter);
        break;
    case LETTER_END:
        if (store_is_shared(shard->config.store) && !shard->has_failed) {
            (void)store_release(shard->config.store, NULL); /* so that nobody has to wait for us to be missed */
        }
        return false;
    default:
        abort();
    }
    return true;
}

/* ---- when there are no letters ---- */

/* How long to wait for one; negative: for ever. */
static int64_t patience_ms(const struct shard *shard)
{
    int64_t mono_ms = chrono_mono_ms();
    bool is_shared = store_is_shared(shard->config.store);
    int64_t next_mono_ms = is_shared ? shard->renew_mono_ms : INT64_MAX;

    if (shard->config.idle == NULL && !is_shared) {
        return -1;
    }
    if (shard->config.idle != NULL && shard->idle_mono_ms < next_mono_ms) {
        next_mono_ms = shard->idle_mono_ms;
    }
    return next_mono_ms > mono_ms ? next_mono_ms - mono_ms : 1;
}

/* Returns whether there is more to do at once. */
static bool be_idle(struct shard *shard)
{
    int64_t mono_ms = chrono_mono_ms();

    if (shard->has_failed || store_tidy(shard->config.store, true)) {
        shard->idle_mono_ms = shard->has_failed ? mono_ms + NAMING_MS : shard->idle_mono_ms;
        return !shard->has_failed;
    }
    if (shard->config.idle == NULL || mono_ms < shard->idle_mono_ms) {
        return false;
    }
    int64_t wait_ms =
        atomic_load(&shard->naming) == 0 ? shard->config.idle(shard->config.context, shard->config.store) : NAMING_MS;

    shard->idle_mono_ms = mono_ms + wait_ms;
    return false;
}

void *shard_store_run(void *arg)
{
    struct shard *shard = arg;
    struct list letters;
    bool is_running = true;
    bool has_more = false; /* housekeeping */

    (void)pthread_setname_np(pthread_self(), "store");
    list_init(&letters);
    shard->has_failed = true; /* until it is acquired */
    while (is_running) {
        mailbox_take(&shard->to_store, has_more ? 0 : patience_ms(shard), &letters);
        renew(shard);
        if (list_empty(&letters)) {
            has_more = be_idle(shard);
            continue;
        }
        for (struct list_node *node = list_pop_front(&letters); node != NULL; node = list_pop_front(&letters)) {
            struct letter *letter = LETTER_OF(node);

            is_running = do_letter(shard, letter) && is_running;
            mem_free(letter);
        }
        has_more = is_running;
    }
    mailbox_close(&shard->to_store, &letters);
    for (struct list_node *node = list_pop_front(&letters); node != NULL; node = list_pop_front(&letters)) {
        if (LETTER_OF(node)->letter.kind == LETTER_BACKUP) {
            refuse_backup(LETTER_OF(node)->backup);
        }
        letter_free(LETTER_OF(node));
    }
    return NULL;
}

/* ---- backups ---- */

enum err shard_backup(struct shard *shard, const char *path, struct error *reterr)
{
    struct backup_wait wait = {.path = path};
    struct letter *letter = letter_new(LETTER_BACKUP);

    pthread_mutex_init(&wait.lock, NULL);
    pthread_cond_init(&wait.is_over, NULL);
    letter->backup = &wait;
    if (!mailbox_post(&shard->to_store, &letter->letter.node)) {
        refuse_backup(&wait);
        letter_free(letter);
    }
    pthread_mutex_lock(&wait.lock);
    while (!wait.has_ended) {
        pthread_cond_wait(&wait.is_over, &wait.lock);
    }
    pthread_mutex_unlock(&wait.lock);
    pthread_cond_destroy(&wait.is_over);
    pthread_mutex_destroy(&wait.lock);
    if (wait.outcome != STORE_DONE) {
        *reterr = wait.error;
        return reterr->code != ERR_OK ? reterr->code : err_set(reterr, ERR_IO, "the backup was not made");
    }
    return ERR_OK;
}
