#include "load_queue.h"

#include "base/mem.h"

#define LOAD_BLOCK_BYTES 1024
#define LOAD_BYTES_MAX (64UL * 1024 * 1024)

static struct str keep(struct queued_load *copy, struct str text)
{
    return (struct str){arena_strdup_str(&copy->arena, text), text.len};
}

void load_queue_push(struct load_queue *queue, const struct load *load)
{
    struct queued_load *copy = mem_zalloc(sizeof *copy);
    struct load_key *keys;

    arena_init(&copy->arena, LOAD_BLOCK_BYTES, LOAD_BYTES_MAX);
    copy->load = *load;
    copy->load.place.pool = keep(copy, load->place.pool);
    copy->load.place.tenant = keep(copy, load->place.tenant);
    copy->load.place.type = keep(copy, load->place.type);
    keys = arena_alloc_array(&copy->arena, load->key_count, sizeof *keys);
    for (size_t i = 0; i < load->key_count; i++) {
        keys[i] = load->keys[i];
        keys[i].tenant = keep(copy, keys[i].tenant);
        keys[i].text = keep(copy, keys[i].text);
    }
    copy->load.keys = keys;
    if (queue->last != NULL) {
        queue->last->next = copy;
    } else {
        queue->first = copy;
    }
    queue->last = copy;
}

void load_queue_pop(struct load_queue *queue)
{
    struct queued_load *load = queue->first;

    queue->first = load->next;
    if (queue->first == NULL) {
        queue->last = NULL;
    }
    arena_done(&load->arena);
    mem_free(load);
}

void load_queue_done(struct load_queue *queue)
{
    while (queue->first != NULL) {
        load_queue_pop(queue);
    }
}
