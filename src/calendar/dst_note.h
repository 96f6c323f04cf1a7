/* dst_note: what is unusual about a fire's local time, for people who look at a list of fires.
 *
 * See: docs/time.md, tests/unit/calendar/test_dst_note.c
 */
#ifndef CALENDAR_DST_NOTE_H
#define CALENDAR_DST_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calendar/cron_fire.h"
#include "calendar/zone.h"

#define DST_NOTE_BYTES 160

enum dst_pass {
    DST_PASS_ONLY, /* the local time comes once */
    DST_PASS_FIRST,
    DST_PASS_SECOND,
};

struct dst_note {
    int32_t jump_s; /* how far the clock moved between the fire before and this one; 0: not at all */
    enum dst_pass pass;
    bool is_moved; /* its own time lies in a gap */
    bool is_lost;  /* a time between the fire before and this one was jumped over and does not fire */
};

/* Looks at a fire and the instant before it in the list. */
struct dst_note dst_note_of(const struct cron_clock *clock, int64_t before_s, int64_t fire_s);

/* As a phrase, "clocks went forward 1 h"; "" where nothing is unusual. */
const char *dst_note_text(const struct dst_note *note, char out[DST_NOTE_BYTES]);

#endif
