/* Whether the store that was acquired is as far as it was when we last saw it. On the store's thread. */
#include <inttypes.h>
#include <stdio.h>

#include "server/shard_inside.h"

/* A failover without all of its commits goes back by moments: that is said, and work goes on. What goes back further
 * was restored, and what has run since then would run again. */
#define MOMENTS_MS 60000

static struct lineage lineage_now(struct shard *shard, const struct store_ownership *ownership)
{
    struct lineage now = {
        .is_known = true,
        .epoch = ownership->epoch,
        .batch = ownership->last_batch,
        .id_high_ms = ownership->id_high_ms,
    };
    struct store_trust trust;

    if (store_look(shard->config.store, NULL, &trust, NULL) == STORE_DONE) {
        (void)snprintf(now.system, sizeof now.system, "%s", trust.system);
        now.timeline = trust.timeline;
    }
    (void)snprintf(now.place, sizeof now.place, "%.*s", STR_ARGS(shard->config.place));
    return now;
}

static void remember(struct shard *shard, const struct lineage *now)
{
    shard->seen = *now;
    pthread_mutex_lock(&shard->lock);
    shard->view.seen = *now;
    pthread_mutex_unlock(&shard->lock);
}

static void tell_behind(struct shard *shard, const struct lineage *now, bool is_held)
{
    const struct shard_behind behind = {.seen = shard->seen, .now = *now, .is_held = is_held};

    pthread_mutex_lock(&shard->lock);
    shard->view.rewinds++;
    shard->view.lost_batches += lineage_lost(&shard->seen, now);
    pthread_mutex_unlock(&shard->lock);
    if (shard->config.behind != NULL) {
        shard->config.behind(shard->config.context, &behind);
    }
}

void shard_lineage_stand_by(struct shard *shard, const struct store_ownership *ownership)
{
    const struct lineage now = lineage_now(shard, ownership);

    if (lineage_compare(&shard->seen, &now) == LINEAGE_BEHIND) {
        tell_behind(shard, &now, ownership->held[0] != '\0');
    }
    remember(shard, &now);
    shard->has_compared = true;
    if (ownership->held[0] != '\0') { /* who accepts that accepts it for all servers */
        shard->wants_hold = false;
    }
}

/* Rule 9 of shard.h: "" where nothing is to be held. */
static void reason_to_hold(struct shard *shard, const struct lineage *now, char *why, size_t bytes)
{
    bool is_behind = lineage_compare(&shard->seen, now) == LINEAGE_BEHIND;
    bool is_far = shard->seen.id_high_ms - now->id_high_ms > MOMENTS_MS;

    why[0] = '\0';
    if (is_behind && (!shard->has_compared || is_far)) {
        (void)snprintf(why, bytes, "the database is %" PRIu64 " batches behind what this server had seen of it",
                       lineage_lost(&shard->seen, now));
    } else if (shard->wants_hold) {
        (void)snprintf(why, bytes, "a server was started with --hold");
    }
    if (is_behind) {
        tell_behind(shard, now, why[0] != '\0');
    }
}

enum store_outcome shard_lineage_check(struct shard *shard, struct letter *letter)
{
    struct store_trust trust;
    enum store_outcome outcome = store_look(shard->config.store, &letter->owner, &trust, &letter->error);

    if (outcome != STORE_DONE) {
        return outcome;
    }
    const struct lineage now = lineage_now(shard, &letter->owner);

    if (letter->owner.held[0] == '\0') {
        reason_to_hold(shard, &now, letter->owner.held, sizeof letter->owner.held);
        if (letter->owner.held[0] != '\0') {
            outcome = store_set_held(shard->config.store, letter->owner.held, &letter->error);
        }
    }
    if (outcome == STORE_DONE) { /* the mark outlives us: what was seen before may be forgotten */
        remember(shard, &now);
        shard->has_compared = true;
        shard->wants_hold = false;
    }
    return outcome;
}

void shard_lineage_committed(struct shard *shard, const struct batch *batch)
{
    shard->seen.batch = batch->number;
    BATCH_EACH(batch, chunk, i)
    {
        if (chunk->ops[i].kind == OP_IDS_RESERVE && chunk->ops[i].ms > shard->seen.id_high_ms) {
            shard->seen.id_high_ms = chunk->ops[i].ms;
        }
    }
    shard->view.seen.batch = shard->seen.batch; /* under the lock, by who counts */
    shard->view.seen.id_high_ms = shard->seen.id_high_ms;
}
