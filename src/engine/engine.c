#include "engine/engine.h"

#include "base/mem.h"
#include "engine/circuit.h"
#include "engine/core.h"
#include "engine/deps.h"
#include "engine/fire.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/lease.h"
#include "engine/line.h"
#include "engine/recent.h"
#include "engine/request.h"
#include "engine/restore.h"
#include "engine/settings.h"
#include "engine/timers.h"
#include "engine/trigger.h"
#include "engine/window.h"
#include "engine/worker.h"

/* Of one step: a bulk of definitions and what is worked out for them. */
#define SCRATCH_BLOCK_BYTES (64 * 1024)
#define SCRATCH_BYTES_MAX (1024UL * 1024 * 1024)

/* What weighs as much as an operation: thirty times an ordinary one. */
#define GATHERED_BYTES (16 * 1024)

/* ---- making ---- */

static void set_defaults(struct engine_config *config)
{
    config->window_ms = config->window_ms > 0 ? config->window_ms : ENGINE_WINDOW_MS;
    config->page_rows = config->page_rows > 0 ? config->page_rows : ENGINE_PAGE_ROWS;
    config->jobs_max = config->jobs_max > 0 ? config->jobs_max : ENGINE_JOBS_MAX;
    config->def_bytes_max = config->def_bytes_max > 0 ? config->def_bytes_max : ENGINE_DEF_BYTES_MAX;
    config->payload_bytes_max = config->payload_bytes_max > 0 ? config->payload_bytes_max : ENGINE_PAYLOAD_BYTES_MAX;
    config->workers_max = config->workers_max > 0 ? config->workers_max : ENGINE_WORKERS_MAX;
}

static void init_maps(struct engine *engine)
{
    uint64_t seed = engine->config.seed;

    idmap_init(&engine->jobs, seed);
    idmap_init(&engine->triggers, seed);
    idmap_init(&engine->requests, seed);
    idmap_init(&engine->exchanges, seed);
    idmap_init(&engine->windows_by_tag, seed);
    idmap_init(&engine->waits, seed);
    idmap_init(&engine->ends, seed);
    idmap_init(&engine->deletes, seed);
    idmap_init(&engine->replays, seed);
    idmap_init(&engine->stored_circuits, seed);
    idmap_init(&engine->rules, seed);
    map_init(&engine->names, MAP_KEYS_TEXT, seed);
    map_init(&engine->policies, MAP_KEYS_TEXT, seed);
    map_init(&engine->keys, MAP_KEYS_TEXT, seed);
    map_init(&engine->workers, MAP_KEYS_TEXT, seed);
    map_init(&engine->pools, MAP_KEYS_TEXT, seed);
    map_init(&engine->settings, MAP_KEYS_TEXT, seed);
    map_init(&engine->tenants, MAP_KEYS_TEXT, seed);
    map_init(&engine->idems, MAP_KEYS_TEXT, seed);
    map_init(&engine->reservations, MAP_KEYS_NUMBER, seed);
}

static void init_lists(struct engine *engine)
{
    list_init(&engine->windows);
    list_init(&engine->dirty_windows);
    list_init(&engine->starved);
    list_init(&engine->parked);
    list_init(&engine->recent_ends);
    list_init(&engine->recent_idems);
    list_init(&engine->recent_deletes);
    list_init(&engine->recent_replays);
    list_init(&engine->orphans);
    list_init(&engine->heard);
    list_init(&engine->all_claims);
    list_init(&engine->circuits);
    list_init(&engine->touched);
}

enum err engine_new(const struct engine_config *config, const struct rows *rows, struct moment at,
                    struct engine **ret_engine, struct error *reterr)
{
    struct engine *engine = mem_zalloc(sizeof *engine);

    engine->config = *config;
    set_defaults(&engine->config);
    init_maps(engine);
    init_lists(engine);
    arena_init(&engine->scratch, SCRATCH_BLOCK_BYTES, SCRATCH_BYTES_MAX);
    timers_begin(engine, at);
    engine->is_held = config->is_held;
    engine->ready = ready_new(config->seed);
    engine->next_tag = 1;
    engine->batch = rows->shard.last_batch + 1;
    engine->durable = rows->shard.last_batch;
    engine->store_batch = rows->shard.last_batch + 1;
    engine->ids_reserved_ms = rows->shard.id_high_ms;
    id_gen_init(&engine->ids, config->shard, rows->shard.id_high_ms);

    enum err err = rows->is_cut ? err_set(reterr, ERR_TOO_LARGE, "the jobs that are held whole have too many texts")
                                : restore_all(engine, rows, reterr);
    if (err != ERR_OK) {
        engine_free(engine);
        return err;
    }
    *ret_engine = engine;
    return ERR_OK;
}

/* ---- ending ---- */

static void free_leases(struct engine *engine)
{
    struct trigger_walk walk = {0};
    struct trigger *trigger;

    while ((trigger = trigger_walk_next(engine, &walk)) != NULL) {
        lease_forget(engine, trigger);
    }
}

static void free_jobs(struct engine *engine)
{
    size_t pos = 0, count = 0;
    struct job **jobs = mem_alloc_array(idmap_count(&engine->jobs) + 1, sizeof(struct job *));
    struct job *job;

    while ((job = idmap_next(&engine->jobs, &pos, NULL)) != NULL) {
        jobs[count++] = job; /* freeing moves things in the map */
    }
    for (size_t i = 0; i < count; i++) {
        job_free(engine, jobs[i]);
    }
    mem_free(jobs);
}

static void free_maps(struct engine *engine)
{
    size_t pos = 0;
    void *row;

    while ((row = idmap_next(&engine->stored_circuits, &pos, NULL)) != NULL) {
        mem_free(row);
    }
    idmap_done(&engine->jobs);
    idmap_done(&engine->triggers);
    idmap_done(&engine->requests);
    idmap_done(&engine->exchanges);
    idmap_done(&engine->windows_by_tag);
    idmap_done(&engine->waits);
    idmap_done(&engine->ends);
    idmap_done(&engine->deletes);
    idmap_done(&engine->replays);
    idmap_done(&engine->stored_circuits);
    idmap_done(&engine->rules);
    map_done(&engine->names);
    map_done(&engine->policies);
    map_done(&engine->keys);
    map_done(&engine->workers);
    map_done(&engine->pools);
    map_done(&engine->settings);
    map_done(&engine->tenants);
    map_done(&engine->idems);
    map_done(&engine->reservations);
}

void engine_free(struct engine *engine)
{
    if (engine == NULL) {
        return;
    }
    request_free_all(engine);
    free_leases(engine);
    worker_free_all(engine);
    deps_free_all(engine);
    free_jobs(engine);
    window_free_all(engine);
    recent_free_all(engine);
    settings_free_all(engine);
    claims_free(engine->claims);
    outbox_free(engine->outbox);
    ready_free(engine->ready);
    free_maps(engine);
    arena_done(&engine->scratch);
    mem_free(engine);
}

/* ---- stepping ---- */

static void timer_fires(struct engine *engine, struct timer *timer)
{
    switch (timer_kind_of(timer)) {
    case TIMER_NONE:
        break;
    case TIMER_FIRE:
        fire_timer(engine, CONTAINER_OF(timer, struct job, fire.timer));
        break;
    case TIMER_TRIGGER:
        entry_timer(engine, CONTAINER_OF(timer, struct trigger, entry.timer));
        break;
    case TIMER_PLACE:
        window_timer(engine, CONTAINER_OF(timer, struct window, timer));
        break;
    case TIMER_LEASE:
        lease_expired(engine, CONTAINER_OF(timer, struct lease, lease_timer));
        break;
    case TIMER_TIMEOUT:
        lease_timed_out(engine, CONTAINER_OF(timer, struct lease, timeout_timer));
        break;
    case TIMER_WAIT:
        worker_wait_over(engine, CONTAINER_OF(timer, struct worker, wait_timer));
        break;
    case TIMER_IDLE:
        worker_idle(engine, CONTAINER_OF(timer, struct worker, idle_timer));
        break;
    case TIMER_CIRCUIT:
        circuit_timer(engine, CONTAINER_OF(timer, struct circuit, timer));
        break;
    }
}

static void advance(struct engine *engine, struct moment at)
{
    struct list due;

    list_init(&due);
    timers_advance(engine, at, &due);
    for (struct list_node *node = list_pop_front(&due); node != NULL; node = list_pop_front(&due)) {
        struct wheel_node *wheel_node = CONTAINER_OF(node, struct wheel_node, link);

        timer_fires(engine, CONTAINER_OF(wheel_node, struct timer, node));
    }
    ready_advance(engine->ready, engine->mono_ms);
}

static void loaded(struct engine *engine, const struct event *event)
{
    struct window *window = idmap_find(&engine->windows_by_tag, event->load_tag);
    struct request *request = idmap_find(&engine->requests, event->load_tag);

    if (window != NULL) {
        window_loaded(engine, window, event->rows);
    } else if (request != NULL) {
        request_loaded(engine, request, event->rows);
    }
}

static void committed(struct engine *engine, uint64_t batch)
{
    engine->durable = batch > engine->durable ? batch : engine->durable;
    recent_settle(engine);
    job_settle_durable(engine);
    request_committed(engine);
}

static void exchange(struct engine *engine, const struct exchange *asked)
{
    struct exchange exchange = *asked;

    exchange.durable = engine->durable;
    worker_exchange(engine, &exchange);
}

void engine_step(struct engine *engine, const struct event *event, struct effects *effects)
{
    engine->effects = effects;
    engine->events++;
    advance(engine, event->at);
    switch (event->kind) {
    case EVENT_TICK:
        break;
    case EVENT_COMMAND:
        request_command(engine, event->command);
        break;
    case EVENT_EXCHANGE:
        exchange(engine, event->exchange);
        break;
    case EVENT_GONE:
        worker_gone(engine, event->token);
        request_gone(engine, event->token);
        break;
    case EVENT_LOADED:
        loaded(engine, event);
        break;
    case EVENT_COMMITTED:
        committed(engine, event->batch);
        break;
    case EVENT_DRAIN:
        engine->is_draining = true;
        workers_end_waits(engine);
        break;
    case EVENT_LEAVE:
        workers_end_waits(engine);
        break;
    }
    worker_dispatch(engine);
    window_update(engine);
    effects->wake_mono_ms = timers_next_mono_ms(engine);
    arena_reset(&engine->scratch);
    engine->effects = NULL;
}

struct outbox *engine_cut(struct engine *engine, struct moment at)
{
    (void)at; /* what was gathered was decided in its steps */
    return gather_cut(engine);
}

size_t engine_gathered(const struct engine *engine)
{
    return engine->outbox != NULL ? engine->outbox->batch.op_count + 1 + gather_bytes(engine) / GATHERED_BYTES : 0;
}

void engine_figures(const struct engine *engine, struct engine_figures *ret_figures)
{
    *ret_figures = (struct engine_figures){
        .now_ms = engine->now_ms,
        .mono_ms = engine->mono_ms,
        .is_clock_held = engine->is_clock_held,
        .is_held = engine->is_held,
        .jobs = idmap_count(&engine->jobs),
        .triggers = engine->living,
        .running = engine->running,
        .ready = ready_count(engine->ready),
        .workers = map_count(&engine->workers) - engine->gone_workers,
        .waiting = engine->waiting,
        .def_bytes = engine->def_bytes,
        .events = engine->events,
        .decisions = engine->decisions,
        .grants = engine->grants,
        .renewals = engine->renewals,
        .renewals_refused = engine->renewals_refused,
        .silences = engine->silences,
    };
}

bool engine_waits(const struct engine *engine, uint64_t token)
{
    return idmap_find(&engine->waits, token) != NULL;
}
