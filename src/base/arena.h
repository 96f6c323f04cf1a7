/* arena: memory for one request or one engine step, let go of all at once.
 *
 * Owns:  its blocks, and with them everything allocated from it.
 * Rules: (1) reset keeps the first block, so that a usual request allocates nothing.
 *        (2) at most max_bytes are handed out between resets. Sizes from outside ask with arena_try_alloc; passing
 *            the maximum anywhere else is a bug and ends the process as memory that is out does.
 *        (3) what was handed out is gone after a reset; with AddressSanitizer using it is an error.
 * See:   tests/unit/base/test_arena.c
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct arena_block;

struct arena {
    struct arena_block *first;   /* NULL until something is allocated */
    struct arena_block *current; /* the last one: where memory comes from */
    size_t block_bytes;          /* of an ordinary block */
    size_t max_bytes;
    size_t used_bytes; /* handed out since the last reset, gaps for alignment included */
};

/* Allocates nothing yet. */
void arena_init(struct arena *arena, size_t block_bytes, size_t max_bytes);

/* Also right for SCOPE(arena_done). */
void arena_done(struct arena *arena);

void arena_reset(struct arena *arena);

/* Aligned for every type; not NULL. A size of 0 gives a pointer to nothing. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));

/* The same, all bytes 0. */
void *arena_zalloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));

/* alignment is a power of two, at most that of max_align_t. */
void *arena_alloc_aligned(struct arena *arena, size_t size, size_t alignment) __attribute__((returns_nonnull));

/* count elements of size bytes; a product that overflows ends the process. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size) __attribute__((returns_nonnull));

/* NULL where it would pass the maximum. */
void *arena_try_alloc(struct arena *arena, size_t size) __attribute__((warn_unused_result));

/* Copies with their own NUL. */
char *arena_strdup(struct arena *arena, const char *text) __attribute__((returns_nonnull));
char *arena_strdup_str(struct arena *arena, struct str s) __attribute__((returns_nonnull));
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((returns_nonnull, format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((returns_nonnull, format(printf, 2, 0)));

bool arena_valid(const struct arena *arena);

#endif
