/* result: what an attempt gave and what it wrote, as the one text that its row keeps.
 *
 *     (nothing)          neither
 *     {"sent":1}         a result alone: its JSON as it was sent
 *     >sent 1 mail       an output alone, behind the mark
 *     +10:{"sent":1}...  both: how many bytes of JSON, the JSON, the output
 *
 * No JSON begins with > or +, so the usual small result costs no byte and the forms cannot be taken for each other.
 *
 * Owns:  nothing.
 * Rules: (1) what was packed is unpacked as the same bytes; a result of null is none.
 *        (2) unpacking takes any text: what nobody packed is shown as output, never as JSON.
 * See:   model/record.h (struct attempt_row), tests/unit/wire/test_result.c
 */
#ifndef WIRE_RESULT_H
#define WIRE_RESULT_H

#include "base/arena.h"
#include "base/str.h"

/* JSON of a result; the contract says so. */
#define WIRE_RESULT_BYTES_MAX (64 * 1024)

/* result is checked JSON, empty for none; output any text, empty for none. A result alone is given back as it is;
 * everything else is made in the arena. */
struct str wire_result_pack(struct str result, struct str output, struct arena *arena);

/* Slices of packed; empty for none. A result is JSON for certain. */
void wire_result_unpack(struct str packed, struct str *ret_result, struct str *ret_output);

#endif
