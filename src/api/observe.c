#include "api/observe.h"

#include <pthread.h>

#include "base/chrono.h"
#include "base/mem.h"

#define TICK_MS 1000

struct observe_ticker {
    struct observe *observe;
    struct shard *shard;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_over_cond;
    bool is_over;
};

/* Notes how things stand, and keeps quiet streams alive. */
static void tick(const struct observe_ticker *ticker)
{
    struct shard_view view;

    shard_look(ticker->shard, &view);
    if (view.state == SHARD_SERVING) {
        counters_note(ticker->observe->counters, shard_now_ms(ticker->shard), (int64_t)view.figures.ready,
                      (int64_t)view.figures.running);
    }
    depths_tick(ticker->observe->depths, view.state == SHARD_SERVING);
    events_beat(ticker->observe->events, chrono_mono_ms());
}

static void *run(void *arg)
{
    struct observe_ticker *ticker = arg;

    (void)pthread_mutex_lock(&ticker->lock);
    while (!ticker->is_over) {
        struct timespec until = chrono_deadline(TICK_MS);

        (void)pthread_mutex_unlock(&ticker->lock);
        tick(ticker);
        (void)pthread_mutex_lock(&ticker->lock);
        while (!ticker->is_over && pthread_cond_timedwait(&ticker->is_over_cond, &ticker->lock, &until) == 0) {
        }
    }
    (void)pthread_mutex_unlock(&ticker->lock);
    return NULL;
}

static struct observe_ticker *ticker_start(struct observe *observe, struct shard *shard)
{
    struct observe_ticker *ticker = mem_zalloc(sizeof *ticker);
    pthread_condattr_t attr;

    ticker->observe = observe;
    ticker->shard = shard;
    (void)pthread_mutex_init(&ticker->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&ticker->is_over_cond, &attr);
    (void)pthread_condattr_destroy(&attr);
    if (pthread_create(&ticker->thread, NULL, run, ticker) != 0) {
        mem_exhausted("a thread", 1, sizeof *ticker);
    }
    return ticker;
}

static void ticker_stop(struct observe_ticker *ticker)
{
    (void)pthread_mutex_lock(&ticker->lock);
    ticker->is_over = true;
    (void)pthread_cond_signal(&ticker->is_over_cond);
    (void)pthread_mutex_unlock(&ticker->lock);
    (void)pthread_join(ticker->thread, NULL);
    (void)pthread_cond_destroy(&ticker->is_over_cond);
    (void)pthread_mutex_destroy(&ticker->lock);
    mem_free(ticker);
}

struct observe *observe_new(struct shard *shard, struct readers *readers)
{
    struct observe *observe = mem_zalloc(sizeof *observe);

    observe->counters = counters_new((uint64_t)chrono_mono_ns());
    observe->events = events_new();
    observe->depths = depths_new(readers);
    observe->started_ms = chrono_wall_ms();
    observe->ticker = shard != NULL ? ticker_start(observe, shard) : NULL;
    return observe;
}

void observe_stop(struct observe *observe)
{
    if (observe->ticker != NULL) {
        ticker_stop(observe->ticker);
        observe->ticker = NULL;
    }
}

void observe_free(struct observe *observe)
{
    if (observe == NULL) {
        return;
    }
    observe_stop(observe);
    depths_free(observe->depths);
    events_free(observe->events);
    counters_free(observe->counters);
    mem_free(observe);
}
