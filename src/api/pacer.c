#include "api/pacer.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/chrono.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/name.h"

#define RETRY_MS 1000
/* Sleeps of the thread when nothing is to be done before. */
#define SLEEP_MAX_MS 60000
/* The client's key; and with the trigger that a step begins with. */
#define KEY_BYTES_MAX 256
#define STEP_KEY_BYTES_MAX (KEY_BYTES_MAX + 24)

struct task {
    struct list_node node;
    struct pacer *pacer;
    struct shard_call call; /* of the step that is out */
    enum command_kind kind;
    bool is_by_filter;
    size_t count, done;
    size_t step_size;
    int64_t step_ms;     /* between two steps; 0: as fast as they are answered */
    int64_t due_mono_ms; /* of the next step */
    int tries;           /* of this step that failed */
    bool is_out;
    uint64_t hash[2];
    char tenant[NAME_BYTES_MAX + 1];
    char key[KEY_BYTES_MAX];
    char step_key[STEP_KEY_BYTES_MAX];
    uint64_t triggers[];
};

struct pacer {
    struct shard *shard;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread, is_stopping;
    struct list tasks;
    uint64_t next_task;
    struct pacer_figures figures;
};

/* ---- steps ---- */

static size_t step_count(const struct task *task)
{
    size_t left = task->count - task->done;

    return left < task->step_size ? left : task->step_size;
}

static void end_task(struct pacer *pacer, struct task *task)
{
    size_t left = task->count - task->done;

    list_remove(&task->node);
    pacer->figures.tasks--;
    pacer->figures.waiting -= left;
    pacer->figures.failed += pacer->is_stopping ? 0 : left;
    mem_free(task);
}

/* A step was done, or will never be. */
static void step_over(struct pacer *pacer, struct task *task)
{
    size_t count = step_count(task);

    task->done += count;
    pacer->figures.waiting -= count;
    task->tries = 0;
    task->due_mono_ms += task->step_ms;
}

/* Refused for what it is, such as a key that was used for something else: it would be again. */
static void step_refused(struct pacer *pacer, struct task *task, const struct error *error)
{
    log_warn("dead.pace_refused", KEY_STR("error", error->text), KEY_UINT("triggers", step_count(task)));
    pacer->figures.failed += step_count(task);
    step_over(pacer, task);
}

static void step_failed(struct pacer *pacer, struct task *task, const struct error *error)
{
    task->tries++;
    task->due_mono_ms = chrono_mono_ms() + RETRY_MS;
    if (task->tries < PACER_TRIES_MAX) {
        return;
    }
    log_warn("dead.pace_given_up", KEY_STR("error", error->text), KEY_UINT("left", task->count - task->done));
    end_task(pacer, task);
}

static void take_reply(struct pacer *pacer, struct task *task, const struct reply *reply)
{
    uint64_t count = reply->kind == REPLY_TRIGGERS ? reply->trigger_count : 0;

    if (reply->kind == REPLY_ERROR && err_retry_may_help(reply->error.code)) {
        step_failed(pacer, task, &reply->error);
        return;
    }
    if (reply->kind == REPLY_ERROR) {
        step_refused(pacer, task, &reply->error);
    } else {
        pacer->figures.replayed += task->kind == COMMAND_REPLAY ? count : 0;
        pacer->figures.discarded += task->kind == COMMAND_DISCARD ? count : 0;
        step_over(pacer, task);
    }
    if (task->done == task->count) {
        end_task(pacer, task);
    }
}

static void on_answer(struct shard_call *call, const struct shard_answer *answer)
{
    struct task *task = CONTAINER_OF(call, struct task, call);
    struct pacer *pacer = task->pacer;

    pthread_mutex_lock(&pacer->lock);
    task->is_out = false;
    if (answer->reply == NULL) {
        step_failed(pacer, task, answer->error);
    } else {
        take_reply(pacer, task, answer->reply);
    }
    pthread_cond_broadcast(&pacer->changed);
    pthread_mutex_unlock(&pacer->lock);
}

/* Without the lock: the answer may come from this very call. */
static void hand_in(struct pacer *pacer, struct task *task)
{
    size_t count = step_count(task);

    memset(&task->call, 0, sizeof task->call);
    (void)snprintf(task->step_key, sizeof task->step_key, "%s#%llx", task->key,
                   (unsigned long long)task->triggers[task->done]);
    task->call.kind = SHARD_COMMAND;
    task->call.answered = on_answer;
    task->call.command = (struct command){
        .kind = task->kind,
        .triggers = task->triggers + task->done,
        .trigger_count = count,
        .is_by_filter = task->is_by_filter,
    };
    if (task->kind == COMMAND_REPLAY) { /* rule 3; a discard may come twice */
        task->call.command.idem_tenant = str_from(task->tenant);
        task->call.command.idem_key = str_from(task->step_key);
        task->call.command.idem_hash[0] = task->hash[0];
        task->call.command.idem_hash[1] = task->hash[1];
    }
    (void)shard_submit(pacer->shard, &task->call);
}

/* ---- the thread ---- */

/* A task whose step is due; else NULL, and when to look again. */
static struct task *next_due(struct pacer *pacer, int64_t now_ms, int64_t *ret_wait_ms)
{
    *ret_wait_ms = SLEEP_MAX_MS;
    for (struct list_node *node = list_first(&pacer->tasks); node != NULL; node = list_next(&pacer->tasks, node)) {
        struct task *task = CONTAINER_OF(node, struct task, node);

        if (task->is_out) {
            continue;
        }
        if (task->due_mono_ms <= now_ms) {
            return task;
        }
        if (task->due_mono_ms - now_ms < *ret_wait_ms) {
            *ret_wait_ms = task->due_mono_ms - now_ms;
        }
    }
    return NULL;
}

static void *run(void *context)
{
    struct pacer *pacer = context;

    pthread_mutex_lock(&pacer->lock);
    while (!pacer->is_stopping) {
        int64_t wait_ms;
        struct task *task = next_due(pacer, chrono_mono_ms(), &wait_ms);

        if (task != NULL) {
            task->is_out = true;
            pthread_mutex_unlock(&pacer->lock);
            hand_in(pacer, task);
            pthread_mutex_lock(&pacer->lock);
            continue;
        }
        struct timespec until = chrono_deadline(wait_ms);

        (void)pthread_cond_timedwait(&pacer->changed, &pacer->lock, &until);
    }
    pthread_mutex_unlock(&pacer->lock);
    return NULL;
}

/* ---- tasks ---- */

static struct task *task_new(struct pacer *pacer, const struct pacer_task *config)
{
    struct task *task = mem_zalloc(sizeof *task + config->count * sizeof task->triggers[0]);
    int64_t size = config->rate_count * PACER_STEP_MS / config->rate_period_ms;

    size = size < 1 ? 1 : size;
    size = size > PACER_STEP_TRIGGERS_MAX ? PACER_STEP_TRIGGERS_MAX : size;
    list_node_init(&task->node);
    task->pacer = pacer;
    task->kind = config->kind;
    task->is_by_filter = config->is_by_filter;
    task->count = config->count;
    task->step_size = (size_t)size;
    task->step_ms = size * config->rate_period_ms / config->rate_count;
    task->due_mono_ms = chrono_mono_ms();
    task->hash[0] = config->hash[0];
    task->hash[1] = config->hash[1];
    (void)snprintf(task->tenant, sizeof task->tenant, "%.*s", STR_ARGS(config->tenant));
    if (str_empty(config->key)) {
        (void)snprintf(task->key, sizeof task->key, "paced-%llx-%llx-%llu", (unsigned long long)chrono_wall_ms(),
                       (unsigned long long)chrono_mono_ns(), (unsigned long long)pacer->next_task);
    } else {
        (void)snprintf(task->key, sizeof task->key, "%.*s", STR_ARGS(config->key));
    }
    memcpy(task->triggers, config->triggers, config->count * sizeof task->triggers[0]);
    return task;
}

/* Whether the same request is being worked on. */
static bool has_task(const struct pacer *pacer, const struct pacer_task *config)
{
    for (struct list_node *node = list_first(&pacer->tasks); node != NULL; node = list_next(&pacer->tasks, node)) {
        const struct task *task = CONTAINER_OF(node, struct task, node);

        if (str_is(config->key, task->key) && str_is(config->tenant, task->tenant)) {
            return true;
        }
    }
    return false;
}

static enum err add(struct pacer *pacer, const struct pacer_task *config, struct error *reterr)
{
    if (!str_empty(config->key) && has_task(pacer, config)) {
        return ERR_OK; /* rule 5 */
    }
    if (pacer->is_stopping || pacer->figures.tasks >= PACER_TASKS_MAX ||
        pacer->figures.waiting + config->count > PACER_TRIGGERS_MAX) {
        return err_set(reterr, ERR_OVERLOADED, "%zu dead letters wait for their turn already; try again later",
                       pacer->figures.waiting);
    }
    if (!pacer->has_thread && pthread_create(&pacer->thread, NULL, run, pacer) != 0) {
        return err_set(reterr, ERR_OVERLOADED, "no thread can be started; try again later");
    }
    pacer->has_thread = true;
    pacer->next_task++;
    list_push_back(&pacer->tasks, &task_new(pacer, config)->node);
    pacer->figures.tasks++;
    pacer->figures.waiting += config->count;
    pthread_cond_broadcast(&pacer->changed);
    return ERR_OK;
}

enum err pacer_add(struct pacer *pacer, const struct pacer_task *task, struct error *reterr)
{
    assert(task->rate_count > 0 && task->rate_period_ms > 0);
    if (task->count == 0) {
        return ERR_OK;
    }
    pthread_mutex_lock(&pacer->lock);
    enum err err = add(pacer, task, reterr);

    pthread_mutex_unlock(&pacer->lock);
    return err;
}

void pacer_look(struct pacer *pacer, struct pacer_figures *ret_figures)
{
    pthread_mutex_lock(&pacer->lock);
    *ret_figures = pacer->figures;
    pthread_mutex_unlock(&pacer->lock);
}

/* ---- life ---- */

struct pacer *pacer_new(struct shard *shard)
{
    struct pacer *pacer = mem_zalloc(sizeof *pacer);
    pthread_condattr_t attr;

    pacer->shard = shard;
    list_init(&pacer->tasks);
    pthread_mutex_init(&pacer->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&pacer->changed, &attr);
    pthread_condattr_destroy(&attr);
    return pacer;
}

/* What is out comes back: the shard answers every call. */
static void drop_tasks(struct pacer *pacer)
{
    struct list_node *first;

    while ((first = list_first(&pacer->tasks)) != NULL) {
        struct task *task = CONTAINER_OF(first, struct task, node);

        if (task->is_out) {
            pthread_cond_wait(&pacer->changed, &pacer->lock);
        } else {
            end_task(pacer, task);
        }
    }
}

void pacer_stop(struct pacer *pacer)
{
    pthread_mutex_lock(&pacer->lock);
    pacer->is_stopping = true;
    pthread_cond_broadcast(&pacer->changed);
    pthread_mutex_unlock(&pacer->lock);
    if (pacer->has_thread) {
        pthread_join(pacer->thread, NULL);
        pacer->has_thread = false;
    }
    pthread_mutex_lock(&pacer->lock);
    if (pacer->figures.waiting > 0) {
        log_warn("dead.pace_ended", KEY_UINT("left", pacer->figures.waiting));
    }
    drop_tasks(pacer);
    pthread_mutex_unlock(&pacer->lock);
}

void pacer_free(struct pacer *pacer)
{
    assert(!pacer->has_thread && list_empty(&pacer->tasks));
    pthread_mutex_destroy(&pacer->lock);
    pthread_cond_destroy(&pacer->changed);
    mem_free(pacer);
}
