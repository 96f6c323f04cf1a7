/* hash: a well mixed 64-bit number from bytes, the same for ever.
 *
 * Spread (H in cron), jitter and shard placement are computed from it and outlive every release, so
 * its values may never change: the tests pin them. It is SipHash-2-4 of the bytes under the 128-bit
 * key (seed, HASH_KEY_HIGH), so that anybody can recompute it in any language.
 *
 * Rules: (1) the value depends on bytes, len and seed alone: not on the machine, build or process.
 *        (2) with a secret seed it also withstands keys chosen to collide (base/map).
 * See:   tests/unit/base/test_hash.c
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The upper half of the key: "belfry64" as a little-endian number. */
#define HASH_KEY_HIGH UINT64_C(0x34367972666c6562)

uint64_t hash64(const void *bytes, size_t len, uint64_t seed);

/* SipHash-2-4 with the whole key given; hash64 is this with HASH_KEY_HIGH. */
uint64_t hash64_keyed(const void *bytes, size_t len, uint64_t key_low, uint64_t key_high);

#endif
