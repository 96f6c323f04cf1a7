/* Copies what a batch borrows into the batch itself, so that it is gone when the batch is: a store that keeps a pointer
 * instead of a copy is found out. */
#include "contract.h"

static void own(struct batch *batch, struct str *text)
{
    *text = batch_text(batch, *text);
}

static void own_place(struct batch *batch, struct place *place)
{
    own(batch, &place->pool);
    own(batch, &place->tenant);
    own(batch, &place->type);
}

static void own_job(struct batch *batch, struct job_row *row)
{
    own_place(batch, &row->place);
    own(batch, &row->name);
    own(batch, &row->def);
}

static void own_attempt(struct batch *batch, struct attempt_row *row)
{
    own(batch, &row->worker);
    own(batch, &row->error_code);
    own(batch, &row->error_message);
    own(batch, &row->result);
}

static void own_trigger(struct batch *batch, struct trigger_row *row)
{
    own_place(batch, &row->place);
    own(batch, &row->reason);
    own(batch, &row->payload);
    own_attempt(batch, &row->last);
}

static void own_claims(struct batch *batch, struct claims_row *row)
{
    struct claim *claims = arena_alloc_array(&batch->arena, row->count, sizeof *claims);

    for (size_t i = 0; i < row->count; i++) {
        claims[i] = row->claims[i];
        own(batch, &claims[i].worker);
    }
    row->claims = claims;
}

static void own_wait(struct batch *batch, struct wait_row *row)
{
    uint64_t *ended = arena_alloc_array(&batch->arena, row->ended_count, sizeof *ended);

    for (size_t i = 0; i < row->ended_count; i++) {
        ended[i] = row->ended[i];
    }
    row->ended = ended;
}

static void own_op(struct batch *batch, struct op *op)
{
    switch (op->kind) {
    case OP_JOB_INSERT:
    case OP_JOB_UPDATE:
        own_job(batch, &op->job);
        break;
    case OP_VERSION_INSERT:
        own(batch, &op->version.def);
        break;
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
        own_trigger(batch, &op->trigger);
        break;
    case OP_ATTEMPT_INSERT:
    case OP_ATTEMPT_DELETE:
        own_attempt(batch, &op->attempt);
        break;
    case OP_CLAIMS_INSERT:
        own_claims(batch, &op->claims);
        break;
    case OP_WAIT_PUT:
    case OP_WAIT_DELETE:
        own_wait(batch, &op->wait);
        break;
    case OP_SETTING_PUT:
        own(batch, &op->setting.tenant);
        own(batch, &op->setting.name);
        own(batch, &op->setting.text);
        break;
    case OP_LIMITER_PUT:
        own(batch, &op->limiter.tenant);
        own(batch, &op->limiter.name);
        break;
    case OP_CIRCUIT_PUT:
    case OP_CIRCUIT_DELETE:
        own(batch, &op->circuit.tenant);
        own(batch, &op->circuit.type);
        break;
    case OP_IDEM_PUT:
        own(batch, &op->idem.tenant);
        own(batch, &op->idem.key);
        own(batch, &op->idem.result);
        break;
    case OP_TENANT_PUT:
        own(batch, &op->tenant.tenant);
        break;
    case OP_RULES_PUT:
        own(batch, &op->rules.zone);
        own(batch, &op->rules.text);
        break;
    case OP_JOB_DELETE:
    case OP_TRIGGER_REPLAYED:
    case OP_TRIGGER_DELETE:
    case OP_CLAIMS_DELETE:
    case OP_SKIP_PUT:
    case OP_EDGE_INSERT:
    case OP_EDGE_DELETE:
    case OP_IDS_RESERVE:
        break;
    }
}

void own_batch(struct batch *batch)
{
    for (struct batch_chunk *chunk = batch->first; chunk != NULL; chunk = chunk->next) {
        for (size_t i = 0; i < chunk->count; i++) {
            own_op(batch, &chunk->ops[i]);
        }
    }
}
