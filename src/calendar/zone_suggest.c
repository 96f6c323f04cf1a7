#include "calendar/zone_suggest.h"

#include <fts.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* America/Argentina/Buenos_Aires is as deep as names get. */
#define DEPTH_MAX 3
/* Bounds the walk through a folder that is not tzdata. */
#define ENTRIES_MAX 4096
/* More slips than this, and it is another word. */
#define DISTANCE_MAX 2

struct walk {
    struct str wanted;
    int entries;
    size_t best_distance;
    char best[ZONE_NAME_BYTES_MAX + 1];
};

static struct str last_part(struct str name)
{
    size_t start = name.len;

    while (start > 0 && name.ptr[start - 1] != '/') {
        start--;
    }
    return str_skip(name, start);
}

static void consider(struct walk *walk, const char *name)
{
    struct str known = str_from(name);

    if (known.len > ZONE_NAME_BYTES_MAX) {
        return;
    }
    size_t distance = str_distance(known, walk->wanted);

    if (distance > known.len / 3) { /* XX is not a slip for GB */
        distance = STR_DISTANCE_FAR;
    }
    if (str_equal_nocase(known, walk->wanted)) {
        distance = 0;
    } else if (str_equal_nocase(last_part(known), walk->wanted)) {
        distance = 1;
    }
    if (distance < walk->best_distance) {
        walk->best_distance = distance;
        (void)snprintf(walk->best, sizeof walk->best, "%s", name);
    }
}

/* Whether the walk should stay away: the copies of all zones, and what is no zone (zone.tab, leapseconds). */
static bool is_foreign(const FTSENT *entry)
{
    bool is_copy = strcmp(entry->fts_name, "posix") == 0 || strcmp(entry->fts_name, "right") == 0;

    return entry->fts_level > DEPTH_MAX || is_copy || entry->fts_name[0] < 'A' || entry->fts_name[0] > 'Z';
}

static void walk_dir(struct walk *walk, char *dir)
{
    char *const roots[] = {dir, NULL};
    size_t root_len = strlen(dir);
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);

    for (FTSENT *entry; tree != NULL && walk->entries < ENTRIES_MAX && (entry = fts_read(tree)) != NULL;) {
        walk->entries++;
        if (entry->fts_level == FTS_ROOTLEVEL) {
            continue;
        }
        if (is_foreign(entry)) {
            (void)fts_set(tree, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F || entry->fts_info == FTS_SL || entry->fts_info == FTS_NSOK) {
            consider(walk, entry->fts_path + root_len + 1);
        }
    }
    if (tree != NULL) {
        (void)fts_close(tree);
    }
}

bool zone_suggest(const char *dir, struct str name, char ret_name[ZONE_NAME_BYTES_MAX + 1])
{
    struct walk walk = {.wanted = name, .best_distance = DISTANCE_MAX + 1};

    if (name.len == 0 || name.len > ZONE_NAME_BYTES_MAX) {
        return false;
    }
    SCOPE_FREE char *root = mem_strdup(dir); /* fts wants it writable */
    walk_dir(&walk, root);
    if (walk.best_distance > DISTANCE_MAX) {
        return false;
    }
    memcpy(ret_name, walk.best, sizeof walk.best);
    return true;
}
