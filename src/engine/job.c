#include "engine/job.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/circuit.h"
#include "engine/gather.h"
#include "engine/line.h"
#include "engine/key.h"
#include "engine/settings.h"
#include "engine/timers.h"
#include "engine/trigger.h"
#include "engine/window.h"

/* With more living triggers than this the exact wake is not looked for: an earlier one does no harm. */
#define WAKE_SCAN_MAX 64

/* ---- policies: shared ---- */

static void policy_fill(struct policy_body *body, const struct job_def *def)
{
    struct retry plain = retry_default();

    memset(body, 0, sizeof *body); /* compared by bytes: no padding may be left to chance */
    body->retry.max_attempts = def->retry.max_attempts;
    body->retry.delay_count = def->retry.delay_count;
    for (int i = 0; i < def->retry.delay_count; i++) {
        body->retry.delays_ms[i] = def->retry.delays_ms[i];
    }
    body->retry.base_ms = def->retry.base_ms;
    body->retry.factor_milli = def->retry.factor_milli;
    body->retry.max_ms = def->retry.max_ms;
    body->retry.jitter_milli = def->retry.jitter_milli;
    body->is_retry_default = retry_equal(&def->retry, &plain);
    body->is_timeout_default = def->timeout_ms == JOB_TIMEOUT_DEFAULT_MS;
    body->overlap = def->overlap;
    body->misfire = def->misfire;
    body->misfire_after_ms = def->misfire_after_ms;
    body->timeout_ms = def->timeout_ms;
    body->lease_ms = def->lease_ms;
    body->expires_after_ms = def->expires_after_ms;
    body->jitter_ms = def->jitter_ms;
    body->dead.is_set = def->dead_policy.is_set;
    body->dead.replay_after_ms = def->dead_policy.replay_after_ms;
    body->dead.max_replays = def->dead_policy.max_replays;
}

static struct policy *policy_get(struct engine *engine, const struct job_def *def)
{
    struct policy *policy = mem_zalloc(sizeof *policy);

    policy_fill(&policy->body, def);
    struct map_node *there =
        map_insert_text(&engine->policies, &policy->node, str_from_bytes(&policy->body, sizeof policy->body));
    if (there != NULL) {
        mem_free(policy);
        policy = CONTAINER_OF(there, struct policy, node);
    }
    policy->users++;
    return policy;
}

static void policy_put(struct engine *engine, struct policy *policy)
{
    if (--policy->users == 0) {
        map_remove(&engine->policies, &policy->node);
        mem_free(policy);
    }
}

/* ---- parts of a definition ---- */

static enum job_rhythm rhythm_of(const struct job_def *def, const struct schedule *schedule)
{
    if (def->when == WHEN_UPSTREAM) {
        return RHYTHM_UPSTREAM;
    }
    if (schedule->kind == SCHEDULE_ONCE) {
        return RHYTHM_ONCE;
    }
    return schedule->kind == SCHEDULE_EVERY && schedule->after_finish ? RHYTHM_FINISH : RHYTHM_REPEAT;
}

static enum err schedule_of(struct engine *engine, uint64_t id, const struct job_def *def, struct job_begin begin,
                            struct schedule *ret_schedule, struct error *reterr)
{
    char seed[ID_TEXT_BYTES];

    if (def->when == WHEN_UPSTREAM) {
        *ret_schedule = schedule_unbounded(SCHEDULE_ONCE);
        return ERR_OK;
    }
    id_format(ID_JOB, id, seed);
    return job_def_schedule_by_rules(def, engine->config.zones, begin.rules, begin.anchor_ms, str_from(seed),
                                     ret_schedule, reterr);
}

static void keep_def(struct engine *engine, struct job *job, struct str canonical)
{
    engine->def_bytes -= job->def_len;
    mem_free(job->def);
    job->def = NULL;
    job->def_len = 0;
    assert(canonical.len <= UINT32_MAX); /* JSON_BYTES_MAX is far below */
    if (canonical.len + engine->def_bytes <= engine->config.def_bytes_max) {
        job->def = mem_dup(canonical.ptr, canonical.len);
        job->def_len = (uint32_t)canonical.len;
        engine->def_bytes += job->def_len;
    }
}

void job_give_def(struct engine *engine, struct job *job, struct str canonical)
{
    assert(job->def == NULL && canonical.len <= UINT32_MAX);
    job->def = mem_dup(canonical.ptr, canonical.len);
    job->def_len = (uint32_t)canonical.len;
    engine->def_bytes += job->def_len;
}

static void take_place(struct engine *engine, struct job *job, const struct job_def *def)
{
    struct ready_place place = {.pool = def->pool,
                                .tenant = def->tenant,
                                .type = def->type,
                                .priority = def->priority,
                                .target = def->target_kind};

    job->bucket = ready_bucket_get(engine->ready, &place);
    window_join(engine, job);
}

static void take_def(struct engine *engine, struct job *job, const struct job_def *def, const struct schedule *schedule,
                     struct str canonical)
{
    take_place(engine, job, def);
    job->policy = policy_get(engine, def);
    job->rhythm = rhythm_of(def, schedule);
    if (job->rhythm == RHYTHM_REPEAT || job->rhythm == RHYTHM_FINISH) {
        job->schedule = mem_dup(schedule, sizeof *schedule);
    }
    if (!str_empty(def->concurrency_key)) {
        job->key = key_get(engine, def->tenant, def->concurrency_key);
        job->key_max = def->concurrency_max;
    }
    keep_def(engine, job, canonical);
}

static void drop_def(struct engine *engine, struct job *job)
{
    window_leave(engine, job);
    ready_bucket_put(engine->ready, job->bucket);
    policy_put(engine, job->policy);
    mem_free(job->schedule);
    job->schedule = NULL;
    if (job->key != NULL) {
        key_put(engine, job->key);
        job->key = NULL;
    }
}

/* ---- coming and going ---- */

static void name_add(struct engine *engine, struct job *job, struct str tenant, struct str name)
{
    struct job_name *entry = mem_alloc(sizeof *entry + tenant.len + 1 + name.len + 1);
    struct str key = {entry->key, tenant.len + 1 + name.len};

    memset(entry, 0, sizeof *entry);
    memcpy(entry->key, tenant.ptr, tenant.len);
    entry->key[tenant.len] = '\0';
    memcpy(entry->key + tenant.len + 1, name.ptr, name.len);
    entry->key[key.len] = '\0';
    entry->job = job;
    entry->name = (struct str){entry->key + tenant.len + 1, name.len};
    struct map_node *there = map_insert_text(&engine->names, &entry->node, key);
    assert(there == NULL);
    job->name = entry;
}

enum err job_new(struct engine *engine, uint64_t id, const struct job_def *def, struct str canonical,
                 struct job_begin begin, struct job **ret_job, struct error *reterr)
{
    struct schedule schedule;
    enum err err = schedule_of(engine, id, def, begin, &schedule, reterr);

    if (err != ERR_OK) {
        return err;
    }
    struct job *job = mem_zalloc(sizeof *job);

    job->id = id;
    job->version = 1;
    job->cursor_ms = job->held_to_ms = job->missed_to_ms = job->wake_ms = TIME_NONE;
    job->anchor_ms = begin.anchor_ms;
    timer_init(&job->fire.timer, TIMER_FIRE);
    list_node_init(&job->touched);
    list_node_init(&job->of_window);
    list_init(&job->triggers);
    idmap_put(&engine->jobs, id, job);
    take_def(engine, job, def, &schedule, canonical);
    if (!str_empty(def->name)) {
        name_add(engine, job, def->tenant, def->name);
    }
    if (job->rhythm == RHYTHM_ONCE) {
        job->cursor_ms = schedule.once_ms;
    }
    *ret_job = job;
    return ERR_OK;
}

enum err job_redefine(struct engine *engine, struct job *job, const struct job_def *def, struct str canonical,
                      struct job_begin begin, struct error *reterr)
{
    struct schedule schedule;
    enum err err = schedule_of(engine, job->id, def, begin, &schedule, reterr);

    if (err != ERR_OK) {
        return err;
    }
    drop_def(engine, job);
    take_def(engine, job, def, &schedule, canonical);
    job->anchor_ms = begin.anchor_ms;
    return ERR_OK;
}

void job_free(struct engine *engine, struct job *job)
{
    assert(job->running == 0 && job->pins == 0 && job->graph == NULL);
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_first(&job->triggers)) {
        trigger_free(engine, CONTAINER_OF(node, struct trigger, link));
    }
    entry_park(engine, &job->fire);
    circuit_free(engine, job);
    drop_def(engine, job);
    engine->def_bytes -= job->def_len;
    mem_free(job->def);
    if (job->name != NULL) {
        map_remove(&engine->names, &job->name->node);
        mem_free(job->name);
    }
    if (job->line != NULL) {
        heap_done(job->line);
        mem_free(job->line);
    }
    list_remove(&job->touched);
    idmap_remove(&engine->jobs, job->id);
    mem_free(job);
}

enum err job_def_of_text(struct str text, struct arena *arena, struct job_def *ret_def, struct error *reterr)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    enum err err = jr_parse(text, NULL, &doc, reterr);

    if (err == ERR_OK) {
        err = job_def_read(text, jr_root(&doc), arena, ret_def, reterr);
    }
    return err;
}

static void install_fields(struct job *job, const struct job_row *row)
{
    job->status = row->status;
    job->version = row->version;
    job->cursor_ms = row->cursor_ms;
    job->wake_ms = row->wake_ms;
    job->held_to_ms = row->held_to_ms;
    job->missed_to_ms = row->missed_to_ms;
    job->fired = row->fired;
    job->created_ms = row->created_ms;
    job->updated_ms = row->updated_ms;
    job->is_in_store = true;
}

enum err job_install(struct engine *engine, const struct job_row *row, struct job **ret_job, struct error *reterr)
{
    SCOPE(arena_done) struct arena arena;
    struct job_def def;

    arena_init(&arena, 4096, JSON_BYTES_MAX * 4UL);
    enum err err = job_def_of_text(row->def, &arena, &def, reterr);
    if (err == ERR_OK) {
        def.tenant = row->place.tenant;
        def.name = row->name;
        err = job_new(engine, row->id, &def, row->def, (struct job_begin){row->anchor_ms, row->rules}, ret_job, reterr);
    }
    if (err != ERR_OK) {
        char id[ID_TEXT_BYTES];

        id_format(ID_JOB, row->id, id);
        return err_wrap(reterr, err, "the stored definition of %s", id);
    }
    install_fields(*ret_job, row);
    struct circuit_row *circuit = idmap_find(&engine->stored_circuits, row->id);
    if (circuit != NULL) {
        circuit_restore(engine, *ret_job, circuit);
        idmap_remove(&engine->stored_circuits, row->id);
        mem_free(circuit);
    }
    return ERR_OK;
}

/* ---- asking ---- */

struct job *job_by_id(const struct engine *engine, uint64_t id)
{
    return idmap_find(&engine->jobs, id);
}

struct job *job_by_name(const struct engine *engine, struct str tenant, struct str name)
{
    char key[2 * 256 + 2];

    if (tenant.len + name.len + 1 > sizeof key) {
        return NULL;
    }
    memcpy(key, tenant.ptr, tenant.len);
    key[tenant.len] = '\0';
    memcpy(key + tenant.len + 1, name.ptr, name.len);
    struct map_node *node = map_find_text(&engine->names, (struct str){key, tenant.len + 1 + name.len});
    return node != NULL ? CONTAINER_OF(node, struct job_name, node)->job : NULL;
}

struct str job_tenant(const struct job *job)
{
    return ready_bucket_place(job->bucket).tenant;
}

struct str job_type(const struct job *job)
{
    return ready_bucket_place(job->bucket).type;
}

int64_t job_due_ms(const struct job *job, int64_t nominal_ms)
{
    if (BUG(JITTER_FORGOTTEN)) {
        return nominal_ms;
    }
    if (BUG(FIRE_EARLY)) {
        return nominal_ms - 5;
    }
    if (job->schedule != NULL && job->rhythm == RHYTHM_REPEAT) {
        return schedule_due_ms(job->schedule, job->id, nominal_ms);
    }
    if (job->policy->body.jitter_ms == 0) {
        return nominal_ms;
    }
    struct schedule once = schedule_unbounded(SCHEDULE_ONCE);

    once.once_ms = nominal_ms;
    once.jitter_ms = job->policy->body.jitter_ms;
    return schedule_due_ms(&once, job->id, nominal_ms);
}

int64_t job_wake_ms(const struct job *job)
{
    int64_t wake_ms = TIME_NONE;

    if (job->status == JOB_PAUSED || job->status == JOB_CANCELLED) {
        return TIME_NONE;
    }
    if (job->status == JOB_ACTIVE && job->cursor_ms != TIME_NONE) {
        wake_ms = job_due_ms(job, job->cursor_ms);
    }
    if (job->living > WAKE_SCAN_MAX && job->wake_ms != TIME_NONE) {
        return earlier_or_none(wake_ms, job->wake_ms);
    }
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (trigger->state == TRIGGER_PENDING) {
            wake_ms = earlier_or_none(wake_ms, trigger->entry.due_ms);
        }
    }
    return wake_ms;
}

void job_rewake(struct engine *engine, struct job *job)
{
    if (job->is_in_store && job->op_batch != engine->batch && job_wake_ms(job) != job->wake_ms) {
        gather_job(engine, job);
    }
}

const struct retry *job_retry(const struct engine *engine, const struct job *job)
{
    const struct retry *set = NULL;

    if (job->policy->body.is_retry_default) {
        set = settings_retry(engine, job_tenant(job), job_type(job));
    }
    return set != NULL ? set : &job->policy->body.retry;
}

int64_t job_timeout_ms(const struct engine *engine, const struct job *job)
{
    int64_t set_ms = SETTING_NONE;

    if (job->policy->body.is_timeout_default && engine->timeouts_set > 0) {
        set_ms = settings_timeout_ms(engine, job_tenant(job), job_type(job));
    }
    return set_ms != SETTING_NONE ? set_ms : job->policy->body.timeout_ms;
}

struct dead_policy job_dead_policy(const struct engine *engine, const struct job *job)
{
    if (job->policy->body.dead.is_set) {
        return job->policy->body.dead;
    }
    return settings_dead_policy(engine, job_tenant(job), job_type(job));
}

/* ---- leaving ---- */

bool job_may_leave(const struct engine *engine, const struct job *job)
{
    if (job->running > 0 || job->pins > 0 || job->graph != NULL || circuit_keeps(job)) {
        return false;
    }
    if ((job->touched_batch > engine->durable && !BUG(EVICTED_DIRTY)) ||
        (job->wake_ms != TIME_NONE && !window_is_behind(engine, job))) {
        return false;
    }
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        if (CONTAINER_OF(node, struct trigger, link)->dropping != NULL) {
            return false;
        }
    }
    return true;
}

void job_leave_if_free(struct engine *engine, struct job *job)
{
    if ((!list_linked(&job->touched) || BUG(EVICTED_DIRTY)) && job_may_leave(engine, job)) {
        window_note_gone(engine, job);
        job_free(engine, job);
    }
}

void job_settle_durable(struct engine *engine)
{
    for (struct list_node *node = list_first(&engine->touched); node != NULL; node = list_first(&engine->touched)) {
        struct job *job = CONTAINER_OF(node, struct job, touched);

        if (job->touched_batch > engine->durable) {
            return;
        }
        list_remove(&job->touched);
        job_leave_if_free(engine, job);
    }
}
