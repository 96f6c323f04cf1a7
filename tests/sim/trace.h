/* trace: the last things that happened, in words.
 *
 * A run writes nothing down; when it finds something, the same seed is run again with a trace, which costs only then.
 *
 * Owns:  its lines, in memory that child processes share: what led to a crash is still there when they are gone. Keeps
 * the last TRACE_LINES of them.
 */
#ifndef TESTS_SIM_TRACE_H
#define TESTS_SIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_LINES 4096
#define TRACE_LINE_BYTES 400

struct trace {
    bool is_loud; /* every line goes to standard error at once, too */
    size_t count; /* lines so far */
    char lines[TRACE_LINES][TRACE_LINE_BYTES];
};

/* NULL: there is no such memory. */
struct trace *trace_new(bool is_loud);
void trace_free(struct trace *trace); /* NULL is fine */
void trace_add(struct trace *trace, int64_t true_ms, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes the last lines, oldest first, to standard error. */
void trace_print(const struct trace *trace, size_t lines);

#endif
