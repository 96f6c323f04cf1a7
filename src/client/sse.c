#include "client/sse.h"

#include <stdio.h>

void sse_init(struct sse *sse, sse_taker *take, void *context)
{
    *sse = (struct sse){.take = take, .context = context, .retry_ms = -1};
    buf_init(&sse->line, SSE_EVENT_BYTES_MAX);
    buf_init(&sse->data, SSE_EVENT_BYTES_MAX);
    buf_init(&sse->kind, SSE_EVENT_BYTES_MAX);
}

void sse_done(struct sse *sse)
{
    buf_done(&sse->line);
    buf_done(&sse->data);
    buf_done(&sse->kind);
}

static void forget_event(struct sse *sse)
{
    buf_reset(&sse->data);
    buf_reset(&sse->kind);
    sse->has_data = false;
}

void sse_restart(struct sse *sse)
{
    forget_event(sse);
    buf_reset(&sse->line);
    sse->was_return = false;
    sse->is_overflowed = false;
}

static void take_field(struct sse *sse, struct str name, struct str value)
{
    if (str_is(name, "data")) {
        if (sse->has_data) {
            buf_append_char(&sse->data, '\n');
        }
        buf_append_str(&sse->data, value);
        sse->has_data = true;
    } else if (str_is(name, "event")) {
        buf_reset(&sse->kind);
        buf_append_str(&sse->kind, value);
    } else if (str_is(name, "id") && value.len < sizeof sse->id) {
        (void)snprintf(sse->id, sizeof sse->id, "%.*s", (int)value.len, value.len > 0 ? value.ptr : "");
    } else if (str_is(name, "retry")) {
        (void)!str_to_int(value, 0, INT32_MAX, &sse->retry_ms, NULL);
    }
}

static bool end_event(struct sse *sse)
{
    struct sse_event event = {.id = str_from(sse->id), .kind = buf_str(&sse->kind), .data = buf_str(&sse->data)};
    bool goes_on = !sse->has_data || sse->take(sse->context, &event); /* rule 2 */

    forget_event(sse);
    return goes_on;
}

static bool end_line(struct sse *sse)
{
    struct str line = buf_str(&sse->line);
    size_t colon = str_find_char(line, ':');
    bool goes_on = true;

    sse->is_overflowed = buf_overflowed(&sse->line) || buf_overflowed(&sse->data);
    if (line.len == 0) {
        goes_on = end_event(sse);
    } else if (colon > 0) { /* a line that begins with one is a comment */
        struct str value = str_skip(line, colon + 1);

        if (value.len > 0 && value.ptr[0] == ' ') {
            value = str_skip(value, 1);
        }
        take_field(sse, (struct str){line.ptr, colon}, value);
    }
    buf_reset(&sse->line);
    return goes_on && !sse->is_overflowed;
}

bool sse_feed(struct sse *sse, struct str bytes)
{
    bool goes_on = true;

    for (size_t i = 0; goes_on && i < bytes.len; i++) {
        char c = bytes.ptr[i];
        bool is_rest = c == '\n' && sse->was_return; /* rule 1: the second half of CR LF */

        sse->was_return = c == '\r';
        if (c == '\n' || c == '\r') {
            goes_on = is_rest || end_line(sse);
        } else {
            buf_append_char(&sse->line, c);
            goes_on = !buf_overflowed(&sse->line);
        }
    }
    return goes_on;
}
