#include "calendar/dst_note.h"

#include <stdio.h>
#include <string.h>

#include "calendar/cron_local.h"
#include "calendar/duration.h"

/* Whether a time of the schedule lies in a gap between two instants and fires nowhere. */
static bool loses_time(const struct cron_clock *clock, size_t before, size_t at)
{
    const struct zone *zone = clock->zone;

    if (!clock->cron->follows_clock && clock->dst.gap != DST_GAP_SKIP) {
        return false;
    }
    for (size_t i = before + 1; i <= at; i++) {
        int64_t gap_high = zone->segments[i].start_s + zone->segments[i].offset_s;
        int64_t gap_low = gap_high - zone_jump_s(zone, i);

        if (gap_low < gap_high && cron_local_next(clock->cron, gap_low) < gap_high) {
            return true;
        }
    }
    return false;
}

struct dst_note dst_note_of(const struct cron_clock *clock, int64_t before_s, int64_t fire_s)
{
    const struct zone *zone = clock->zone;
    size_t before = zone_segment_at(zone, before_s);
    size_t at = zone_segment_at(zone, fire_s);
    int64_t local_s = fire_s + zone->segments[at].offset_s;
    struct zone_instants instants = zone_from_local(zone, local_s);
    struct dst_note note = {.jump_s = zone->segments[at].offset_s - zone->segments[before].offset_s};

    if (instants.kind == ZONE_FOLD) {
        note.pass = fire_s == instants.first_s ? DST_PASS_FIRST : DST_PASS_SECOND;
    }
    note.is_moved = !cron_local_matches(clock->cron, local_s);
    note.is_lost = loses_time(clock, before, at);
    return note;
}

static void append(char out[DST_NOTE_BYTES], const char *text)
{
    size_t len = strlen(out);

    (void)snprintf(out + len, DST_NOTE_BYTES - len, "%s%s", len > 0 ? "; " : "", text);
}

const char *dst_note_text(const struct dst_note *note, char out[DST_NOTE_BYTES])
{
    char length[DURATION_BYTES];
    char jump[DURATION_BYTES + 32];

    out[0] = '\0';
    if (note->jump_s != 0) {
        (void)snprintf(jump, sizeof jump, "clocks went %s %s", note->jump_s > 0 ? "forward" : "back",
                       duration_format_short(note->jump_s * 1000LL, length));
        append(out, jump);
    }
    if (note->is_moved) {
        append(out, "its own time was jumped over");
    }
    if (note->is_lost) {
        append(out, "times before it were jumped over");
    }
    if (note->pass != DST_PASS_ONLY) {
        append(out, note->pass == DST_PASS_FIRST ? "this time comes twice, first pass"
                                                 : "this time comes twice, second pass");
    }
    return out;
}
