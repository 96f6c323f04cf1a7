/* mem: memory that is there, or the process ends.
 *
 * Nobody can test what a program does after each of a thousand failed allocations, so Belfry does
 * nothing: it says so on standard error and exits, and the crash-only restart is the recovery. Sizes that
 * come from outside are checked against limits.h first, so that no request can bring it about.
 *
 * Owns:  nothing; memory belongs to who asked.
 * Rules: (1) no function here returns NULL, except mem_strdup of NULL.
 *        (2) three lifetimes: object (x_new/x_free), arena (base/arena), scope (SCOPE below).
 * See:   tests/unit/base/test_mem.c
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* How the process ends when memory is out: sysexits' EX_OSERR, so that a supervisor can tell. */
#define MEM_EXIT_CODE 71

/* Freed by mem_free. A size of 0 gives a pointer to nothing that must be freed as well. */
void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull, warn_unused_result));

/* The same, all bytes 0. */
void *mem_zalloc(size_t size) __attribute__((malloc, returns_nonnull, warn_unused_result));

/* count elements of size bytes; a product that overflows ends the process as memory that is out. */
void *mem_alloc_array(size_t count, size_t size) __attribute__((malloc, returns_nonnull, warn_unused_result));
void *mem_realloc_array(void *old, size_t count, size_t size) __attribute__((returns_nonnull, warn_unused_result));

/* A copy with its own NUL. The first takes NULL and gives NULL back. */
char *mem_strdup(const char *text) __attribute__((warn_unused_result));
char *mem_strndup(const char *text, size_t len) __attribute__((malloc, returns_nonnull, warn_unused_result));
void *mem_dup(const void *bytes, size_t len) __attribute__((malloc, returns_nonnull, warn_unused_result));

/* How all of them end the process; also for others that hand out memory. what is named in the message. */
void mem_exhausted(const char *what, size_t count, size_t size) __attribute__((noreturn));

/* NULL is fine. */
void mem_free(void *memory);

/* The scope lifetime: when the variable goes out of scope, done(&variable) is called.
 *     SCOPE(buf_done) struct buf body;
 *     buf_init(&body, BODY_BYTES_MAX);
 * Initialise the variable before anything can return. */
#define SCOPE(done) __attribute__((cleanup(done)))

/* The same for a pointer from this module: SCOPE_FREE char *text = mem_strdup(name); */
#define SCOPE_FREE SCOPE(mem_free_scope)
void mem_free_scope(void *pointer_to_pointer);

#endif
