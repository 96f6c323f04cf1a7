#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/chrono.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "worker/limits_worker.h"
#include "worker/run.h"
#include "worker/worker_inside.h"

/* After everything has ended: for the last reports to reach the server. */
#define FLUSH_MS 5000

/* ---- runs ---- */

static void count_end(struct worker *worker, enum run_stop stop, enum outcome_status status)
{
    _Atomic uint64_t *figure = &worker->cancelled;

    if (stop != RUN_CANCELLED) {
        figure = status == OUTCOME_SUCCEEDED ? &worker->succeeded
                 : status == OUTCOME_FAILED  ? &worker->failed
                                             : &worker->released;
    }
    atomic_fetch_add(figure, 1);
}

static void on_run_end(void *owner, struct run *run, enum run_stop stop, const struct outcome *outcome)
{
    struct worker *worker = owner;
    int64_t took_ms = chrono_mono_ms() - run->started_mono_ms;

    count_end(worker, stop, outcome->status);
    if (stop == RUN_CANCELLED) {
        log_info("attempt.cancelled", KEY_SLICE("attempt", run->item.id), KEY_SLICE("job", run->item.job));
        session_nudge(&worker->session); /* the server waits for it to be named no more */
    } else {
        if (outcome->status == OUTCOME_FAILED) {
            log_info("attempt.failed", KEY_SLICE("attempt", run->item.id), KEY_SLICE("job", run->item.job),
                     KEY_STR("code", outcome->code), KEY_INT("duration_ms", took_ms));
        } else {
            log_debug("attempt.ended", KEY_SLICE("attempt", run->item.id), KEY_SLICE("job", run->item.job),
                      KEY_BOOL("released", outcome->status == OUTCOME_RELEASED), KEY_INT("duration_ms", took_ms));
        }
        session_report(&worker->session, run->item.id, outcome);
    }
    list_remove(&run->node);
    map_remove(&worker->runs_by_id, &run->by_id);
    worker->run_count--;
}

static void stop_all(struct worker *worker, bool is_hard)
{
    for (struct list_node *node = list_first(&worker->runs); node != NULL; node = list_next(&worker->runs, node)) {
        run_stop(CONTAINER_OF(node, struct run, node), RUN_RELEASED, is_hard);
    }
}

/* ---- what the session asks ---- */

static uint32_t free_slots(void *owner)
{
    const struct worker *worker = owner;

    return worker->phase == PHASE_SERVING && worker->run_count < worker->slots ? worker->slots - worker->run_count : 0;
}

static size_t held(void *owner, struct str *ids, size_t max)
{
    const struct worker *worker = owner;
    size_t count = 0;

    for (struct list_node *node = list_first(&worker->runs); node != NULL && count < max;
         node = list_next(&worker->runs, node)) {
        ids[count++] = CONTAINER_OF(node, struct run, node)->item.id;
    }
    return count;
}

static int64_t shortest_lease_ms(void *owner)
{
    const struct worker *worker = owner;
    int64_t shortest_ms = 0;

    for (struct list_node *node = list_first(&worker->runs); node != NULL; node = list_next(&worker->runs, node)) {
        int64_t lease_ms = CONTAINER_OF(node, struct run, node)->item.lease_ms;

        shortest_ms = shortest_ms == 0 || lease_ms < shortest_ms ? lease_ms : shortest_ms;
    }
    return shortest_ms;
}

/* What is none cannot be named to the server: it would refuse the whole exchange. */
static bool is_id(struct str text)
{
    uint64_t trigger;
    uint32_t number;

    return id_parse_attempt(text, &trigger, &number, NULL) == ERR_OK;
}

static void report_unreadable(struct worker *worker, struct str id, const struct error *error)
{
    struct outcome outcome =
        outcome_failed(false, "bad_attempt", "this worker cannot read the attempt: %.200s", error->text);

    log_warn("worker.bad_attempt", KEY_SLICE("attempt", id), KEY_STR("why", error->text));
    if (is_id(id) && seen_add(&worker->seen, id)) {
        session_report(&worker->session, id, &outcome);
    }
}

static bool on_attempt(void *owner, struct str json)
{
    struct worker *worker = owner;
    struct run_tools tools = {.loop = &worker->loop,
                              .execs = &worker->execs,
                              .calls = &worker->calls,
                              .is_exec_allowed = worker->is_exec_allowed};
    struct item item;
    struct error error;
    struct str id = {0};

    if (item_read(json, &item, &id, &error) != ERR_OK) {
        report_unreadable(worker, id, &error);
        return true;
    }
    if (!is_id(item.id) || !seen_add(&worker->seen, item.id)) {
        item_done(&item);
        return false; /* rule 1 of worker.h: sent again */
    }
    if (free_slots(worker) == 0) {
        struct outcome outcome = outcome_released();

        count_end(worker, RUN_RELEASED, OUTCOME_RELEASED);
        session_report(&worker->session, item.id, &outcome);
        item_done(&item);
        return true;
    }
    struct run *run = run_start(&tools, &item, on_run_end, worker);

    list_push_back(&worker->runs, &run->node);
    (void)map_insert_text(&worker->runs_by_id, &run->by_id, run->item.id);
    worker->run_count++;
    atomic_fetch_add(&worker->started, 1);
    return true;
}

static bool on_cancel(void *owner, struct str attempt)
{
    struct worker *worker = owner;
    struct map_node *node = map_find_text(&worker->runs_by_id, attempt);
    struct run *run = node != NULL ? CONTAINER_OF(node, struct run, by_id) : NULL;

    if (run == NULL || run->stop == RUN_CANCELLED) {
        return false;
    }
    run_stop(run, RUN_CANCELLED, false);
    return true;
}

/* ---- phases ---- */

static void enter(struct worker *worker, enum phase phase, int64_t at_most_ms)
{
    worker->phase = phase;
    loop_timer_clear(&worker->loop, &worker->phase_timer);
    if (at_most_ms >= 0) {
        loop_timer_set(&worker->loop, &worker->phase_timer, at_most_ms);
    }
    session_nudge(&worker->session);
}

static void on_phase_time(void *owner)
{
    struct worker *worker = owner;

    if (worker->phase == PHASE_DRAINING) {
        enter(worker, PHASE_STOPPING, -1);
        stop_all(worker, false);
    } else if (worker->phase == PHASE_FLUSHING) {
        log_warn("worker.unreported", KEY_UINT("reports", worker->session.outbox.count));
        worker->phase = PHASE_ENDED;
    }
}

static void take_command(struct worker *worker)
{
    int command = atomic_load(&worker->command);

    if (command == COMMAND_DRAIN && worker->phase == PHASE_SERVING) {
        log_info("worker.draining", KEY_UINT("running", worker->run_count));
        enter(worker, PHASE_DRAINING, worker->grace_ms);
    }
    if (command == COMMAND_STOP && worker->phase < PHASE_FLUSHING) {
        if (worker->phase != PHASE_STOPPING) {
            enter(worker, PHASE_STOPPING, -1);
        }
        stop_all(worker, true);
    }
    if (worker->phase > PHASE_SERVING && worker->phase < PHASE_FLUSHING && worker->run_count == 0) {
        enter(worker, PHASE_FLUSHING, FLUSH_MS);
        session_close(&worker->session);
    }
    if (worker->phase == PHASE_FLUSHING && session_is_closed(&worker->session)) {
        worker->phase = PHASE_ENDED;
    }
}

static void on_wake(void *owner, uint32_t events)
{
    const struct worker *worker = owner;
    uint64_t count;

    (void)events;
    (void)!read(worker->wake_fd, &count, sizeof count);
}

static void publish(struct worker *worker)
{
    const struct session *session = &worker->session;

    atomic_store(&worker->running, worker->run_count);
    atomic_store(&worker->reports_waiting, session->outbox.count);
    atomic_store(&worker->exchanges, session->exchanges);
    atomic_store(&worker->exchange_failures, session->exchange_failures);
    atomic_store(&worker->reports_refused, session->refused);
    atomic_store(&worker->is_connected, session->answered_seq > 0 && session->failures == 0);
}

void *serve(void *owner)
{
    struct worker *worker = owner;

    log_info("worker.started", KEY_STR("worker", worker->id), KEY_STR("name", worker->name),
             KEY_UINT("slots", worker->slots), KEY_BOOL("exec", worker->is_exec_allowed));
    while (worker->phase != PHASE_ENDED) {
        take_command(worker);
        session_pump(&worker->session);
        publish(worker);
        loop_turn(&worker->loop, worker->phase == PHASE_ENDED ? 0 : -1);
    }
    log_info("worker.ended", KEY_STR("worker", worker->id));
    atomic_store(&worker->has_ended, true);
    return NULL;
}

/* ---- setting up ---- */

static void init_session(struct worker *worker)
{
    struct session_config config = {.url = str_from(worker->url),
                                    .token = str_from(worker->token),
                                    .worker = str_from(worker->id),
                                    .name = str_from(worker->name),
                                    .pools = worker->pools,
                                    .pool_count = worker->pool_count,
                                    .slots = worker->slots,
                                    .is_exec_allowed = worker->is_exec_allowed};
    struct session_owner owner = {.owner = worker,
                                  .free_slots = free_slots,
                                  .held = held,
                                  .shortest_lease_ms = shortest_lease_ms,
                                  .on_attempt = on_attempt,
                                  .on_cancel = on_cancel};

    session_init(&worker->session, &worker->loop, &config, &owner);
}

enum err serve_init(struct worker *worker, struct error *reterr)
{
    uint64_t seed = 0;
    enum err err = loop_init(&worker->loop, reterr);

    if (err != ERR_OK) {
        return err;
    }
    (void)!getrandom(&seed, sizeof seed, 0);
    list_init(&worker->runs);
    map_init(&worker->runs_by_id, MAP_KEYS_TEXT, seed);
    seen_init(&worker->seen, seed);
    loop_timer_init(&worker->phase_timer, on_phase_time, worker);
    execs_init(&worker->execs, &worker->loop, worker->environment);
    worker->execs.worker = str_from(worker->id);
    worker->execs.descriptors = worker->descriptors;
    http_calls_init(&worker->calls, &worker->loop, (long)worker->per_host_max);
    worker->calls.is_private_denied = worker->is_private_denied;
    worker->calls.secrets = str_from(worker->secrets);
    init_session(worker);
    if (loop_add(&worker->loop, worker->wake_fd, EPOLLIN, on_wake, worker) == NULL) {
        serve_done(worker);
        return err_set(reterr, ERR_IO, "the worker cannot be woken");
    }
    return ERR_OK;
}

void serve_done(struct worker *worker)
{
    session_done(&worker->session);
    http_calls_done(&worker->calls);
    execs_done(&worker->execs);
    seen_done(&worker->seen);
    map_done(&worker->runs_by_id);
    loop_done(&worker->loop);
}
