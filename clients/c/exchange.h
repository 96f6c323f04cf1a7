/* exchange: one POST /v1/work: written from what the worker holds, its answer read into it.
 *
 * Owns:  its call, and the lists of what it named.
 * Rules: (1) an answer acknowledges exactly what this exchange reported, which later ones may report once more.
 *        (2) several may be under way. A higher seq ends the server's waiting in a lower one; what that one was given
 *            is sent again to the higher.
 * See:   worker.h
 */
#ifndef BELFRY_EXCHANGE_H
#define BELFRY_EXCHANGE_H

#include "http.h"
#include "worker.h"

struct exchange {
    struct http_call call;
    uint64_t seq;
    int64_t sent_mono_ms, wait_ms;
    bool is_farewell;   /* it asked for nothing: the worker stops */
    uint64_t *reported; /* by place in the table: the serial; 0: not in this exchange */
    uint64_t *held;
};

/* What an answer brought. */
struct heard {
    size_t begun, acknowledged, cancelled; /* how many of them were news */
    bool is_draining;
};

bool bf_exchange_init(struct exchange *exchange, struct belfry_worker *worker);
void bf_exchange_done(struct exchange *exchange);

/* Under lock: fills the call's body with all there is to say. */
void bf_exchange_write(struct exchange *exchange, struct belfry_worker *worker, uint64_t seq, int64_t wait_ms);

/* Takes the worker's lock. False: the answer is none. */
bool bf_exchange_read(struct exchange *exchange, struct belfry_worker *worker, struct heard *ret_heard);

#endif
