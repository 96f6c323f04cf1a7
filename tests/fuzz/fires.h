/* fires: the promises of calendar/cron_fire.h, checked around one instant.
 *
 * The functions there jump from fire to fire; here every instant is asked by itself whether the rules make it one, and
 * the answers are held against each other: next, prev, count and list must tell the same story.
 *
 * See: fuzz_cron.c (any expression, odd zones), fuzz_tzif.c (any zone)
 */
#ifndef TESTS_FUZZ_FIRES_H
#define TESTS_FUZZ_FIRES_H

#include <stdbool.h>
#include <stdint.h>

#include "calendar/cron_fire.h"

/* Whether no change of the clock reaches into the next one. Made-up files may have such zones, the world has none, and
 * what the rules mean there nobody has said. */
bool fires_zone_is_calm(const struct zone *zone);

/* Whether the schedule fires at this instant. Only for calm zones. */
bool fires_at(const struct cron_clock *clock, int64_t utc_s);

/* Asserts what holds in any zone: fires come after, before and between what was asked, and in order. */
void fires_check_order(const struct cron_clock *clock, int64_t after_s);

/* Asserts all of it. Only for calm zones. */
void fires_check(const struct cron_clock *clock, int64_t after_s);

#endif
