#include "engine/gather.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/job.h"
#include "engine/lease.h"
#include "engine/rules.h"
#include "engine/timers.h"

/* Far below BATCH_BYTES_MAX. */
#define GATHER_BYTES_MAX (64UL * 1024 * 1024)
/* Ids are reserved this far ahead, so that few batches have to say so. */
#define IDS_AHEAD_MS 10000

struct batch *gather_batch(struct engine *engine)
{
    if (engine->outbox == NULL) {
        engine->outbox = mem_zalloc(sizeof *engine->outbox);
        engine->outbox->number = engine->batch;
        batch_init(&engine->outbox->batch, 0);
    }
    return &engine->outbox->batch;
}

struct op *gather_op(struct engine *engine, enum op_kind kind)
{
    return batch_add(gather_batch(engine), kind);
}

struct str gather_text(struct engine *engine, struct str text)
{
    return batch_text(gather_batch(engine), text);
}

size_t gather_bytes(const struct engine *engine)
{
    return engine->outbox != NULL ? engine->outbox->batch.arena.used_bytes : 0;
}

bool gather_is_full(const struct engine *engine)
{
    return gather_bytes(engine) > GATHER_BYTES_MAX;
}

void *gather_alloc(struct engine *engine, size_t size)
{
    return arena_zalloc(&gather_batch(engine)->arena, size);
}

struct reply *gather_reply(struct engine *engine, uint64_t token, enum reply_kind kind)
{
    struct reply *reply = gather_alloc(engine, sizeof *reply);

    reply->token = token;
    reply->kind = kind;
    if (engine->outbox->last == NULL) {
        engine->outbox->first = reply;
    } else {
        engine->outbox->last->next = reply;
    }
    engine->outbox->last = reply;
    return reply;
}

void gather_error(struct engine *engine, uint64_t token, const struct error *error)
{
    gather_reply(engine, token, REPLY_ERROR)->error = *error;
}

uint64_t gather_id(struct engine *engine)
{
    uint64_t id = id_gen_next(&engine->ids, engine->now_ms);

    if (id_gen_high_ms(&engine->ids) > engine->ids_reserved_ms && !BUG(IDS_NOT_RESERVED)) {
        engine->ids_reserved_ms = id_gen_high_ms(&engine->ids) + IDS_AHEAD_MS;
        gather_op(engine, OP_IDS_RESERVE)->ms = engine->ids_reserved_ms;
    }
    return id;
}

void gather_touch(struct engine *engine, struct job *job)
{
    (void)gather_batch(engine);
    if (job->touched_batch == engine->batch) {
        return;
    }
    list_remove(&job->touched);
    job->touched_batch = engine->batch;
    list_push_back(&engine->touched, &job->touched);
}

void gather_job(struct engine *engine, struct job *job)
{
    gather_touch(engine, job);
    if (job->op_batch == engine->batch) {
        return; /* rule 1 */
    }
    job->op = gather_op(engine, job->is_in_store ? OP_JOB_UPDATE : OP_JOB_INSERT);
    job->op_batch = engine->batch;
    job->is_in_store = true;
    job->op->job.id = job->id;
}

static struct place copy_place(struct engine *engine, const struct ready_bucket *bucket)
{
    struct ready_place place = ready_bucket_place(bucket);

    return (struct place){
        .pool = gather_text(engine, place.pool),
        .tenant = gather_text(engine, place.tenant),
        .type = gather_text(engine, place.type),
        .priority = place.priority,
    };
}

struct place gather_place(struct engine *engine, const struct ready_bucket *bucket)
{
    struct window *window = ready_bucket_user(bucket);

    if (window == NULL) {
        return copy_place(engine, bucket);
    }
    if (window->said_batch != engine->batch) {
        window->said = copy_place(engine, bucket);
        window->said_batch = engine->batch;
    }
    return window->said;
}

static struct str name_text(struct engine *engine, const struct job *job)
{
    return job->name != NULL ? gather_text(engine, job->name->name) : STR("");
}

void gather_note(struct engine *engine, struct op *op, const struct job *job, struct place place)
{
    struct op_note *note = gather_alloc(engine, sizeof *note);

    *note = (struct op_note){.place = place, .name = name_text(engine, job)};
    op->note = note;
}

static void fill_job(struct engine *engine, struct job *job)
{
    struct job_row *row = &job->op->job;

    job->wake_ms = job_wake_ms(job);
    row->id = job->id;
    row->place = gather_place(engine, job->bucket);
    row->name = name_text(engine, job);
    row->status = job->status;
    row->version = job->version;
    row->cursor_ms = job->cursor_ms;
    row->wake_ms = job->wake_ms;
    row->held_to_ms = job->held_to_ms;
    row->missed_to_ms = job->missed_to_ms;
    row->fired = job->fired;
    row->anchor_ms = job->anchor_ms;
    row->created_ms = job->created_ms;
    row->updated_ms = job->updated_ms;
    row->rules = rules_of(job);
    if (!str_empty(row->def)) {
        rules_gather(engine, job);
    }
}

void gather_job_delete(struct engine *engine, struct job *job)
{
    if (job->op_batch == engine->batch) {
        fill_job(engine, job);
        job->op_batch = 0;
    }
    struct op *op = gather_op(engine, OP_JOB_DELETE);

    op->id = job->id;
    gather_note(engine, op, job, gather_place(engine, job->bucket));
}

void gather_attempt(struct engine *engine, const struct attempt_row *attempt)
{
    struct attempt_row *row = &gather_op(engine, OP_ATTEMPT_INSERT)->attempt;

    *row = *attempt;
    row->worker = gather_text(engine, attempt->worker);
    row->error_code = gather_text(engine, attempt->error_code);
    row->error_message = gather_text(engine, attempt->error_message);
    row->result = gather_text(engine, attempt->result);
}

void gather_trigger(struct engine *engine, struct trigger *trigger, const struct attempt_row *last, struct str reason)
{
    gather_touch(engine, trigger->job);
    if (trigger->op_batch != engine->batch) {
        trigger->op = gather_op(engine, trigger->has_row ? OP_TRIGGER_UPDATE : OP_TRIGGER_INSERT);
        trigger->op_batch = engine->batch;
        trigger->has_row = true;
    }
    struct trigger_row *row = &trigger->op->trigger;

    *row = (struct trigger_row){
        .id = trigger->id,
        .job = trigger->job->id,
        .place = gather_place(engine, trigger->bucket),
        .kind = trigger->kind,
        .state = trigger->state == TRIGGER_RUNNING ? TRIGGER_PENDING : trigger->state, /* rule 1 of record.h */
        .version = trigger->version,
        .target = ready_bucket_place(trigger->bucket).target,
        .scheduled_ms = trigger->scheduled_ms,
        .due_ms = trigger->entry.due_ms,
        .attempts = trigger->attempts,
        .failures = trigger->failures,
        .lost_run = trigger->lost_run,
        .released_run = trigger->released_run,
        .replays = trigger->replays,
        .replay_of = trigger->replay_of,
        .replayed_by = trigger->replayed_by,
        .root = trigger->root,
        .created_ms = trigger->created_ms,
        .ended_ms = trigger_ended(trigger->state) ? engine->now_ms : TIME_NONE,
        .reason = gather_text(engine, reason),
        .payload = gather_text(engine, str_from_bytes(trigger->payload, trigger->payload_len)),
    };
    if (trigger->op->note == NULL) {
        gather_note(engine, trigger->op, trigger->job, row->place);
    }
    if (last == NULL && trigger->attempts > 0 && !trigger_ended(trigger->state)) {
        row->last = (struct attempt_row){
            .trigger = trigger->id,
            .number = trigger->attempts,
            .state = trigger->last_state,
            .started_ms = trigger->last_started_ms,
            .ended_ms = engine->now_ms,
            .worker = gather_text(engine, str_from(trigger->last_worker)),
            .error_code = STR(""),
            .error_message = STR(""),
            .result = STR(""),
        };
    }
    if (last != NULL) {
        row->last = *last;
        row->last.worker = gather_text(engine, last->worker);
        row->last.error_code = gather_text(engine, last->error_code);
        row->last.error_message = gather_text(engine, last->error_message);
        row->last.result = gather_text(engine, last->result);
    }
}

void gather_version(struct engine *engine, const struct job *job)
{
    gather_op(engine, OP_VERSION_INSERT)->version = (struct version_row){
        .job = job->id,
        .version = job->version,
        .from_ms = job->updated_ms,
        .anchor_ms = job->anchor_ms,
        .rules = rules_of(job),
        .def = gather_text(engine, str_from_bytes(job->def, job->def_len)),
    };
}

void gather_skip(struct engine *engine, struct job *job)
{
    gather_op(engine, OP_SKIP_PUT)->skip = (struct skip_row){
        .job = job->id,
        .from_ms = job->skip.from_ms,
        .to_ms = job->skip.to_ms,
        .count = job->skip.count,
        .reason = job->skip.reason,
        .version = job->skip.version,
        .blocked_by = job->skip.blocked_by,
        .decided_ms = engine->now_ms,
    };
}

void gather_join(struct engine *engine, struct join *join)
{
    if (join->op_batch != engine->batch) {
        join->op = gather_op(engine, OP_WAIT_PUT);
        join->op_batch = engine->batch;
    }
    uint64_t *ended = gather_alloc(engine, (join->ended_count + 1) * sizeof *ended);

    memcpy(ended, join->ended, join->ended_count * sizeof *ended); /* one has: that is how a join begins */
    join->op->wait = (struct wait_row){
        .job = join->job->id,
        .scheduled_ms = join->scheduled_ms,
        .root = join->root,
        .trigger = join->trigger_id,
        .is_over = join->trigger == NULL,
        .ended = ended,
        .ended_count = join->ended_count,
    };
}

void gather_join_delete(struct engine *engine, struct join *join)
{
    struct op *op = gather_op(engine, OP_WAIT_DELETE);

    op->wait = (struct wait_row){.job = join->job->id, .scheduled_ms = join->scheduled_ms, .root = join->root};
}

void gather_tenant(struct engine *engine, struct tenant_count *tenant)
{
    if (tenant->op_batch != engine->batch) {
        tenant->op = gather_op(engine, OP_TENANT_PUT);
        tenant->op_batch = engine->batch;
        tenant->op->tenant.tenant = gather_text(engine, str_from(tenant->name));
    }
    tenant->op->tenant.jobs = tenant->jobs;
}

/* ---- cutting ---- */

static const char *worker_id(const struct lease *lease)
{
    return lease->worker != NULL ? lease->worker->id : lease->worker_id;
}

static struct claim claim_of(const struct lease *lease, struct str worker)
{
    const struct trigger *trigger = lease->trigger;

    return (struct claim){
        .trigger = trigger->id,
        .job = trigger->job->id,
        .number = lease->number,
        .version = trigger->version,
        .kind = trigger->kind,
        .scheduled_ms = trigger->scheduled_ms,
        .started_ms = lease->started_ms,
        .worker = worker,
    };
}

static struct claim_note note_of(struct engine *engine, const struct lease *lease)
{
    return (struct claim_note){
        .is_new = !lease->is_told,
        .place = gather_place(engine, lease->bucket),
        .name = name_text(engine, lease->trigger->job),
        .due_ms = lease->trigger->entry.due_ms,
    };
}

static void cut_claims(struct engine *engine)
{
    struct claims *claims = engine->claims;

    engine->claims = NULL;
    if (claims == NULL) {
        return;
    }
    if (claims->count == 0) { /* all of them have ended again */
        claims_free(claims);
        return;
    }
    struct op *op = gather_op(engine, OP_CLAIMS_INSERT);
    struct claim *list = gather_alloc(engine, claims->count * sizeof *list);
    struct claim_note *notes = gather_alloc(engine, claims->count * sizeof *notes);
    const char *said = NULL; /* the worker of the claim before, which mostly has this one, too */
    struct str worker = STR("");
    size_t count = 0;

    for (struct list_node *node = list_first(&claims->leases); node != NULL; node = list_next(&claims->leases, node)) {
        struct lease *lease = CONTAINER_OF(node, struct lease, of_claims);

        if (worker_id(lease) != said) {
            said = worker_id(lease);
            worker = gather_text(engine, str_from(said));
        }
        notes[count] = note_of(engine, lease);
        list[count++] = claim_of(lease, worker);
        lease->is_told = true;
    }
    assert(count == claims->count); /* rule 7 of engine.h */
    op->claims = (struct claims_row){.id = claims->id, .claims = list, .count = count, .notes = notes};
    claims_stored(engine, claims, list, count);
}

static void cut_limiters(struct engine *engine)
{
    struct ready_limiter limiter;

    while (ready_take_limiter(engine->ready, &limiter)) {
        if (BUG(RATE_UNSTORED)) {
            continue;
        }
        gather_op(engine, OP_LIMITER_PUT)->limiter = (struct limiter_row){
            .scope = limiter.scope,
            .tenant = gather_text(engine, limiter.tenant),
            .name = gather_text(engine, limiter.name),
            .tat_ms = wall_of_mono(engine, limiter.tat_ms),
        };
    }
}

static void cut_circuits(struct engine *engine)
{
    struct ready_circuit circuit;

    while (ready_take_circuit(engine->ready, &circuit)) {
        bool is_closed = circuit.state == BREAKER_CLOSED;
        struct op *op = gather_op(engine, is_closed ? OP_CIRCUIT_DELETE : OP_CIRCUIT_PUT);

        op->circuit = (struct circuit_row){
            .tenant = gather_text(engine, circuit.tenant),
            .type = gather_text(engine, circuit.type),
            .is_half_open = circuit.state == BREAKER_HALF_OPEN,
            .open_until_ms = circuit.state == BREAKER_OPEN ? wall_of_mono(engine, circuit.open_until_ms) : TIME_NONE,
        };
    }
}

static void cut_jobs(struct engine *engine)
{
    for (struct list_node *node = list_last(&engine->touched); node != NULL; node = node->prev) {
        if (node == &engine->touched.head) {
            break;
        }
        struct job *job = CONTAINER_OF(node, struct job, touched);

        if (job->touched_batch != engine->batch) {
            break; /* the list is in the order of batches */
        }
        if (job->op_batch == engine->batch) {
            fill_job(engine, job);
        }
    }
}

struct outbox *gather_cut(struct engine *engine)
{
    cut_limiters(engine);
    cut_circuits(engine);
    cut_claims(engine);
    cut_jobs(engine);

    struct outbox *outbox = engine->outbox;

    engine->outbox = NULL;
    if (outbox != NULL) {
        engine->batch++;
        outbox->batch.number = outbox->batch.op_count > 0 ? engine->store_batch++ : 0;
    }
    return outbox;
}

void outbox_free(struct outbox *outbox)
{
    if (outbox != NULL) {
        batch_done(&outbox->batch);
        mem_free(outbox);
    }
}
