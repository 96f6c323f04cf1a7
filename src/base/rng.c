#include "base/rng.h"

#include <assert.h>

static uint64_t rotl(uint64_t x, unsigned bits)
{
    return (x << bits) | (x >> (64 - bits));
}

/* splitmix64: a bijection of a counter, so four steps of it are never all zero. */
static uint64_t splitmix(uint64_t *counter)
{
    uint64_t z = *counter += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rng_init(struct rng *rng, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++) {
        rng->state[i] = splitmix(&seed);
    }
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotl(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t rng_below(struct rng *rng, uint64_t below)
{
    uint64_t tail, value;

    assert(below > 0);
    /* 2^64 is seldom a multiple of below: the first 2^64 mod below numbers are drawn again (rule 2). */
    tail = (0 - below) % below;
    do {
        value = rng_next(rng);
    } while (value < tail);
    return value % below;
}

int64_t rng_between(struct rng *rng, int64_t min, int64_t max)
{
    uint64_t span = (uint64_t)max - (uint64_t)min;
    uint64_t offset;

    assert(min <= max);
    offset = span == UINT64_MAX ? rng_next(rng) : rng_below(rng, span + 1);
    return (int64_t)((uint64_t)min + offset);
}

bool rng_chance(struct rng *rng, uint64_t p, uint64_t q)
{
    assert(p <= q);
    return rng_below(rng, q) < p;
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

void rng_shuffle(struct rng *rng, void *elements, size_t count, size_t size)
{
    unsigned char *bytes = elements;

    for (size_t i = count; i > 1; i--) {
        swap_bytes(bytes + (i - 1) * size, bytes + rng_below(rng, i) * size, size);
    }
}
