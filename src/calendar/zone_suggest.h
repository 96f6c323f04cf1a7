/* zone_suggest: which zone did they mean? For error texts alone.
 *
 * A wrong guess is worse than none, since people copy it: abbreviations are never guessed at, digits never changed.
 *
 * Owns:  the list of names, read from the tzdata folder once; immutable afterwards.
 */
#ifndef CALENDAR_ZONE_SUGGEST_H
#define CALENDAR_ZONE_SUGGEST_H

#include "base/str.h"

struct zone_names;

/* Reads the names below dir; an unreadable folder has none. */
struct zone_names *zone_names_new(const char *dir);
void zone_names_free(struct zone_names *names);

/* The name nearest to wanted: the same but for case and blanks, its last part (Paris), or a slip of the fingers. NULL
 * where nothing is near. The result lives as long as names. */
const char *zone_suggest(const struct zone_names *names, struct str wanted);

#endif
