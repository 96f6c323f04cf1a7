#include "trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#include "calendar/instant.h"

struct trace *trace_new(bool is_loud)
{
    struct trace *trace = mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (trace == MAP_FAILED) {
        return NULL;
    }
    trace->is_loud = is_loud;
    return trace;
}

void trace_free(struct trace *trace)
{
    if (trace != NULL) {
        (void)munmap(trace, sizeof *trace);
    }
}

void trace_add(struct trace *trace, int64_t true_ms, const char *format, ...)
{
    char *line = trace->lines[trace->count % TRACE_LINES];
    char instant[INSTANT_BYTES];
    va_list args;
    int used;

    used = snprintf(line, TRACE_LINE_BYTES, "%s ", instant_format(true_ms, instant));
    va_start(args, format);
    (void)vsnprintf(line + used, TRACE_LINE_BYTES - (size_t)used, format, args);
    va_end(args);
    trace->count++;
    if (trace->is_loud) {
        (void)fprintf(stderr, "%s\n", line);
    }
}

void trace_print(const struct trace *trace, size_t lines)
{
    size_t kept = trace->count < TRACE_LINES ? trace->count : TRACE_LINES;

    lines = lines < kept ? lines : kept;
    for (size_t i = trace->count - lines; i < trace->count; i++) {
        (void)fprintf(stderr, "  %s\n", trace->lines[i % TRACE_LINES]);
    }
}
