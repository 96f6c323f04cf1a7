#include "engine/circuit.h"

#include "base/mem.h"
#include "engine/gather.h"
#include "engine/job.h"
#include "engine/key.h"
#include "engine/line.h"
#include "engine/settings.h"
#include "engine/timers.h"

static bool waits_before(const struct heap_node *a, const struct heap_node *b)
{
    return entry_before(CONTAINER_OF_CONST(a, struct entry, node), CONTAINER_OF_CONST(b, struct entry, node));
}

static struct breaker_settings settings_of(const struct engine *engine, const struct job *job)
{
    return settings_breaker(engine, job_tenant(job), STR(READY_TYPE_NONE));
}

static struct circuit *circuit_of(struct engine *engine, struct job *job)
{
    if (job->circuit == NULL) {
        job->circuit = mem_zalloc(sizeof *job->circuit);
        job->circuit->job = job;
        breaker_init(&job->circuit->breaker);
        timer_init(&job->circuit->timer, TIMER_CIRCUIT);
        heap_init(&job->circuit->waiting, waits_before);
        list_node_init(&job->circuit->all);
        list_push_back(&engine->circuits, &job->circuit->all);
    }
    return job->circuit;
}

/* Lets one go, if the breaker would have it. */
static void let_go(struct engine *engine, struct circuit *circuit)
{
    int64_t clears_ms = INT64_MAX;

    if (heap_count(&circuit->waiting) == 0) {
        return;
    }
    if (!breaker_allows(&circuit->breaker, engine->mono_ms, &clears_ms)) {
        if (clears_ms != INT64_MAX) {
            timer_arm_mono(engine, &circuit->timer, clears_ms);
        }
        return;
    }
    entry_to_ready(engine, CONTAINER_OF(heap_pop(&circuit->waiting), struct entry, node));
    /* Closed again: nothing holds the others either. */
    while (circuit->breaker.state == BREAKER_CLOSED && heap_count(&circuit->waiting) > 0) {
        entry_to_ready(engine, CONTAINER_OF(heap_pop(&circuit->waiting), struct entry, node));
    }
}

bool circuit_admits(struct engine *engine, struct entry *entry)
{
    struct circuit *circuit = entry_job(entry)->circuit;
    int64_t clears_ms = INT64_MAX;

    if (circuit == NULL || settings_of(engine, circuit->job).is_off ||
        breaker_allows(&circuit->breaker, engine->mono_ms, &clears_ms)) {
        return true;
    }
    ready_remove(engine->ready, &entry->ready);
    if (entry->group != NULL) {
        key_handed_back(engine, entry);
    }
    entry->place = ENTRY_CIRCUIT;
    heap_push(&circuit->waiting, &entry->node);
    if (clears_ms != INT64_MAX) {
        timer_arm_mono(engine, &circuit->timer, clears_ms);
    }
    return false;
}

struct circuit *circuit_started(const struct engine *engine, struct job *job)
{
    if (job->circuit == NULL || settings_of(engine, job).is_off) {
        return NULL;
    }
    return breaker_start(&job->circuit->breaker) ? job->circuit : NULL;
}

static void gather_circuit(struct engine *engine, struct job *job)
{
    const struct breaker *breaker = &job->circuit->breaker;
    bool is_closed = breaker->state == BREAKER_CLOSED;

    gather_touch(engine, job);
    struct op *op = gather_op(engine, is_closed ? OP_CIRCUIT_DELETE : OP_CIRCUIT_PUT);

    op->circuit = (struct circuit_row){
        .tenant = gather_text(engine, job_tenant(job)),
        .type = STR(""),
        .job = job->id,
        .is_half_open = breaker->state == BREAKER_HALF_OPEN,
        .open_until_ms = breaker->state == BREAKER_OPEN ? wall_of_mono(engine, breaker->open_until_ms) : TIME_NONE,
    };
    gather_note(engine, op, job, (struct place){.tenant = op->circuit.tenant});
}

void circuit_ended(struct engine *engine, struct job *job, enum ready_outcome outcome, bool is_probe)
{
    if (job->circuit == NULL && outcome != READY_FAILED) {
        return;
    }
    struct breaker_settings settings = settings_of(engine, job);

    if (settings.is_off) {
        return; /* circuit_settings_changed has closed it */
    }
    struct circuit *circuit = circuit_of(engine, job);

    if (breaker_end(&circuit->breaker, &settings, outcome != READY_UNCOUNTED, outcome == READY_FAILED, is_probe,
                    engine->mono_ms)) {
        gather_circuit(engine, job);
    }
    if (circuit->breaker.state == BREAKER_CLOSED && outcome == READY_FAILED) {
        timer_arm_mono(engine, &circuit->timer, plus_ms(engine->mono_ms, settings.window_ms)); /* rule 2 */
    }
    let_go(engine, circuit);
}

void circuit_open_again(struct engine *engine, struct circuit *circuit)
{
    let_go(engine, circuit);
}

void circuit_timer(struct engine *engine, struct circuit *circuit)
{
    let_go(engine, circuit);
    job_leave_if_free(engine, circuit->job);
}

void circuit_forget(struct engine *engine, struct entry *entry)
{
    struct circuit *circuit = entry_job(entry)->circuit;

    (void)engine;
    heap_remove(&circuit->waiting, &entry->node);
}

void circuit_free(struct engine *engine, struct job *job)
{
    if (job->circuit != NULL) {
        timer_stop(engine, &job->circuit->timer);
        heap_done(&job->circuit->waiting);
        list_remove(&job->circuit->all);
        mem_free(job->circuit);
        job->circuit = NULL;
    }
}

bool circuit_keeps(const struct job *job)
{
    return job->circuit != NULL && (job->circuit->breaker.state != BREAKER_CLOSED || timer_armed(&job->circuit->timer));
}

void circuit_restore(struct engine *engine, struct job *job, const struct circuit_row *row)
{
    struct circuit *circuit = circuit_of(engine, job);

    bool is_half_open = row->is_half_open || row->open_until_ms <= engine->now_ms;

    if (settings_of(engine, job).is_off) { /* switched off while nobody had it in memory */
        gather_circuit(engine, job);
        return;
    }
    circuit->breaker.state = is_half_open ? BREAKER_HALF_OPEN : BREAKER_OPEN;
    if (!is_half_open) {
        circuit->breaker.open_until_ms = mono_of_wall(engine, row->open_until_ms);
    }
}

void circuit_settings_changed(struct engine *engine)
{
    for (struct list_node *node = list_first(&engine->circuits); node != NULL;
         node = list_next(&engine->circuits, node)) {
        struct circuit *circuit = CONTAINER_OF(node, struct circuit, all);

        if (!settings_of(engine, circuit->job).is_off) {
            continue;
        }
        bool was_closed = circuit->breaker.state == BREAKER_CLOSED;

        breaker_init(&circuit->breaker);
        if (!was_closed) {
            gather_circuit(engine, circuit->job);
        }
        let_go(engine, circuit);
    }
}
