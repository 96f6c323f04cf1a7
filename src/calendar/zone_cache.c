#include "calendar/zone_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "calendar/tzif.h"
#include "calendar/zone_suggest.h"

struct zone_cache {
    char *dir;
    pthread_mutex_t lock; /* guards what follows */
    size_t count;
    struct zone *zones[ZONE_CACHE_MAX]; /* in the order of their names */
    struct zone **former;               /* with other rules than the system's now, or read from a store */
    size_t former_count;
    struct zone_names *names; /* all there are, for suggestions; NULL until the first is needed */
};

struct zone_cache *zone_cache_new(const char *dir)
{
    struct zone_cache *cache = mem_zalloc(sizeof *cache);

    cache->dir = mem_strdup(dir != NULL ? dir : ZONE_DIR_DEFAULT);
    (void)pthread_mutex_init(&cache->lock, NULL);
    cache->zones[cache->count++] = zone_new_fixed("UTC", "UTC", 0);
    return cache;
}

void zone_cache_free(struct zone_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    for (size_t i = 0; i < cache->count; i++) {
        zone_free(cache->zones[i]);
    }
    for (size_t i = 0; i < cache->former_count; i++) {
        zone_free(cache->former[i]);
    }
    mem_free(cache->former);
    zone_names_free(cache->names);
    (void)pthread_mutex_destroy(&cache->lock);
    mem_free(cache->dir);
    mem_free(cache);
}

/* Letters, digits, _ + - in parts between slashes, as in IANA's names: nothing that leads out of the folder. They begin
 * with a capital; what else lies in tzdata's folder is no zone, or a copy (posix/) or variant (right/) of all of them.
 * Debian's localtime, the machine's own zone, is the one exception. */
static bool is_zone_name(struct str name)
{
    bool part_is_empty = true;

    if (name.len == 0 || name.len > ZONE_NAME_BYTES_MAX) {
        return false;
    }
    if ((name.ptr[0] < 'A' || name.ptr[0] > 'Z') && !str_is(name, "localtime")) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
                     c == '+' || c == '-';

        if (!plain && (c != '/' || part_is_empty)) {
            return false;
        }
        part_is_empty = c == '/';
    }
    return !part_is_empty;
}

/* PST, BST, IST: letters only, all capitals, as no place is called. */
static bool is_abbreviation(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] < 'A' || name.ptr[i] > 'Z') {
            return false;
        }
    }
    return name.len >= 2 && name.len <= 5;
}

static enum err unknown(const struct zone_cache *cache, struct str name, struct error *reterr)
{
    const char *nearest = zone_suggest(cache->names, name);
    char utc[4096]; /* every tzdata has it */

    (void)snprintf(utc, sizeof utc, "%s/UTC", cache->dir);
    if (access(utc, R_OK) != 0) {
        return err_set(reterr, ERR_UNKNOWN_ZONE,
                       "unknown time zone \"%.*s\": there is no time zone data in %s; install tzdata", STR_ARGS(name),
                       cache->dir);
    }
    if (str_starts_with(name, STR("right/")) || str_starts_with(name, STR("posix"))) {
        return err_set(reterr, ERR_UNKNOWN_ZONE,
                       "unknown time zone \"%.*s\"; leave out right/ or posix/ and write the name alone, such as "
                       "Europe/Paris",
                       STR_ARGS(name));
    }
    if (nearest != NULL) {
        return err_set(reterr, ERR_UNKNOWN_ZONE, "unknown time zone \"%.*s\"; did you mean \"%s\"?", STR_ARGS(name),
                       nearest);
    }
    if (is_abbreviation(name)) {
        return err_set(reterr, ERR_UNKNOWN_ZONE,
                       "unknown time zone \"%.*s\": such letters mean different zones in different places; name a "
                       "place, such as America/Los_Angeles",
                       STR_ARGS(name));
    }
    return err_set(reterr, ERR_UNKNOWN_ZONE,
                   "unknown time zone \"%.*s\"; use an IANA name such as Europe/Paris or America/New_York",
                   STR_ARGS(name));
}

/* Reads at most max bytes; -1 on failure. */
static ssize_t read_up_to(int fd, uint8_t *bytes, size_t max)
{
    size_t len = 0;

    while (len < max) {
        ssize_t got = read(fd, bytes + len, max - len);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? -1 : (ssize_t)len;
        }
        len += (size_t)got;
    }
    return (ssize_t)len;
}

static enum err load_fd(int fd, const char *name, struct zone **ret_zone, struct error *reterr)
{
    SCOPE_FREE uint8_t *bytes = mem_alloc(TZIF_BYTES_MAX);
    ssize_t len = read_up_to(fd, bytes, TZIF_BYTES_MAX);

    if (len < 0) {
        return err_set(reterr, ERR_IO, "cannot read the time zone \"%s\": %s", name, strerror(errno));
    }
    if (len < 4 || memcmp(bytes, "TZif", 4) != 0) {
        return err_set(reterr, ERR_UNKNOWN_ZONE, "\"%s\" is not a time zone", name);
    }
    return err_wrap(reterr, tzif_read(name, bytes, (size_t)len, ret_zone, reterr), "time zone \"%s\"", name);
}

/* ERR_NOT_FOUND comes without a text: zone_cache_get finds one when the lock is free again. */
static enum err load(const struct zone_cache *cache, struct str name, struct zone **ret_zone, struct error *reterr)
{
    char path[4096];
    struct stat st;
    size_t dir_len = strlen(cache->dir);
    int written = snprintf(path, sizeof path, "%s/%.*s", cache->dir, STR_ARGS(name));

    if (!is_zone_name(name) || written < 0 || (size_t)written >= sizeof path) {
        return ERR_NOT_FOUND;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* never wait for a pipe that lies there by mistake */
    if (fd < 0) {
        return ERR_NOT_FOUND;
    }
    enum err err =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? load_fd(fd, path + dir_len + 1, ret_zone, reterr) : ERR_NOT_FOUND;
    (void)close(fd);
    return err;
}

/* Where name stands, or would stand, among the zones. */
static size_t place_of(const struct zone_cache *cache, struct str name)
{
    size_t low = 0;
    size_t high = cache->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (str_compare(str_from(cache->zones[middle]->name), name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static enum err get_locked(struct zone_cache *cache, struct str name, const struct zone **ret_zone,
                           struct error *reterr)
{
    size_t place = place_of(cache, name);
    struct zone *zone = NULL;

    if (place < cache->count && str_is(name, cache->zones[place]->name)) {
        *ret_zone = cache->zones[place];
        return ERR_OK;
    }
    if (cache->count == ZONE_CACHE_MAX) {
        return err_set(reterr, ERR_TOO_LARGE, "more than %d time zones in use", ZONE_CACHE_MAX);
    }
    enum err err = load(cache, name, &zone, reterr);
    if (err == ERR_OK) {
        memmove(&cache->zones[place + 1], &cache->zones[place], (cache->count - place) * sizeof cache->zones[0]);
        cache->zones[place] = zone;
        cache->count++;
        *ret_zone = zone;
    }
    return err;
}

enum err zone_cache_get(struct zone_cache *cache, struct str name, const struct zone **ret_zone, struct error *reterr)
{
    (void)pthread_mutex_lock(&cache->lock);
    enum err err = get_locked(cache, name, ret_zone, reterr);
    if (err == ERR_NOT_FOUND && cache->names == NULL) {
        cache->names = zone_names_new(cache->dir);
    }
    (void)pthread_mutex_unlock(&cache->lock);
    return err == ERR_NOT_FOUND ? unknown(cache, name, reterr) : err;
}

/* ---- other rules ---- */

static const struct zone *find_rules(const struct zone_cache *cache, struct str name, uint64_t rules_hash)
{
    size_t place = place_of(cache, name);

    if (place < cache->count && str_is(name, cache->zones[place]->name) &&
        cache->zones[place]->rules_hash == rules_hash) {
        return cache->zones[place];
    }
    for (size_t i = 0; i < cache->former_count; i++) {
        if (cache->former[i]->rules_hash == rules_hash && str_is(name, cache->former[i]->name)) {
            return cache->former[i];
        }
    }
    return NULL;
}

enum err zone_cache_get_rules(struct zone_cache *cache, struct str name, uint64_t rules_hash,
                              const struct zone **ret_zone, struct error *reterr)
{
    (void)pthread_mutex_lock(&cache->lock);
    const struct zone *zone = rules_hash != 0 ? find_rules(cache, name, rules_hash) : NULL;
    (void)pthread_mutex_unlock(&cache->lock);
    if (zone == NULL) {
        return zone_cache_get(cache, name, ret_zone, reterr);
    }
    *ret_zone = zone;
    return ERR_OK;
}

static void keep_former(struct zone_cache *cache, struct zone *zone)
{
    cache->former = mem_realloc_array(cache->former, cache->former_count + 1, sizeof cache->former[0]);
    cache->former[cache->former_count++] = zone;
}

void zone_cache_keep(struct zone_cache *cache, struct zone *zone)
{
    (void)pthread_mutex_lock(&cache->lock);
    if (find_rules(cache, str_from(zone->name), zone->rules_hash) != NULL) {
        zone_free(zone);
    } else {
        keep_former(cache, zone);
    }
    (void)pthread_mutex_unlock(&cache->lock);
}

size_t zone_cache_refresh(struct zone_cache *cache)
{
    size_t changed = 0;

    (void)pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < cache->count; i++) {
        struct zone *zone = NULL;
        bool is_built_in = strcmp(cache->zones[i]->name, "UTC") == 0;

        if (is_built_in || load(cache, str_from(cache->zones[i]->name), &zone, NULL) != ERR_OK) {
            continue;
        }
        if (zone->rules_hash == cache->zones[i]->rules_hash) {
            zone_free(zone);
            continue;
        }
        keep_former(cache, cache->zones[i]);
        cache->zones[i] = zone;
        changed++;
    }
    (void)pthread_mutex_unlock(&cache->lock);
    return changed;
}
