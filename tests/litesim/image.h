/* image: the bytes of one file, as they are read and as a power loss would leave them.
 *
 * Reads see the cached bytes. Writes and truncations change those at once and wait in a list, each as the whole
 * sectors it touched; a sync carries them over to the durable bytes, all and in order. A power loss carries over
 * what the dice say:
 *
 * - each sector of a write is kept or lost for itself, or, now and then, torn: its beginning is new, the rest old;
 * - a write that makes the file longer may leave it any length in between, with zeros where no data came;
 * - a truncation happens or does not, as on every file system with a journal. If it does not, nothing later that
 *   concerns the file's length does, and what was written behind it has no place to be seen in.
 *
 * Owns:  both images and what is pending.
 * Rules: (1) the bytes behind an image's length are 0.
 *        (2) what is pending never passes IMAGE_PENDING_MAX changes: the oldest are carried over, as the kernel does.
 * See:   tests/litesim/disk.h, tests/litesim/test_disk.c
 */
#ifndef LITESIM_IMAGE_H
#define LITESIM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/rng.h"

/* A write is about a page, so this is some 100 MiB at the most; synchronous=FULL has a few dozen. */
#define IMAGE_PENDING_MAX 20000

struct image_bytes {
    uint8_t *data;
    size_t len;
    size_t cap;
};

struct image {
    struct image_bytes cached;
    struct image_bytes durable;
    struct list pending; /* oldest first */
    size_t pending_count;
    bool has_lost; /* a sync has failed: the images differ for good, until written anew */
};

void image_init(struct image *image);
void image_done(struct image *image);

/* Copies up to len bytes and gives their number, less at the end of the file. */
size_t image_read(const struct image *image, void *bytes, size_t len, size_t offset);

/* offset + len <= DISK_FILE_BYTES_MAX. Zeros fill a gap behind the end. */
void image_write(struct image *image, const void *bytes, size_t len, size_t offset);

/* Longer or shorter, up to DISK_FILE_BYTES_MAX. */
void image_truncate(struct image *image, size_t len);

/* All that is pending becomes durable. */
void image_sync(struct image *image, struct rng *rng);

/* A sync that fails: some of what is pending becomes durable, the rest never does, and nobody knows which. */
void image_sync_badly(struct image *image, struct rng *rng);

/* Some of what is pending becomes durable, and that is all that is left. */
void image_crash(struct image *image, struct rng *rng);

/* Both images at offset, which both have where the file is synced. */
void image_flip(struct image *image, size_t offset, uint8_t mask);

uint64_t image_digest(const struct image *image, uint64_t seed);
bool image_valid(const struct image *image);

#endif
