#include "engine/restore.h"

#include "base/mem.h"
#include "engine/circuit.h"
#include "engine/deps.h"
#include "engine/fire.h"
#include "engine/job.h"
#include "engine/lease.h"
#include "engine/line.h"
#include "engine/recent.h"
#include "engine/rules.h"
#include "engine/settings.h"
#include "engine/timers.h"
#include "engine/trigger.h"
#include "engine/window.h"

/* ---- jobs ---- */

/* Triggers of jobs that were just made; those of others are ignored (rule 1). */
static void install_triggers(struct engine *engine, const struct rows *rows, const struct idmap *made)
{
    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *row = &rows->triggers.items[i];
        struct job *job = trigger_ended(row->state) ? NULL : idmap_find(made, row->job);

        if (job != NULL && trigger_by_id(engine, row->id) == NULL) {
            trigger_install(engine, job, row);
        }
    }
}

static void arm(struct engine *engine, struct job *job)
{
    struct list_node *next;

    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = next) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        next = list_next(&job->triggers, node); /* it may expire */
        if (trigger->state == TRIGGER_PENDING &&
            trigger->entry.place == ENTRY_IDLE) { /* an upstream may have set it free */
            entry_set_trigger(engine, trigger);
        }
    }
    fire_arm(engine, job);
}

/* Makes those that are not in memory; made holds them. */
static void make_jobs(struct engine *engine, const struct rows *rows, struct idmap *made)
{
    for (size_t i = 0; i < rows->jobs.count; i++) {
        const struct job_row *row = &rows->jobs.items[i];
        struct job *job = job_by_id(engine, row->id);
        struct error error;

        if (job != NULL) {
            if (job->def == NULL && job->version == row->version) {
                job_give_def(engine, job, row->def);
            }
            continue;
        }
        if (recent_is_deleted(engine, ID_JOB, row->id)) {
            continue;
        }
        if (job_install(engine, row, &job, &error) != ERR_OK) {
            engine->unreadable++;
            continue;
        }
        idmap_put(made, job->id, job);
    }
}

void restore_jobs(struct engine *engine, const struct rows *rows)
{
    struct idmap made;

    idmap_init(&made, engine->config.seed);
    make_jobs(engine, rows, &made);
    install_triggers(engine, rows, &made);
    for (size_t i = 0; i < rows->jobs.count; i++) {
        struct job *job = idmap_find(&made, rows->jobs.items[i].id);

        if (job != NULL) {
            idmap_remove(&made, job->id); /* once */
            arm(engine, job);
        }
    }
    idmap_done(&made);
}

/* ---- claims ---- */

/* Rule 2 of record.h. */
static bool is_living(const struct job *job, const struct trigger_row *row, const struct claim *claim)
{
    if (job == NULL) {
        return false;
    }
    if (row != NULL) {
        return !trigger_ended(row->state) && claim->number > row->attempts;
    }
    if (job->rhythm == RHYTHM_ONCE && claim->kind == TRIGGER_SCHEDULE) {
        return job->status != JOB_COMPLETED && job->status != JOB_CANCELLED;
    }
    return true;
}

/* The trigger of a claim: there by its row, or known by the claim alone. */
static struct trigger *trigger_of(struct engine *engine, struct job *job, const struct claim *claim)
{
    struct trigger *trigger = trigger_by_id(engine, claim->trigger);

    if (trigger == NULL) {
        trigger = trigger_new(engine, job, claim->trigger, claim->kind, claim->scheduled_ms,
                              job_due_ms(job, claim->scheduled_ms));
        trigger->version = claim->version;
        trigger->created_ms = claim->started_ms;
        trigger->attempts = claim->number - 1;
        if (job->rhythm == RHYTHM_ONCE && claim->kind == TRIGGER_SCHEDULE && job->cursor_ms != TIME_NONE) {
            job->cursor_ms = TIME_NONE; /* the claim is its decision, unless its row says so already */
            job->fired++;
        }
    }
    return trigger;
}

static void restore_claims(struct engine *engine, const struct rows *rows)
{
    struct idmap by_id;

    idmap_init(&by_id, engine->config.seed);
    for (size_t i = 0; i < rows->triggers.count; i++) {
        if (idmap_find(&by_id, rows->triggers.items[i].id) == NULL) {
            idmap_put(&by_id, rows->triggers.items[i].id, &rows->triggers.items[i]);
        }
    }
    for (size_t i = 0; i < rows->claims.count; i++) {
        const struct claims_row *row = &rows->claims.items[i];
        struct claims *claims = claims_new(row->id);

        claims_stored(engine, claims, row->claims, row->count);
        for (size_t c = 0; c < row->count; c++) {
            const struct claim *claim = &row->claims[c];
            struct job *job = job_by_id(engine, claim->job);

            if (is_living(job, idmap_find(&by_id, claim->trigger), claim)) {
                lease_restore(engine, trigger_of(engine, job, claim), claim, claims);
            }
        }
        if (claims->count == 0) { /* cannot be: its row goes with its last claim */
            claims_free(claims);
        }
    }
    idmap_done(&by_id);
}

/* A half open breaker has one probe out at most: of what runs, the attempt that began last. */
static void restore_probes(struct engine *engine)
{
    struct list *orphans = &engine->orphans;

    for (struct list_node *node = list_last(orphans); node != NULL;
         node = node->prev == &orphans->head ? NULL : node->prev) {
        struct lease *lease = CONTAINER_OF(node, struct lease, of_worker);
        struct circuit *circuit = lease->trigger->job->circuit;

        if (!str_is(ready_bucket_place(lease->bucket).type, READY_TYPE_NONE)) {
            lease->is_probe = ready_recount_probe(engine->ready, lease->bucket);
        } else if (circuit != NULL && circuit->breaker.state == BREAKER_HALF_OPEN && !circuit->breaker.is_probing) {
            circuit->breaker.is_probing = true;
            lease->circuit = circuit;
        }
    }
}

/* ---- the rest ---- */

static enum err restore_settings(struct engine *engine, const struct rows *rows, struct error *reterr)
{
    for (size_t i = 0; i < rows->settings.count; i++) {
        const struct setting_row *row = &rows->settings.items[i];
        struct settings settings;
        enum err err = settings_read_stored(row->scope, row->text, &settings, reterr);

        if (err != ERR_OK) {
            return err_wrap(reterr, err, "the stored settings of %s %.*s", scope_text(row->scope), STR_ARGS(row->name));
        }
        settings_take(engine, row->scope, row->tenant, row->name, &settings);
    }
    for (size_t i = 0; i < rows->tenants.count; i++) {
        settings_tenant(engine, rows->tenants.items[i].tenant)->jobs = rows->tenants.items[i].jobs;
        engine->tenant_jobs += rows->tenants.items[i].jobs;
    }
    return ERR_OK;
}

static void restore_gates(struct engine *engine, const struct rows *rows)
{
    for (size_t i = 0; i < rows->limiters.count && !BUG(RATE_REFILLED); i++) {
        const struct limiter_row *row = &rows->limiters.items[i];
        struct ready_limiter limiter = {
            .scope = row->scope, .tenant = row->tenant, .name = row->name, .tat_ms = mono_of_wall(engine, row->tat_ms)};

        ready_restore_limiter(engine->ready, &limiter);
    }
    for (size_t i = 0; i < rows->circuits.count && !BUG(BREAKER_UNSTORED); i++) {
        const struct circuit_row *row = &rows->circuits.items[i];
        bool is_half_open = row->is_half_open || row->open_until_ms <= engine->now_ms;
        struct ready_circuit circuit = {
            .tenant = row->tenant,
            .type = row->type,
            .state = is_half_open ? BREAKER_HALF_OPEN : BREAKER_OPEN,
            .open_until_ms = is_half_open ? 0 : mono_of_wall(engine, row->open_until_ms),
        };
        struct job *job = row->job != 0 ? job_by_id(engine, row->job) : NULL;

        if (job != NULL) {
            circuit_restore(engine, job, row);
        } else if (row->job != 0) {
            idmap_put(&engine->stored_circuits, row->job, mem_dup(row, sizeof *row)); /* its texts are not used */
        } else {
            ready_restore_circuit(engine->ready, &circuit, engine->mono_ms);
        }
    }
}

static void restore_graph(struct engine *engine, const struct rows *rows)
{
    for (size_t i = 0; i < rows->edges.count; i++) {
        const struct edge_row *row = &rows->edges.items[i];
        struct job *down = job_by_id(engine, row->downstream);
        struct job *up = job_by_id(engine, row->upstream);

        if (down != NULL && up != NULL) {
            struct deps_edge edge = {.upstream = up, .on = row->on};

            deps_attach(down, &edge, 1, (struct deps_since){.ms = row->since_ms, .id = row->since_id});
        }
    }
    deps_settle_rhythms(engine);
    for (size_t i = 0; i < rows->waits.count; i++) {
        deps_restore(engine, &rows->waits.items[i]);
    }
}

enum err restore_all(struct engine *engine, const struct rows *rows, struct error *reterr)
{
    struct idmap made;
    struct job *job;
    enum err err = restore_settings(engine, rows, reterr);

    if (err != ERR_OK) {
        return err;
    }
    idmap_init(&made, engine->config.seed);
    rules_restore(engine, rows);
    make_jobs(engine, rows, &made);
    install_triggers(engine, rows, &made);
    restore_graph(engine, rows);
    restore_gates(engine, rows);
    restore_claims(engine, rows);
    restore_probes(engine);
    for (size_t i = 0; i < rows->places.count; i++) {
        window_restore(engine, &rows->places.items[i]);
    }
    for (size_t i = 0; i < rows->jobs.count; i++) {
        job = idmap_find(&made, rows->jobs.items[i].id);
        if (job != NULL) {
            idmap_remove(&made, job->id);
            arm(engine, job);
            job_leave_if_free(engine, job); /* it came for a claim that had ended */
        }
    }
    idmap_done(&made);
    return ERR_OK;
}
