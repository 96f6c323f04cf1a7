/* zone_watch: notices that the system's tzdata was changed under a running server.
 *
 * Looks at what every package of tzdata brings along: tzdata.zi (whose first line is the version), +VERSION, the tables
 * of zones, and a few zones themselves.
 *
 * Rules: (1) a look reads a few inodes and one line, nothing more.
 *        (2) a folder that is half-way through an update is seen as it is: it changes again when the rest is there.
 * See:   calendar/zone_cache.h, tests/unit/server/test_zone_watch.c
 */
#ifndef SERVER_ZONE_WATCH_H
#define SERVER_ZONE_WATCH_H

#include <stdbool.h>

#define ZONE_WATCH_TEXT_BYTES 64

struct zone_watch;

/* folder NULL or "": TZDIR, else the system's. Takes its first look. */
struct zone_watch *zone_watch_new(const char *folder);
void zone_watch_free(struct zone_watch *watch);

/* Whether the folder is another than at the last look; its version as far as it says one, else "unknown". */
bool zone_watch_changed(struct zone_watch *watch, char ret_version[ZONE_WATCH_TEXT_BYTES]);

/* The version as of the last look. */
const char *zone_watch_version(const struct zone_watch *watch);

#endif
