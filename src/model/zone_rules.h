/* zone_rules: rules of time zones between rows and the cache: for who decides, and does not read files itself.
 *
 * See: calendar/zone_cache.h, model/record.h (rules_row)
 */
#ifndef MODEL_ZONE_RULES_H
#define MODEL_ZONE_RULES_H

#include <stdbool.h>

#include "calendar/zone_cache.h"
#include "model/record.h"

/* The zone with the rules that it has now; NULL where there is no such zone any more. */
const struct zone *zone_rules_present(struct zone_cache *zones, const char *name);

/* Puts a row's rules into the cache, to be found by their hash. False: they cannot be read. */
bool zone_rules_keep(struct zone_cache *zones, const struct rules_row *row);

#endif
