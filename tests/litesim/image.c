#include "litesim/image.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "litesim/disk.h"

/* Chances are in sixteenths. */
#define CHANCES 16

/* A write as the sectors it touched, or a truncation. */
struct change {
    struct list_node link;
    bool is_truncation;
    size_t offset; /* of a write: where its first sector begins; of a truncation: the new length */
    size_t len;    /* of data; a write at the file's end ends there, not with the sector */
    uint8_t data[];
};

/* What becomes of the changes, one after the other. */
struct fate {
    struct rng *rng;
    uint64_t chance; /* of this change's parts to be kept, of CHANCES */
    bool is_ordered; /* the first ordered_left are kept, the next one partly, the others not */
    size_t ordered_left;
    bool is_cut_off;   /* a truncation was lost: the length stays as it is */
    size_t cut_off_at; /* then nothing behind this can be seen */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Keeps rule 1: growing memory is zeroed, and so is what is cut off. */
static void bytes_resize(struct image_bytes *bytes, size_t len)
{
    assert(len <= DISK_FILE_BYTES_MAX);
    if (len > bytes->cap) {
        size_t cap = len + len / 2 + DISK_SECTOR_BYTES;

        bytes->data = mem_realloc_array(bytes->data, cap, 1);
        memset(bytes->data + bytes->cap, 0, cap - bytes->cap);
        bytes->cap = cap;
    }
    if (len < bytes->len) {
        memset(bytes->data + len, 0, bytes->len - len);
    }
    bytes->len = len;
}

static void bytes_put(struct image_bytes *bytes, size_t offset, const uint8_t *data, size_t len)
{
    if (len > 0) {
        memcpy(bytes->data + offset, data, len);
    }
}

void image_init(struct image *image)
{
    *image = (struct image){0};
    list_init(&image->pending);
}

static struct change *take_oldest(struct image *image)
{
    struct list_node *link = list_pop_front(&image->pending);

    if (link == NULL) {
        return NULL;
    }
    image->pending_count--;
    return CONTAINER_OF(link, struct change, link);
}

void image_done(struct image *image)
{
    for (struct change *change; (change = take_oldest(image)) != NULL;) {
        mem_free(change);
    }
    mem_free(image->cached.data);
    mem_free(image->durable.data);
}

size_t image_read(const struct image *image, void *bytes, size_t len, size_t offset)
{
    const struct image_bytes *cached = &image->cached;

    if (offset >= cached->len) {
        return 0;
    }
    len = smaller(len, cached->len - offset);
    memcpy(bytes, cached->data + offset, len);
    return len;
}

static bool is_kept(const struct fate *fate)
{
    return rng_chance(fate->rng, fate->chance, CHANCES);
}

/* How much of a sector is kept: nothing, everything or its beginning. */
static size_t kept_of_sector(const struct fate *fate, size_t len)
{
    bool is_sure = fate->chance == 0 || fate->chance == CHANCES;

    if (!is_sure && len > 1 && rng_chance(fate->rng, 1, CHANCES)) {
        return 1 + rng_below(fate->rng, len - 1);
    }
    return is_kept(fate) ? len : 0;
}

/* A write that ends behind the end: the file may get longer before, with or without its data. */
static void carry_growth(struct image_bytes *durable, size_t end, const struct fate *fate)
{
    if (end <= durable->len || fate->is_cut_off || !is_kept(fate)) {
        return;
    }
    if (fate->chance < CHANCES && rng_chance(fate->rng, 1, 4)) {
        end = durable->len + rng_below(fate->rng, end - durable->len);
    }
    bytes_resize(durable, end);
}

static void carry_write(struct image_bytes *durable, const struct change *change, const struct fate *fate)
{
    size_t done = 0;

    carry_growth(durable, change->offset + change->len, fate);
    while (done < change->len) {
        size_t offset = change->offset + done;
        size_t sector = smaller(DISK_SECTOR_BYTES, change->len - done);
        size_t kept = kept_of_sector(fate, sector);

        if (offset < durable->len && !(fate->is_cut_off && offset >= fate->cut_off_at)) {
            bytes_put(durable, offset, change->data + done, smaller(kept, durable->len - offset));
        }
        done += sector;
    }
}

static void carry_truncation(struct image_bytes *durable, const struct change *change, struct fate *fate)
{
    if (!fate->is_cut_off && is_kept(fate)) {
        bytes_resize(durable, change->offset);
        return;
    }
    fate->cut_off_at = fate->is_cut_off ? smaller(fate->cut_off_at, change->offset) : change->offset;
    fate->is_cut_off = true;
}

static void carry_over(struct image *image, struct fate *fate, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct change *change = take_oldest(image);

        assert(change != NULL); /* count of them are pending */
        if (fate->is_ordered) {
            fate->chance = i < fate->ordered_left ? CHANCES : i == fate->ordered_left ? CHANCES / 2 : 0;
        }
        if (change->is_truncation) {
            carry_truncation(&image->durable, change, fate);
        } else {
            carry_write(&image->durable, change, fate);
        }
        mem_free(change);
    }
}

static struct change *change_new(struct image *image, size_t data_len)
{
    struct change *change = mem_zalloc(sizeof *change + data_len);

    change->len = data_len;
    list_node_init(&change->link);
    list_push_back(&image->pending, &change->link);
    image->pending_count++;
    return change;
}

/* Rule 2. All of the oldest change is kept, so there is nothing to throw dice for. */
static void keep_bound(struct image *image)
{
    struct rng unused;
    struct fate all = {.rng = &unused, .chance = CHANCES};

    if (image->pending_count > IMAGE_PENDING_MAX) {
        rng_init(&unused, 1);
        carry_over(image, &all, 1);
    }
}

void image_write(struct image *image, const void *bytes, size_t len, size_t offset)
{
    struct image_bytes *cached = &image->cached;
    size_t first = offset - offset % DISK_SECTOR_BYTES;
    size_t behind = (offset + len + DISK_SECTOR_BYTES - 1) / DISK_SECTOR_BYTES * DISK_SECTOR_BYTES;
    struct change *change;

    if (len == 0) {
        return;
    }
    if (offset + len > cached->len) {
        bytes_resize(cached, offset + len);
    }
    bytes_put(cached, offset, bytes, len);
    change = change_new(image, smaller(behind, cached->len) - first);
    change->offset = first;
    memcpy(change->data, cached->data + first, change->len);
    keep_bound(image);
}

void image_truncate(struct image *image, size_t len)
{
    struct change *change = change_new(image, 0);

    change->is_truncation = true;
    change->offset = len;
    bytes_resize(&image->cached, len);
    keep_bound(image);
}

void image_sync(struct image *image, struct rng *rng)
{
    struct fate fate = {.rng = rng, .chance = CHANCES};

    carry_over(image, &fate, image->pending_count);
    bytes_resize(&image->durable, image->cached.len); /* after a failed sync the length may be behind */
}

/* All sorts of crashes: nothing kept, little, half, most, everything, or everything up to a moment. */
static struct fate roll(struct rng *rng, size_t pending_count)
{
    static const uint64_t chances[] = {0, 2, 8, 14, CHANCES};
    struct fate fate = {.rng = rng};

    fate.is_ordered = rng_chance(rng, 1, 4);
    fate.ordered_left = rng_below(rng, pending_count + 1);
    fate.chance = chances[rng_below(rng, sizeof chances / sizeof chances[0])];
    return fate;
}

void image_sync_badly(struct image *image, struct rng *rng)
{
    struct fate fate = roll(rng, image->pending_count);

    image->has_lost = true;
    carry_over(image, &fate, image->pending_count);
}

void image_crash(struct image *image, struct rng *rng)
{
    struct fate fate = roll(rng, image->pending_count);

    carry_over(image, &fate, image->pending_count);
    bytes_resize(&image->cached, image->durable.len);
    bytes_put(&image->cached, 0, image->durable.data, image->durable.len);
    image->has_lost = false;
}

void image_flip(struct image *image, size_t offset, uint8_t mask)
{
    if (offset < image->cached.len) {
        image->cached.data[offset] ^= mask;
    }
    if (offset < image->durable.len) {
        image->durable.data[offset] ^= mask;
    }
}

static uint64_t bytes_digest(const struct image_bytes *bytes, uint64_t seed)
{
    return hash64(bytes->len == 0 ? (const uint8_t *)"" : bytes->data, bytes->len, seed);
}

uint64_t image_digest(const struct image *image, uint64_t seed)
{
    return bytes_digest(&image->durable, bytes_digest(&image->cached, seed));
}

bool image_valid(const struct image *image)
{
    if (!list_valid(&image->pending, image->pending_count) || image->pending_count > IMAGE_PENDING_MAX) {
        return false;
    }
    if (image->pending_count > 0 || image->has_lost) {
        return true;
    }
    return image->cached.len == image->durable.len &&
           (image->cached.len == 0 || memcmp(image->cached.data, image->durable.data, image->cached.len) == 0);
}
