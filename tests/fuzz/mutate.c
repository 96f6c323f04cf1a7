#include "mutate.h"

#include <string.h>

#define STEPS_MAX 4
#define PIECE_MAX 16

/* Characters that mean something in one of the languages that are read. */
static const char telling[] = "0123456789*/,-?LWH#()@ \t\n\"{}[]:\\.eEZT+=dhms\x01\x7f\x80\xc3\xff";

static uint8_t any_byte(struct rng *rng)
{
    bool is_telling = rng_chance(rng, 3, 4);

    return is_telling ? (uint8_t)telling[rng_below(rng, sizeof telling)] : (uint8_t)rng_next(rng);
}

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Opens a hole of len bytes at place, as far as there is room; returns how wide it is. */
static size_t open_hole(struct bytes *input, size_t place, size_t len)
{
    len = at_most(len, input->max - input->len);
    memmove(input->data + place + len, input->data + place, input->len - place);
    input->len += len;
    return len;
}

static void remove_piece(struct bytes *input, size_t place, size_t len)
{
    len = at_most(len, input->len - place);
    memmove(input->data + place, input->data + place + len, input->len - place - len);
    input->len -= len;
}

static void insert_piece(struct bytes *input, size_t place, const uint8_t *piece, size_t len)
{
    uint8_t copy[PIECE_MAX]; /* the piece may be part of input itself */

    memcpy(copy, piece, len);
    memcpy(input->data + place, copy, open_hole(input, place, len));
}

static void change_one(struct rng *rng, struct bytes *input, const struct bytes *other)
{
    size_t place = rng_below(rng, input->len + 1);
    size_t len = rng_below(rng, PIECE_MAX) + 1;
    uint8_t byte = any_byte(rng);
    uint64_t kind = rng_below(rng, 6);

    if (kind == 0 && other->len > 0) {
        size_t from = rng_below(rng, other->len);
        insert_piece(input, place, other->data + from, at_most(len, other->len - from));
    } else if (kind == 1 || place == input->len) {
        insert_piece(input, place, &byte, 1);
    } else if (kind == 2) {
        remove_piece(input, place, len);
    } else if (kind == 3) {
        insert_piece(input, place, input->data + place, at_most(len, input->len - place));
    } else if (kind == 4) {
        input->data[place] ^= (uint8_t)(1U << rng_below(rng, 8));
    } else {
        input->data[place] = byte;
    }
}

void mutate(struct rng *rng, struct bytes *input, const struct bytes *other)
{
    uint64_t steps = rng_below(rng, STEPS_MAX) + 1;

    for (uint64_t i = 0; i < steps; i++) {
        change_one(rng, input, other);
    }
}
