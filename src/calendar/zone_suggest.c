#include "calendar/zone_suggest.h"

#include <fts.h>
#include <string.h>

#include "base/mem.h"

/* America/Argentina/Buenos_Aires is as deep as names get. */
#define DEPTH_MAX 3
/* Bounds the walk through a folder that is not tzdata; the names found are at most as many. */
#define ENTRIES_MAX ZONE_CACHE_MAX
/* More slips than this, and it is another word. */
#define DISTANCE_MAX 2

struct zone_names {
    size_t count;
    char *names[ENTRIES_MAX];
};

/* Whether the walk should stay away: the copies of all zones, and what is no zone (zone.tab, leapseconds). */
static bool is_foreign(const FTSENT *entry)
{
    bool is_copy = strcmp(entry->fts_name, "posix") == 0 || strcmp(entry->fts_name, "right") == 0;

    return entry->fts_level > DEPTH_MAX || is_copy || entry->fts_name[0] < 'A' || entry->fts_name[0] > 'Z';
}

struct zone_names *zone_names_new(const char *dir)
{
    struct zone_names *names = mem_zalloc(sizeof *names);
    SCOPE_FREE char *root = mem_strdup(dir); /* fts wants it writable */
    char *const roots[] = {root, NULL};
    size_t root_len = strlen(dir);
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);

    int left = ENTRIES_MAX;

    for (FTSENT *entry; tree != NULL && left > 0 && (entry = fts_read(tree)) != NULL; left--) {
        if (entry->fts_level == FTS_ROOTLEVEL) {
            continue;
        }
        if (is_foreign(entry)) {
            (void)fts_set(tree, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F || entry->fts_info == FTS_SL || entry->fts_info == FTS_NSOK) {
            names->names[names->count++] = mem_strdup(entry->fts_path + root_len + 1);
        }
    }
    if (tree != NULL) {
        (void)fts_close(tree);
    }
    return names;
}

void zone_names_free(struct zone_names *names)
{
    if (names == NULL) {
        return;
    }
    for (size_t i = 0; i < names->count; i++) {
        mem_free(names->names[i]);
    }
    mem_free(names);
}

static struct str last_part(struct str name)
{
    size_t start = name.len;

    while (start > 0 && name.ptr[start - 1] != '/') {
        start--;
    }
    return str_skip(name, start);
}

static bool has_digit(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] >= '0' && name.ptr[i] <= '9') {
            return true;
        }
    }
    return false;
}

/* How far a slip of the fingers would have to go from a place's name; far for what is no place. The first letter and
 * the length are looked at first: nearly all names end there, and the rest is costly. */
static size_t slips(struct str known, struct str wanted)
{
    size_t longer = known.len > wanted.len ? known.len - wanted.len : wanted.len - known.len;
    struct str known_first = {known.ptr, 1};
    struct str wanted_first = {wanted.ptr, 1};
    bool is_place = str_find_char(known, '/') < known.len && !has_digit(known) && !has_digit(wanted);

    if (!is_place || longer > DISTANCE_MAX || !str_equal_nocase(known_first, wanted_first)) {
        return STR_DISTANCE_FAR;
    }
    return str_distance(known, wanted);
}

const char *zone_suggest(const struct zone_names *names, struct str wanted)
{
    char plain[ZONE_NAME_BYTES_MAX];
    size_t best_distance = DISTANCE_MAX + 1;
    const char *best = NULL;

    if (wanted.len == 0 || wanted.len > sizeof plain) {
        return NULL;
    }
    for (size_t i = 0; i < wanted.len; i++) {
        plain[i] = wanted.ptr[i] == ' ' ? '_' : wanted.ptr[i];
    }
    wanted.ptr = plain;
    for (size_t i = 0; i < names->count; i++) {
        struct str known = str_from(names->names[i]);
        bool is_part = str_equal_nocase(last_part(known), wanted) && !has_digit(known); /* Etc/GMT+2 is two behind */
        bool is_same = str_equal_nocase(known, wanted) || is_part;
        size_t distance = is_same ? 0 : slips(known, wanted);

        if (distance < best_distance) {
            best_distance = distance;
            best = names->names[i];
        }
    }
    return best;
}
