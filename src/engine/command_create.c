#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "engine/command.h"
#include "engine/create_order.h"
#include "engine/deps.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/line.h"
#include "engine/settings.h"
#include "engine/trigger.h"

/* A cycle longer than this is shown with its beginning only. */
#define CYCLE_TEXT_BYTES_MAX 400

/* A definition on its way in. */
struct coming {
    struct job_def *def;
    struct str canonical;
    struct job *existing; /* there with this definition */
    struct job *job;      /* made */
    struct deps_edge *edges;
    int64_t *upstream_index; /* of an upstream that comes in the same request; -1: it is there */
};

/* What is wrong, and with which definition (from 1). */
struct fault {
    struct error error;
    size_t at;
};

static enum err in_batch(const struct command *command, size_t index, enum err err, struct fault *fault)
{
    fault->at = index + 1;
    return command->def_count > 1 ? err_wrap(&fault->error, err, "jobs[%zu]", index) : err;
}

/* ---- the names of the request ---- */

struct named {
    struct map_node node;
    size_t index;
};

struct names {
    struct engine *engine;
    struct map map;
};

static struct str name_key(struct engine *engine, struct str tenant, struct str name)
{
    char *key = arena_alloc(&engine->scratch, tenant.len + name.len + 1);

    memcpy(key, tenant.ptr, tenant.len);
    key[tenant.len] = '/';
    memcpy(key + tenant.len + 1, name.ptr, name.len);
    return (struct str){key, tenant.len + name.len + 1};
}

/* Of a name that comes twice it has the first. */
static void names_init(struct names *names, struct engine *engine, const struct command *command)
{
    struct named *named = arena_zalloc(&engine->scratch, (command->def_count + 1) * sizeof *named);

    names->engine = engine;
    map_init(&names->map, MAP_KEYS_TEXT, engine->config.seed);
    for (size_t i = 0; i < command->def_count; i++) {
        named[i].index = i;
        if (!str_empty(command->defs[i].name)) {
            (void)map_insert_text(&names->map, &named[i].node,
                                  name_key(engine, command->defs[i].tenant, command->defs[i].name));
        }
    }
}

static void names_done(struct names *names)
{
    map_done(&names->map);
}

/* Which definition of the request has the name; -1. */
static int64_t index_of_name(const struct names *names, struct str tenant, struct str name)
{
    const struct map_node *node =
        map_count(&names->map) > 0 ? map_find_text(&names->map, name_key(names->engine, tenant, name)) : NULL;

    return node != NULL ? (int64_t)CONTAINER_OF_CONST(node, struct named, node)->index : -1;
}

/* ---- what is there already ---- */

/* Reads everything the command names; false: rows are lacking. */
static bool know_names(struct engine *engine, struct request *request, const struct names *names)
{
    const struct command *command = request->command;
    bool is_known = true;

    for (size_t i = 0; i < command->def_count; i++) {
        const struct job_def *def = &command->defs[i];

        if (!str_empty(def->name) && job_by_name(engine, def->tenant, def->name) == NULL) {
            is_known = request_needs_name(request, def->tenant, def->name) && is_known;
        }
        for (size_t u = 0; u < def->depends_on_count; u++) {
            struct str name = def->depends_on[u].job;
            uint64_t id = command_upstream_id(name);

            if (id != ID_NONE) {
                is_known = (job_by_id(engine, id) != NULL || request_needs_job(request, id)) && is_known;
            } else if (job_by_name(engine, def->tenant, name) == NULL && index_of_name(names, def->tenant, name) < 0) {
                is_known = request_needs_name(request, def->tenant, name) && is_known;
            }
        }
    }
    return is_known;
}

static struct job *find_upstream(struct engine *engine, const struct job_def *def, struct str name)
{
    uint64_t id = command_upstream_id(name);

    if (id == ID_NONE) {
        return job_by_name(engine, def->tenant, name);
    }
    struct job *job = job_by_id(engine, id);

    return job != NULL && str_equal(job_tenant(job), def->tenant) ? job : NULL;
}

/* How one-time upstreams that are over ended; false: rows are lacking. */
static bool know_ends(struct engine *engine, struct request *request)
{
    const struct command *command = request->command;
    bool is_known = true;

    for (size_t i = 0; i < command->def_count; i++) {
        for (size_t u = 0; u < command->defs[i].depends_on_count; u++) {
            struct job *up = find_upstream(engine, &command->defs[i], command->defs[i].depends_on[u].job);

            if (up != NULL && fire_is_over(up)) {
                request->needs_commit = request->needs_commit || up->touched_batch > engine->durable;
                is_known = request_needs_range(request, up->id, INT64_MIN, INT64_MAX) && is_known;
            }
        }
    }
    return is_known;
}

/* ---- checking ---- */

static enum err check_name(struct engine *engine, const struct names *names, size_t index, struct coming *coming,
                           struct error *error)
{
    const struct job_def *def = coming->def;

    if (str_empty(def->name)) {
        return ERR_OK;
    }
    if (index_of_name(names, def->tenant, def->name) != (int64_t)index) {
        return err_in_field(
            error, err_set(error, ERR_CONFLICT, "%.*s is named twice in this request", STR_ARGS(def->name)), "name");
    }
    struct job *there = job_by_name(engine, def->tenant, def->name);

    if (there == NULL) {
        return ERR_OK;
    }
    if (there->def != NULL && job_def_same(str_from_bytes(there->def, there->def_len), coming->canonical)) {
        coming->existing = there;
        return ERR_OK;
    }
    return err_in_field(
        error,
        err_set(
            error, ERR_CONFLICT,
            "tenant %.*s has a job named %.*s with another definition; change it with PATCH, or choose another name",
            STR_ARGS(def->tenant), STR_ARGS(def->name)),
        "name");
}

static enum err check_limits(struct engine *engine, const struct job_def *def, struct error *error)
{
    const struct settings *settings = settings_find(engine, SCOPE_TENANT, STR(""), def->tenant);
    struct tenant_count *tenant = settings_tenant(engine, def->tenant);
    enum err err = settings_check_payload(engine, def->tenant, def->payload, error);

    if (err != ERR_OK) {
        return err;
    }
    tenant->coming++;
    if (settings != NULL && settings->max_jobs != SETTING_NONE && tenant->jobs + tenant->coming > settings->max_jobs) {
        return err_set(error, ERR_LIMIT, "tenant %.*s may have %lld jobs and has %lld", STR_ARGS(def->tenant),
                       (long long)settings->max_jobs, (long long)tenant->jobs);
    }
    return ERR_OK;
}

static enum err find_upstreams(struct engine *engine, const struct names *names, struct coming *coming,
                               struct error *error)
{
    const struct job_def *def = coming->def;

    coming->edges = arena_alloc_array(&engine->scratch, def->depends_on_count + 1, sizeof *coming->edges);
    coming->upstream_index =
        arena_alloc_array(&engine->scratch, def->depends_on_count + 1, sizeof *coming->upstream_index);
    for (size_t u = 0; u < def->depends_on_count; u++) {
        struct str name = def->depends_on[u].job;

        coming->upstream_index[u] = index_of_name(names, def->tenant, name);
        coming->edges[u] =
            (struct deps_edge){.upstream = find_upstream(engine, def, name), .on = def->depends_on[u].on};
        if (coming->edges[u].upstream == NULL && coming->upstream_index[u] < 0) {
            return err_in_field(error,
                                err_set(error, ERR_UNPROCESSABLE, "tenant %.*s has no job %.*s to depend on",
                                        STR_ARGS(def->tenant), STR_ARGS(name)),
                                "depends_on");
        }
    }
    return ERR_OK;
}

static enum err check_one(struct engine *engine, const struct names *names, struct coming *list, size_t index,
                          struct error *error)
{
    enum err err = check_name(engine, names, index, &list[index], error);

    if (err == ERR_OK && list[index].existing == NULL) {
        err = check_limits(engine, list[index].def, error);
    }
    if (err == ERR_OK) {
        err = find_upstreams(engine, names, &list[index], error);
    }
    return err;
}

/* The way round, as a person would write it. */
static enum err show_cycle(const struct command *command, const struct create_order *order, struct error *error)
{
    SCOPE(buf_done) struct buf text;

    buf_init(&text, CYCLE_TEXT_BYTES_MAX);
    for (size_t i = 0; i <= order->cycle_count; i++) {
        buf_append_text(&text, i > 0 ? " depends on " : "");
        buf_append_str(&text, command->defs[order->cycle[i % order->cycle_count]].name);
    }
    return err_in_field(error, err_set(error, ERR_CYCLE, "this would be a cycle: %s", buf_text(&text)), "depends_on");
}

/* In which order they can be made; there is none where they depend on each other in a cycle. */
static enum err find_order(struct engine *engine, const struct command *command, const struct coming *list,
                           struct create_order *ret_order, struct fault *fault)
{
    struct create_edge *edges;
    size_t count = 0, most = 0;

    for (size_t i = 0; i < command->def_count; i++) {
        most += command->defs[i].depends_on_count;
    }
    edges = arena_alloc_array(&engine->scratch, most + 1, sizeof *edges);
    for (size_t i = 0; i < command->def_count; i++) {
        for (size_t u = 0; u < command->defs[i].depends_on_count; u++) {
            if (list[i].upstream_index[u] >= 0) {
                edges[count++] = (struct create_edge){.upstream = (size_t)list[i].upstream_index[u], .downstream = i};
            }
        }
    }
    create_order_find(&engine->scratch, command->def_count, edges, count, ret_order);
    if (ret_order->cycle_count == 0) {
        return ERR_OK;
    }
    return in_batch(command, ret_order->cycle[0], show_cycle(command, ret_order, &fault->error), fault);
}

/* ---- making ---- */

static void canonical_of(struct engine *engine, struct coming *coming)
{
    SCOPE(buf_done) struct buf buf;

    buf_init(&buf, JSON_BYTES_MAX);
    job_def_write(coming->def, &buf);
    coming->canonical = (struct str){arena_strdup_str(&engine->scratch, buf_str(&buf)), buf.len};
}

/* Takes back what was made, before anything was gathered of it. */
static void unmake(struct engine *engine, struct coming *list, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        if (list[i].job != NULL) {
            if (list[i].job->graph != NULL) {
                deps_detach(engine, list[i].job, false);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i].job != NULL) {
            job_free(engine, list[i].job);
            list[i].job = NULL;
        }
    }
}

static enum err make_one(struct engine *engine, struct coming *coming, struct error *error)
{
    uint64_t id = gather_id(engine);
    struct job *job;
    enum err err =
        job_new(engine, id, coming->def, coming->canonical, (struct job_begin){engine->now_ms, 0}, &job, error);

    if (err != ERR_OK) {
        return err;
    }
    coming->job = job;
    job->created_ms = job->updated_ms = engine->now_ms;
    job->status = JOB_ACTIVE;
    if (job->rhythm == RHYTHM_REPEAT || job->rhythm == RHYTHM_FINISH) {
        fire_begin(engine, job, engine->now_ms);
        if (job->cursor_ms == TIME_NONE) {
            return err_set(error, ERR_NEVER_FIRES, "this schedule has no fire left; look at its bounds");
        }
    }
    return ERR_OK;
}

/* How far the roots of its upstreams have decided. What was attached in this request knows it of its own: so a chain is
 * not walked from each of its links. */
static int64_t decided_to(struct engine *engine, const struct coming *list, const struct coming *coming)
{
    int64_t decided_ms = engine->now_ms;

    for (size_t u = 0; u < coming->def->depends_on_count; u++) {
        int64_t index = coming->upstream_index[u];
        const struct job *made = index >= 0 ? list[index].job : NULL;
        int64_t since_ms = made != NULL && list[index].def->depends_on_count > 0
                               ? deps_since_ms(made)
                               : deps_decided_to(engine, &coming->edges[u], 1);

        decided_ms = since_ms > decided_ms ? since_ms : decided_ms;
    }
    return decided_ms;
}

static enum err attach_one(struct engine *engine, struct coming *list, size_t index, struct error *error)
{
    struct coming *coming = &list[index];
    size_t count = coming->def->depends_on_count;

    if (count == 0) {
        return ERR_OK;
    }
    for (size_t u = 0; u < count; u++) {
        if (coming->upstream_index[u] >= 0) {
            struct coming *other = &list[coming->upstream_index[u]];

            coming->edges[u].upstream = other->job != NULL ? other->job : other->existing;
        }
    }
    enum err err = deps_check(engine, NULL, coming->edges, count, error);

    if (err == ERR_OK) {
        deps_attach(coming->job, coming->edges, count,
                    (struct deps_since){.ms = decided_to(engine, list, coming), .id = coming->job->id});
    }
    return err;
}

/* How a one-time upstream ended, by what was read of it. */
static enum trigger_state end_in(const struct rows *rows, const struct job *up)
{
    enum trigger_state state = TRIGGER_CANCELLED; /* skipped, or cancelled before it fired */

    assert(rows != NULL); /* know_ends has asked for them */
    for (size_t i = 0; i < rows->triggers.count; i++) {
        const struct trigger_row *row = &rows->triggers.items[i];

        if (row->job == up->id && (row->kind == TRIGGER_SCHEDULE || row->kind == TRIGGER_DEPENDENCY)) {
            assert(trigger_ended(row->state));
            state = row->state;
        }
    }
    return state;
}

static void begin_one(struct engine *engine, struct coming *coming)
{
    struct job *job = coming->job;
    struct tenant_count *tenant = settings_tenant(engine, job_tenant(job));

    gather_job(engine, job);
    job->op->job.def = gather_text(engine, coming->canonical);
    tenant->jobs++;
    engine->tenant_jobs++;
    gather_tenant(engine, tenant);
    deps_gather(engine, job);
    fire_arm(engine, job);
}

/* Upstreams that are over. What ends for them, and whoever depends on that, has been begun. */
static void tell_ends(struct engine *engine, struct coming *coming, const struct rows *rows)
{
    struct job *job = coming->job;

    for (size_t u = 0; u < coming->def->depends_on_count; u++) {
        struct job *up = coming->edges[u].upstream;

        if (job->graph != NULL && job->graph->is_once && fire_is_over(up)) {
            deps_ended_before(engine, job, up, end_in(rows, up));
        }
    }
}

static enum err make_all(struct engine *engine, const struct command *command, struct coming *list,
                         const struct create_order *order, struct fault *fault)
{
    size_t at = 0;
    enum err err = ERR_OK;

    for (size_t i = 0; i < command->def_count && err == ERR_OK; i++) {
        if (list[i].existing == NULL) {
            at = i;
            err = make_one(engine, &list[i], &fault->error);
        }
    }
    /* Upstreams first, so that rhythms are known. */
    for (size_t i = 0; i < order->count && err == ERR_OK; i++) {
        at = order->order[i];
        err = list[at].existing == NULL ? attach_one(engine, list, at, &fault->error) : ERR_OK;
    }
    if (err != ERR_OK) {
        if (!BUG(HALF_A_BATCH)) {
            unmake(engine, list, command->def_count);
        }
        return in_batch(command, at, err, fault);
    }
    return ERR_OK;
}

static void answer(struct engine *engine, struct request *request, struct coming *list)
{
    const struct command *command = request->command;
    struct job **jobs = arena_alloc_array(&engine->scratch, command->def_count + 1, sizeof(struct job *));
    uint64_t *ids = arena_alloc_array(&engine->scratch, command->def_count + 1, sizeof *ids);

    for (size_t i = 0; i < command->def_count; i++) {
        jobs[i] = list[i].existing != NULL ? list[i].existing : list[i].job;
        ids[i] = jobs[i]->id;
    }
    struct reply *reply = command_reply_jobs(engine, command, jobs, command->def_count);

    for (size_t i = 0; i < command->def_count; i++) {
        reply->jobs[i].is_existing = list[i].existing != NULL;
    }
    command_keep_answer(engine, request, 'j', ids, command->def_count);
}

/* The text of a job that is in memory without it, to compare with: asks for it again. */
static bool know_texts(struct engine *engine, struct request *request)
{
    const struct command *command = request->command;
    bool is_known = true;

    for (size_t i = 0; i < command->def_count; i++) {
        const struct job_def *def = &command->defs[i];
        struct job *job = str_empty(def->name) ? NULL : job_by_name(engine, def->tenant, def->name);

        if (job != NULL && job->def == NULL) {
            is_known = request_needs_job(request, job->id) && is_known;
        }
    }
    return is_known;
}

static enum command_result refuse(struct engine *engine, const struct command *command, const struct fault *fault)
{
    enum command_result result = command_error(engine, command, &fault->error);

    engine->outbox->last->at_def = fault->at;
    return result;
}

enum command_result engine_command_create(struct engine *engine, struct request *request, const struct rows *rows)
{
    const struct command *command = request->command;
    struct fault fault = {.at = 0};
    struct create_order order;

    SCOPE(names_done) struct names names;

    names_init(&names, engine, command);
    bool is_known = know_names(engine, request, &names);
    is_known = know_ends(engine, request) && is_known;
    is_known = know_texts(engine, request) && is_known;
    if (!is_known) {
        return COMMAND_LACKS;
    }
    struct coming *list = arena_zalloc(&engine->scratch, (command->def_count + 1) * sizeof *list);

    for (size_t i = 0; i < command->def_count; i++) {
        list[i].def = &command->defs[i];
        settings_tenant(engine, command->defs[i].tenant)->coming = 0;
        canonical_of(engine, &list[i]);
    }
    for (size_t i = 0; i < command->def_count; i++) {
        enum err err = check_one(engine, &names, list, i, &fault.error);

        if (in_batch(command, i, err, &fault) != ERR_OK) {
            return refuse(engine, command, &fault);
        }
    }
    if (find_order(engine, command, list, &order, &fault) != ERR_OK ||
        make_all(engine, command, list, &order, &fault) != ERR_OK) {
        for (size_t i = 0; BUG(HALF_A_BATCH) && i < command->def_count; i++) {
            if (list[i].job != NULL && list[i].job->cursor_ms != TIME_NONE) {
                begin_one(engine, &list[i]);
            }
        }
        return refuse(engine, command, &fault);
    }
    for (size_t i = 0; i < command->def_count; i++) {
        if (list[i].existing == NULL) {
            begin_one(engine, &list[i]);
        }
    }
    for (size_t i = 0; i < command->def_count; i++) {
        if (list[i].existing == NULL) {
            tell_ends(engine, &list[i], rows);
        }
    }
    answer(engine, request, list);
    return COMMAND_DONE;
}
