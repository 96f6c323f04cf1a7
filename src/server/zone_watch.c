#include "server/zone_watch.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "calendar/zone_cache.h"

#define PATH_BYTES_MAX 4096
/* What stands before the version in the first line of tzdata.zi. */
#define ZI_PREFIX "# version "

static const char *const files[] = {"tzdata.zi",     "+VERSION",         "zone1970.tab",
                                    "Europe/London", "America/New_York", "Africa/Casablanca"};

struct zone_watch {
    char *folder;
    uint64_t seen; /* a number from what was there */
    char version[ZONE_WATCH_TEXT_BYTES];
};

static uint64_t look_at(const struct zone_watch *watch, const char *file, uint64_t seed)
{
    char path[PATH_BYTES_MAX];
    struct stat st;
    int64_t facts[4] = {0};

    (void)snprintf(path, sizeof path, "%s/%s", watch->folder, file);
    if (stat(path, &st) == 0) {
        facts[0] = (int64_t)st.st_mtim.tv_sec;
        facts[1] = (int64_t)st.st_mtim.tv_nsec;
        facts[2] = (int64_t)st.st_size;
        facts[3] = (int64_t)st.st_ino;
    }
    return hash64(facts, sizeof facts, seed);
}

/* The first line of a file, without prefix. */
static bool read_version(const struct zone_watch *watch, const char *file, const char *prefix,
                         char out[ZONE_WATCH_TEXT_BYTES])
{
    char path[PATH_BYTES_MAX];
    char bytes[ZONE_WATCH_TEXT_BYTES];

    (void)snprintf(path, sizeof path, "%s/%s", watch->folder, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    ssize_t len = read(fd, bytes, sizeof bytes - 1);
    (void)close(fd);
    struct str line = {bytes, len > 0 ? (size_t)len : 0};
    if (!str_starts_with(line, str_from(prefix))) {
        return false;
    }
    line.len = str_find_char(line, '\n');
    line = str_trim(str_skip(line, strlen(prefix)));
    (void)snprintf(out, ZONE_WATCH_TEXT_BYTES, "%.*s", STR_ARGS(line));
    return line.len > 0;
}

static void look(struct zone_watch *watch)
{
    watch->seen = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        watch->seen = look_at(watch, files[i], watch->seen);
    }
    if (!read_version(watch, "tzdata.zi", ZI_PREFIX, watch->version) &&
        !read_version(watch, "+VERSION", "", watch->version)) {
        (void)snprintf(watch->version, sizeof watch->version, "unknown");
    }
}

struct zone_watch *zone_watch_new(const char *folder)
{
    struct zone_watch *watch = mem_zalloc(sizeof *watch);
    const char *around = getenv("TZDIR");

    if (folder == NULL || folder[0] == '\0') {
        folder = around != NULL && around[0] != '\0' ? around : ZONE_DIR_DEFAULT;
    }
    watch->folder = mem_strdup(folder);
    look(watch);
    return watch;
}

void zone_watch_free(struct zone_watch *watch)
{
    if (watch != NULL) {
        mem_free(watch->folder);
        mem_free(watch);
    }
}

bool zone_watch_changed(struct zone_watch *watch, char ret_version[ZONE_WATCH_TEXT_BYTES])
{
    uint64_t before = watch->seen;

    look(watch);
    (void)snprintf(ret_version, ZONE_WATCH_TEXT_BYTES, "%s", watch->version);
    return watch->seen != before;
}

const char *zone_watch_version(const struct zone_watch *watch)
{
    return watch->version;
}
