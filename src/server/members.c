#include "server/members.h"

#include <pthread.h>
#include <stdio.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "server/home.h"

struct members {
    struct members_config config;
    pthread_t thread;
    pthread_mutex_t lock; /* of what is below */
    pthread_cond_t wakes;
    pthread_cond_t heard;
    bool is_stopping, is_draining;
    bool has_news; /* to be said at once */
    struct store_member self;
    struct store_member list[MEMBERS_MAX];
    size_t count;
    int64_t heard_mono_ms; /* when the list came */
    uint64_t said;         /* times that it was asked for a list, */
    uint64_t answered;     /* and which of them has been answered, well or not */
};

/* ---- the thread ---- */

static struct store_member self_now(struct members *members)
{
    struct shard_view view;

    shard_look(members->config.shard, &view);
    pthread_mutex_lock(&members->lock);
    members->self.is_owner = view.state == SHARD_SERVING;
    members->self.epoch = view.epoch;
    members->self.is_draining = members->is_draining;
    struct store_member self = members->self;

    pthread_mutex_unlock(&members->lock);
    return self;
}

static void say(struct members *members, struct store_member *list)
{
    const struct store_member self = self_now(members);
    size_t count = 0;
    int64_t offset_us = 0;

    pthread_mutex_lock(&members->lock);
    uint64_t number = ++members->said;
    pthread_mutex_unlock(&members->lock);
    enum store_outcome outcome = store_members_say(members->config.store, &self, list, &count, &offset_us, NULL);

    pthread_mutex_lock(&members->lock);
    members->answered = number;
    pthread_cond_broadcast(&members->heard);
    if (outcome != STORE_DONE) {
        pthread_mutex_unlock(&members->lock);
        return;
    }
    members->self.has_offset = true;
    members->self.offset_us = offset_us;
    for (size_t i = 0; i < count; i++) {
        members->list[i] = list[i];
    }
    members->count = count;
    members->heard_mono_ms = chrono_mono_ms();
    pthread_mutex_unlock(&members->lock);
}

/* False: it is over. */
static bool rest(struct members *members)
{
    struct timespec until = chrono_deadline(MEMBERS_SAY_MS);
    int waited = 0;

    pthread_mutex_lock(&members->lock);
    while (!members->is_stopping && !members->has_news && waited == 0) {
        waited = pthread_cond_timedwait(&members->wakes, &members->lock, &until);
    }
    members->has_news = false;
    bool goes_on = !members->is_stopping;

    pthread_mutex_unlock(&members->lock);
    return goes_on;
}

static void *run(void *arg)
{
    struct members *members = arg;
    struct store_member *list = mem_alloc_array(MEMBERS_MAX, sizeof *list);

    (void)pthread_setname_np(pthread_self(), "members");
    do {
        say(members, list);
    } while (rest(members));
    store_members_leave(members->config.store, &members->self);
    mem_free(list);
    return NULL;
}

/* ---- the door ---- */

static void free_members(struct members *members)
{
    store_members_close(members->config.store);
    (void)pthread_mutex_destroy(&members->lock);
    (void)pthread_cond_destroy(&members->wakes);
    (void)pthread_cond_destroy(&members->heard);
    mem_free(members);
}

static void conds_init(struct members *members)
{
    pthread_condattr_t attributes;

    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&members->wakes, &attributes);
    (void)pthread_cond_init(&members->heard, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

struct members *members_start(const struct members_config *config)
{
    if (config->store == NULL) {
        return NULL;
    }
    struct members *members = mem_zalloc(sizeof *members);
    struct store_member *self = &members->self;

    members->config = *config;
    self->started_ms = config->started_ms;
    (void)snprintf(self->name, sizeof self->name, "%.*s", STR_ARGS(config->name));
    (void)snprintf(self->url, sizeof self->url, "%.*s", STR_ARGS(config->url));
    (void)snprintf(self->version, sizeof self->version, "%s", config->version);
    (void)pthread_mutex_init(&members->lock, NULL);
    conds_init(members);
    if (home_random(self->instance, sizeof self->instance, NULL) != ERR_OK ||
        pthread_create(&members->thread, NULL, run, members) != 0) {
        free_members(members);
        return NULL; /* rule 1 */
    }
    return members;
}

static void wake(struct members *members, bool *ret_why)
{
    pthread_mutex_lock(&members->lock);
    *ret_why = true;
    members->has_news = true;
    pthread_cond_signal(&members->wakes);
    pthread_mutex_unlock(&members->lock);
}

void members_drain(struct members *members)
{
    if (members != NULL) {
        wake(members, &members->is_draining);
    }
}

void members_hear(struct members *members, int64_t within_ms)
{
    struct timespec until = chrono_deadline(within_ms);
    int waited = 0;

    pthread_mutex_lock(&members->lock);
    uint64_t wanted = members->said + 1;

    members->has_news = true;
    pthread_cond_signal(&members->wakes);
    while (members->answered < wanted && waited == 0) {
        waited = pthread_cond_timedwait(&members->heard, &members->lock, &until);
    }
    pthread_mutex_unlock(&members->lock);
}

size_t members_others(struct members *members, struct store_member *list)
{
    size_t count = 0;

    pthread_mutex_lock(&members->lock);
    bool is_old = chrono_mono_ms() - members->heard_mono_ms > MEMBERS_SHOWN_MS; /* rule 2 */

    for (size_t i = 0; i < members->count && !is_old; i++) {
        const struct store_member *member = &members->list[i];
        bool is_self =
            member->instance[0] == members->self.instance[0] && member->instance[1] == members->self.instance[1];

        if (!is_self) {
            list[count++] = *member;
        }
    }
    pthread_mutex_unlock(&members->lock);
    return count;
}

bool members_offset_us(struct members *members, int64_t *ret_offset_us)
{
    pthread_mutex_lock(&members->lock);
    bool has_offset = members->self.has_offset;

    *ret_offset_us = members->self.offset_us;
    pthread_mutex_unlock(&members->lock);
    return has_offset;
}

void members_stop(struct members *members)
{
    if (members == NULL) {
        return;
    }
    wake(members, &members->is_stopping);
    (void)pthread_join(members->thread, NULL);
    free_members(members);
}
