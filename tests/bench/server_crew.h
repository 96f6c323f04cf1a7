/* server_crew: workers that do nothing but take attempts and say at once that they succeeded.
 *
 * Owns:  its workers. Borrows the client, whose connections they use.
 * Rules: (1) a worker has one exchange under way, and reports in each what the one before gave it.
 * See:   server_client.h
 */
#ifndef TESTS_BENCH_SERVER_CREW_H
#define TESTS_BENCH_SERVER_CREW_H

#include "server_client.h"

struct crew;

struct crew_worker {
    struct crew *crew;
    struct http_conn *conn;
    char name[32];
    uint64_t seq;
    bool is_last;          /* the exchange under way is the last */
    size_t finished_count; /* reported by the exchange under way */
    struct buf finished;   /* to report next: elements of a list */
    struct buf body;
};

struct crew {
    struct http_client *client;
    size_t want;
    const char *wait; /* of each exchange; NULL: 60s */
    size_t worker_count;
    struct crew_worker *workers;
    bool is_ending;
    size_t ended;      /* workers that have reported what they had, and asked for nothing */
    uint64_t granted;  /* attempts */
    uint64_t reported; /* of these, and acknowledged: a worker that waits for more has not heard yet */
    void *user;
    /* Of each attempt, as its JSON; may be NULL. */
    void (*on_grant)(struct crew *crew, struct str attempt);
    /* After each answer; may be NULL. */
    void (*on_answer)(struct crew *crew);
};

/* All of them ask. */
void crew_start(struct crew *crew, struct http_client *client, size_t worker_count, size_t want);
/* They report what they have, and ask no more; returns when all have. Takes as long as they wait. */
void crew_end(struct crew *crew);

/* They may still wait: the client goes before anything else is sent. */
void crew_done(struct crew *crew);

/* The text of a field of an attempt: its name is that of the contract. */
struct str crew_field(struct str attempt, const char *name);

#endif
