/* answers: what many people ask for and is dear to make, kept for some seconds, so that it is made once for all of
 * them.
 *
 * Owns:  copies of the answers' text. Safe from every thread.
 * Rules: (1) at most ANSWERS_MAX are kept; one more takes the place of the oldest.
 *        (2) one at a time is being made under a key: while it is, others get the one before.
 * See:   api/upcoming.c, api/forecast.c, tests/unit/api/test_answers.c
 */
#ifndef API_ANSWERS_H
#define API_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define ANSWERS_MAX 8
#define ANSWERS_KEY_BYTES 64
/* A text; longer ones are not kept. */
#define ANSWERS_BYTES_MAX (4 * 1024 * 1024)

struct answers;

struct answers *answers_new(void);
void answers_free(struct answers *answers);

enum answers_found {
    ANSWERS_HERE, /* it was appended to out */
    ANSWERS_MAKE, /* make it, and say so with answers_keep, or answers_give_up where it could not be made */
    ANSWERS_BUSY, /* somebody makes it, and there is none yet */
};

/* One that is not older than fresh_ms; or, while the next is being made, the last one. Who is told to make it must say
 * what became of that. */
enum answers_found answers_find(struct answers *answers, const char *key, int64_t now_mono_ms, int64_t fresh_ms,
                                struct buf *out);
/* The same without making one: whether it was appended to out. */
bool answers_peek(struct answers *answers, const char *key, int64_t now_mono_ms, int64_t fresh_ms, struct buf *out);
void answers_keep(struct answers *answers, const char *key, int64_t now_mono_ms, struct str text);
void answers_give_up(struct answers *answers, const char *key);

#endif
