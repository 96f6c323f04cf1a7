/* Whether the engine's thread still turns. */
#include <pthread.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "server/shard.h"

/* Outlives who asks: an answer may come after nobody waits for it any more. */
struct probe {
    struct shard_call call;
    pthread_mutex_t lock;
    pthread_cond_t is_over;
    bool has_answer, is_abandoned;
};

static void probe_free(struct probe *probe)
{
    pthread_cond_destroy(&probe->is_over);
    pthread_mutex_destroy(&probe->lock);
    mem_free(probe);
}

/* A failure is an answer, too: the thread is alive, and busy getting its store back. */
static void on_answer(struct shard_call *call, const struct shard_answer *answer)
{
    struct probe *probe = CONTAINER_OF(call, struct probe, call);

    (void)answer;
    pthread_mutex_lock(&probe->lock);
    probe->has_answer = true;
    bool is_abandoned = probe->is_abandoned;
    pthread_cond_signal(&probe->is_over);
    pthread_mutex_unlock(&probe->lock);
    if (is_abandoned) {
        probe_free(probe);
    }
}

static struct probe *probe_new(void)
{
    struct probe *probe = mem_zalloc(sizeof *probe);
    pthread_condattr_t attr;

    pthread_mutex_init(&probe->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&probe->is_over, &attr);
    pthread_condattr_destroy(&attr);
    probe->call.kind = SHARD_LOOK;
    probe->call.answered = on_answer;
    return probe;
}

bool shard_answers(struct shard *shard, int64_t within_ms)
{
    struct probe *probe = probe_new();
    struct timespec until = chrono_deadline(within_ms);
    int failed = 0;

    (void)shard_submit(shard, &probe->call);
    pthread_mutex_lock(&probe->lock);
    while (!probe->has_answer && failed == 0) {
        failed = pthread_cond_timedwait(&probe->is_over, &probe->lock, &until);
    }
    bool has_answer = probe->has_answer;
    probe->is_abandoned = !has_answer;
    pthread_mutex_unlock(&probe->lock);
    if (has_answer) {
        probe_free(probe);
    }
    return has_answer;
}
