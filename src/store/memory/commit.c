/* Applies a batch: each operation makes an entry and puts it in the place of another (disk.h, rule 1). When a guard
 * fails, the entries before are put back in reverse order, so that nothing of the batch remains. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "store/memory/disk.h"

struct commit {
    struct memory_disk *disk;
    const struct batch *batch;
    struct error *reterr;
};

static void record(struct memory_disk *disk, struct change change)
{
    if (disk->change_count == disk->change_cap) {
        disk->change_cap = disk->change_cap == 0 ? 64 : disk->change_cap * 2;
        disk->changes = mem_realloc_array(disk->changes, disk->change_cap, sizeof *disk->changes);
    }
    disk->changes[disk->change_count++] = change;
    disk_change(disk, change.kind, change.old, change.entry);
}

static bool refuse(const struct commit *commit, const struct op *op, const char *why)
{
    (void)err_set(commit->reterr, ERR_CONFLICT, "batch %llu, %s: %s", (unsigned long long)commit->batch->number,
                  op_kind_text(op->kind), why);
    return false;
}

/* What an operation does to the row with its key. */
enum act { ACT_INSERT, ACT_UPDATE, ACT_DELETE, ACT_PUT };

static bool guard(const struct commit *commit, const struct op *op, enum act act, const struct entry *old)
{
    if (act == ACT_INSERT && old != NULL) {
        return refuse(commit, op, "the row is there already");
    }
    if ((act == ACT_UPDATE || act == ACT_DELETE) && old == NULL) {
        return refuse(commit, op, "there is no such row");
    }
    if (act == ACT_UPDATE && old->batch == commit->batch->number) {
        return refuse(commit, op, "the batch has written this row before");
    }
    return true;
}

/* row is the whole new row, or at least the key of one to delete. */
static bool act_on(const struct commit *commit, const struct op *op, enum row_kind kind, enum act act, const void *row)
{
    struct entry *old = disk_find(commit->disk, kind, row);

    if (!guard(commit, op, act, old)) {
        return false;
    }
    struct entry *entry = act == ACT_DELETE ? NULL : disk_entry_new(kind, row, commit->batch->number);

    record(commit->disk, (struct change){op, kind, old, entry});
    return true;
}

/* No fire twice: another scheduled trigger of the job for the same nominal time. (A one-time job has only the one with
 * its own id.) */
static bool is_fired(const struct commit *commit, const struct trigger_row *row)
{
    const struct trigger_row from = {.job = row->job, .scheduled_ms = row->scheduled_ms};
    struct ordered_node *node =
        row->kind != TRIGGER_SCHEDULE ? NULL : ordered_from(&commit->disk->triggers_by_time, &from);

    for (; node != NULL; node = ordered_next(node)) {
        const struct trigger_row *other = &CONTAINER_OF(node, struct trigger_entry, by_time)->row;

        if (other->job != row->job || other->scheduled_ms != row->scheduled_ms) {
            break;
        }
        if (other->kind == TRIGGER_SCHEDULE && other->id != row->id) {
            return true;
        }
    }
    return false;
}

/* row is the operation's, completed. */
static bool write_trigger(const struct commit *commit, const struct op *op, enum act act, const struct trigger_row *row)
{
    if (is_fired(commit, row)) {
        return refuse(commit, op, "the job has a scheduled trigger for this time");
    }
    return act_on(commit, op, ROW_TRIGGER, act, row);
}

static bool insert_job(const struct commit *commit, const struct op *op)
{
    if (disk_find_name(commit->disk, op->job.place.tenant, op->job.name) != NULL) {
        return refuse(commit, op, "the tenant has a job of this name");
    }
    return act_on(commit, op, ROW_JOB, ACT_INSERT, &op->job);
}

static bool update_job(const struct commit *commit, const struct op *op)
{
    const struct job_entry *old = disk_find_job(commit->disk, op->job.id);
    struct job_row row = op->job;

    if (old != NULL) {
        row.place.tenant = old->row.place.tenant;
        row.name = old->row.name;
        row.created_ms = old->row.created_ms;
        row.rules = str_empty(row.def) ? old->row.rules : row.rules;
        row.def = str_empty(row.def) ? old->row.def : row.def;
    }
    return act_on(commit, op, ROW_JOB, ACT_UPDATE, &row);
}

static bool update_trigger(const struct commit *commit, const struct op *op)
{
    const struct trigger_entry *old = disk_find_trigger(commit->disk, op->trigger.id);
    struct trigger_row row = op->trigger;

    if (old != NULL) {
        row.kind = old->row.kind;
        row.job = old->row.job;
        row.created_ms = old->row.created_ms;
        row.payload = old->row.payload;
    }
    return write_trigger(commit, op, ACT_UPDATE, &row);
}

static bool name_replay(const struct commit *commit, const struct op *op)
{
    const struct trigger_entry *old = disk_find_trigger(commit->disk, op->trigger.id);
    struct trigger_row row = old != NULL ? old->row : op->trigger;

    row.replayed_by = op->trigger.replayed_by;
    return act_on(commit, op, ROW_TRIGGER, ACT_UPDATE, &row);
}

static bool delete_trigger(const struct commit *commit, const struct op *op)
{
    const struct trigger_row key = {.id = op->id};
    const struct attempt_row from = {.trigger = op->id};
    struct ordered_node *node = ordered_from(&commit->disk->tables[ROW_ATTEMPT], &from);

    if (!act_on(commit, op, ROW_TRIGGER, ACT_DELETE, &key)) {
        return false;
    }
    while (node != NULL) {
        struct attempt_entry *attempt = CONTAINER_OF(node, struct attempt_entry, entry.by_key);

        if (attempt->row.trigger != op->id) {
            break;
        }
        node = ordered_next(node);
        record(commit->disk, (struct change){NULL, ROW_ATTEMPT, &attempt->entry, NULL});
    }
    return true;
}

static bool delete_job(const struct commit *commit, const struct op *op)
{
    const struct job_row key = {.id = op->id};

    return act_on(commit, op, ROW_JOB, ACT_DELETE, &key);
}

static bool delete_claims(const struct commit *commit, const struct op *op)
{
    const struct claims_row key = {.id = op->id};

    return act_on(commit, op, ROW_CLAIMS, ACT_DELETE, &key);
}

static bool reserve_ids(const struct commit *commit, const struct op *op)
{
    if (op->ms > commit->disk->shard.id_high_ms) {
        commit->disk->shard.id_high_ms = op->ms;
    }
    return true;
}

static bool apply(const struct commit *commit, const struct op *op)
{
    switch (op->kind) {
    case OP_JOB_INSERT:
        return insert_job(commit, op);
    case OP_JOB_UPDATE:
        return update_job(commit, op);
    case OP_JOB_DELETE:
        return delete_job(commit, op);
    case OP_VERSION_INSERT:
        return act_on(commit, op, ROW_VERSION, ACT_INSERT, &op->version);
    case OP_TRIGGER_INSERT:
        return write_trigger(commit, op, ACT_INSERT, &op->trigger);
    case OP_TRIGGER_UPDATE:
        return update_trigger(commit, op);
    case OP_TRIGGER_REPLAYED:
        return name_replay(commit, op);
    case OP_TRIGGER_DELETE:
        return delete_trigger(commit, op);
    case OP_ATTEMPT_INSERT:
        return act_on(commit, op, ROW_ATTEMPT, ACT_INSERT, &op->attempt);
    case OP_ATTEMPT_DELETE:
        return act_on(commit, op, ROW_ATTEMPT, ACT_DELETE, &op->attempt);
    case OP_CLAIMS_INSERT:
        return act_on(commit, op, ROW_CLAIMS, ACT_INSERT, &op->claims);
    case OP_CLAIMS_DELETE:
        return delete_claims(commit, op);
    case OP_SKIP_PUT:
        return act_on(commit, op, ROW_SKIP, ACT_PUT, &op->skip);
    case OP_WAIT_PUT:
        return act_on(commit, op, ROW_WAIT, ACT_PUT, &op->wait);
    case OP_WAIT_DELETE:
        return act_on(commit, op, ROW_WAIT, ACT_DELETE, &op->wait);
    case OP_EDGE_INSERT:
        return act_on(commit, op, ROW_EDGE, ACT_INSERT, &op->edge);
    case OP_EDGE_DELETE:
        return act_on(commit, op, ROW_EDGE, ACT_DELETE, &op->edge);
    case OP_SETTING_PUT:
        return act_on(commit, op, ROW_SETTING, ACT_PUT, &op->setting);
    case OP_LIMITER_PUT:
        return act_on(commit, op, ROW_LIMITER, ACT_PUT, &op->limiter);
    case OP_CIRCUIT_PUT:
        return act_on(commit, op, ROW_CIRCUIT, ACT_PUT, &op->circuit);
    case OP_CIRCUIT_DELETE:
        return act_on(commit, op, ROW_CIRCUIT, ACT_DELETE, &op->circuit);
    case OP_IDEM_PUT:
        return act_on(commit, op, ROW_IDEM, ACT_PUT, &op->idem);
    case OP_TENANT_PUT:
        return act_on(commit, op, ROW_TENANT, ACT_PUT, &op->tenant);
    case OP_RULES_PUT:
        return act_on(commit, op, ROW_RULES, ACT_PUT, &op->rules);
    case OP_IDS_RESERVE:
        return reserve_ids(commit, op);
    }
    return refuse(commit, op, "there is no such operation");
}

static void undo(struct memory_disk *disk)
{
    while (disk->change_count > 0) {
        const struct change *change = &disk->changes[--disk->change_count];

        disk_change(disk, change->kind, change->entry, change->old);
        mem_free(change->entry);
    }
}

/* The operation as it came out: an update with all of its row. */
static struct op told(const struct change *change)
{
    struct op op = *change->op;

    if (change->entry != NULL) {
        memcpy((char *)&op + offsetof(struct op, job), disk_row(change->kind, change->entry),
               shape_of(change->kind)->size);
    }
    return op;
}

static void tell(struct memory_disk *disk, const struct batch *batch)
{
    const struct change *change = disk->changes;
    const struct change *end = change + disk->change_count;

    BATCH_EACH(batch, chunk, i)
    {
        struct op op = chunk->ops[i];

        while (change < end && change->op == NULL) {
            change++;
        }
        if (op.kind == OP_IDS_RESERVE) {
            op.ms = disk->shard.id_high_ms;
        } else {
            assert(change < end && change->op == &chunk->ops[i]);
            op = told(change++);
        }
        disk->observer(disk->observer_ctx, batch->number, &op);
    }
}

enum store_outcome memory_commit(struct memory_disk *disk, const struct batch *batch, struct error *reterr)
{
    const struct commit commit = {disk, batch, reterr};
    const int64_t id_high_ms = disk->shard.id_high_ms;

    if (batch->number != disk->shard.last_batch + 1) {
        (void)err_set(reterr, ERR_CONFLICT, "batch %llu does not follow batch %llu", (unsigned long long)batch->number,
                      (unsigned long long)disk->shard.last_batch);
        return STORE_REFUSED;
    }
    assert(disk->change_count == 0);
    BATCH_EACH(batch, chunk, i)
    {
        if (!apply(&commit, &chunk->ops[i])) {
            undo(disk);
            disk->shard.id_high_ms = id_high_ms;
            return STORE_REFUSED;
        }
    }
    disk->shard.last_batch = batch->number;
    if (disk->observer != NULL) {
        tell(disk, batch);
    }
    for (size_t i = 0; i < disk->change_count; i++) {
        mem_free(disk->changes[i].old);
    }
    disk->change_count = 0;
    return STORE_DONE;
}
