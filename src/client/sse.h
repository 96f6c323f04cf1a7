/* sse: server-sent events, taken out of the bytes as they come.
 *
 * Pure: bytes in, events out, however they are cut.
 *
 * Owns:  what it has gathered of the event that is not whole yet.
 * Rules: (1) lines end with LF, CR LF or CR; an event ends with an empty line; comments are passed over.
 *        (2) an event without data is none, but its id counts.
 *        (3) more than SSE_EVENT_BYTES_MAX of one event is an error: the stream is not ours.
 * See:   client.h, tests/unit/client/test_sse.c
 */
#ifndef CLIENT_SSE_H
#define CLIENT_SSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* An event carries ids and an error of a few KiB at most. */
#define SSE_EVENT_BYTES_MAX (256 * 1024)
#define SSE_ID_BYTES 72

struct sse_event {
    struct str id;   /* of the last event that had one */
    struct str kind; /* empty where none was named */
    struct str data; /* its lines with a line feed between them */
};

/* Takes one event; false ends the stream. */
typedef bool sse_taker(void *context, const struct sse_event *event);

struct sse {
    sse_taker *take;
    void *context;
    struct buf line;
    struct buf data;
    struct buf kind;
    char id[SSE_ID_BYTES];
    int64_t retry_ms;   /* what the server last asked for, -1 where it did not */
    bool was_return;    /* the last byte was CR: a LF now belongs to it */
    bool has_data;      /* a data line was seen, perhaps an empty one */
    bool is_overflowed; /* rule 3 */
};

void sse_init(struct sse *sse, sse_taker *take, void *context);

/* Also right for SCOPE(sse_done). */
void sse_done(struct sse *sse);

/* False where the taker ended it or rule 3 was broken. */
bool sse_feed(struct sse *sse, struct str bytes);

/* Forgets what is not whole: the next bytes are a new connection's. The id is kept. */
void sse_restart(struct sse *sse);

#endif
