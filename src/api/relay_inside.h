/* relay_inside: one request on its way, and what it and the relay know of each other. Only for src/api/relay*.c.
 *
 * Owns:  a carried has the request (until it is answered, or given back) and the answer's body.
 * Rules: (1) a carried is in one place at a time: among those who come, those who are held, in the relay's thread's
 *            hands, or with the carrier.
 *        (2) fields are of whoever has it, but for those that say that they are under the lock.
 */
#ifndef API_RELAY_INSIDE_H
#define API_RELAY_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/relay.h"
#include "client/carrier.h"
#include "client/url.h"

struct carried {
    struct carrier_call call;
    struct list_node node; /* of coming, held, or under_way */
    struct relay *relay;
    bool is_under_way; /* with the carrier; under the lock */
    bool is_moved;     /* called back from who is the owner no longer; under the lock */
    bool is_gone;      /* nobody waits for the answer; under the lock */
    bool is_drained;   /* called back since the server stops; under the lock */
    bool may_be_done;  /* it was sent before, and what became of it is not known */
    bool is_poll;      /* or another exchange of a worker */
    struct api_request *request;
    struct url path;
    char target[STORE_OWNER_URL_BYTES + URL_BYTES_MAX];
    char authorization[600];
    char hops[12];
    _Atomic int64_t end_mono_ms; /* rule 3 of relay.h */
    int64_t last_mono_ms;        /* the latest that end_mono_ms may be */
    int64_t next_mono_ms;        /* rule 7 of relay.h: before this it is not sent to the same server again */
    int64_t pause_ms;            /* and how long that was */
    int64_t moved_mono_ms;       /* under way: since when somebody else is the owner; 0: nobody is */
    struct buf body;             /* of the answer */
    struct net_stream *stream;   /* the request has been answered with it, and is NULL */
};

struct relay {
    struct relay_config config;
    struct carrier *carrier;
    pthread_t thread;
    pthread_mutex_t lock; /* of what is below, and of a request's carried and is_gone */
    pthread_cond_t changed;
    struct list coming; /* for whom nobody has looked yet */
    struct list held, under_way;
    size_t count;          /* of all */
    int64_t held_mono_ms;  /* the thread's: when those who are held are looked after */
    int64_t moved_mono_ms; /* the thread's: when those under way are looked after */
    bool is_draining, is_stopping, has_thread;
    struct relay_figures figures;
};

/* Of a request that was just taken. The relay counts it already. */
struct carried *carried_new(struct relay *relay, struct api_request *request, int hops);

/* Among those for whom the relay's thread looks. */
void carried_hold(struct carried *carried);

/* To who owns the shard. */
void carried_send(struct carried *carried, const char *owner_url);

/* The door closes; it is under way, and the lock is held. */
void carried_drain(struct carried *carried);

/* Answers it with a failure, which says whether it may have been done. */
void carried_refuse(struct carried *carried, enum err code, const char *text);

/* This server owns the shard: the request goes back to where it came from, and is handled here. */
void carried_give_back(struct carried *carried);

/* Whether the shard's owner is somebody else than who it was sent to. */
bool carried_is_elsewhere(const struct carried *carried, const struct shard_view *view);

#endif
