#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calendar/instant.h"
#include "engine/engine.h"

#define RIG_OUTBOXES_MAX 200000
#define RIG_HELD_MAX 4096

struct held {
    char worker[64];
    struct attempt_ref attempt;
};

struct rig {
    struct engine_config config;
    struct memory_disk *disk;
    struct store *store;
    struct engine *engine;
    struct effects effects;
    struct moment at;
    uint64_t next_token;
    uint64_t next_nonce;
    struct outbox **outboxes; /* all of them, so that replies stay */
    size_t outbox_count;
    struct held held[RIG_HELD_MAX];
    size_t held_count;
    struct rows dump;
    bool has_dump;
    struct arena arena; /* of definitions, for good */
    bool is_restless;
};

static void die(const char *what, const struct error *error)
{
    fail_msg("%s: %s", what, error->text);
}

static void deliver(struct rig *rig, struct outbox *outbox)
{
    assert_true(rig->outbox_count < RIG_OUTBOXES_MAX);
    rig->outboxes[rig->outbox_count++] = outbox;
}

static void commit(struct rig *rig);

static void step(struct rig *rig, struct event *event)
{
    struct error error;

    event->at = rig->at;
    engine_step(rig->engine, event, &rig->effects);
    if (!engine_check(rig->engine, &error)) {
        die("engine_check", &error);
    }
}

/* Answers loads and commits batches until there are none. */
static void settle(struct rig *rig)
{
    while (rig->effects.load_count > 0 || engine_gathered(rig->engine) > 0) {
        if (rig->effects.load_count > 0) {
            struct effects old = rig->effects;

            effects_init(&rig->effects);
            for (size_t i = 0; i < old.load_count; i++) {
                struct rows rows;
                struct error error;

                rows_init(&rows);
                assert_int_equal(store_load(rig->store, &old.loads[i], &rows, &error), STORE_DONE);
                step(rig, &(struct event){.kind = EVENT_LOADED, .load_tag = old.loads[i].tag, .rows = &rows});
                rows_done(&rows);
            }
            effects_done(&old);
        }
        commit(rig);
    }
}

static void commit(struct rig *rig)
{
    struct outbox *outbox = engine_cut(rig->engine, rig->at);
    struct error error;

    if (outbox == NULL) {
        return;
    }
    if (outbox->batch.op_count > 0 && store_commit(rig->store, &outbox->batch, &error) != STORE_DONE) {
        die("commit", &error);
    }
    deliver(rig, outbox);
    step(rig, &(struct event){.kind = EVENT_COMMITTED, .batch = outbox->number});
}

static void run(struct rig *rig, struct event event)
{
    step(rig, &event);
    settle(rig);
}

static void start(struct rig *rig)
{
    struct store_owner owner = {.name = STR("rig"), .url = STR(""), .nonce = {++rig->next_nonce, 7}};
    struct rows rows;
    struct error error;
    uint64_t epoch;

    assert_int_equal(store_acquire(rig->store, &owner, &epoch, &error), STORE_DONE);
    rows_init(&rows);
    assert_int_equal(store_load(rig->store, &(struct load){.kind = LOAD_START}, &rows, &error), STORE_DONE);
    if (engine_new(&rig->config, &rows, rig->at, &rig->engine, &error) != ERR_OK) {
        die("engine_new", &error);
    }
    rows_done(&rows);
    run(rig, (struct event){.kind = EVENT_TICK});
}

struct rig *rig_new_with(const char *begin, const struct engine_config *config)
{
    struct rig *rig = mem_zalloc(sizeof *rig);

    rig->config = *config;
    rig->config.zones = config->zones != NULL ? config->zones : zone_cache_new(NULL);
    rig->disk = memory_disk_new();
    rig->store = memory_store_open(rig->disk);
    rig->outboxes = mem_alloc_array(RIG_OUTBOXES_MAX, sizeof *rig->outboxes);
    rig->at = (struct moment){.wall_ms = rig_instant(begin), .mono_ms = 1000000};
    rig->next_token = 1;
    effects_init(&rig->effects);
    arena_init(&rig->arena, 65536, 1UL << 30);
    start(rig);
    return rig;
}

struct rig *rig_new(const char *begin)
{
    return rig_new_with(begin, &(struct engine_config){.seed = 1});
}

void rig_free(struct rig *rig)
{
    engine_free(rig->engine);
    for (size_t i = 0; i < rig->outbox_count; i++) {
        outbox_free(rig->outboxes[i]);
    }
    if (rig->has_dump) {
        rows_done(&rig->dump);
    }
    mem_free(rig->outboxes);
    effects_done(&rig->effects);
    store_close(rig->store);
    memory_disk_free(rig->disk);
    zone_cache_free(rig->config.zones);
    arena_done(&rig->arena);
    mem_free(rig);
}

void rig_restart(struct rig *rig)
{
    engine_free(rig->engine);
    effects_reset(&rig->effects);
    store_close(rig->store);
    rig->store = memory_store_open(rig->disk);
    start(rig);
}

void rig_reload(struct rig *rig)
{
    struct engine_figures figures;

    engine_figures(rig->engine, &figures);
    rig->config.believed = (struct moment){.wall_ms = figures.now_ms, .mono_ms = figures.mono_ms};
    rig_restart(rig);
    rig->config.believed = (struct moment){0};
}

void rig_restart_often(struct rig *rig, bool is_restless)
{
    rig->is_restless = is_restless;
}

static void after_step(struct rig *rig)
{
    if (rig->is_restless) {
        rig_restart(rig);
    }
}

void rig_down(struct rig *rig, int64_t ms)
{
    rig->at.wall_ms += ms;
    rig->at.mono_ms += ms;
    rig_restart(rig);
}

/* ---- time ---- */

int64_t rig_instant(const char *text)
{
    int64_t ms;
    struct error error;

    if (instant_parse(str_from(text), &ms, &error) != ERR_OK) {
        die(text, &error);
    }
    return ms;
}

int64_t rig_now(const struct rig *rig)
{
    return rig->at.wall_ms;
}

void rig_wait(struct rig *rig, int64_t ms)
{
    int64_t until = rig->at.mono_ms + ms;

    while (rig->at.mono_ms < until) {
        int64_t next = rig->effects.wake_mono_ms;

        next = next > until ? until : next;
        next = next <= rig->at.mono_ms ? rig->at.mono_ms + 1 : next;
        rig->at.wall_ms += next - rig->at.mono_ms;
        rig->at.mono_ms = next;
        run(rig, (struct event){.kind = EVENT_TICK});
    }
    after_step(rig);
}

void rig_wait_until(struct rig *rig, const char *instant)
{
    rig_wait(rig, rig_instant(instant) - rig->at.wall_ms);
}

void rig_sleep(struct rig *rig, int64_t ms)
{
    rig->at.wall_ms += ms;
    rig->at.mono_ms += ms;
    run(rig, (struct event){.kind = EVENT_TICK});
    after_step(rig);
}

void rig_set_wall(struct rig *rig, int64_t ms_later)
{
    rig->at.wall_ms += ms_later;
    run(rig, (struct event){.kind = EVENT_TICK});
}

/* ---- clients ---- */

const struct reply *rig_answer(struct rig *rig, uint64_t token)
{
    for (size_t i = rig->outbox_count; i-- > 0;) {
        for (const struct reply *reply = rig->outboxes[i]->first; reply != NULL; reply = reply->next) {
            if (reply->token == token) {
                return reply;
            }
        }
    }
    return NULL;
}

const struct reply *rig_command(struct rig *rig, struct command *command)
{
    command->token = rig->next_token++;
    run(rig, (struct event){.kind = EVENT_COMMAND, .command = command});
    const struct reply *reply = rig_answer(rig, command->token);
    assert_non_null(reply);
    after_step(rig);
    return reply;
}

static struct job_def read_def(struct rig *rig, const char *definition)
{
    struct jr_doc doc = {0};
    struct error error;
    struct job_def def = job_def_default();
    struct str text = {arena_strdup(&rig->arena, definition), strlen(definition)};

    if (jr_parse(text, NULL, &doc, &error) != ERR_OK ||
        job_def_read(text, jr_root(&doc), &rig->arena, &def, &error) != ERR_OK) {
        die(definition, &error);
    }
    jr_done(&doc);
    return def;
}

const struct reply *rig_create_many(struct rig *rig, const char *const *definitions, size_t count)
{
    struct job_def *defs = arena_alloc_array(&rig->arena, count, sizeof *defs);
    struct command *command = arena_zalloc(&rig->arena, sizeof *command);

    for (size_t i = 0; i < count; i++) {
        defs[i] = read_def(rig, definitions[i]);
    }
    *command = (struct command){.kind = COMMAND_CREATE, .defs = defs, .def_count = count};
    return rig_command(rig, command);
}

const struct reply *rig_create_reply(struct rig *rig, const char *definition)
{
    return rig_create_many(rig, &definition, 1);
}

const struct reply *rig_create_key(struct rig *rig, const char *definition, const char *key, uint64_t hash)
{
    struct job_def *def = arena_zalloc(&rig->arena, sizeof *def);
    struct command *command = arena_zalloc(&rig->arena, sizeof *command);

    *def = read_def(rig, definition);
    *command = (struct command){.kind = COMMAND_CREATE,
                                .defs = def,
                                .def_count = 1,
                                .idem_key = str_from(key),
                                .idem_tenant = def->tenant,
                                .idem_hash = {hash, hash}};
    return rig_command(rig, command);
}

uint64_t rig_create(struct rig *rig, const char *definition)
{
    const struct reply *reply = rig_create_reply(rig, definition);

    if (reply->kind != REPLY_JOBS) {
        die(definition, &reply->error);
    }
    return reply->jobs[0].id;
}

const struct reply *rig_patch(struct rig *rig, uint64_t job, const char *patch)
{
    struct command command = {.kind = COMMAND_PATCH, .ref = {.id = job}, .text = str_from(patch)};

    return rig_command(rig, &command);
}

const struct reply *rig_status(struct rig *rig, uint64_t job, enum job_status status)
{
    struct command command = {.kind = COMMAND_STATUS, .ref = {.id = job}, .status = status};

    return rig_command(rig, &command);
}

const struct reply *rig_delete(struct rig *rig, uint64_t job)
{
    struct command command = {.kind = COMMAND_DELETE, .ref = {.id = job}};

    return rig_command(rig, &command);
}

const struct reply *rig_why(struct rig *rig, uint64_t job)
{
    struct command command = {.kind = COMMAND_WHY, .ref = {.id = job}};

    return rig_command(rig, &command);
}

const struct reply *rig_why_trigger(struct rig *rig, uint64_t trigger)
{
    return rig_trigger_command(rig, COMMAND_WHY, trigger);
}

const struct reply *rig_settings(struct rig *rig, enum scope scope, const char *tenant, const char *name,
                                 const char *settings)
{
    struct command command = {
        .kind = COMMAND_SETTINGS, .scope = scope, .tenant = str_from(tenant), .name = str_from(name)};
    struct jr_doc doc = {0};
    struct error error;

    if (jr_parse(str_from(settings), NULL, &doc, &error) != ERR_OK ||
        settings_read(scope, str_from(settings), jr_root(&doc), &command.settings, &error) != ERR_OK) {
        die(settings, &error);
    }
    jr_done(&doc);
    return rig_command(rig, &command);
}

const struct reply *rig_pause(struct rig *rig, enum scope scope, const char *tenant, const char *name)
{
    struct command command = {
        .kind = COMMAND_PAUSE, .scope = scope, .tenant = str_from(tenant), .name = str_from(name)};

    return rig_command(rig, &command);
}

const struct reply *rig_resume(struct rig *rig, enum scope scope, const char *tenant, const char *name, int64_t ramp_ms)
{
    struct command command = {
        .kind = COMMAND_RESUME, .scope = scope, .tenant = str_from(tenant), .name = str_from(name), .ramp_ms = ramp_ms};

    return rig_command(rig, &command);
}

uint64_t rig_run(struct rig *rig, uint64_t job)
{
    struct command command = {.kind = COMMAND_RUN, .ref = {.id = job}};
    const struct reply *reply = rig_command(rig, &command);

    if (reply->kind != REPLY_TRIGGERS) {
        die("run", &reply->error);
    }
    return reply->triggers[0];
}

const struct reply *rig_backfill(struct rig *rig, uint64_t job, const char *from, const char *to)
{
    struct command command = {
        .kind = COMMAND_BACKFILL, .ref = {.id = job}, .from_ms = rig_instant(from), .to_ms = rig_instant(to)};

    return rig_command(rig, &command);
}

const struct reply *rig_trigger_command(struct rig *rig, enum command_kind kind, uint64_t trigger)
{
    struct command command = {.kind = kind, .triggers = &trigger, .trigger_count = 1};

    return rig_command(rig, &command);
}

/* ---- workers ---- */

static size_t holding(const struct rig *rig, const char *worker, struct attempt_ref *out)
{
    size_t count = 0;

    for (size_t i = 0; i < rig->held_count; i++) {
        if (strcmp(rig->held[i].worker, worker) == 0) {
            out[count++] = rig->held[i].attempt;
        }
    }
    return count;
}

static void forget(struct rig *rig, const char *worker, const struct attempt_ref *attempt)
{
    size_t kept = 0;

    for (size_t i = 0; i < rig->held_count; i++) {
        const struct held *held = &rig->held[i];
        bool is_it =
            strcmp(held->worker, worker) == 0 &&
            (attempt == NULL || (held->attempt.trigger == attempt->trigger && held->attempt.number == attempt->number));

        if (!is_it) {
            rig->held[kept++] = *held;
        }
    }
    rig->held_count = kept;
}

void rig_worker_dies(struct rig *rig, const char *worker)
{
    forget(rig, worker, NULL);
}

const struct reply *rig_exchange(struct rig *rig, struct exchange *exchange)
{
    exchange->token = rig->next_token++;
    run(rig, (struct event){.kind = EVENT_EXCHANGE, .exchange = exchange});
    if (exchange->wait_ms == 0) {
        after_step(rig);
    }
    return rig_answer(rig, exchange->token);
}

static const struct reply *exchange(struct rig *rig, const char *worker, const char *pool, uint32_t want,
                                    const struct report *report)
{
    struct str pools[] = {str_from(pool)};
    struct attempt_ref held[RIG_HELD_MAX];
    struct exchange mine = {.worker = str_from(worker),
                            .seq = -1,
                            .name = str_from(worker),
                            .pools = pools,
                            .pool_count = 1,
                            .capacity = want,
                            .want = want,
                            .holding = held,
                            .reports = report,
                            .report_count = report != NULL ? 1 : 0};

    mine.holding_count = holding(rig, worker, held);
    return rig_exchange(rig, &mine);
}

const struct reply *rig_poll(struct rig *rig, const char *worker, const char *pool, uint32_t want)
{
    const struct reply *reply = exchange(rig, worker, pool, want, NULL);

    for (size_t i = 0; reply != NULL && i < reply->grant_count; i++) {
        struct held *held = &rig->held[rig->held_count++];

        assert_true(rig->held_count < RIG_HELD_MAX);
        (void)snprintf(held->worker, sizeof held->worker, "%s", worker);
        held->attempt = (struct attempt_ref){.trigger = reply->grants[i].trigger, .number = reply->grants[i].number};
    }
    return reply;
}

const struct grant *rig_take_from(struct rig *rig, const char *worker, const char *pool)
{
    const struct reply *reply = rig_poll(rig, worker, pool, 1);

    assert_non_null(reply);
    return reply->grant_count > 0 ? &reply->grants[0] : NULL;
}

const struct grant *rig_take(struct rig *rig, const char *worker)
{
    return rig_take_from(rig, worker, "default");
}

const struct reply *rig_report_full(struct rig *rig, const char *worker, const struct report *report)
{
    struct attempt_ref attempt = {.trigger = report->trigger, .number = report->number};

    forget(rig, worker, &attempt);
    return exchange(rig, worker, "default", 0, report);
}

const struct reply *rig_report(struct rig *rig, const char *worker, const struct grant *grant, enum attempt_state state)
{
    struct report report = {.trigger = grant->trigger, .number = grant->number, .state = state};

    if (state == ATTEMPT_FAILED) {
        report.error_code = STR("boom");
        report.error_message = STR("it failed");
    }
    return rig_report_full(rig, worker, &report);
}

void rig_succeed(struct rig *rig, const char *worker, const struct grant *grant)
{
    assert_int_equal(rig_report(rig, worker, grant, ATTEMPT_SUCCEEDED)->refused_count, 0);
}

void rig_fail(struct rig *rig, const char *worker, const struct grant *grant)
{
    assert_int_equal(rig_report(rig, worker, grant, ATTEMPT_FAILED)->refused_count, 0);
}

const struct reply *rig_renew(struct rig *rig, const char *worker)
{
    return exchange(rig, worker, "default", 0, NULL);
}

uint64_t rig_poll_waiting(struct rig *rig, const char *worker, const char *pool, uint32_t want, int64_t wait_ms)
{
    struct str pools[] = {str_from(pool)};
    struct attempt_ref held[RIG_HELD_MAX];
    struct exchange mine = {.worker = str_from(worker),
                            .seq = -1,
                            .pools = pools,
                            .pool_count = 1,
                            .want = want,
                            .wait_ms = wait_ms,
                            .holding = held};

    mine.holding_count = holding(rig, worker, held);
    rig_exchange(rig, &mine);
    return mine.token;
}

void rig_gone(struct rig *rig, uint64_t token)
{
    run(rig, (struct event){.kind = EVENT_GONE, .token = token});
}

void rig_drain(struct rig *rig)
{
    run(rig, (struct event){.kind = EVENT_DRAIN});
}

void rig_leave(struct rig *rig)
{
    run(rig, (struct event){.kind = EVENT_LEAVE});
}

/* ---- what is stored ---- */

const struct rows *rig_dump(struct rig *rig)
{
    if (rig->has_dump) {
        rows_done(&rig->dump);
    }
    rows_init(&rig->dump);
    rig->has_dump = true;
    memory_disk_dump(rig->disk, &rig->dump);
    return &rig->dump;
}

const struct job_row *rig_job(struct rig *rig, uint64_t job)
{
    const struct rows *rows = rig_dump(rig);

    for (size_t i = 0; i < rows->jobs.count; i++) {
        if (rows->jobs.items[i].id == job) {
            return &rows->jobs.items[i];
        }
    }
    return NULL;
}

const struct trigger_row *rig_trigger(struct rig *rig, uint64_t trigger)
{
    const struct rows *rows = rig_dump(rig);

    for (size_t i = 0; i < rows->triggers.count; i++) {
        if (rows->triggers.items[i].id == trigger) {
            return &rows->triggers.items[i];
        }
    }
    return NULL;
}

size_t rig_trigger_count(struct rig *rig, uint64_t job, enum trigger_state state)
{
    const struct rows *rows = rig_dump(rig);
    size_t count = 0;

    for (size_t i = 0; i < rows->triggers.count; i++) {
        count += rows->triggers.items[i].job == job && rows->triggers.items[i].state == state;
    }
    return count;
}

size_t rig_skip_count(struct rig *rig, uint64_t job)
{
    const struct rows *rows = rig_dump(rig);
    size_t count = 0;

    for (size_t i = 0; i < rows->skips.count; i++) {
        count += rows->skips.items[i].job == job;
    }
    return count;
}

const struct skip_row *rig_skip(struct rig *rig, uint64_t job, size_t index)
{
    const struct rows *rows = rig_dump(rig);

    for (size_t i = 0; i < rows->skips.count; i++) {
        if (rows->skips.items[i].job == job && index-- == 0) {
            return &rows->skips.items[i];
        }
    }
    fail_msg("there is no such skip record");
    return NULL;
}

struct engine *rig_engine(struct rig *rig)
{
    return rig->engine;
}
