#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mem_exhausted(const char *what, size_t count, size_t size)
{
    char text[160];
    int len = snprintf(text, sizeof text, "belfry: %.40s: %zu x %zu bytes were not to be had\n", what, count, size);

    /* No stdio stream and no exit handler: both might want memory. */
    if (len > 0 && write(STDERR_FILENO, text, (size_t)len) < 0) {
        _exit(MEM_EXIT_CODE); /* nobody listens; the code still tells */
    }
    _exit(MEM_EXIT_CODE);
}

/* malloc(0) may be NULL, and NULL means failure here. */
static size_t at_least_one(size_t size)
{
    return size > 0 ? size : 1;
}

void *mem_alloc(size_t size)
{
    void *memory = malloc(at_least_one(size));

    if (memory == NULL) {
        mem_exhausted("out of memory", 1, size);
    }
    return memory;
}

void *mem_zalloc(size_t size)
{
    void *memory = calloc(1, at_least_one(size));

    if (memory == NULL) {
        mem_exhausted("out of memory", 1, size);
    }
    return memory;
}

static size_t array_bytes(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) {
        mem_exhausted("out of memory", count, size);
    }
    return bytes;
}

void *mem_alloc_array(size_t count, size_t size)
{
    return mem_alloc(array_bytes(count, size));
}

void *mem_realloc_array(void *old, size_t count, size_t size)
{
    void *memory = realloc(old, at_least_one(array_bytes(count, size)));

    if (memory == NULL) {
        mem_exhausted("out of memory", count, size);
    }
    return memory;
}

char *mem_strdup(const char *text)
{
    return text != NULL ? mem_strndup(text, strlen(text)) : NULL;
}

char *mem_strndup(const char *text, size_t len)
{
    char *copy = mem_alloc(len + 1);

    if (len > 0) {
        memcpy(copy, text, len);
    }
    copy[len] = '\0';
    return copy;
}

void *mem_dup(const void *bytes, size_t len)
{
    void *copy = mem_alloc(len);

    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}

void mem_free(void *memory)
{
    free(memory);
}

void mem_free_scope(void *pointer_to_pointer)
{
    void *memory;

    /* The variable has any pointer type; its bytes are a pointer all the same. */
    memcpy(&memory, pointer_to_pointer, sizeof memory);
    mem_free(memory);
}
