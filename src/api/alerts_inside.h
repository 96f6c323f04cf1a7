/* alerts_inside: what the files of alerts share. Only for src/api/alerts*.c.
 *
 * Rules: (1) each field belongs to one thread, as it says, or is behind the lock.
 */
#ifndef API_ALERTS_INSIDE_H
#define API_ALERTS_INSIDE_H

#include <pthread.h>

#include "api/alerts.h"
#include "base/arena.h"
#include "client/carrier.h"

#define ALERTS_BODY_BYTES 2048
/* What was five minutes ago is remembered in steps of ten seconds. */
#define ALERTS_PAST_MAX 31
#define ALERTS_PAST_EVERY_MS 10000

struct alerts_past {
    int64_t due;
    uint64_t silences, failures;
};

struct alerts_message {
    char body[ALERTS_BODY_BYTES];
    size_t len;
};

struct alerts {
    struct alerts_config config;
    char place[ALERTS_PLACE_BYTES];
    struct carrier *carrier;

    /* who ticks */
    bool was_owner;
    int64_t looked_mono_ms, noted_mono_ms;
    struct alerts_past past[ALERTS_PAST_MAX]; /* the newest last */
    size_t past_count;
    struct arena arena; /* of one round */
    bool has_day;
    struct tally day;    /* the sum of the last 24 hours */
    int64_t day_mono_ms; /* as of then */

    /* the engine's thread while is_looking, else who ticks */
    struct shard_call call;
    struct arena look_arena;
    struct alert_figures looked;
    uint64_t silences; /* of the engine so far */

    pthread_mutex_t lock; /* of all below */
    bool is_looking, has_looked;
    struct alert_state states[ALERTS];
    struct alerts_message queue[ALERTS_QUEUE_MAX]; /* a ring */
    size_t first, count;
    bool is_sending; /* the first of them */
    bool is_stopped;
    int tries;
    int64_t next_mono_ms; /* not before */
    uint64_t sent, failed, dropped;
    struct error error;
    struct carrier_call http; /* the carrier's while is_sending */
    struct alerts_message sending;
};

/* alerts_look.c: asks the engine; has_looked when it has answered. */
void alerts_ask_engine(struct alerts *alerts);
/* The figures of now, from what was looked at, what was counted and what was. */
void alerts_gather(struct alerts *alerts, const struct shard_view *view, bool has_engine,
                   struct alert_figures *ret_figures);

/* alerts_send.c: rule 2 of alerts.h. */
void alerts_enqueue(struct alerts *alerts, enum alert alert, const struct alert_state *state, const char *subject,
                    int64_t wall_ms);
void alerts_send(struct alerts *alerts, int64_t mono_ms);

#endif
