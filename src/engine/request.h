/* request: commands and exchanges that need rows first.
 *
 * A request names its keys. If all it needs is in memory it runs at once. Else its keys are reserved, a load goes out,
 * and it runs when the rows are there; others that name one of its keys wait behind it.
 *
 * Owns:  struct request, reservations.
 * Rules: (1) a request holds all of its keys or none.
 *        (2) requests on one key run in the order they came.
 *        (3) a request that ran has its reply gathered, or waits for further rows: REQUEST_ROUNDS_MAX times at most.
 */
#ifndef ENGINE_REQUEST_H
#define ENGINE_REQUEST_H

#include "engine/core.h"

#define REQUEST_KEYS_MAX 11100

/* A command at work. rows is what the last load gave; NULL at first. */
struct request {
    const struct command *command; /* NULL: an exchange */
    struct exchange *exchange;
    struct arena arena; /* of the exchange's copy and the keys */
    struct load_key *keys;
    size_t key_count, key_cap;
    uint32_t *slots;     /* where in keys, plus one, by hash; 0: nowhere. Twice key_cap of them */
    uint64_t seed;       /* of the hash */
    size_t loaded_count; /* so many of them have been read: what is not in memory is not there */
    struct reservation **reserved;
    size_t reserved_count;
    struct list_node link; /* in a reservation's waiting list */
    uint64_t tag;
    bool needs_commit; /* what it is about to read is not durable yet */
    int rounds;
    struct job **pinned;
    size_t pinned_count, pinned_cap;
    /* What a load said of the idempotency key. */
    bool is_idem_known, has_idem;
    uint64_t idem_hash[2];
    int64_t idem_created_ms;
    struct str idem_result;
};

void request_command(struct engine *engine, const struct command *command);

/* Whether the exchange must wait: for rows, or for another one of its worker. */
bool request_exchange_waits(struct engine *engine, const struct exchange *exchange);
/* The exchange waits. It is copied. */
void request_exchange(struct engine *engine, const struct exchange *exchange);
/* Nobody waits for the answer of this exchange, if it is one that waits for rows: it gets no work. What it reports and
 * renews holds all the same, and it has an answer. */
void request_gone(struct engine *engine, uint64_t token);

void request_loaded(struct engine *engine, struct request *request, const struct rows *rows);

/* A batch is durable: requests that waited for it go on. */
void request_committed(struct engine *engine);

/* While a command runs: it cannot go on without this. Returns true if it has been read already. */
bool request_needs_job(struct request *request, uint64_t id);
bool request_needs_name(struct request *request, struct str tenant, struct str name);
bool request_needs_trigger(struct request *request, uint64_t id);
bool request_needs_range(struct request *request, uint64_t job, int64_t from_ms, int64_t to_ms);
bool request_needs_idem(struct request *request, struct str tenant, struct str key);

/* How often this request holds the job; and not any more. */
uint32_t request_pins(const struct request *request, const struct job *job);
void request_unpin(struct request *request, struct job *job);

/* The row of a trigger among rows; NULL. */
const struct trigger_row *request_trigger_row(const struct rows *rows, uint64_t id);

void request_free_all(struct engine *engine);

#endif
