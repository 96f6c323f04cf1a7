#include "engine_story.h"

#include <stdarg.h>
#include <stdio.h>

#include "store/sqlite/sqlite_inside.h"
#include "store/sqlite/sqlite_store.h"

#define SETTLE_ROUNDS_MAX 1000
#define STORY_MONO_MS 1000000

void story_wrong(struct story *story, const char *format, ...)
{
    va_list args;

    if (!story->is_wrong) {
        va_start(args, format);
        (void)vsnprintf(story->wrong, sizeof story->wrong, format, args);
        va_end(args);
    }
    story->is_wrong = true;
}

/* ---- the server's loop ---- */

static bool stop(struct story *story, enum store_outcome outcome)
{
    if (outcome != STORE_DONE && story->outcome == STORE_DONE) {
        story->outcome = outcome;
    }
    return outcome == STORE_DONE;
}

static void step(struct story *story, struct event *event)
{
    struct error error;

    event->at = story->at;
    engine_step(story->engine, event, &story->effects);
    if (!engine_check(story->engine, &error)) {
        story_wrong(story, "engine_check: %s", error.text);
    }
}

static void deliver(struct story *story, struct outbox *outbox)
{
    if (story->outbox_count == STORY_OUTBOXES_MAX) {
        story_wrong(story, "the story does not end");
        outbox_free(outbox);
        return;
    }
    story->outboxes[story->outbox_count++] = outbox;
    story->acked = outbox->batch.op_count > 0 ? outbox->batch.number : story->acked;
}

static enum store_outcome store_batch(struct story *story, const struct batch *batch)
{
    if (story->habits.commit != NULL) {
        return story->habits.commit(story->habits.context, story, batch, &story->error);
    }
    return store_commit(story->store, batch, &story->error);
}

static bool commit(struct story *story)
{
    struct outbox *outbox = engine_cut(story->engine, story->at);

    if (outbox == NULL) {
        return true;
    }
    uint64_t number = outbox->number;

    if (outbox->batch.op_count == 0) { /* nothing to store */
        deliver(story, outbox);
        step(story, &(struct event){.kind = EVENT_COMMITTED, .batch = number});
        return true;
    }
    if (story->habits.is_hasty) {
        deliver(story, outbox);
    }
    enum store_outcome outcome = store_batch(story, &outbox->batch);

    if (!story->habits.is_hasty) {
        if (outcome == STORE_DONE) {
            deliver(story, outbox);
        } else {
            outbox_free(outbox);
        }
    }
    if (!stop(story, outcome)) {
        return false;
    }
    if (story->habits.committed != NULL) {
        story->habits.committed(story->habits.context, story);
    }
    step(story, &(struct event){.kind = EVENT_COMMITTED, .batch = number});
    return true;
}

static bool answer_load(struct story *story, const struct load *load)
{
    struct rows rows;

    rows_init(&rows);
    bool is_done = stop(story, store_load(story->store, load, &rows, &story->error));

    if (is_done) {
        step(story, &(struct event){.kind = EVENT_LOADED, .load_tag = load->tag, .rows = &rows});
    }
    rows_done(&rows);
    return is_done;
}

static bool answer_loads(struct story *story)
{
    struct effects old = story->effects;
    bool is_done = true;

    effects_init(&story->effects);
    for (size_t i = 0; is_done && i < old.load_count; i++) {
        is_done = answer_load(story, &old.loads[i]);
    }
    effects_done(&old);
    return is_done;
}

static bool settle(struct story *story)
{
    bool is_done = true;

    for (int i = 0; is_done && (story->effects.load_count > 0 || engine_gathered(story->engine) > 0); i++) {
        is_done = i < SETTLE_ROUNDS_MAX && answer_loads(story) && commit(story);
    }
    return is_done;
}

bool story_run(struct story *story, struct event event)
{
    if (story->outcome != STORE_DONE || story->is_wrong) {
        return false;
    }
    step(story, &event);
    return settle(story) && !story->is_wrong;
}

bool story_wait_until(struct story *story, int64_t mono_ms)
{
    bool is_done = story->outcome == STORE_DONE;

    while (is_done && story->at.mono_ms < mono_ms) {
        int64_t next = story->effects.wake_mono_ms;

        next = next > mono_ms ? mono_ms : next;
        next = next <= story->at.mono_ms ? story->at.mono_ms + 1 : next;
        story->at.wall_ms += next - story->at.mono_ms;
        story->at.mono_ms = next;
        is_done = story_run(story, (struct event){.kind = EVENT_TICK});
    }
    return is_done;
}

const struct reply *story_answer(const struct story *story, uint64_t token)
{
    for (size_t i = story->outbox_count; i-- > 0;) {
        for (const struct reply *reply = story->outboxes[i]->first; reply != NULL; reply = reply->next) {
            if (reply->token == token) {
                return reply;
            }
        }
    }
    return NULL;
}

void story_check_in(struct story *story)
{
    sqlite_store_of(story->store)->wal_bytes = WAL_DUE_BYTES; /* as if it were long */
    (void)store_tidy(story->store, false);
}

void story_tidy(struct story *story)
{
    if (story->outcome == STORE_DONE && story->habits.tidy != NULL) {
        story->habits.tidy(story->habits.context, story);
    } else if (story->outcome == STORE_DONE) {
        story_check_in(story);
    }
}

/* ---- beginning and end ---- */

void story_init(struct story *story, struct disk *disk, const struct story_habits *habits)
{
    *story = (struct story){.disk = disk,
                            .habits = *habits,
                            .zones = zone_cache_new(NULL),
                            .at = {.wall_ms = STORY_START_MS, .mono_ms = STORY_MONO_MS},
                            .next_token = 1};
    effects_init(&story->effects);
}

void story_close(struct story *story)
{
    engine_free(story->engine);
    story->engine = NULL;
    effects_reset(&story->effects);
    if (story->store != NULL) {
        store_close(story->store);
        story->store = NULL;
    }
}

void story_done(struct story *story)
{
    story_close(story);
    for (size_t i = 0; i < story->outbox_count; i++) {
        outbox_free(story->outboxes[i]);
    }
    effects_done(&story->effects);
    zone_cache_free(story->zones);
}

static bool start_engine(struct story *story)
{
    const struct engine_config config = {.seed = 1, .zones = story->zones};
    struct error error;
    struct rows rows;

    rows_init(&rows);
    bool is_done = stop(story, store_load(story->store, &(struct load){.kind = LOAD_START}, &rows, &story->error));

    story->opened_at = rows.shard.last_batch;
    if (is_done && engine_new(&config, &rows, story->at, &story->engine, &error) != ERR_OK) {
        story_wrong(story, "engine_new: %s", error.text);
        is_done = false;
    }
    rows_done(&rows);
    if (is_done && !engine_check(story->engine, &error)) {
        story_wrong(story, "engine_check after engine_new: %s", error.text);
    }
    return is_done && !story->is_wrong;
}

static bool acquire(struct story *story)
{
    struct store_owner owner = {.name = STR("story"), .url = STR(""), .nonce = {++story->next_nonce, 7}};
    uint64_t epoch;

    return stop(story, store_acquire(story->store, &owner, &epoch, &story->error));
}

bool story_open(struct story *story)
{
    const struct sqlite_options options = {
        .path = "shard.db", .vfs = disk_vfs_name(story->disk), .shard = 0, .is_test_fast = story->habits.is_fast};

    story->outcome = STORE_DONE;
    return stop(story, sqlite_store_open(&options, &story->store, &story->error)) && acquire(story) &&
           start_engine(story);
}

bool story_reload(struct story *story)
{
    engine_free(story->engine);
    story->engine = NULL;
    effects_reset(&story->effects);
    story->outcome = STORE_DONE;
    return acquire(story) && start_engine(story);
}
