#include <string.h>

#include "base/mem.h"
#include "litesim/disk_inside.h"

static struct disk_file *file_of(struct list_node *link)
{
    return CONTAINER_OF(link, struct disk_file, link);
}

static bool has_name(const struct disk_file *file, const char *name)
{
    return file->name != NULL && strcmp(file->name, name) == 0;
}

struct disk_file *disk_find(struct disk *disk, const char *name)
{
    for (struct list_node *link = list_first(&disk->files); link != NULL; link = list_next(&disk->files, link)) {
        if (file_of(link)->is_named && has_name(file_of(link), name)) {
            return file_of(link);
        }
    }
    return NULL;
}

struct disk_file *disk_create(struct disk *disk, const char *name)
{
    struct disk_file *file = mem_zalloc(sizeof *file);

    file->name = mem_strdup(name);
    file->is_named = name != NULL;
    file->kept = name != NULL ? DISK_KEPT_MAYBE : DISK_KEPT_NO;
    image_init(&file->image);
    list_node_init(&file->link);
    list_push_back(&disk->files, &file->link);
    return file;
}

void disk_file_free(struct disk_file *file)
{
    list_remove(&file->link);
    image_done(&file->image);
    mem_free(file->name);
    mem_free(file);
}

/* A file without a name lives as long as somebody has it open, or a crash might bring its name back. */
static void free_unless_needed(struct disk_file *file)
{
    if (file->handles == 0 && !file->is_named && file->kept == DISK_KEPT_NO) {
        disk_file_free(file);
    }
}

void disk_file_release(struct disk_file *file)
{
    file->handles--;
    free_unless_needed(file);
}

/* The name leads to this file for good, so what it led to before is gone. */
static void name_settled(struct disk *disk, const char *name, const struct disk_file *now)
{
    struct list_node *next;

    for (struct list_node *link = list_first(&disk->files); link != NULL; link = next) {
        struct disk_file *file = file_of(link);

        next = list_next(&disk->files, link);
        if (file != now && has_name(file, name)) {
            file->is_named = false;
            file->kept = DISK_KEPT_NO;
            free_unless_needed(file);
        }
    }
}

void disk_unlink(struct disk_file *file)
{
    file->is_named = false;
    file->kept = DISK_KEPT_MAYBE;
}

void disk_names_synced(struct disk *disk)
{
    struct list_node *next;

    for (struct list_node *link = list_first(&disk->files); link != NULL; link = next) {
        struct disk_file *file = file_of(link);

        next = list_next(&disk->files, link);
        file->kept = file->is_named ? DISK_KEPT_YES : DISK_KEPT_NO;
        free_unless_needed(file);
    }
}

void disk_name_synced(struct disk *disk, struct disk_file *file)
{
    if (file->is_named) {
        file->kept = DISK_KEPT_YES;
        name_settled(disk, file->name, file);
    }
}

uint64_t disk_bytes(struct disk *disk)
{
    uint64_t bytes = 0;

    for (struct list_node *link = list_first(&disk->files); link != NULL; link = list_next(&disk->files, link)) {
        const struct disk_file *file = file_of(link);

        if (file->is_named || file->handles > 0) {
            bytes += file->image.cached.len;
        }
    }
    return bytes;
}

static bool survives(struct disk *disk, const struct disk_file *file)
{
    return file->kept == DISK_KEPT_YES || (file->kept == DISK_KEPT_MAYBE && rng_chance(&disk->rng, 1, 2));
}

/* From the newest to the oldest: where a newer file of a name is found, an older one cannot be. */
void disk_forget(struct disk *disk)
{
    struct list_node *older;

    for (struct list_node *link = disk->files.head.prev; link != &disk->files.head; link = older) {
        struct disk_file *file = file_of(link);
        bool is_left = survives(disk, file);

        older = link->prev;
        if (!is_left) {
            disk_file_free(file);
            continue;
        }
        image_crash(&file->image, &disk->rng);
        file->is_named = true;
        disk_name_synced(disk, file); /* takes older ones of the name away, perhaps the next */
        older = link->prev;
    }
}
