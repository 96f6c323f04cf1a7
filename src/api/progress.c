#include "api/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/idmap.h"
#include "base/list.h"
#include "base/mem.h"

struct note {
    struct list_node node; /* in progress.notes, the longest silent first */
    uint64_t trigger;
    uint32_t number;
    double percent;
    int64_t at_ms;
    size_t len;
    char text[]; /* the note */
};

struct progress {
    pthread_mutex_t lock;
    struct idmap by_trigger;
    struct list notes;
    atomic_size_t count; /* asked without the lock: most batches have nothing to do here */
};

struct progress *progress_new(uint64_t seed)
{
    struct progress *progress = mem_zalloc(sizeof *progress);

    pthread_mutex_init(&progress->lock, NULL);
    idmap_init(&progress->by_trigger, seed);
    list_init(&progress->notes);
    atomic_init(&progress->count, 0);
    return progress;
}

static void drop(struct progress *progress, struct note *note)
{
    list_remove(&note->node);
    idmap_remove(&progress->by_trigger, note->trigger);
    atomic_fetch_sub(&progress->count, 1);
    mem_free(note);
}

void progress_free(struct progress *progress)
{
    struct list_node *first;

    while ((first = list_first(&progress->notes)) != NULL) {
        drop(progress, CONTAINER_OF(first, struct note, node));
    }
    idmap_done(&progress->by_trigger);
    pthread_mutex_destroy(&progress->lock);
    mem_free(progress);
}

/* The beginning of a text that fits, whole characters only. */
static size_t fitting(struct str text)
{
    size_t len = 0;

    while (len < text.len) {
        size_t more = str_utf8_decode(str_skip(text, len), NULL);

        if (more == 0 || len + more > PROGRESS_NOTE_BYTES_MAX) {
            break;
        }
        len += more;
    }
    return len;
}

static void keep(struct progress *progress, uint64_t trigger, uint32_t number, const struct wire_progress *said)
{
    size_t len = fitting(said->note);
    struct note *note = mem_zalloc(sizeof *note + len + 1);

    list_node_init(&note->node);
    note->trigger = trigger;
    note->number = number;
    note->percent = said->percent;
    note->at_ms = said->at_ms;
    note->len = len;
    if (len > 0) {
        memcpy(note->text, said->note.ptr, len);
    }
    idmap_put(&progress->by_trigger, trigger, note);
    list_push_back(&progress->notes, &note->node);
    atomic_fetch_add(&progress->count, 1);
}

void progress_put(struct progress *progress, uint64_t trigger, uint32_t number, const struct wire_progress *said)
{
    pthread_mutex_lock(&progress->lock);
    struct note *old = idmap_find(&progress->by_trigger, trigger);
    struct list_node *silent = list_first(&progress->notes);

    if (old == NULL || old->number <= number) {
        if (old != NULL) {
            drop(progress, old);
        } else if (silent != NULL && atomic_load(&progress->count) >= PROGRESS_MAX) { /* rule 1 */
            drop(progress, CONTAINER_OF(silent, struct note, node));
        }
        keep(progress, trigger, number, said);
    }
    pthread_mutex_unlock(&progress->lock);
}

bool progress_find(struct progress *progress, uint64_t trigger, uint32_t number, struct arena *arena,
                   struct wire_progress *ret_said)
{
    bool is_found = false;

    if (atomic_load(&progress->count) == 0) {
        return false;
    }
    pthread_mutex_lock(&progress->lock);
    const struct note *note = idmap_find(&progress->by_trigger, trigger);

    if (note != NULL && note->number == number) {
        *ret_said = (struct wire_progress){
            .percent = note->percent,
            .note = {arena_strdup_str(arena, str_from_bytes(note->text, note->len)), note->len},
            .at_ms = note->at_ms,
        };
        is_found = true;
    }
    pthread_mutex_unlock(&progress->lock);
    return is_found;
}

/* Attempts up to number have ended. */
static void ended(struct progress *progress, uint64_t trigger, uint32_t number)
{
    struct note *note = idmap_find(&progress->by_trigger, trigger);

    if (note != NULL && note->number <= number) {
        drop(progress, note);
    }
}

void progress_committed(struct progress *progress, const struct batch *batch)
{
    if (atomic_load(&progress->count) == 0) {
        return;
    }
    pthread_mutex_lock(&progress->lock);
    BATCH_EACH(batch, chunk, i)
    {
        const struct op *op = &chunk->ops[i];

        if (op->kind == OP_TRIGGER_INSERT || op->kind == OP_TRIGGER_UPDATE) {
            ended(progress, op->trigger.id, trigger_ended(op->trigger.state) ? UINT32_MAX : op->trigger.attempts);
        } else if (op->kind == OP_TRIGGER_DELETE) {
            ended(progress, op->id, UINT32_MAX);
        }
    }
    pthread_mutex_unlock(&progress->lock);
}

size_t progress_count(struct progress *progress)
{
    return atomic_load(&progress->count);
}
