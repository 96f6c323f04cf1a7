/* zone_text: a zone's rules as text, so that they can be kept when the system's tzdata has others.
 *
 * One line for each segment: its first second in UTC ("-" for the first segment), its offset in seconds, 1 where it is
 * daylight saving and 0 where it is not, and its abbreviation.
 *
 * Rules: (1) what zone_text_read makes of zone_text_write's text has the same rules_hash.
 * See:   zone.h, tests/unit/calendar/test_zone_text.c
 */
#ifndef CALENDAR_ZONE_TEXT_H
#define CALENDAR_ZONE_TEXT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "calendar/zone.h"

/* Enough for two changes a year in all the years there are, and for those before them. */
#define ZONE_TEXT_BYTES_MAX (128 * 1024)

void zone_text_write(const struct zone *zone, struct buf *out);

enum err zone_text_read(struct str name, struct str text, struct zone **ret_zone, struct error *reterr) MUST_CHECK;

#endif
