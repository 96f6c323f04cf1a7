#include "checker_state.h"

/* How long an answer is kept under its key. */
#define IDEM_KEPT_MS (24 * 3600 * INT64_C(1000))

/* ---- skips ---- */

/* What is new of a row that was there: everything behind its old end. */
static void grow_skip(struct checker *checker, const struct job *job, const struct skip_row *old,
                      struct skipped *skipped)
{
    const struct skip_row *row = &skipped->row;
    const struct def_version *def = checker_version(job, row->version);

    skipped->is_longer = true;
    checker_expect(checker, RULE_TWICE,
                   row->to_ms > old->to_ms || (row->version == old->version && row->decided_ms == old->decided_ms),
                   "%s is skipped again for %s (version %u, at %s)", checker_job_text(job),
                   checker_time_text(row->to_ms), row->version, checker_time_text(row->decided_ms));
    skipped->count = row->count - old->count;
    skipped->from_ms = row->to_ms;
    checker_expect(checker, RULE_SKIP_ROW,
                   old->reason == row->reason && old->version == row->version && row->to_ms >= old->to_ms &&
                       (row->count > old->count) == (row->to_ms > old->to_ms),
                   "the skip of %s from %s (%s, version %u, %lld to %s) becomes one of %s, version %u, %lld to %s",
                   checker_job_text(job), checker_time_text(old->from_ms), skip_reason_text(old->reason), old->version,
                   (long long)old->count, checker_time_text(old->to_ms), skip_reason_text(row->reason), row->version,
                   (long long)row->count, checker_time_text(row->to_ms));
    if (def != NULL && def->has_schedule && !fires_after_finish(def)) {
        skipped->from_ms = fires_next(def, old->to_ms, 0);
    }
}

static void put_skip(struct checker *checker, const struct skip_row *row)
{
    struct job *job = checker_job_get(checker, row->job);
    struct job_change *change = checker_touch_job(checker, job);
    struct skipped *skipped = arena_zalloc(&checker->of_batch, sizeof *skipped);
    bool is_old = job->last_skip.count > 0 && job->last_skip.from_ms == row->from_ms;

    if (!checker_expect(checker, RULE_SKIP_ROW, row->count > 0 && row->from_ms <= row->to_ms && job->was_there,
                        "%lld fires of %s from %s to %s", (long long)row->count, checker_job_text(job),
                        checker_time_text(row->from_ms), checker_time_text(row->to_ms))) {
        return;
    }
    *skipped = (struct skipped){.row = *row, .from_ms = row->from_ms, .count = row->count};
    if (is_old) {
        grow_skip(checker, job, &job->last_skip, skipped);
    }
    if (!is_old || row->to_ms > job->last_skip.to_ms) {
        if (change->skips == NULL) {
            change->skips = skipped;
        } else {
            change->last_skipped->next = skipped;
        }
        change->last_skipped = skipped;
        checker->figures.skips += (uint64_t)skipped->count;
    }
    if (job->last_skip.count == 0 || row->from_ms >= job->last_skip.from_ms) {
        job->last_skip = *row;
    }
}

/* ---- edges ---- */

static struct edge *find_edge(const struct job *downstream, const struct job *upstream)
{
    for (struct list_node *node = list_first(&downstream->upstreams); node != NULL;
         node = list_next(&downstream->upstreams, node)) {
        struct edge *edge = CONTAINER_OF(node, struct edge, in_up);

        if (edge->upstream == upstream) {
            return edge;
        }
    }
    return NULL;
}

static void change_edge(struct checker *checker, const struct edge_row *row, bool is_insert)
{
    struct job *upstream = checker_job_get(checker, row->upstream);
    struct job *downstream = checker_job_get(checker, row->downstream);
    struct edge *edge = find_edge(downstream, upstream);

    checker_touch_job(checker, downstream)->is_edges_changed = true;
    if (!checker_expect(checker, RULE_GUARD, (edge == NULL) == is_insert, "%s of the edge from %s to %s",
                        is_insert ? "INSERT" : "DELETE", checker_job_text(upstream), checker_job_text(downstream))) {
        return;
    }
    if (!is_insert) {
        list_remove(&edge->in_up);
        list_remove(&edge->in_down);
        return;
    }
    downstream->edges_since_ms = row->since_ms;
    downstream->edges_since_id = row->since_id;
    edge = arena_zalloc(&checker->forever, sizeof *edge);
    *edge = (struct edge){
        .upstream = upstream, .downstream = downstream, .on = row->on, .since_batch = checker->view.number};
    list_node_init(&edge->in_up);
    list_node_init(&edge->in_down);
    list_push_back(&downstream->upstreams, &edge->in_up);
    list_push_back(&upstream->downstreams, &edge->in_down);
}

/* ---- settings, limiters, circuits ---- */

static void put_setting(struct checker *checker, const struct setting_row *row)
{
    struct scope_state *scope = checker_scope_get(checker, row->scope, row->tenant, row->name);
    struct settings settings;
    struct error error = {0};
    enum err err = settings_read_stored(row->scope, row->text, &settings, &error);

    if (!checker_expect(checker, RULE_ROW, err == ERR_OK, "the settings of %s %.*s cannot be read: %s",
                        scope_text(row->scope), STR_ARGS(row->name), error.text)) {
        return;
    }
    if (scope->changed_batch != checker->view.number) {
        scope->changed_batch = checker->view.number;
        scope->before = scope->settings;
        scope->seen = NULL;
        scope->most_in_flight = scope->settings.max_in_flight;
    }
    struct settings_seen *seen = arena_alloc(&checker->of_batch, sizeof *seen);

    *seen = (struct settings_seen){.settings = scope->settings, .next = scope->seen};
    scope->seen = seen;
    scope->settings = settings;
    if (scope->most_in_flight != SETTING_NONE &&
        (settings.max_in_flight == SETTING_NONE || settings.max_in_flight > scope->most_in_flight)) {
        scope->most_in_flight = settings.max_in_flight;
    }
}

static void put_limiter(struct checker *checker, const struct limiter_row *row)
{
    struct scope_state *scope = checker_scope_get(checker, row->scope, row->tenant, row->name);

    checker_expect(checker, RULE_RATE, scope->stored_batch != checker->view.number,
                   "the limiter of %s %.*s is written twice", scope_text(row->scope), STR_ARGS(row->name));
    scope->stored_batch = checker->view.number;
    scope->had_stored = scope->has_stored;
    scope->stored_before_ms = scope->stored_ms;
    scope->has_stored = true;
    scope->stored_ms = row->tat_ms;
}

static void change_circuit(struct checker *checker, const struct circuit_row *row, bool is_put)
{
    struct circuit_state *circuit = checker_circuit_get(checker, row->tenant, row->type, row->job);

    if (circuit->changed_batch != checker->view.number) {
        circuit->changed_batch = checker->view.number;
        circuit->was_there = circuit->is_there;
        circuit->was_half_open = circuit->is_half_open;
        circuit->was_until_ms = circuit->open_until_ms;
    }
    checker_expect(checker, RULE_GUARD, is_put || circuit->is_there, "DELETE of the circuit %.*s/%.*s, not there",
                   STR_ARGS(row->tenant), STR_ARGS(row->type));
    circuit->is_there = is_put;
    circuit->is_half_open = is_put && row->is_half_open;
    circuit->open_until_ms = is_put ? row->open_until_ms : 0;
}

/* ---- keys, counters, ids ---- */

static void put_idem(struct checker *checker, const struct idem_row *row)
{
    struct idem *idem = checker_idem_get(checker, row->tenant, row->key);

    checker_expect(checker, RULE_IDEM, idem->batch == 0 || row->created_ms >= idem->created_ms + IDEM_KEPT_MS,
                   "the key %.*s of %.*s is used a second time: at %s, first at %s", STR_ARGS(row->key),
                   STR_ARGS(row->tenant), checker_time_text(row->created_ms), checker_time_text(idem->created_ms));
    idem->hash[0] = row->hash[0];
    idem->hash[1] = row->hash[1];
    idem->created_ms = row->created_ms;
    idem->batch = checker->view.number;
    idem->has_ids = false;
    checker->view.idem_count++;
}

static void put_tenant(struct checker *checker, const struct tenant_row *row)
{
    checker_tenant_get(checker, row->tenant)->stored = row->jobs;
}

static void reserve_ids(struct checker *checker, int64_t high_ms)
{
    checker->id_high_ms = high_ms > checker->id_high_ms ? high_ms : checker->id_high_ms;
}

/* ---- all of them ---- */

static void apply_op(struct checker *checker, const struct op *op)
{
    switch (op->kind) {
    case OP_JOB_INSERT:
    case OP_JOB_UPDATE:
    case OP_JOB_DELETE:
    case OP_VERSION_INSERT:
        checker_apply_job(checker, op);
        break;
    case OP_TRIGGER_INSERT:
    case OP_TRIGGER_UPDATE:
    case OP_TRIGGER_REPLAYED:
    case OP_TRIGGER_DELETE:
    case OP_ATTEMPT_INSERT:
    case OP_ATTEMPT_DELETE:
        checker_apply_trigger(checker, op);
        break;
    case OP_CLAIMS_INSERT:
    case OP_CLAIMS_DELETE:
        checker_apply_claims(checker, op);
        break;
    case OP_SKIP_PUT:
        put_skip(checker, &op->skip);
        break;
    case OP_WAIT_PUT:
    case OP_WAIT_DELETE: /* checker_deps.c: their key needs the whole graph */
        break;
    case OP_EDGE_INSERT:
    case OP_EDGE_DELETE:
        change_edge(checker, &op->edge, op->kind == OP_EDGE_INSERT);
        break;
    case OP_SETTING_PUT:
        put_setting(checker, &op->setting);
        break;
    case OP_LIMITER_PUT:
        put_limiter(checker, &op->limiter);
        break;
    case OP_CIRCUIT_PUT:
    case OP_CIRCUIT_DELETE:
        change_circuit(checker, &op->circuit, op->kind == OP_CIRCUIT_PUT);
        break;
    case OP_IDEM_PUT:
        put_idem(checker, &op->idem);
        break;
    case OP_TENANT_PUT:
        put_tenant(checker, &op->tenant);
        break;
    case OP_RULES_PUT: /* zones of a simulated world keep their rules */
        break;
    case OP_IDS_RESERVE:
        reserve_ids(checker, op->ms);
        break;
    }
}

void checker_apply(struct checker *checker)
{
    BATCH_EACH(checker->view.batch, chunk, i)
    {
        if (checker_is_failed(checker)) {
            return;
        }
        apply_op(checker, &chunk->ops[i]);
    }
}
