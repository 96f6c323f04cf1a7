/* zone_cache: from a zone's name to its rules.
 *
 * Reads the system's tzdata when a zone is first asked for, and keeps it. UTC is built in and works without tzdata.
 * Rules that the system's tzdata does not have any more, or that a store has kept, are there by their hash.
 *
 * Owns:  every zone it hands out, until zone_cache_free.
 * Rules: (1) a zone that was handed out never changes or moves.
 *        (2) safe to use from any number of threads.
 * See:   zone.h, tzif.h
 */
#ifndef CALENDAR_ZONE_CACHE_H
#define CALENDAR_ZONE_CACHE_H

#include "base/err.h"
#include "base/str.h"
#include "calendar/zone.h"

#define ZONE_DIR_DEFAULT "/usr/share/zoneinfo"

struct zone_cache;

/* dir holds compiled zone files by their IANA names; NULL means ZONE_DIR_DEFAULT. */
struct zone_cache *zone_cache_new(const char *dir);
void zone_cache_free(struct zone_cache *cache);

/* The zone called name, such as Europe/Paris. An unknown one is ERR_UNKNOWN_ZONE with the likeliest name meant. */
enum err zone_cache_get(struct zone_cache *cache, struct str name, const struct zone **ret_zone,
                        struct error *reterr) MUST_CHECK;

/* The zone as it was with these rules. 0, or rules that nobody has kept: as it is now. */
enum err zone_cache_get_rules(struct zone_cache *cache, struct str name, uint64_t rules_hash,
                              const struct zone **ret_zone, struct error *reterr) MUST_CHECK;

/* Takes a zone with its rules, to be found by their hash; freed at once where they are there already. */
void zone_cache_keep(struct zone_cache *cache, struct zone *zone);

/* Reads every zone that is in use anew; those whose rules are others now are so from here on (the former stay, by their
 * hash). A file that cannot be read changes nothing. Returns how many changed. */
size_t zone_cache_refresh(struct zone_cache *cache);

#endif
