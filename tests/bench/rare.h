/* rare: expressions that seldom fire, so that their next fire is far to seek. Some of them are refused: never is the
 * farthest.
 */
#ifndef TESTS_BENCH_RARE_H
#define TESTS_BENCH_RARE_H

#include "base/rng.h"

/* Room for any of them. */
#define RARE_BYTES 96

/* What somebody thought of. */
#define RARE_EXPRESSIONS 33
extern const char *const rare_expressions[RARE_EXPRESSIONS];

/* A random one: one time of day, a rare day, one month or a few, one year or a few. */
void rare_random(struct rng *rng, char ret_text[RARE_BYTES]);

#endif
