/* session: the worker's conversation with the server.
 *
 * One exchange waits at the server nearly all the time. When something has ended, or what is held must be renewed, a
 * newer one is started beside it; the server then ends the older one, whose answer counts like any other.
 *
 * Owns:  the exchanges under way and the reports that wait. Asks its owner for everything else.
 * Rules: (1) seq grows with every exchange.
 *        (2) a report is sent until an exchange that carried it is answered (outbox.h).
 *        (3) at most SESSION_FLIGHTS exchanges are under way. One that is superseded and does not end is given up.
 *        (4) what is held is renewed at least every third of the shortest lease, as far as the server can be reached.
 *        (5) of several servers the next one is asked after a failure, and the one that answers is kept. When all have
 *            failed the next exchange waits, longer from time to time, with jitter, and at least as long as
 *            the server asked for.
 * See:   flight.h, exchange.h, tests/worker/test_exchange.py
 */
#ifndef WORKER_SESSION_H
#define WORKER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/str.h"
#include "client/addresses.h"
#include "worker/flight.h"
#include "worker/http_pool.h"
#include "worker/loop.h"
#include "worker/outbox.h"

#define SESSION_FLIGHTS 2

struct session_owner {
    void *owner;
    uint32_t (*free_slots)(void *owner);
    size_t (*held)(void *owner, struct str *ids, size_t max); /* ids of what runs; they hold until the loop goes on */
    int64_t (*shortest_lease_ms)(void *owner);                /* 0: nothing is held */
    bool (*on_attempt)(void *owner, struct str json);         /* false: nothing new */
    bool (*on_cancel)(void *owner, struct str attempt);       /* false: nothing new */
};

struct session_config {
    struct str url;   /* of the server, without a path; or of several (client/addresses.h) */
    struct str token; /* empty: none */
    struct str worker;
    struct str name;
    const struct str *pools; /* borrowed */
    size_t pool_count;
    uint32_t slots;
    bool is_exec_allowed;
};

struct session {
    struct session_owner owner;
    struct session_config config;
    struct loop *loop;
    struct http_pool pool;
    struct addresses addresses;
    struct curl_slist *headers;
    struct rng rng;

    struct flight flights[SESSION_FLIGHTS];
    uint64_t seq;
    struct outbox outbox;

    bool has_news;              /* worth an exchange at once */
    bool is_closing;            /* no more work, and no waiting */
    uint64_t closed_seq;        /* is_closing: the last exchange before it */
    uint64_t answered_seq;      /* the highest that was answered */
    int64_t not_before_mono_ms; /* rule 5 */
    int64_t idle_until_mono_ms; /* without news, not before */
    unsigned failures;          /* in a row */
    uint32_t want_max;
    struct loop_timer timer;

    uint64_t exchanges, exchange_failures, refused; /* ever */
};

/* The config's texts are borrowed until session_done. */
void session_init(struct session *session, struct loop *loop, const struct session_config *config,
                  const struct session_owner *owner);
void session_done(struct session *session);

/* Takes the outcome of an attempt to the server. */
void session_report(struct session *session, struct str attempt, const struct outcome *outcome);

/* Says something soon: a slot is free, or no more work is wanted. */
void session_nudge(struct session *session);

/* From now on no more work is asked for and no exchange waits. */
void session_close(struct session *session);

/* Nothing is left to tell the server, and it has answered since session_close. */
bool session_is_closed(const struct session *session);

/* Starts what is due. To be called after every turn of the loop. */
void session_pump(struct session *session);

#endif
