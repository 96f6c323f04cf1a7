#include "random_ops.h"

#include "random_rows.h"
#include "samples.h"

#define OPS_MAX 30

/* ---- at most one write of a row ---- */

/* Which operations write the rows of one kind, and whether two of them mean the same row. */
static bool same_row(const struct op *a, const struct op *b)
{
    switch (a->kind) {
    case OP_JOB_INSERT:
    case OP_JOB_UPDATE:
        return (b->kind == OP_JOB_INSERT || b->kind == OP_JOB_UPDATE) && a->job.id == b->job.id;
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
    case OP_TRIGGER_REPLAYED:
        return (b->kind == OP_TRIGGER_INSERT || b->kind == OP_TRIGGER_UPDATE || b->kind == OP_TRIGGER_REPLAYED) &&
               a->trigger.id == b->trigger.id;
    case OP_SKIP_PUT:
        return b->kind == a->kind && a->skip.job == b->skip.job && a->skip.from_ms == b->skip.from_ms;
    case OP_WAIT_PUT:
        return b->kind == a->kind && a->wait.job == b->wait.job && a->wait.scheduled_ms == b->wait.scheduled_ms &&
               a->wait.root == b->wait.root;
    case OP_SETTING_PUT:
        return b->kind == a->kind && a->setting.scope == b->setting.scope &&
               str_equal(a->setting.tenant, b->setting.tenant) && str_equal(a->setting.name, b->setting.name);
    case OP_LIMITER_PUT:
        return b->kind == a->kind && a->limiter.scope == b->limiter.scope &&
               str_equal(a->limiter.tenant, b->limiter.tenant) && str_equal(a->limiter.name, b->limiter.name);
    case OP_CIRCUIT_PUT:
        return b->kind == a->kind && a->circuit.job == b->circuit.job &&
               str_equal(a->circuit.tenant, b->circuit.tenant) && str_equal(a->circuit.type, b->circuit.type);
    case OP_IDEM_PUT:
        return b->kind == a->kind && str_equal(a->idem.tenant, b->idem.tenant) && str_equal(a->idem.key, b->idem.key);
    case OP_TENANT_PUT:
        return b->kind == a->kind && str_equal(a->tenant.tenant, b->tenant.tenant);
    case OP_RULES_PUT:
        return b->kind == a->kind && a->rules.hash == b->rules.hash;
    case OP_JOB_DELETE:
    case OP_VERSION_INSERT:
    case OP_TRIGGER_DELETE:
    case OP_ATTEMPT_INSERT:
    case OP_ATTEMPT_DELETE:
    case OP_CLAIMS_INSERT:
    case OP_CLAIMS_DELETE:
    case OP_WAIT_DELETE:
    case OP_EDGE_INSERT:
    case OP_EDGE_DELETE:
    case OP_CIRCUIT_DELETE:
    case OP_IDS_RESERVE:
        return false;
    }
    return false;
}

static bool is_written(const struct batch *batch, const struct op *op)
{
    BATCH_EACH(batch, chunk, i)
    {
        if (same_row(&chunk->ops[i], op)) {
            return true;
        }
    }
    return false;
}

/* ---- operations that fit what is there ---- */

#define HAS(naive, list, condition)                                                                                    \
    __extension__({                                                                                                    \
        bool has = false;                                                                                              \
        for (size_t i = 0; i < (naive)->rows.list.count && !has; i++) {                                                \
            __typeof__(*(naive)->rows.list.items) *r = &(naive)->rows.list.items[i];                                   \
            has = (condition);                                                                                         \
        }                                                                                                              \
        has;                                                                                                           \
    })

static bool is_taken(const struct naive *naive, const struct job_row *row)
{
    return HAS(naive, jobs,
               r->name.len > 0 && str_equal(r->name, row->name) && str_equal(r->place.tenant, row->place.tenant));
}

static bool is_fired(const struct naive *naive, const struct trigger_row *row)
{
    return HAS(naive, triggers,
               r->kind == TRIGGER_SCHEDULE && r->job == row->job && r->scheduled_ms == row->scheduled_ms &&
                   r->id != row->id);
}

static void job_op(struct rng *rng, const struct naive *naive, struct op *op)
{
    uint64_t id = random_job(rng);
    bool is_there = HAS(naive, jobs, r->id == id);

    if (is_there && rng_chance(rng, 1, 5)) {
        *op = (struct op){.kind = OP_JOB_DELETE, .id = id};
        return;
    }
    op->kind = is_there ? OP_JOB_UPDATE : OP_JOB_INSERT;
    op->job = random_job_row(rng, id);
    op->job.def = is_there && rng_chance(rng, 1, 2) ? STR("") : op->job.def;
    op->job.name = is_taken(naive, &op->job) ? STR("") : op->job.name;
}

static void trigger_op(struct rng *rng, const struct naive *naive, struct op *op)
{
    uint64_t id = random_trigger(rng);
    bool is_there = HAS(naive, triggers, r->id == id);

    if (is_there && rng_chance(rng, 1, 6)) {
        *op = (struct op){.kind = OP_TRIGGER_DELETE, .id = id};
        return;
    }
    if (is_there && rng_chance(rng, 1, 4)) {
        *op = (struct op){.kind = OP_TRIGGER_REPLAYED,
                          .trigger = {.id = id, .replayed_by = rng_chance(rng, 3, 4) ? random_trigger(rng) : 0}};
        return;
    }
    op->kind = is_there ? OP_TRIGGER_UPDATE : OP_TRIGGER_INSERT;
    op->trigger = random_trigger_row(rng, id);
    for (int i = 0; i < 20 && is_fired(naive, &op->trigger); i++) {
        op->trigger.scheduled_ms += 100;
    }
}

static void attempt_op(struct rng *rng, const struct naive *naive, struct op *op)
{
    op->attempt = random_attempt_row(rng, random_trigger(rng));
    op->kind = HAS(naive, attempts, r->trigger == op->attempt.trigger && r->number == op->attempt.number)
                   ? OP_ATTEMPT_DELETE
                   : OP_ATTEMPT_INSERT;
}

static void claims_op(struct rng *rng, const struct naive *naive, struct arena *arena, struct op *op)
{
    struct claims_row row = random_claims_row(rng, arena);

    if (HAS(naive, claims, r->id == row.id)) {
        *op = (struct op){.kind = OP_CLAIMS_DELETE, .id = row.id};
    } else {
        op->kind = OP_CLAIMS_INSERT;
        op->claims = row;
    }
}

static void wait_op(struct rng *rng, const struct naive *naive, struct arena *arena, struct op *op)
{
    op->wait = random_wait_row(rng, arena);
    bool is_there = HAS(naive, waits,
                        r->job == op->wait.job && r->scheduled_ms == op->wait.scheduled_ms && r->root == op->wait.root);

    op->kind = is_there && rng_chance(rng, 1, 2) ? OP_WAIT_DELETE : OP_WAIT_PUT;
}

static void edge_op(struct rng *rng, const struct naive *naive, struct op *op)
{
    op->edge = (struct edge_row){.upstream = random_job(rng),
                                 .downstream = random_job(rng),
                                 .on = (enum job_edge)rng_below(rng, 3),
                                 .since_ms = (int64_t)rng_below(rng, 1000),
                                 .since_id = random_job(rng)};
    op->kind = HAS(naive, edges, r->upstream == op->edge.upstream && r->downstream == op->edge.downstream)
                   ? OP_EDGE_DELETE
                   : OP_EDGE_INSERT;
}

static void circuit_op(struct rng *rng, const struct naive *naive, struct op *op)
{
    op->circuit = (struct circuit_row){random_tenant(rng), random_type(rng), rng_below(rng, 3), rng_chance(rng, 1, 2),
                                       random_ms(rng)};
    bool is_there = HAS(naive, circuits,
                        r->job == op->circuit.job && str_equal(r->type, op->circuit.type) &&
                            str_equal(r->tenant, op->circuit.tenant));

    op->kind = is_there && rng_chance(rng, 1, 2) ? OP_CIRCUIT_DELETE : OP_CIRCUIT_PUT;
}

static void small_op(struct rng *rng, const struct naive *naive, struct op *op)
{
    enum scope scope = (enum scope)rng_below(rng, 4);
    struct str tenant = scope == SCOPE_TENANT_TYPE ? random_tenant(rng) : STR("");

    switch (rng_below(rng, 8)) {
    case 0:
        op->kind = OP_SETTING_PUT;
        op->setting = (struct setting_row){scope, tenant, random_text(rng), random_text(rng)};
        break;
    case 1:
        op->kind = OP_LIMITER_PUT;
        op->limiter = (struct limiter_row){scope, tenant, random_text(rng), random_ms(rng)};
        break;
    case 2:
        op->kind = OP_IDEM_PUT;
        op->idem = (struct idem_row){
            random_tenant(rng), random_text(rng), {rng_next(rng), rng_next(rng)}, random_text(rng), random_ms(rng)};
        break;
    case 3:
        op->kind = OP_TENANT_PUT;
        op->tenant = (struct tenant_row){random_tenant(rng), (int64_t)rng_below(rng, 100)};
        break;
    case 4:
        op->kind = OP_SKIP_PUT;
        op->skip = sample_skip(random_job(rng), random_ms(rng));
        op->skip.reason = (enum skip_reason)rng_below(rng, SKIP_MOVED + 1);
        break;
    case 5:
        op->kind = OP_VERSION_INSERT;
        do {
            op->version = sample_version(random_job(rng), (uint32_t)rng_below(rng, 100000));
        } while (HAS(naive, versions, r->job == op->version.job && r->version == op->version.version));
        op->version.rules = random_rules(rng);
        op->version.def = random_def(rng);
        break;
    case 6:
        op->kind = OP_RULES_PUT;
        op->rules = (struct rules_row){random_rules(rng), random_text(rng), random_text(rng)};
        break;
    default:
        op->kind = OP_IDS_RESERVE;
        op->ms = random_ms(rng);
        break;
    }
}

static void any_op(struct rng *rng, const struct naive *naive, struct arena *arena, struct op *op)
{
    switch (rng_below(rng, 10)) {
    case 0:
    case 1:
    case 2:
        job_op(rng, naive, op);
        break;
    case 3:
    case 4:
        trigger_op(rng, naive, op);
        break;
    case 5:
        attempt_op(rng, naive, op);
        break;
    case 6:
        claims_op(rng, naive, arena, op);
        break;
    case 7:
        wait_op(rng, naive, arena, op);
        break;
    case 8:
        edge_op(rng, naive, op);
        break;
    default:
        if (rng_chance(rng, 1, 3)) {
            circuit_op(rng, naive, op);
        } else {
            small_op(rng, naive, op);
        }
        break;
    }
}

/* An operation that is the wrong one for what is there. */
static void spoil(struct rng *rng, struct op *op)
{
    switch (rng_below(rng, 4)) {
    case 0:
        *op = (struct op){.kind = rng_chance(rng, 1, 2) ? OP_JOB_INSERT : OP_JOB_UPDATE,
                          .job = random_job_row(rng, random_job(rng))};
        break;
    case 1:
        *op = (struct op){.kind = rng_chance(rng, 1, 2) ? OP_TRIGGER_INSERT : OP_TRIGGER_UPDATE,
                          .trigger = random_trigger_row(rng, random_trigger(rng))};
        break;
    case 2:
        *op = (struct op){.kind = rng_chance(rng, 1, 2) ? OP_ATTEMPT_INSERT : OP_ATTEMPT_DELETE,
                          .attempt = random_attempt_row(rng, random_trigger(rng))};
        break;
    default:
        *op = (struct op){.kind = rng_chance(rng, 1, 2) ? OP_JOB_DELETE : OP_TRIGGER_DELETE, .id = random_job(rng)};
        break;
    }
}

void random_ops(struct rng *rng, const struct naive *naive, struct batch *batch)
{
    size_t count = 1 + rng_below(rng, rng_chance(rng, 1, 3) ? OPS_MAX : 4);

    for (size_t i = 0; i < count; i++) {
        struct op op = {0};

        any_op(rng, naive, &batch->arena, &op);
        if (rng_chance(rng, 1, 60)) {
            spoil(rng, &op);
        }
        if (!is_written(batch, &op)) {
            *batch_add(batch, op.kind) = op;
        }
    }
}
