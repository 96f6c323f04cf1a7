#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

struct arena_block {
    struct arena_block *next;
    size_t cap;
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

void arena_init(struct arena *arena, size_t block_bytes, size_t max_bytes)
{
    assert(block_bytes > 0 && block_bytes < SIZE_MAX / 4 && max_bytes < SIZE_MAX / 4);
    *arena = (struct arena){.block_bytes = block_bytes, .max_bytes = max_bytes};
}

static void free_blocks(struct arena_block *block)
{
    while (block != NULL) {
        struct arena_block *next = block->next;
        mem_free(block);
        block = next;
    }
}

void arena_done(struct arena *arena)
{
    free_blocks(arena->first);
    arena_init(arena, arena->block_bytes, arena->max_bytes);
}

void arena_reset(struct arena *arena)
{
    arena->used_bytes = 0;
    if (arena->first == NULL) {
        return;
    }
    free_blocks(arena->first->next);
    arena->first->next = NULL;
    arena->first->used = 0;
    arena->current = arena->first;
    ASAN_POISON_MEMORY_REGION(arena->first->data, arena->first->cap); /* rule 3 */
}

/* The first block is an ordinary one even where a large piece comes first: it is the one that stays. */
static void add_block(struct arena *arena, size_t size)
{
    size_t cap = arena->first != NULL && size > arena->block_bytes ? size : arena->block_bytes;
    struct arena_block *block = mem_alloc(sizeof *block + cap);

    block->next = NULL;
    block->cap = cap;
    block->used = 0;
    ASAN_POISON_MEMORY_REGION(block->data, cap);
    if (arena->first == NULL) {
        arena->first = block;
    } else {
        arena->current->next = block;
    }
    arena->current = block;
}

static size_t gap_before(const struct arena_block *block, size_t alignment)
{
    return (0 - block->used) & (alignment - 1);
}

static bool fits(const struct arena_block *block, size_t size, size_t alignment)
{
    size_t gap;

    if (block == NULL) {
        return false;
    }
    gap = gap_before(block, alignment);
    return gap <= block->cap - block->used && size <= block->cap - block->used - gap;
}

/* NULL where the maximum would be passed. */
static void *take(struct arena *arena, size_t size, size_t alignment)
{
    struct arena_block *block;
    void *memory;
    size_t gap;

    assert(alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= alignof(max_align_t));
    if (size > arena->max_bytes - arena->used_bytes) {
        return NULL;
    }
    if (arena->first == NULL) {
        add_block(arena, size);
    }
    if (!fits(arena->current, size, alignment)) {
        add_block(arena, size);
    }
    block = arena->current;
    gap = gap_before(block, alignment);
    if (gap + size > arena->max_bytes - arena->used_bytes) {
        return NULL;
    }
    memory = block->data + block->used + gap;
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    block->used += gap + size;
    arena->used_bytes += gap + size;
    return memory;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return arena_alloc_aligned(arena, size, alignof(max_align_t));
}

void *arena_zalloc(struct arena *arena, size_t size)
{
    return memset(arena_alloc(arena, size), 0, size);
}

void *arena_alloc_aligned(struct arena *arena, size_t size, size_t alignment)
{
    void *memory = take(arena, size, alignment);

    if (memory == NULL) {
        mem_exhausted("an arena's maximum is passed", 1, size); /* rule 2 */
    }
    return memory;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        mem_exhausted("an arena's maximum is passed", count, size);
    }
    return arena_alloc(arena, bytes);
}

void *arena_try_alloc(struct arena *arena, size_t size)
{
    return take(arena, size, alignof(max_align_t));
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strdup_str(arena, str_from(text));
}

char *arena_strdup_str(struct arena *arena, struct str s)
{
    char *copy = arena_alloc_aligned(arena, s.len + 1, 1);

    if (s.len > 0) {
        memcpy(copy, s.ptr, s.len);
    }
    copy[s.len] = '\0';
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    char *text;
    int len;

    va_copy(again, args);
    len = vsnprintf(NULL, 0, format, args);
    assert(len >= 0); /* fails only for a wrong format, which is our own bug */
    text = arena_alloc_aligned(arena, (size_t)len + 1, 1);
    (void)vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

bool arena_valid(const struct arena *arena)
{
    size_t used = 0;
    const struct arena_block *last = NULL;

    for (const struct arena_block *block = arena->first; block != NULL; block = block->next) {
        if (block->used > block->cap || (block != arena->first && block->cap < arena->block_bytes)) {
            return false;
        }
        used += block->used;
        last = block;
    }
    return used == arena->used_bytes && used <= arena->max_bytes && last == arena->current;
}
