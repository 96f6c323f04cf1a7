#include "api/tracer.h"

#include <pthread.h>

#include "base/idmap.h"
#include "base/list.h"
#include "base/mem.h"
#include "model/job_def.h"

/* A trigger in a trace that a client gave. */
struct known {
    uint64_t trigger;
    struct trace trace;
};

struct tracer {
    struct exporter *exporter; /* NULL: none */
    pthread_mutex_t lock;      /* of known */
    struct idmap known;        /* struct known, by trigger */
};

struct tracer *tracer_new(const char *endpoint, struct str server, const char *version)
{
    struct tracer *tracer = mem_zalloc(sizeof *tracer);

    pthread_mutex_init(&tracer->lock, NULL);
    idmap_init(&tracer->known, 0);
    tracer->exporter = endpoint[0] != '\0' ? exporter_start(endpoint, server, version) : NULL;
    return tracer;
}

void tracer_stop(struct tracer *tracer)
{
    if (tracer->exporter != NULL) {
        exporter_stop(tracer->exporter);
    }
}

void tracer_free(struct tracer *tracer)
{
    size_t at = 0;
    struct known *known;

    while ((known = idmap_next(&tracer->known, &at, NULL)) != NULL) {
        mem_free(known);
    }
    exporter_free(tracer->exporter);
    idmap_done(&tracer->known);
    pthread_mutex_destroy(&tracer->lock);
    mem_free(tracer);
}

/* ---- what is known ---- */

static void remember(struct tracer *tracer, uint64_t trigger, const struct trace *trace)
{
    pthread_mutex_lock(&tracer->lock);
    struct known *known = idmap_find(&tracer->known, trigger);

    if (known == NULL && idmap_count(&tracer->known) < TRACER_KNOWN_MAX) {
        known = mem_alloc(sizeof *known);
        known->trigger = trigger;
        idmap_put(&tracer->known, trigger, known);
    }
    if (known != NULL) {
        known->trace = *trace;
    }
    pthread_mutex_unlock(&tracer->lock);
}

static struct trace recall(struct tracer *tracer, uint64_t trigger)
{
    struct trace trace = {0};

    pthread_mutex_lock(&tracer->lock);
    const struct known *known = idmap_find(&tracer->known, trigger);

    if (known != NULL) {
        trace = known->trace;
    }
    pthread_mutex_unlock(&tracer->lock);
    return trace;
}

void tracer_forget(struct tracer *tracer, uint64_t trigger)
{
    pthread_mutex_lock(&tracer->lock);
    mem_free(idmap_remove(&tracer->known, trigger));
    pthread_mutex_unlock(&tracer->lock);
}

void tracer_run(struct tracer *tracer, uint64_t trigger, const struct trace *trace)
{
    remember(tracer, trigger, trace);
}

struct trace tracer_granted(struct tracer *tracer, uint64_t trigger, struct str def)
{
    struct str text = job_def_traceparent(def);
    struct trace trace = recall(tracer, trigger);

    if (!trace_is_set(&trace) && trace_parse(text, &trace) && tracer->exporter != NULL) {
        remember(tracer, trigger, &trace);
    }
    return trace;
}

/* ---- spans ---- */

static struct wire_span span_of(const struct trigger_row *row, struct str name)
{
    return (struct wire_span){
        .kind = row->kind,
        .job = row->job,
        .trigger = row->id,
        .scheduled_ms = row->scheduled_ms,
        .tenant = row->place.tenant,
        .type = row->place.type,
        .pool = row->place.pool,
        .name = name,
    };
}

void tracer_attempt(struct tracer *tracer, const struct trigger_row *trigger, const struct attempt_row *attempt,
                    struct str name)
{
    struct wire_span span = span_of(trigger, name);

    if (tracer->exporter == NULL) {
        return;
    }
    const struct trace given = recall(tracer, trigger->id);

    span.trace = trace_of_attempt(&given, trigger->id, attempt->number);
    span.parent = trace_of_trigger(&given, trigger->id).span;
    span.number = attempt->number;
    span.is_error = attempt_failed(attempt->state);
    span.outcome = attempt_state_text(attempt->state);
    span.started_ms = attempt->started_ms;
    span.ended_ms = attempt->ended_ms;
    span.worker = attempt->worker;
    span.error_code = attempt->error_code;
    span.error_message = attempt->error_message;
    if (span.trace.is_sampled) { /* rule 2 */
        exporter_give(tracer->exporter, &span);
    }
}

void tracer_trigger(struct tracer *tracer, const struct trigger_row *trigger, struct str name)
{
    struct wire_span span = span_of(trigger, name);
    const struct trace given = recall(tracer, trigger->id);
    int64_t first_ms = trigger->last.number > 0 ? trigger->last.started_ms : trigger->created_ms;

    span.trace = trace_of_trigger(&given, trigger->id);
    span.parent = given.span;
    span.is_error = trigger->state == TRIGGER_DEAD;
    span.outcome = trigger_state_text(trigger->state);
    span.started_ms = trigger->created_ms < first_ms ? trigger->created_ms : first_ms;
    span.ended_ms = trigger->ended_ms;
    span.error_code = trigger->reason;
    if (tracer->exporter != NULL && span.trace.is_sampled) {
        exporter_give(tracer->exporter, &span);
    }
}

void tracer_look(struct tracer *tracer, struct exporter_figures *ret_figures)
{
    *ret_figures = (struct exporter_figures){0};
    if (tracer->exporter != NULL) {
        exporter_look(tracer->exporter, ret_figures);
    }
}
