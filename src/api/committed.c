/* A batch is durable: what it says is counted, logged and told. On the store's thread, so everything here is cheap, and
 * nothing is made that nobody wants. */
#include "api/committed.h"

#include "api/inside.h"
#include "api/observe.h"
#include "api/progress.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/idmap.h"
#include "base/log.h"
#include "calendar/instant.h"

/* Records of attempts in a second; what comes above is counted in one record. A log must not hold the store up. */
#define LOG_PER_SECOND_MAX 1000
/* A change of a job that is older was told before. */
#define CHANGE_RECENT_MS 60000

/* Ids differ in their upper bits: those are brought down. */
static size_t slot_of(uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % OBSERVED_CHANGES;
}

/* ---- what belongs together in a batch ---- */

static void *unconst(const struct op *op)
{
    return (void *)(uintptr_t)op; /* idmap holds pointers of all kinds; nothing is changed through it */
}

/* Rows of triggers and jobs by id, where attempts and skips of the batch need them. */
static void index_batch(struct committed *committed)
{
    bool has_attempts = false, has_skips = false;

    BATCH_EACH(committed->batch, chunk, i)
    {
        has_attempts = has_attempts || chunk->ops[i].kind == OP_ATTEMPT_INSERT;
        has_skips = has_skips || chunk->ops[i].kind == OP_SKIP_PUT;
    }
    if (!has_attempts && !has_skips) {
        return;
    }
    BATCH_EACH(committed->batch, chunk, i)
    {
        const struct op *op = &chunk->ops[i];
        bool is_trigger = op->kind == OP_TRIGGER_INSERT || op->kind == OP_TRIGGER_UPDATE;
        bool is_job = op->kind == OP_JOB_INSERT || op->kind == OP_JOB_UPDATE;

        if (is_trigger && has_attempts && idmap_find(&committed->triggers, op->trigger.id) == NULL) {
            idmap_put(&committed->triggers, op->trigger.id, unconst(op));
        } else if (is_job && has_skips && idmap_find(&committed->jobs, op->job.id) == NULL) {
            idmap_put(&committed->jobs, op->job.id, unconst(op));
        }
    }
}

/* ---- attempts ---- */

static void log_attempt(struct observe *observe, const struct trigger_row *trigger, const struct attempt_row *attempt)
{
    char job[ID_TEXT_BYTES], id[ID_TEXT_BYTES], attempt_id[ID_TEXT_BYTES], scheduled_for[INSTANT_BYTES];
    int64_t second = attempt->ended_ms / 1000;

    if (observe->log_second != second) {
        if (observe->log_unsaid > 0) {
            log_info("job_attempts_unlogged", KEY_UINT("count", observe->log_unsaid));
        }
        observe->log_second = second;
        observe->log_count = 0;
        observe->log_unsaid = 0;
    }
    if (observe->log_count++ >= LOG_PER_SECOND_MAX) {
        observe->log_unsaid++;
        return;
    }
    id_format(ID_JOB, trigger->job, job);
    id_format(ID_TRIGGER, trigger->id, id);
    id_format_attempt(trigger->id, attempt->number, attempt_id);
    log_info("job_attempt_finished", KEY_STR("job_id", job), KEY_STR("trigger_id", id),
             KEY_STR("attempt_id", attempt_id), KEY_SLICE("tenant_id", trigger->place.tenant),
             KEY_SLICE("job_type", trigger->place.type),
             KEY_STR("scheduled_for", instant_format(trigger->scheduled_ms, scheduled_for)),
             KEY_STR("status", attempt_state_text(attempt->state)),
             KEY_INT("duration_ms", attempt->ended_ms - attempt->started_ms), KEY_SLICE("worker_id", attempt->worker));
}

static void attempt_ended_now(struct committed *committed, const struct op *op, const struct attempt_row *attempt)
{
    const struct trigger_row *trigger = &op->trigger;
    struct counted counted = counters_of(committed->observe->counters, &trigger->place);
    int64_t took_ms = attempt->ended_ms - attempt->started_ms;

    counted.total->attempts[attempt->state]++;
    counted.minute->attempts[attempt->state]++;
    if (attempt->state != ATTEMPT_RELEASED) {
        histogram_add(&counted.total->duration, took_ms);
        histogram_add(&counted.minute->duration, took_ms);
    }
    log_attempt(committed->observe, trigger, attempt);
    tracer_attempt(committed->tracer, trigger, attempt, op->note != NULL ? op->note->name : STR(""));
    if (committed->is_told) {
        tell_attempt_finished(committed, op, attempt);
    }
}

static void take_attempt(struct committed *committed, const struct attempt_row *attempt)
{
    const struct op *op = idmap_find(&committed->triggers, attempt->trigger);

    if (op != NULL) {
        attempt_ended_now(committed, op, attempt);
    }
}

/* How late an attempt began. A one-time job, whose trigger has its id, is not late for a time before it was made. */
static int64_t lag_ms(const struct claim *claim, const struct claim_note *note)
{
    int64_t made_ms = claim->trigger == claim->job ? id_time_ms(claim->job) : note->due_ms;

    return claim->started_ms - (made_ms > note->due_ms ? made_ms : note->due_ms);
}

static void take_claims(struct committed *committed, const struct claims_row *row)
{
    for (size_t i = 0; row->notes != NULL && i < row->count; i++) {
        const struct claim *claim = &row->claims[i];
        const struct claim_note *note = &row->notes[i];

        if (!note->is_new) {
            continue;
        }
        struct counted counted = counters_of(committed->observe->counters, &note->place);
        bool is_first = claim->number == 1;

        counted.total->started++;
        counted.minute->started++;
        counted.total->retried += is_first ? 0 : 1;
        counted.minute->retried += is_first ? 0 : 1;
        if (is_first) {
            histogram_add(&counted.total->lag, lag_ms(claim, note));
            histogram_add(&counted.minute->lag, lag_ms(claim, note));
        }
        if (is_first && claim->kind == TRIGGER_SCHEDULE) { /* others have a row before they start */
            counted.total->fired++;
            counted.minute->fired++;
        }
        if (committed->is_told) {
            tell_attempt_started(committed, claim, note);
        }
    }
}

/* ---- triggers ---- */

static void count_end(struct tally *tally, enum trigger_state state)
{
    tally->succeeded += state == TRIGGER_SUCCEEDED ? 1 : 0;
    tally->dead += state == TRIGGER_DEAD ? 1 : 0;
    tally->cancelled += state == TRIGGER_CANCELLED ? 1 : 0;
}

static void take_trigger(struct committed *committed, const struct op *op)
{
    const struct trigger_row *row = &op->trigger;
    struct counted counted = counters_of(committed->observe->counters, &row->place);

    if (op->kind == OP_TRIGGER_INSERT && row->kind != TRIGGER_SCHEDULE) {
        counted.total->fired++;
        counted.minute->fired++;
    }
    if (!trigger_ended(row->state)) {
        if (committed->is_told) {
            tell_trigger(committed, op);
        }
        return;
    }
    count_end(counted.total, row->state);
    count_end(counted.minute, row->state);
    if (row->last.number > 0) { /* the attempt that ended it */
        attempt_ended_now(committed, op, &row->last);
    }
    tracer_trigger(committed->tracer, row, op->note != NULL ? op->note->name : STR(""));
    if (committed->is_told) {
        tell_trigger(committed, op);
    }
}

/* ---- jobs ---- */

/* A row of a job is written with every fire. It tells of a change where its definition or status is new. */
static void take_job_update(struct committed *committed, const struct job_row *row)
{
    struct observed_change *change = &committed->observe->changes[slot_of(row->id)];
    bool is_known = change->job == row->id;
    bool is_recent = row->updated_ms > committed->now_ms - CHANGE_RECENT_MS;
    bool is_end = row->status == JOB_COMPLETED || row->status == JOB_CANCELLED;

    if (is_known && change->updated_ms == row->updated_ms && change->status == row->status) {
        return;
    }
    if (!is_recent && !is_end) {
        return;
    }
    *change = (struct observed_change){.job = row->id, .updated_ms = row->updated_ms, .status = row->status};
    if (!committed->is_told) {
        return;
    }
    if (row->status == JOB_PAUSED) {
        tell_job(committed, NOTICE_JOB_PAUSED, row);
    } else if (row->status == JOB_CANCELLED) {
        tell_job(committed, NOTICE_JOB_CANCELLED, row);
    } else if (row->status == JOB_COMPLETED) {
        tell_job(committed, NOTICE_JOB_COMPLETED, row);
    } else {
        tell_job(committed, str_empty(row->def) ? NOTICE_JOB_RESUMED : NOTICE_JOB_CHANGED, row);
    }
}

static void take_job_insert(struct committed *committed, const struct job_row *row)
{
    struct counted counted = counters_of(committed->observe->counters, &row->place);

    counted.total->created++;
    counted.minute->created++;
    committed->observe->changes[slot_of(row->id)] =
        (struct observed_change){.job = row->id, .updated_ms = row->updated_ms, .status = row->status};
    if (committed->is_told) {
        tell_job(committed, NOTICE_JOB_CREATED, row);
    }
}

static void take_skip(struct committed *committed, const struct skip_row *row)
{
    const struct op *job = idmap_find(&committed->jobs, row->job);
    struct counted counted = job != NULL ? counters_of(committed->observe->counters, &job->job.place)
                                         : counters_of_none(committed->observe->counters);
    struct observed_skip *seen = &committed->observe->skips[slot_of(row->job)];
    bool is_longer = seen->job == row->job && seen->from_ms == row->from_ms && seen->count <= row->count;
    int64_t count = row->count - (is_longer ? seen->count : 0);

    *seen = (struct observed_skip){.job = row->job, .from_ms = row->from_ms, .count = row->count};
    counted.total->skipped += (uint64_t)count;
    counted.minute->skipped += (uint64_t)count;
    counters_skipped(committed->observe->counters, row->reason, count);
    if (committed->is_told && count > 0) {
        tell_skip(committed, row, count, job != NULL ? &job->job : NULL);
    }
}

/* ---- settings ---- */

/* Settings, pause and ramp are one row: what of it is new is told by whether it was paused before. */
static void take_setting(struct committed *committed, const struct setting_row *row)
{
    uint64_t hash = hash64(row->name.ptr, row->name.len, hash64(row->tenant.ptr, row->tenant.len, row->scope + 1U));
    uint64_t *slot = &committed->observe->pauses[hash % OBSERVED_PAUSES];
    enum notice_kind kind = NOTICE_SETTINGS_CHANGED;
    struct settings settings;

    if (settings_read_stored(row->scope, row->text, &settings, NULL) != ERR_OK) {
        return;
    }
    if (settings.is_paused && *slot != hash) {
        kind = NOTICE_SCOPE_PAUSED;
        *slot = hash;
    } else if (!settings.is_paused && *slot == hash) {
        kind = NOTICE_SCOPE_RESUMED;
        *slot = 0;
    }
    if (committed->is_told) {
        tell_setting(committed, row, kind);
    }
}

/* ---- the batch ---- */

/* Triggers that have ended are in no trace any more: all their spans are made. */
static void forget_traces(struct committed *committed)
{
    BATCH_EACH(committed->batch, chunk, i)
    {
        const struct op *op = &chunk->ops[i];

        if ((op->kind == OP_TRIGGER_INSERT || op->kind == OP_TRIGGER_UPDATE) && trigger_ended(op->trigger.state)) {
            tracer_forget(committed->tracer, op->trigger.id);
        }
    }
}

static void take(struct committed *committed, const struct op *op)
{
    switch (op->kind) {
    case OP_JOB_INSERT:
        take_job_insert(committed, &op->job);
        break;
    case OP_JOB_UPDATE:
        take_job_update(committed, &op->job);
        break;
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
        take_trigger(committed, op);
        break;
    case OP_ATTEMPT_INSERT:
        take_attempt(committed, &op->attempt);
        break;
    case OP_CLAIMS_INSERT:
        take_claims(committed, &op->claims);
        break;
    case OP_SKIP_PUT:
        take_skip(committed, &op->skip);
        break;
    case OP_SETTING_PUT:
        take_setting(committed, &op->setting);
        break;
    case OP_JOB_DELETE:
    case OP_CIRCUIT_PUT:
    case OP_CIRCUIT_DELETE:
        if (committed->is_told) {
            tell_other(committed, op);
        }
        break;
    case OP_VERSION_INSERT:
    case OP_TRIGGER_REPLAYED: /* the replay's own row tells of it */
    case OP_TRIGGER_DELETE:
    case OP_ATTEMPT_DELETE:
    case OP_CLAIMS_DELETE:
    case OP_WAIT_PUT:
    case OP_WAIT_DELETE:
    case OP_EDGE_INSERT:
    case OP_EDGE_DELETE:
    case OP_LIMITER_PUT:
    case OP_IDEM_PUT:
    case OP_TENANT_PUT:
    case OP_RULES_PUT:
    case OP_IDS_RESERVE:
        break;
    }
}

void api_committed(void *context, const struct batch *batch)
{
    struct api *api = context;
    struct observe *observe = api->observe;
    struct committed committed = {.observe = observe,
                                  .tracer = api->tracer,
                                  .batch = batch,
                                  .now_ms = shard_now_ms(api->config.shard),
                                  .is_told = events_wanted(observe->events)};
    struct shard_view view;

    progress_committed(api->progress, batch);
    idmap_init(&committed.triggers, 0);
    idmap_init(&committed.jobs, 0);
    buf_init(&committed.json, COMMITTED_JSON_BYTES_MAX);
    index_batch(&committed);
    shard_look(api->config.shard, &view);
    counters_begin(observe->counters, committed.now_ms);
    counters_batch(observe->counters, batch->op_count, batch->arena.used_bytes, view.commit_last_us);
    BATCH_EACH(batch, chunk, i)
    {
        take(&committed, &chunk->ops[i]);
    }
    forget_traces(&committed);
    counters_end(observe->counters);
    buf_done(&committed.json);
    idmap_done(&committed.triggers);
    idmap_done(&committed.jobs);
}
