#include "calendar/zone_suggest.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

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
    size_t distance = str_distance(known, walk->wanted);

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

static void walk_dir(struct walk *walk, const char *dir, const char *prefix, int depth)
{
    DIR *open_dir = opendir(dir);

    for (struct dirent *entry;
         open_dir != NULL && walk->entries < ENTRIES_MAX && (entry = readdir(open_dir)) != NULL;) {
        char name[ZONE_NAME_BYTES_MAX + 1];
        char path[4096];
        int name_len = snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] != '\0' ? "/" : "", entry->d_name);
        int path_len = snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        bool is_copy = depth == 0 && (strcmp(entry->d_name, "posix") == 0 || strcmp(entry->d_name, "right") == 0);

        walk->entries++;
        if (entry->d_name[0] < 'A' || entry->d_name[0] > 'Z' || is_copy || name_len >= (int)sizeof name ||
            path_len >= (int)sizeof path) {
            continue; /* zones begin with a capital; zone.tab, leapseconds and . do not */
        }
        if (entry->d_type == DT_DIR && depth + 1 < DEPTH_MAX) {
            walk_dir(walk, path, name, depth + 1);
        } else {
            consider(walk, name);
        }
    }
    if (open_dir != NULL) {
        (void)closedir(open_dir);
    }
}

bool zone_suggest(const char *dir, struct str name, char ret_name[ZONE_NAME_BYTES_MAX + 1])
{
    struct walk walk = {.wanted = name, .best_distance = DISTANCE_MAX + 1};

    if (name.len == 0 || name.len > ZONE_NAME_BYTES_MAX) {
        return false;
    }
    walk_dir(&walk, dir, "", 0);
    if (walk.best_distance > DISTANCE_MAX) {
        return false;
    }
    memcpy(ret_name, walk.best, sizeof walk.best);
    return true;
}
