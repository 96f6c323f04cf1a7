#include "model/trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"

/* Seeds of ids; they are the same for ever. */
enum { SEED_TRACE_HIGH = 1, SEED_TRACE_LOW = 2, SEED_SPAN = 3 };

#define VERSION_AT 0
#define ID_AT 3
#define SPAN_AT 36
#define FLAGS_AT 53

/* Lower-case digits only. */
static bool read_hex(const char *text, size_t len, uint64_t *ret_value)
{
    uint64_t value = 0;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (c >= '0' && c <= '9') {
            value = value * 16 + (uint64_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = value * 16 + (uint64_t)(c - 'a' + 10);
        } else {
            return false;
        }
    }
    *ret_value = value;
    return true;
}

bool trace_parse(struct str text, struct trace *ret_trace)
{
    struct trace trace = {0};
    uint64_t version, flags;

    if (text.len < TRACE_TEXT_LEN || text.ptr[ID_AT - 1] != '-' || text.ptr[SPAN_AT - 1] != '-' ||
        text.ptr[FLAGS_AT - 1] != '-' || !read_hex(text.ptr + VERSION_AT, 2, &version) ||
        !read_hex(text.ptr + ID_AT, 16, &trace.id[0]) || !read_hex(text.ptr + ID_AT + 16, 16, &trace.id[1]) ||
        !read_hex(text.ptr + SPAN_AT, 16, &trace.span) || !read_hex(text.ptr + FLAGS_AT, 2, &flags)) {
        return false;
    }
    bool is_whole = text.len == TRACE_TEXT_LEN || (version > 0 && text.ptr[TRACE_TEXT_LEN] == '-');

    if (!is_whole || version == 0xff || !trace_is_set(&trace) || trace.span == 0) {
        return false;
    }
    trace.is_sampled = (flags & 1) != 0;
    *ret_trace = trace;
    return true;
}

const char *trace_format(const struct trace *trace, char out[static TRACE_TEXT_BYTES])
{
    (void)snprintf(out, TRACE_TEXT_BYTES, "00-%016" PRIx64 "%016" PRIx64 "-%016" PRIx64 "-%02x", trace->id[0],
                   trace->id[1], trace->span, trace->is_sampled ? 1U : 0U);
    return out;
}

static uint64_t span_of(uint64_t trigger, uint32_t number)
{
    const uint64_t key[] = {trigger, number};

    return hash64(key, sizeof key, SEED_SPAN) | 1; /* zero is no id */
}

struct trace trace_of_attempt(const struct trace *given, uint64_t trigger, uint32_t number)
{
    struct trace trace = *given;

    if (!trace_is_set(given)) {
        trace.id[0] = hash64(&trigger, sizeof trigger, SEED_TRACE_HIGH);
        trace.id[1] = hash64(&trigger, sizeof trigger, SEED_TRACE_LOW) | 1;
        trace.is_sampled = true;
    }
    trace.span = span_of(trigger, number);
    return trace;
}

struct trace trace_of_trigger(const struct trace *given, uint64_t trigger)
{
    return trace_of_attempt(given, trigger, 0); /* attempts count from 1 */
}
