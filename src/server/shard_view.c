/* What everybody may see of a shard, and who is told when it changes. */
#include <string.h>

#include "base/chrono.h"
#include "server/shard_inside.h"

/* How old the published figures may be. */
#define VIEW_MS 50

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

void shard_publish(struct shard *shard, enum shard_state state, const struct error *error)
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

void shard_publish_figures(struct shard *shard)
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
    shard->view.lag = shard->lag;
    pthread_mutex_unlock(&shard->lock);
}
