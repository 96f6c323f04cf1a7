/* tzif: reads compiled time zone files (RFC 9636, versions 1 to 4).
 *
 * The bytes come from outside: every count is checked against the size and TZIF_TRANSITIONS_MAX before it is used.
 * The years that the file leaves to its footer rule are expanded up to YEAR_MAX. Times that count leap seconds are
 * turned into Unix time, which does not.
 *
 * Never: touches the file system; see zone_cache.h for that.
 * See:   tests/unit/calendar/test_tzif.c, tests/fuzz/fuzz_tzif.c
 */
#ifndef CALENDAR_TZIF_H
#define CALENDAR_TZIF_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "calendar/zone.h"

/* Makes the zone called name out of the bytes of its file. */
enum err tzif_read(const char *name, const uint8_t *bytes, size_t len, struct zone **ret_zone,
                   struct error *reterr) MUST_CHECK;

#endif
