#include "model/rows.h"

#include <string.h>

#include "base/limits.h"

#define ROWS_CAP_FIRST 16

void rows_init(struct rows *rows)
{
    memset(rows, 0, sizeof *rows);
    rows->next_wake_ms = TIME_NONE;
    arena_init(&rows->arena, ROWS_BLOCK_BYTES, ROWS_BYTES_MAX);
}

void rows_done(struct rows *rows)
{
    arena_done(&rows->arena);
    memset(rows, 0, sizeof *rows);
}

void *rows_add_(struct arena *arena, void **items, size_t *count, size_t *cap, size_t size)
{
    if (*count == *cap) {
        size_t more = *cap == 0 ? ROWS_CAP_FIRST : *cap * 2;
        void *grown = arena_alloc_array(arena, more, size);

        if (*count > 0) {
            memcpy(grown, *items, *count * size);
        }
        *items = grown;
        *cap = more;
    }
    void *row = (char *)*items + *count * size;

    memset(row, 0, size);
    (*count)++;
    return row;
}

struct str rows_text(struct rows *rows, struct str text)
{
    if (str_empty(text)) {
        return (struct str){"", 0};
    }
    if (rows->is_cut || text.len > ROWS_TEXT_BYTES_MAX - rows->text_bytes) {
        rows->is_cut = true;
        return (struct str){"", 0};
    }
    rows->text_bytes += text.len;
    return (struct str){arena_strdup_str(&rows->arena, text), text.len};
}
