/* engine_story: an engine on a SQLite store on a disk that can fail, driven as a server drives it.
 *
 * Loads are answered and batches are committed at once, and a reply is given when its batch is durable. Where the store
 * fails, the story stops: the engine is of no use any more, and story_close and story_open make another from what the
 * disk has.
 *
 * Owns:  store, engine, and every reply that was given. Borrows the disk.
 * Rules: (1) the same disk faults and the same calls give the same batches: nothing here depends on the disk's seed.
 *        (2) what is found wrong is remembered (the first of it) and nothing asserts: a test may want to find it.
 * See:   litesim/disk.h, engine_script.h (what happens in it), test_engine_power_loss.c
 */
#ifndef LITESIM_ENGINE_STORY_H
#define LITESIM_ENGINE_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "litesim/disk.h"
#include "store/store.h"

/* 2026-04-08T09:00:00Z */
#define STORY_START_MS INT64_C(1775638800000)
#define STORY_OUTBOXES_MAX 2000

struct story;

/* How this server works, where it is not as it should be or somebody looks on. */
struct story_habits {
    bool is_fast;  /* the store does not sync */
    bool is_hasty; /* replies are given before their batch is committed */
    /* In the place of store_commit; NULL. */
    enum store_outcome (*commit)(void *context, struct story *story, const struct batch *batch, struct error *reterr);
    /* In the place of story_check_in; NULL. */
    void (*tidy)(void *context, struct story *story);
    /* After each batch; NULL. */
    void (*committed)(void *context, struct story *story);
    void *context;
};

struct story {
    struct disk *disk;
    struct story_habits habits;
    struct zone_cache *zones;
    struct store *store;   /* NULL: closed */
    struct engine *engine; /* NULL: there is none, or it is of no use any more */
    struct effects effects;
    struct moment at;
    uint64_t next_token;
    uint64_t next_nonce;
    uint64_t opened_at;         /* last_batch when it was opened */
    uint64_t acked;             /* the last batch that was acknowledged */
    enum store_outcome outcome; /* what stopped the story; STORE_DONE: it goes on */
    struct error error;         /* of that outcome */
    bool is_wrong;
    char wrong[512]; /* what was found first */
    struct outbox *outboxes[STORY_OUTBOXES_MAX];
    size_t outbox_count;
};

void story_init(struct story *story, struct disk *disk, const struct story_habits *habits);

/* Closes, too. The disk stays. */
void story_done(struct story *story);

/* Opens the store, acquires it and makes an engine, which has not been stepped yet. False: the story has stopped. */
bool story_open(struct story *story);

/* Frees the engine and closes the store, in whatever state they are. */
void story_close(struct story *story);

/* The same store goes on with another engine: what a server does when the disk was full. */
bool story_reload(struct story *story);

/* One event, and all that follows from it. */
bool story_run(struct story *story, struct event event);

/* Time passes on both clocks, and the engine is woken whenever it asked for it. */
bool story_wait_until(struct story *story, int64_t mono_ms);

/* The reply that was given; NULL: none was. Lives until story_done. */
const struct reply *story_answer(const struct story *story, uint64_t token);

/* Checks the WAL in, however short it is; the second if nobody does it in another way. */
void story_check_in(struct story *story);
void story_tidy(struct story *story);

/* Remembers what is wrong. */
void story_wrong(struct story *story, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number made of every column of every row of every table, but for who owns the shard. */
uint64_t story_digest(struct story *story);

/* How many rows: of "skips WHERE count > 1", say. */
int64_t story_count(struct story *story, const char *what);

/* SQLite's own check of the file. */
void story_check_file(struct story *story);

#endif
