/* json_same: whether two documents say the same.
 *
 * Keys count in their order. A real with a whole value may come back as an integer of the same value, since it is
 * written without a fraction; an integer must stay one.
 */
#ifndef TESTS_FUZZ_JSON_SAME_H
#define TESTS_FUZZ_JSON_SAME_H

#include <stdbool.h>

#include "base/json.h"

/* b is what became of a. */
bool json_same(struct jr a, struct jr b);

#endif
