/* engine_script: what happens in the story: some forty steps of clients and workers, the same every time.
 *
 * Clients and workers are as real ones: what was not answered they ask again, in a way that is safe to repeat (names,
 * idempotency keys, reports of the same attempt), and they remember what was answered. So a script that was interrupted
 * goes on where it was.
 *
 * Owns:  what was acknowledged. Borrows the story.
 * Rules: (1) a step is over when it was answered; what is found wrong is told to the story.
 * See:   engine_story.h, acknowledged.h
 */
#ifndef LITESIM_ENGINE_SCRIPT_H
#define LITESIM_ENGINE_SCRIPT_H

#include "acknowledged.h"
#include "engine_story.h"

#define SCRIPT_HELD_MAX 64
#define SCRIPT_WORKERS 2
/* ends_at of the recurring jobs, 2026-04-08T09:10:00Z. */
#define SCRIPT_ENDS_MS (STORY_START_MS + 10 * INT64_C(60000))

/* An attempt in the hands of a worker. */
struct held {
    int worker;
    struct attempt_ref attempt;
    char job[32]; /* its name, or the beginning of it */
};

struct script {
    struct story *story;
    struct acked *acked;
    size_t next;        /* step */
    int64_t wait_until; /* monotonic; of a wait that was begun; 0: none was */
    int64_t seq;
    int lives; /* how many times the workers died: others have other names */
    struct held held[SCRIPT_HELD_MAX];
    size_t held_count;
    struct arena arena; /* of commands */
};

void script_init(struct script *script, struct story *story);
void script_done(struct script *script);

/* Goes on with the steps; true when the last one is over. */
bool script_run(struct script *script);

/* Works until nothing is left to do; true when it is so. */
bool script_finish(struct script *script);

/* Asks once more for all that was asked for under a key: the answers are those that were given. */
bool script_repeat_keys(struct script *script);

/* The workers die with all they hold; others come. */
void script_kill_workers(struct script *script);

/* Tells the story where something acknowledged is not in the store. */
void script_check_acked(struct script *script);

/* When all is finished: every nominal time was decided once, and nothing is left to do. */
void script_check_end(struct script *script);

#endif
