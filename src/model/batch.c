#include "model/batch.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"

void batch_init(struct batch *batch, uint64_t number)
{
    *batch = (struct batch){.number = number};
    arena_init(&batch->arena, BATCH_BLOCK_BYTES, BATCH_BYTES_MAX);
}

void batch_done(struct batch *batch)
{
    arena_done(&batch->arena);
    *batch = (struct batch){0};
}

struct op *batch_add(struct batch *batch, enum op_kind kind)
{
    if (batch->last == NULL || batch->last->count == BATCH_CHUNK_OPS) {
        struct batch_chunk *chunk = arena_alloc(&batch->arena, sizeof *chunk);

        chunk->next = NULL;
        chunk->count = 0;
        if (batch->last == NULL) {
            batch->first = chunk;
        } else {
            batch->last->next = chunk;
        }
        batch->last = chunk;
    }
    struct op *op = &batch->last->ops[batch->last->count++];

    memset(op, 0, sizeof *op);
    op->kind = kind;
    batch->op_count++;
    return op;
}

struct str batch_text(struct batch *batch, struct str text)
{
    if (str_empty(text)) {
        return (struct str){"", 0};
    }
    return (struct str){arena_strdup_str(&batch->arena, text), text.len};
}

const char *op_kind_text(enum op_kind kind)
{
    static const char *const texts[] = {
#define X(name, member) #name,
        OP_TABLE(X)
#undef X
    };

    assert((size_t)kind < sizeof texts / sizeof texts[0]);
    return texts[kind];
}
