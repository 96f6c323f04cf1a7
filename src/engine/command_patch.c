#include <assert.h>
#include <string.h>

#include "base/json_raw.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "engine/command.h"
#include "engine/deps.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/lease.h"
#include "engine/line.h"
#include "engine/rules.h"
#include "engine/settings.h"
#include "engine/trigger.h"

/* ---- the new text ---- */

/* A member that is there, as it was written. */
static void put_member(struct jw *jw, struct str text, struct str key)
{
    struct str raw;
    bool is_there = jraw_member(text, key, &raw);

    assert(is_there);
    jw_key_str(jw, key);
    jw_raw(jw, raw);
}

/* Members of the old text that the patch does not name, then those that it gives. */
static void merge(struct str old_text, struct jr old, struct str patch_text, struct jr patch, struct buf *out)
{
    struct jr_iter iter = {0};
    struct jw jw;
    struct str key;
    struct jr value;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    while (jr_next(old, &iter, &key, &value)) {
        char name[64];

        assert(key.len < sizeof name); /* it is our own text: one of the fields */
        memcpy(name, key.ptr, key.len);
        name[key.len] = '\0';
        if (!jr_has(patch, name)) {
            put_member(&jw, old_text, key);
        }
    }
    iter = (struct jr_iter){0};
    while (jr_next(patch, &iter, &key, &value)) {
        if (jr_kind(value) != JR_NULL) {
            put_member(&jw, patch_text, key);
        }
    }
    jw_end_object(&jw);
    jw_done(&jw);
}

static enum err merged(const struct job *job, struct str patch_text, struct arena *arena, struct job_def *ret_def,
                       struct error *error)
{
    SCOPE(jr_done) struct jr_doc old_doc = {0};
    SCOPE(jr_done) struct jr_doc patch_doc = {0};
    SCOPE(buf_done) struct buf text;
    struct str old_text = str_from_bytes(job->def, job->def_len);
    struct jr patch;

    buf_init(&text, JSON_BYTES_MAX);
    enum err err = jr_parse(patch_text, NULL, &patch_doc, error);
    if (err == ERR_OK) {
        err = jr_as_object(jr_root(&patch_doc), &patch, error);
    }
    if (err != ERR_OK) {
        return err;
    }
    if (jr_has(patch, "name") || jr_has(patch, "tenant")) {
        return err_in_field(error, err_set(error, ERR_UNPROCESSABLE, "a job keeps its name and its tenant"),
                            jr_has(patch, "name") ? "name" : "tenant");
    }
    err = jr_parse(old_text, NULL, &old_doc, error);
    assert(err == ERR_OK); /* it was read as a definition */
    merge(old_text, jr_root(&old_doc), patch_text, patch, &text);
    if (buf_overflowed(&text)) {
        return err_set(error, ERR_TOO_LARGE, "the definition would be larger than %d bytes", JSON_BYTES_MAX);
    }
    struct str kept = {arena_strdup_str(arena, buf_str(&text)), text.len};

    return job_def_of_text(kept, arena, ret_def, error);
}

/* ---- what changes ---- */

static bool same_schedule(const struct job_def *a, const struct job_def *b)
{
    return a->when == b->when && a->run_at_ms == b->run_at_ms && a->delay_ms == b->delay_ms &&
           str_equal(a->cron, b->cron) && a->every_ms == b->every_ms && a->after_finish == b->after_finish &&
           str_equal(a->timezone, b->timezone) && a->dst.gap == b->dst.gap && a->dst.fold == b->dst.fold &&
           a->starts_at_ms == b->starts_at_ms && a->ends_at_ms == b->ends_at_ms && a->max_fires == b->max_fires &&
           a->jitter_ms == b->jitter_ms;
}

static bool same_upstreams(const struct job_def *a, const struct job_def *b)
{
    bool is_same = a->depends_on_count == b->depends_on_count;

    for (size_t i = 0; is_same && i < a->depends_on_count; i++) {
        is_same = a->depends_on[i].on == b->depends_on[i].on && str_equal(a->depends_on[i].job, b->depends_on[i].job);
    }
    return is_same;
}

static enum err check_rhythm(struct engine *engine, struct job *job, const struct job_def *def, struct error *error)
{
    bool was_upstream = job->rhythm == RHYTHM_UPSTREAM;
    bool is_once = def->when == WHEN_NOW || def->when == WHEN_AT || def->when == WHEN_DELAY;

    if (was_upstream != (def->when == WHEN_UPSTREAM)) {
        return err_set(
            error, ERR_UNPROCESSABLE,
            "a job with a schedule and one that depends on others do not turn into each other; create another job");
    }
    if (is_once && job->rhythm == RHYTHM_ONCE && job->fired > 0) {
        return err_set(error, ERR_CONFLICT, "it has fired already; create another job to run it once more");
    }
    if (deps_has_dependents(job) && is_once != (job->rhythm == RHYTHM_ONCE)) {
        return err_set(error, ERR_UNPROCESSABLE, "others depend on it: it stays %s",
                       job->rhythm == RHYTHM_ONCE ? "a one-time job" : "a recurring job");
    }
    (void)engine;
    return ERR_OK;
}

static bool has_fires(const struct engine *engine, const struct job *job, const struct schedule *schedule)
{
    int64_t next_ms;

    if (schedule_next_counted(schedule, engine->now_ms, job->fired, &next_ms)) {
        return true;
    }
    /* After finish: what runs will say when the next one is; a start that is over means now. */
    return schedule->after_finish && job->fired < schedule->max_fires && engine->now_ms < schedule->ends_at_ms &&
           (fire_has_living(job) || schedule->first_ms <= engine->now_ms);
}

/* The fire of a one-time job that was decided without a run; TIME_NONE: it is still to come. */
static int64_t decided_once_ms(struct engine *engine, const struct job *job, const struct job_def *old)
{
    struct schedule schedule;
    struct error error;
    char seed[ID_TEXT_BYTES];

    id_format(ID_JOB, job->id, seed);
    if (job->rhythm != RHYTHM_ONCE || job->cursor_ms != TIME_NONE ||
        job_def_schedule(old, engine->config.zones, job->anchor_ms, str_from(seed), &schedule, &error) != ERR_OK) {
        return TIME_NONE;
    }
    return schedule.once_ms;
}

/* The schedule it would have; fails where it would never fire. */
static enum err check_schedule(struct engine *engine, struct job *job, const struct job_def *old,
                               const struct job_def *def, struct error *error)
{
    int64_t decided_ms = decided_once_ms(engine, job, old);
    struct schedule schedule;
    char seed[ID_TEXT_BYTES];
    enum err err = check_rhythm(engine, job, def, error);

    if (err != ERR_OK || def->when == WHEN_UPSTREAM) {
        return err;
    }
    id_format(ID_JOB, job->id, seed);
    err = job_def_schedule(def, engine->config.zones, engine->now_ms, str_from(seed), &schedule, error);
    if (err == ERR_OK && schedule.kind == SCHEDULE_ONCE &&
        (schedule.once_ms < engine->now_ms ||
         (def->when == WHEN_AT && schedule.once_ms <= max_ms(engine->now_ms, decided_ms)))) {
        return err_set(error, ERR_NEVER_FIRES, "this time has passed, and a change makes no past fires");
    }
    if (err == ERR_OK && schedule.kind != SCHEDULE_ONCE && !has_fires(engine, job, &schedule)) {
        err = err_set(error, ERR_NEVER_FIRES, "this schedule has no fire left; look at its bounds and at max_fires");
    }
    return err == ERR_OK ? deps_check_schedule(engine, job, &schedule, error) : err;
}

/* Triggers keep their version's type and target; pool and priority follow the job. */
static void move_triggers(struct engine *engine, struct job *job)
{
    struct ready_place place = ready_bucket_place(job->bucket);

    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);
        struct ready_bucket *old = trigger->bucket;

        place.type = ready_bucket_place(old).type;
        place.target = ready_bucket_place(old).target;
        entry_park(engine, &trigger->entry);
        trigger->bucket = ready_bucket_get(engine->ready, &place);
        ready_bucket_put(engine->ready, old);
        lease_retime(engine, trigger);
    }
}

/* A trigger that is known by its claim alone gets a row, so that its version's type and kind of target can be found
 * again. */
static void keep_types(struct engine *engine, struct job *job)
{
    for (struct list_node *node = list_first(&job->triggers); node != NULL; node = list_next(&job->triggers, node)) {
        struct trigger *trigger = CONTAINER_OF(node, struct trigger, link);

        if (!trigger->has_row) {
            gather_trigger(engine, trigger, NULL, STR(""));
        }
    }
}

static void reschedule(struct engine *engine, struct job *job, int64_t decided_ms)
{
    if (BUG(EDIT_KEEPS_CURSOR) && job->cursor_ms != TIME_NONE) {
        return;
    }
    job->held_to_ms = job->missed_to_ms = TIME_NONE;
    if (job->rhythm == RHYTHM_REPEAT || job->rhythm == RHYTHM_FINISH) {
        bool is_waiting = job->rhythm == RHYTHM_FINISH && fire_has_living(job); /* for its end */

        job->cursor_ms = TIME_NONE;
        if (!is_waiting) {
            fire_begin(engine, job, max_ms(engine->now_ms, decided_ms));
        }
    }
    if (job->status == JOB_COMPLETED && job->cursor_ms != TIME_NONE) {
        job->status = JOB_ACTIVE;
    }
}

struct change {
    struct job_def old, def;
    struct str canonical;
    bool is_schedule, is_upstreams;
    struct deps_edge *edges;
};

static void apply(struct engine *engine, struct job *job, const struct change *change, struct reply_job *told)
{
    struct error error;
    int64_t anchor_ms = change->is_schedule || change->is_upstreams ? engine->now_ms : job->anchor_ms;

    gather_version(engine, job);
    if (change->is_schedule) {
        int64_t was_decided_ms = decided_once_ms(engine, job, &change->old);

        told->skipped = fire_skip_due(engine, job, SKIP_EDITED, &told->skipped_from_ms, &told->skipped_to_ms);
        int64_t once_ms = told->skipped > 0 ? told->skipped_to_ms : was_decided_ms;

        if ((change->def.when == WHEN_NOW || change->def.when == WHEN_DELAY) && once_ms != TIME_NONE) {
            anchor_ms = max_ms(anchor_ms, once_ms + 1); /* "now" may be a decided fire: the next is after it */
        }
    }
    int64_t decided_ms = fire_last_decided(job);

    entry_park(engine, &job->fire);
    if (!str_equal(change->old.type, change->def.type) || change->old.target_kind != change->def.target_kind) {
        keep_types(engine, job);
    }
    move_triggers(engine, job);
    enum err err = job_redefine(engine, job, &change->def, change->canonical,
                                (struct job_begin){anchor_ms, change->is_schedule ? 0 : rules_of(job)}, &error);
    assert(err == ERR_OK); /* it was checked */
    job->version++;
    job->updated_ms = engine->now_ms;
    job->skip.count = 0;
    move_triggers(engine, job);
    gather_job(engine, job);
    job->op->job.def = gather_text(engine, change->canonical);
    if (change->is_upstreams) {
        deps_detach(engine, job, true);
        size_t count = change->def.depends_on_count;
        int64_t decided_to_ms = deps_decided_to(engine, change->edges, count);

        deps_attach(job, change->edges, count, (struct deps_since){.ms = decided_to_ms, .id = gather_id(engine)});
        deps_gather(engine, job);
    }
    if (change->is_schedule) {
        if (job->rhythm == RHYTHM_ONCE) {
            struct schedule schedule;
            char seed[ID_TEXT_BYTES];

            id_format(ID_JOB, job->id, seed);
            err = job_def_schedule(&change->def, engine->config.zones, anchor_ms, str_from(seed), &schedule, &error);
            assert(err == ERR_OK);
            job->cursor_ms = schedule.once_ms;
        }
        reschedule(engine, job, decided_ms);
    }
    line_rebuild(engine, job);
}

/* ---- upstreams ---- */

static bool know_upstreams(struct engine *engine, struct request *request, struct str tenant, const struct job_def *def)
{
    bool is_known = true;

    for (size_t u = 0; u < def->depends_on_count; u++) {
        struct str name = def->depends_on[u].job;
        uint64_t id = command_upstream_id(name);

        if (id != ID_NONE) {
            is_known = (job_by_id(engine, id) != NULL || request_needs_job(request, id)) && is_known;
        } else if (job_by_name(engine, tenant, name) == NULL) {
            is_known = request_needs_name(request, tenant, name) && is_known;
        }
    }
    return is_known;
}

static enum err find_edges(struct engine *engine, struct job *job, struct change *change, struct error *error)
{
    const struct job_def *def = &change->def;

    change->edges = arena_alloc_array(&engine->scratch, def->depends_on_count + 1, sizeof *change->edges);
    for (size_t u = 0; u < def->depends_on_count; u++) {
        struct str name = def->depends_on[u].job;
        uint64_t id = command_upstream_id(name);
        struct job *up = id != ID_NONE ? job_by_id(engine, id) : job_by_name(engine, job_tenant(job), name);

        if (up == NULL || !str_equal(job_tenant(up), job_tenant(job))) {
            return err_in_field(error,
                                err_set(error, ERR_UNPROCESSABLE, "tenant %.*s has no job %.*s to depend on",
                                        STR_ARGS(job_tenant(job)), STR_ARGS(name)),
                                "depends_on");
        }
        change->edges[u] = (struct deps_edge){.upstream = up, .on = def->depends_on[u].on};
    }
    return deps_check(engine, job, change->edges, def->depends_on_count, error);
}

/* ---- the command ---- */

static enum err read_change(const struct job *job, const struct command *command, struct arena *arena,
                            struct change *change, struct error *error)
{
    SCOPE(buf_done) struct buf text;

    buf_init(&text, JSON_BYTES_MAX);
    enum err err = job_def_of_text(str_from_bytes(job->def, job->def_len), arena, &change->old, error);

    if (err == ERR_OK) {
        err = merged(job, command->text, arena, &change->def, error);
    }
    if (err != ERR_OK) {
        return err;
    }
    change->def.tenant = job_tenant(job);
    change->def.name = job->name != NULL ? job->name->name : STR("");
    job_def_write(&change->def, &text);
    job_def_write(&change->old, &(struct buf){.max_bytes = 0}); /* puts its upstreams in order */
    change->canonical = (struct str){arena_strdup_str(arena, buf_str(&text)), text.len};
    change->is_schedule = job->rhythm != RHYTHM_UPSTREAM && !same_schedule(&change->old, &change->def);
    change->is_upstreams = !same_upstreams(&change->old, &change->def);
    return ERR_OK;
}

enum command_result engine_command_patch(struct engine *engine, struct request *request)
{
    const struct command *command = request->command;
    enum command_result result = COMMAND_DONE;
    struct job *job = command_job(engine, request, &result);
    struct change change = {0};
    struct error error;

    if (job == NULL) {
        return result;
    }
    if (command->if_match != 0 && command->if_match != job->version) {
        err_set(&error, ERR_VERSION, "the job is at version %u; read it again", job->version);
        return command_error(engine, command, &error);
    }
    if (job->status == JOB_CANCELLED) {
        err_set(&error, ERR_CONFLICT, "the job is cancelled, and that is final; delete it to create it anew");
        return command_error(engine, command, &error);
    }
    if (job->def == NULL) {
        return command_needs_def(engine, request, job);
    }
    if (read_change(job, command, &engine->scratch, &change, &error) != ERR_OK) {
        return command_error(engine, command, &error);
    }
    if (change.is_upstreams && !know_upstreams(engine, request, job_tenant(job), &change.def)) {
        return COMMAND_LACKS;
    }
    enum err err = settings_check_payload(engine, job_tenant(job), change.def.payload, &error);
    if (err == ERR_OK && (change.is_schedule || job->rhythm == RHYTHM_UPSTREAM)) {
        err = check_schedule(engine, job, &change.old, &change.def, &error);
    }
    if (err == ERR_OK && change.is_upstreams) {
        err = find_edges(engine, job, &change, &error);
    }
    if (err != ERR_OK) {
        return command_error(engine, command, &error);
    }
    if (str_equal(change.canonical, str_from_bytes(job->def, job->def_len))) {
        command_reply_jobs(engine, command, &job, 1); /* nothing changes, and no version is made */
        return COMMAND_DONE;
    }
    struct reply_job told = {.skipped_from_ms = TIME_NONE, .skipped_to_ms = TIME_NONE};

    apply(engine, job, &change, &told);
    struct reply *reply = command_reply_jobs(engine, command, &job, 1);
    reply->jobs[0].skipped = told.skipped;
    reply->jobs[0].skipped_from_ms = told.skipped_from_ms;
    reply->jobs[0].skipped_to_ms = told.skipped_to_ms;
    return COMMAND_DONE;
}
