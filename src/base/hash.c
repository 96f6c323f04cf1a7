#include "base/hash.h"

#include <endian.h>
#include <string.h>

struct sip {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotl(uint64_t x, unsigned bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static inline void sip_round(struct sip *s)
{
    s->v0 += s->v1;
    s->v1 = rotl(s->v1, 13) ^ s->v0;
    s->v0 = rotl(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotl(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotl(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotl(s->v1, 17) ^ s->v2;
    s->v2 = rotl(s->v2, 32);
}

static inline void sip_word(struct sip *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    sip_round(s);
    s->v0 ^= word;
}

/* Little-endian whatever the machine: rule 1. len is 0 to 8; missing bytes are zero. */
static inline uint64_t load_le(const unsigned char *p, size_t len)
{
    uint64_t word = 0;

    memcpy(&word, p, len);
    return le64toh(word);
}

uint64_t hash64_keyed(const void *bytes, size_t len, uint64_t key_low, uint64_t key_high)
{
    const unsigned char *p = bytes;
    size_t whole = len - len % 8;
    struct sip s = {
        .v0 = key_low ^ UINT64_C(0x736f6d6570736575),
        .v1 = key_high ^ UINT64_C(0x646f72616e646f6d),
        .v2 = key_low ^ UINT64_C(0x6c7967656e657261),
        .v3 = key_high ^ UINT64_C(0x7465646279746573),
    };

    for (size_t i = 0; i < whole; i += 8) {
        sip_word(&s, load_le(p + i, 8));
    }
    sip_word(&s, (uint64_t)len << 56 | (len % 8 != 0 ? load_le(p + whole, len % 8) : 0));
    s.v2 ^= 0xff;
    for (int i = 0; i < 4; i++) {
        sip_round(&s);
    }
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

uint64_t hash64(const void *bytes, size_t len, uint64_t seed)
{
    return hash64_keyed(bytes, len, seed, HASH_KEY_HIGH);
}
