#include "store/old_round.h"

#include "base/id.h"
#include "base/mem.h"

#define KEY_BYTES_MAX 4096

void old_round_init(struct old_round *old)
{
    buf_init(&old->tenant, KEY_BYTES_MAX);
    buf_init(&old->key, KEY_BYTES_MAX);
}

void old_round_done(struct old_round *old)
{
    buf_done(&old->tenant);
    buf_done(&old->key);
    mem_free(old->gone);
}

void old_round_note(struct old_round *old, const struct batch *batch)
{
    BATCH_EACH(batch, chunk, i)
    {
        if (chunk->ops[i].kind == OP_JOB_DELETE && old->gone_count < OLD_GONE_MAX) {
            if (old->gone == NULL) {
                old->gone = mem_alloc_array(OLD_GONE_MAX, sizeof *old->gone);
            }
            old->gone[old->gone_count++] = chunk->ops[i].id;
        }
    }
}

void old_round_begin(struct old_round *old, int phase)
{
    old->phase = phase % OLD_PHASES;
    old->id = 0;
    old->number = INT64_MIN;
    buf_reset(&old->tenant);
    buf_reset(&old->key);
}

bool old_round_idems(struct old_round *old, struct rows *rows, const struct store_ages *ages)
{
    bool is_last = rows->idems.count < ages->rows_max;
    size_t kept = 0;

    if (rows->idems.count > 0) {
        buf_reset(&old->tenant);
        buf_reset(&old->key);
        buf_append_str(&old->tenant, rows->idems.items[rows->idems.count - 1].tenant);
        buf_append_str(&old->key, rows->idems.items[rows->idems.count - 1].key);
        is_last = is_last || buf_overflowed(&old->tenant) || buf_overflowed(&old->key);
    }
    for (size_t i = 0; i < rows->idems.count; i++) {
        if (old_is_before(rows->idems.items[i].created_ms, ages->idem_ms)) {
            rows->idems.items[kept++] = rows->idems.items[i];
        }
    }
    rows->idems.count = kept;
    return is_last;
}

bool old_is_before(int64_t ms, int64_t limit_ms)
{
    return ms != TIME_NONE && limit_ms != TIME_NONE && ms < limit_ms;
}

bool old_is_trigger(const struct trigger_row *row, const struct store_ages *ages)
{
    if (row->state == TRIGGER_DEAD) {
        return old_is_before(row->ended_ms, ages->dead_ms);
    }
    return trigger_ended(row->state) && row->job != row->id && old_is_before(row->ended_ms, ages->history_ms);
}

/* Every trigger from before the instant has a lower id. */
static uint64_t id_at(int64_t ms)
{
    return ms == TIME_NONE || ms <= ID_EPOCH_MS ? 0 : (uint64_t)(ms - ID_EPOCH_MS) << (ID_SHARD_BITS + ID_SEQ_BITS);
}

uint64_t old_last_trigger(const struct store_ages *ages)
{
    uint64_t history = id_at(ages->history_ms);
    uint64_t dead = id_at(ages->dead_ms);

    return history > dead ? history : dead;
}
