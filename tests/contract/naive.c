#include "naive.h"

#include <string.h>

void naive_init(struct naive *naive)
{
    rows_init(&naive->rows);
}

void naive_done(struct naive *naive)
{
    rows_done(&naive->rows);
}

/* ---- copies of what a batch borrows ---- */

static struct str keep(struct naive *naive, struct str text)
{
    return rows_text(&naive->rows, text);
}

static struct place keep_place(struct naive *naive, struct place place)
{
    return (struct place){keep(naive, place.pool), keep(naive, place.tenant), keep(naive, place.type), place.priority};
}

static struct attempt_row keep_attempt(struct naive *naive, struct attempt_row row)
{
    row.worker = keep(naive, row.worker);
    row.error_code = keep(naive, row.error_code);
    row.error_message = keep(naive, row.error_message);
    row.result = keep(naive, row.result);
    return row;
}

static struct claims_row keep_claims(struct naive *naive, struct claims_row row)
{
    struct claim *claims = arena_alloc_array(&naive->rows.arena, row.count, sizeof *claims);

    for (size_t i = 0; i < row.count; i++) {
        claims[i] = row.claims[i];
        claims[i].worker = keep(naive, row.claims[i].worker);
    }
    row.claims = claims;
    return row;
}

static struct wait_row keep_wait(struct naive *naive, struct wait_row row)
{
    uint64_t *ended = arena_alloc_array(&naive->rows.arena, row.ended_count, sizeof *ended);

    for (size_t i = 0; i < row.ended_count; i++) {
        ended[i] = row.ended[i];
    }
    row.ended = ended;
    return row;
}

/* ---- finding and changing: i runs over a list, r is the row at hand ---- */

/* The first row of a list for which the condition holds; NULL where there is none. */
#define FIND(naive, list, condition)                                                                                   \
    __extension__({                                                                                                    \
        __typeof__(*(naive)->rows.list.items) *found = NULL;                                                           \
        for (size_t i = 0; i < (naive)->rows.list.count && found == NULL; i++) {                                       \
            __typeof__(*(naive)->rows.list.items) *r = &(naive)->rows.list.items[i];                                   \
            found = (condition) ? r : NULL;                                                                            \
        }                                                                                                              \
        found;                                                                                                         \
    })

#define INSERT(naive, list, old, row)                                                                                  \
    do {                                                                                                               \
        if ((old) != NULL) {                                                                                           \
            return false;                                                                                              \
        }                                                                                                              \
        *ROWS_ADD(&(naive)->rows, list) = (row);                                                                       \
        return true;                                                                                                   \
    } while (0)

#define PUT(naive, list, old, row)                                                                                     \
    do {                                                                                                               \
        if ((old) != NULL) {                                                                                           \
            *(old) = (row);                                                                                            \
        } else {                                                                                                       \
            *ROWS_ADD(&(naive)->rows, list) = (row);                                                                   \
        }                                                                                                              \
        return true;                                                                                                   \
    } while (0)

#define DELETE(naive, list, old)                                                                                       \
    do {                                                                                                               \
        if ((old) == NULL) {                                                                                           \
            return false;                                                                                              \
        }                                                                                                              \
        *(old) = (naive)->rows.list.items[--(naive)->rows.list.count];                                                 \
        return true;                                                                                                   \
    } while (0)

static bool job_op(struct naive *naive, enum op_kind kind, struct job_row row)
{
    struct job_row *old = FIND(naive, jobs, r->id == row.id);
    const struct job_row *namesake = FIND(
        naive, jobs, r->name.len > 0 && str_equal(r->name, row.name) && str_equal(r->place.tenant, row.place.tenant));

    row.place = keep_place(naive, row.place);
    row.name = keep(naive, row.name);
    row.def = keep(naive, row.def);
    if (kind == OP_JOB_DELETE) {
        DELETE(naive, jobs, old);
    }
    if (kind == OP_JOB_INSERT) {
        INSERT(naive, jobs, old != NULL ? old : namesake, row);
    }
    if (old == NULL) {
        return false;
    }
    row.place.tenant = old->place.tenant;
    row.name = old->name;
    row.created_ms = old->created_ms;
    row.rules = row.def.len == 0 ? old->rules : row.rules;
    row.def = row.def.len == 0 ? old->def : row.def;
    *old = row;
    return true;
}

/* Whether the job has another scheduled trigger for the same time. */
static bool fires_twice(const struct naive *naive, const struct trigger_row *row)
{
    return row->kind == TRIGGER_SCHEDULE && FIND(naive, triggers,
                                                 r->kind == TRIGGER_SCHEDULE && r->job == row->job &&
                                                     r->scheduled_ms == row->scheduled_ms && r->id != row->id) != NULL;
}

static bool trigger_op(struct naive *naive, enum op_kind kind, struct trigger_row row)
{
    struct trigger_row *old = FIND(naive, triggers, r->id == row.id);

    if (kind == OP_TRIGGER_UPDATE && old != NULL) {
        row.kind = old->kind;
        row.job = old->job;
        row.created_ms = old->created_ms;
        row.payload = old->payload;
    }
    if ((kind == OP_TRIGGER_INSERT) != (old == NULL) || fires_twice(naive, &row)) {
        return false;
    }
    row.place = keep_place(naive, row.place);
    row.reason = keep(naive, row.reason);
    row.payload = keep(naive, row.payload);
    row.last = keep_attempt(naive, row.last);
    PUT(naive, triggers, old, row);
}

static bool name_replay(struct naive *naive, uint64_t id, uint64_t replay)
{
    struct trigger_row *old = FIND(naive, triggers, r->id == id);

    if (old != NULL) {
        old->replayed_by = replay;
    }
    return old != NULL;
}

static bool delete_trigger(struct naive *naive, uint64_t id)
{
    struct trigger_row *old = FIND(naive, triggers, r->id == id);
    struct attempt_row *attempt;

    while (old != NULL && (attempt = FIND(naive, attempts, r->trigger == id)) != NULL) {
        *attempt = naive->rows.attempts.items[--naive->rows.attempts.count];
    }
    DELETE(naive, triggers, old);
}

static bool version_op(struct naive *naive, struct version_row row)
{
    struct version_row *old = FIND(naive, versions, r->job == row.job && r->version == row.version);

    row.def = keep(naive, row.def);
    INSERT(naive, versions, old, row);
}

static bool attempt_op(struct naive *naive, enum op_kind kind, struct attempt_row row)
{
    struct attempt_row *old = FIND(naive, attempts, r->trigger == row.trigger && r->number == row.number);

    if (kind == OP_ATTEMPT_DELETE) {
        DELETE(naive, attempts, old);
    }
    row = keep_attempt(naive, row);
    INSERT(naive, attempts, old, row);
}

static bool claims_op(struct naive *naive, enum op_kind kind, struct claims_row row)
{
    struct claims_row *old = FIND(naive, claims, r->id == row.id);

    if (kind == OP_CLAIMS_DELETE) {
        DELETE(naive, claims, old);
    }
    row = keep_claims(naive, row);
    INSERT(naive, claims, old, row);
}

static bool skip_op(struct naive *naive, struct skip_row row)
{
    struct skip_row *old = FIND(naive, skips, r->job == row.job && r->from_ms == row.from_ms);

    PUT(naive, skips, old, row);
}

static bool wait_op(struct naive *naive, enum op_kind kind, struct wait_row row)
{
    struct wait_row *old =
        FIND(naive, waits, r->job == row.job && r->scheduled_ms == row.scheduled_ms && r->root == row.root);

    if (kind == OP_WAIT_DELETE) {
        DELETE(naive, waits, old);
    }
    row = keep_wait(naive, row);
    PUT(naive, waits, old, row);
}

static bool edge_op(struct naive *naive, enum op_kind kind, struct edge_row row)
{
    struct edge_row *old = FIND(naive, edges, r->upstream == row.upstream && r->downstream == row.downstream);

    if (kind == OP_EDGE_DELETE) {
        DELETE(naive, edges, old);
    }
    INSERT(naive, edges, old, row);
}

static bool setting_op(struct naive *naive, struct setting_row row)
{
    struct setting_row *old = FIND(
        naive, settings, r->scope == row.scope && str_equal(r->tenant, row.tenant) && str_equal(r->name, row.name));

    row.tenant = keep(naive, row.tenant);
    row.name = keep(naive, row.name);
    row.text = keep(naive, row.text);
    PUT(naive, settings, old, row);
}

static bool limiter_op(struct naive *naive, struct limiter_row row)
{
    struct limiter_row *old = FIND(
        naive, limiters, r->scope == row.scope && str_equal(r->tenant, row.tenant) && str_equal(r->name, row.name));

    row.tenant = keep(naive, row.tenant);
    row.name = keep(naive, row.name);
    PUT(naive, limiters, old, row);
}

static bool circuit_op(struct naive *naive, enum op_kind kind, struct circuit_row row)
{
    struct circuit_row *old =
        FIND(naive, circuits, r->job == row.job && str_equal(r->tenant, row.tenant) && str_equal(r->type, row.type));

    if (kind == OP_CIRCUIT_DELETE) {
        DELETE(naive, circuits, old);
    }
    row.tenant = keep(naive, row.tenant);
    row.type = keep(naive, row.type);
    PUT(naive, circuits, old, row);
}

static bool idem_op(struct naive *naive, struct idem_row row)
{
    struct idem_row *old = FIND(naive, idems, str_equal(r->tenant, row.tenant) && str_equal(r->key, row.key));

    row.tenant = keep(naive, row.tenant);
    row.key = keep(naive, row.key);
    row.result = keep(naive, row.result);
    PUT(naive, idems, old, row);
}

static bool tenant_op(struct naive *naive, struct tenant_row row)
{
    struct tenant_row *old = FIND(naive, tenants, str_equal(r->tenant, row.tenant));

    row.tenant = keep(naive, row.tenant);
    PUT(naive, tenants, old, row);
}

static bool rules_op(struct naive *naive, struct rules_row row)
{
    struct rules_row *old = FIND(naive, rules, r->hash == row.hash);

    row.zone = keep(naive, row.zone);
    row.text = keep(naive, row.text);
    PUT(naive, rules, old, row);
}

static bool ids_op(struct naive *naive, int64_t ms)
{
    naive->rows.shard.id_high_ms = ms > naive->rows.shard.id_high_ms ? ms : naive->rows.shard.id_high_ms;
    return true;
}

static bool apply(struct naive *naive, const struct op *op)
{
    switch (op->kind) {
    case OP_JOB_INSERT:
    case OP_JOB_UPDATE:
        return job_op(naive, op->kind, op->job);
    case OP_JOB_DELETE:
        return job_op(naive, op->kind, (struct job_row){.id = op->id});
    case OP_VERSION_INSERT:
        return version_op(naive, op->version);
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
        return trigger_op(naive, op->kind, op->trigger);
    case OP_TRIGGER_REPLAYED:
        return name_replay(naive, op->trigger.id, op->trigger.replayed_by);
    case OP_TRIGGER_DELETE:
        return delete_trigger(naive, op->id);
    case OP_ATTEMPT_INSERT:
    case OP_ATTEMPT_DELETE:
        return attempt_op(naive, op->kind, op->attempt);
    case OP_CLAIMS_INSERT:
        return claims_op(naive, op->kind, op->claims);
    case OP_CLAIMS_DELETE:
        return claims_op(naive, op->kind, (struct claims_row){.id = op->id});
    case OP_SKIP_PUT:
        return skip_op(naive, op->skip);
    case OP_WAIT_PUT:
    case OP_WAIT_DELETE:
        return wait_op(naive, op->kind, op->wait);
    case OP_EDGE_INSERT:
    case OP_EDGE_DELETE:
        return edge_op(naive, op->kind, op->edge);
    case OP_SETTING_PUT:
        return setting_op(naive, op->setting);
    case OP_LIMITER_PUT:
        return limiter_op(naive, op->limiter);
    case OP_CIRCUIT_PUT:
    case OP_CIRCUIT_DELETE:
        return circuit_op(naive, op->kind, op->circuit);
    case OP_IDEM_PUT:
        return idem_op(naive, op->idem);
    case OP_TENANT_PUT:
        return tenant_op(naive, op->tenant);
    case OP_RULES_PUT:
        return rules_op(naive, op->rules);
    case OP_IDS_RESERVE:
        return ids_op(naive, op->ms);
    }
    return false;
}

/* The lists as they were: their rows are copied aside, texts are never overwritten. */
#define NAIVE_LISTS(X)                                                                                                 \
    X(jobs)                                                                                                            \
    X(versions)                                                                                                        \
    X(triggers)                                                                                                        \
    X(attempts) X(claims) X(skips) X(waits) X(edges) X(settings) X(limiters) X(circuits) X(idems) X(tenants) X(rules)

static struct rows snapshot(struct naive *naive)
{
    struct rows rows = naive->rows;

#define X(list)                                                                                                        \
    rows.list.items = arena_alloc_array(&naive->rows.arena, rows.list.cap, sizeof *rows.list.items);                   \
    if (rows.list.count > 0) {                                                                                         \
        memcpy(rows.list.items, naive->rows.list.items, rows.list.count * sizeof *rows.list.items);                    \
    }
    NAIVE_LISTS(X)
#undef X
    return rows;
}

bool naive_commit(struct naive *naive, const struct batch *batch)
{
    struct rows before = snapshot(naive);

    BATCH_EACH(batch, chunk, i)
    {
        if (!apply(naive, &chunk->ops[i])) {
            before.arena = naive->rows.arena; /* it has grown meanwhile, and still owns everything */
            naive->rows = before;
            return false;
        }
    }
    naive->rows.shard.last_batch = batch->number;
    return true;
}

/* ---- what is old ---- */

/* Drops the rows of a list for which the condition holds; r is the row at hand. */
#define DROP(naive, list, condition)                                                                                   \
    do {                                                                                                               \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < (naive)->rows.list.count; i++) {                                                        \
            __typeof__((naive)->rows.list.items) r = &(naive)->rows.list.items[i];                                     \
            if (!(condition)) {                                                                                        \
                (naive)->rows.list.items[kept++] = *r;                                                                 \
            }                                                                                                          \
        }                                                                                                              \
        (naive)->rows.list.count = kept;                                                                               \
    } while (0)

void naive_forget(struct naive *naive, const struct rows *rows)
{
    for (size_t n = 0; n < rows->triggers.count; n++) {
        DROP(naive, triggers, r->id == rows->triggers.items[n].id);
        DROP(naive, attempts, r->trigger == rows->triggers.items[n].id);
    }
    for (size_t n = 0; n < rows->skips.count; n++) {
        DROP(naive, skips, r->job == rows->skips.items[n].job && r->from_ms == rows->skips.items[n].from_ms);
    }
    for (size_t n = 0; n < rows->versions.count; n++) {
        DROP(naive, versions, r->job == rows->versions.items[n].job && r->version == rows->versions.items[n].version);
    }
    for (size_t n = 0; n < rows->idems.count; n++) {
        DROP(naive, idems,
             str_equal(r->tenant, rows->idems.items[n].tenant) && str_equal(r->key, rows->idems.items[n].key));
    }
}
