/* input: bytes from the fuzzer, taken apart.
 *
 * Where a target wants a text and some choices beside it (a zone, a policy, an instant), the text stands first and the
 * choices follow the last newline: so corpus files can be read, and a text alone is an input too.
 */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct input {
    struct str text;
    struct str choices; /* what is left of them */
};

struct input input_split(const uint8_t *data, size_t size);

/* The next choice: 0 to below - 1, out of as few bytes as it takes; 0 when no byte is left. */
uint64_t input_below(struct input *input, uint64_t below);

/* Asserts that an error about text is fit for a person: it has the code that was returned, a sentence of clean text,
 * and a position that lies in the text or one behind it; 0 only where none is promised. */
void input_check_error(struct str text, enum err err, const struct error *error, int position_min);

#endif
