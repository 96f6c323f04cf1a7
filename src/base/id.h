/* id: 64-bit names that sort by the time they were given.
 *
 *     bit 63   62 ........ 22   21 .... 12   11 .... 0
 *         0    ms since 2024      shard      sequence
 *
 * Owns:  nothing. Who runs the shard keeps the generator, and stores the high-water mark ahead of use.
 * Never: reads a clock.
 * Rules: (1) a generator never gives an id twice nor one below an earlier one, whatever the clock does.
 *        (2) a full millisecond borrows from the next; a clock that stands or goes back is run ahead of.
 *        (3) a clock outside of 2024 to 2093, which 41 bits can say, is not believed: ids go on from the last.
 *        (4) ID_NONE is never given and never read from text.
 *        (5) text forms sort as the numbers do. Written in lower case; read in either, with I and L for 1 and O
 *            for 0, as Crockford's base 32 has it.
 * See:   tests/unit/base/test_id.c
 */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define ID_NONE UINT64_C(0)
#define ID_EPOCH_MS INT64_C(1704067200000) /* 2024-01-01T00:00:00Z */
#define ID_MS_BITS 41
#define ID_SHARD_BITS 10
#define ID_SEQ_BITS 12
#define ID_SHARD_MAX ((1U << ID_SHARD_BITS) - 1)

/* ---- giving ---- */

struct id_gen {
    uint32_t shard;
    uint64_t next_ms;  /* since ID_EPOCH_MS: the millisecond of the next id */
    uint32_t next_seq; /* in it; at most one past the last */
};

/* high_ms is the stored high-water mark (wall time), 0 for a new shard: ids begin at max(now, high_ms). */
void id_gen_init(struct id_gen *gen, uint32_t shard, int64_t high_ms);

uint64_t id_gen_next(struct id_gen *gen, int64_t now_ms);

/* The high-water mark (wall time): every id given so far lies in a millisecond before it. */
int64_t id_gen_high_ms(const struct id_gen *gen);

/* ---- reading ---- */

int64_t id_time_ms(uint64_t id);
uint32_t id_shard(uint64_t id);
uint32_t id_seq(uint64_t id);

/* ---- text ---- */

enum id_kind { ID_JOB, ID_TRIGGER, ID_ATTEMPT };

/* "att_", 13 characters, "_", ten digits, NUL. */
#define ID_TEXT_BYTES 29

/* job_06c4q0wm8g000, trg_06c4q0wm8g000. */
void id_format(enum id_kind kind, uint64_t id, char out[static ID_TEXT_BYTES]);

/* att_06c4q0wm8g000_2; numbers begin at 1. */
void id_format_attempt(uint64_t trigger, uint32_t number, char out[static ID_TEXT_BYTES]);

/* The whole text and nothing else, or ERR_INVALID with the position. ID_JOB or ID_TRIGGER. */
MUST_CHECK enum err id_parse(enum id_kind kind, struct str text, uint64_t *ret_id, struct error *reterr);
MUST_CHECK enum err id_parse_attempt(struct str text, uint64_t *ret_trigger, uint32_t *ret_number,
                                     struct error *reterr);

#endif
