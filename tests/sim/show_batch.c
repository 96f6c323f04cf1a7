/* Batches in words, and the marks that their rows leave. */
#include "show.h"

static void mark_attempt(struct world *world, const struct attempt_row *row)
{
    if (row->number == 0) {
        return;
    }
    if (row->state == ATTEMPT_LOST) {
        MARK(world, ROW_LOST);
    } else if (row->state == ATTEMPT_TIMED_OUT) {
        MARK(world, ROW_TIMED_OUT);
    }
}

static void show_trigger(struct world *world, const struct op *op)
{
    const struct trigger_row *row = &op->trigger;

    mark_attempt(world, &row->last);
    if (row->state == TRIGGER_DEAD) {
        MARK(world, ROW_DEAD);
        recent_add(&world->recent_dead, row->id);
        if (str_is(row->reason, "crashed_workers")) {
            MARK(world, ROW_CRASHED_WORKERS);
        }
    } else if (row->state == TRIGGER_CANCELLED) {
        if (str_is(row->reason, "expired")) {
            MARK(world, ROW_EXPIRED);
        }
        if (row->kind == TRIGGER_DEPENDENCY) {
            MARK(world, DEPENDENT_CANCELLED);
        }
    }
    if (!trigger_ended(row->state)) {
        recent_add(&world->recent_living, row->id);
    }
    digest_number(&world->digest, row->id);
    digest_number(&world->digest, row->state);
    TRACE(world, "    %s %s of %s %s %s for %s due %s, %u attempts %u failures, last #%u %s %.*s",
          op_kind_text(op->kind), show_id(row->id), show_id(row->job), trigger_kind_text(row->kind),
          trigger_state_text(row->state), show_instant(row->scheduled_ms), show_instant(row->due_ms), row->attempts,
          row->failures, row->last.number, row->last.number > 0 ? attempt_state_text(row->last.state) : "",
          STR_ARGS(row->reason));
}

static void show_job(struct world *world, const struct op *op)
{
    const struct job_row *row = &op->job;

    if (row->status == JOB_COMPLETED) {
        MARK(world, ROW_COMPLETED);
    }
    if (row->held_to_ms != TIME_NONE) {
        MARK(world, HELD_TO);
    }
    if (row->missed_to_ms != TIME_NONE) {
        MARK(world, MISSED_TO);
    }
    digest_number(&world->digest, row->id);
    digest_signed(&world->digest, row->cursor_ms);
    TRACE(world, "    %s %s %.*s/%.*s v%u %s cursor %s wake %s held %s missed %s fired %lld %.*s",
          op_kind_text(op->kind), show_id(row->id), STR_ARGS(row->place.tenant), STR_ARGS(row->name), row->version,
          job_status_text(row->status), show_instant(row->cursor_ms), show_instant(row->wake_ms),
          show_instant(row->held_to_ms), show_instant(row->missed_to_ms), (long long)row->fired, STR_ARGS(row->def));
}

static void show_claims(struct world *world, const struct op *op)
{
    const struct claims_row *row = &op->claims;

    digest_number(&world->digest, row->id);
    TRACE(world, "    CLAIMS_INSERT %llu", (unsigned long long)row->id);
    for (size_t i = 0; i < row->count; i++) {
        digest_number(&world->digest, row->claims[i].trigger);
        recent_add(&world->recent_living, row->claims[i].trigger);
        TRACE(world, "        %s #%u of %s for %s started %s by %.*s", show_id(row->claims[i].trigger),
              row->claims[i].number, show_id(row->claims[i].job), show_instant(row->claims[i].scheduled_ms),
              show_instant(row->claims[i].started_ms), STR_ARGS(row->claims[i].worker));
    }
}

static void show_skip(struct world *world, const struct op *op)
{
    const struct skip_row *row = &op->skip;

    switch (row->reason) {
    case SKIP_OVERLAP:
        MARK(world, SKIPPED_OVERLAP);
        break;
    case SKIP_COLLAPSED:
        MARK(world, SKIPPED_COLLAPSED);
        break;
    case SKIP_MISFIRE:
        MARK(world, SKIPPED_MISFIRE);
        break;
    case SKIP_EXPIRED:
        MARK(world, SKIPPED_EXPIRED);
        break;
    case SKIP_EDITED:
        MARK(world, SKIPPED_EDITED);
        break;
    case SKIP_CANCELLED:
        MARK(world, SKIPPED_CANCELLED);
        break;
    case SKIP_LIMIT:
    case SKIP_MOVED:
        break;
    }
    digest_signed(&world->digest, row->to_ms);
    TRACE(world, "    SKIP_PUT %s from %s to %s: %lld %s", show_id(row->job), show_instant(row->from_ms),
          show_instant(row->to_ms), (long long)row->count, skip_reason_text(row->reason));
}

static void show_attempt(struct world *world, const struct op *op)
{
    mark_attempt(world, &op->attempt);
    digest_number(&world->digest, op->attempt.trigger);
    TRACE(world, "    %s %s #%u %s started %s ended %s", op_kind_text(op->kind), show_id(op->attempt.trigger),
          op->attempt.number, attempt_state_text(op->attempt.state), show_instant(op->attempt.started_ms),
          show_instant(op->attempt.ended_ms));
}

static void show_circuit(struct world *world, const struct op *op)
{
    if (op->kind == OP_CIRCUIT_DELETE) {
        MARK(world, BREAKER_CLOSED);
    } else if (op->circuit.is_half_open) {
        MARK(world, BREAKER_HALF_OPENED);
    } else {
        MARK(world, BREAKER_OPENED);
    }
    TRACE(world, "    %s %.*s/%.*s %s%s until %s", op_kind_text(op->kind), STR_ARGS(op->circuit.tenant),
          STR_ARGS(op->circuit.type), show_id(op->circuit.job), op->circuit.is_half_open ? " half open" : "",
          show_instant(op->circuit.open_until_ms));
}

static void show_op(struct world *world, const struct op *op)
{
    digest_number(&world->digest, op->kind);
    switch (op->kind) {
    case OP_JOB_INSERT:
    case OP_JOB_UPDATE:
        show_job(world, op);
        break;
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
        show_trigger(world, op);
        break;
    case OP_TRIGGER_REPLAYED:
        digest_number(&world->digest, op->trigger.id);
        TRACE(world, "    TRIGGER_REPLAYED %s by %s", show_id(op->trigger.id), show_id(op->trigger.replayed_by));
        break;
    case OP_ATTEMPT_INSERT:
    case OP_ATTEMPT_DELETE:
        show_attempt(world, op);
        break;
    case OP_CLAIMS_INSERT:
        show_claims(world, op);
        break;
    case OP_SKIP_PUT:
        show_skip(world, op);
        break;
    case OP_CIRCUIT_PUT:
    case OP_CIRCUIT_DELETE:
        show_circuit(world, op);
        break;
    case OP_WAIT_PUT:
        MARK(world, WAITED);
        TRACE(world, "    WAIT_PUT %s for %s root %s trigger %s, %zu ended%s", show_id(op->wait.job),
              show_instant(op->wait.scheduled_ms), show_id(op->wait.root), show_id(op->wait.trigger),
              op->wait.ended_count, op->wait.is_over ? ", over" : "");
        break;
    case OP_LIMITER_PUT:
        MARK(world, RATE_MOVED);
        digest_signed(&world->digest, op->limiter.tat_ms);
        TRACE(world, "    LIMITER_PUT %s %.*s %s", scope_text(op->limiter.scope), STR_ARGS(op->limiter.name),
              show_instant(op->limiter.tat_ms));
        break;
    case OP_SETTING_PUT:
        TRACE(world, "    SETTING_PUT %s %.*s/%.*s %.*s", scope_text(op->setting.scope), STR_ARGS(op->setting.tenant),
              STR_ARGS(op->setting.name), STR_ARGS(op->setting.text));
        break;
    case OP_JOB_DELETE:
    case OP_TRIGGER_DELETE:
    case OP_CLAIMS_DELETE:
        digest_number(&world->digest, op->id);
        TRACE(world, "    %s %llu %s", op_kind_text(op->kind), (unsigned long long)op->id, show_id(op->id));
        break;
    case OP_WAIT_DELETE:
        TRACE(world, "    WAIT_DELETE %s for %s root %s", show_id(op->wait.job), show_instant(op->wait.scheduled_ms),
              show_id(op->wait.root));
        break;
    case OP_VERSION_INSERT:
    case OP_EDGE_INSERT:
    case OP_EDGE_DELETE:
    case OP_IDEM_PUT:
    case OP_TENANT_PUT:
    case OP_RULES_PUT:
    case OP_IDS_RESERVE:
        TRACE(world, "    %s", op_kind_text(op->kind));
        break;
    }
}

void show_batch(struct world *world, const struct batch *batch)
{
    digest_number(&world->digest, batch->number);
    BATCH_EACH(batch, chunk, i)
    {
        show_op(world, &chunk->ops[i]);
    }
}
