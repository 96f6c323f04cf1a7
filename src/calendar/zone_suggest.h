/* zone_suggest: which zone did they mean? For the error text alone; the names come from the tzdata folder.
 */
#ifndef CALENDAR_ZONE_SUGGEST_H
#define CALENDAR_ZONE_SUGGEST_H

#include <stdbool.h>

#include "base/str.h"

/* Finds the name in dir nearest to name: the same but for case, its last part (Paris), or a slip of the fingers. */
bool zone_suggest(const char *dir, struct str name, char ret_name[ZONE_NAME_BYTES_MAX + 1]);

#endif
