/* odd_zones: time zones with every kind of jump, made up so that they never change with tzdata.
 *
 * Gaps and folds of half an hour, one hour, two hours and a whole day; at midnight and across it; over the new year;
 * an hour after each other; by an odd number of seconds.
 *
 * Owns: the zones, until the process ends.
 */
#ifndef TESTS_FUZZ_ODD_ZONES_H
#define TESTS_FUZZ_ODD_ZONES_H

#include <stddef.h>

#include "calendar/zone.h"

#define ODD_ZONES 12

/* index < ODD_ZONES. */
const struct zone *odd_zone(size_t index);

#endif
