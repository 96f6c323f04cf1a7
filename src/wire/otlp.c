#include "wire/otlp.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/mem.h"
#include "calendar/instant.h"
#include "wire/put.h"

/* OTLP's numbers. */
enum { KIND_INTERNAL = 1, KIND_CONSUMER = 5 };
enum { STATUS_UNSET = 0, STATUS_OK = 1, STATUS_ERROR = 2 };

#define NAME_BYTES 512

/* ---- attributes ---- */

static void begin_attribute(struct jw *jw, const char *key)
{
    jw_begin_object(jw);
    wire_put_word(jw, "key", key);
    jw_key(jw, "value");
    jw_begin_object(jw);
}

static void end_attribute(struct jw *jw)
{
    jw_end_object(jw);
    jw_end_object(jw);
}

static void put_text(struct jw *jw, const char *key, struct str text)
{
    if (!str_empty(text)) {
        begin_attribute(jw, key);
        wire_put_text(jw, "stringValue", text);
        end_attribute(jw);
    }
}

/* 64-bit numbers are texts in this form. */
static void put_number(struct jw *jw, const char *key, int64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRId64, value);
    begin_attribute(jw, key);
    wire_put_word(jw, "intValue", text);
    end_attribute(jw);
}

static void put_attributes(struct jw *jw, const struct wire_span *span)
{
    char job[ID_TEXT_BYTES], trigger[ID_TEXT_BYTES], at[INSTANT_BYTES];

    id_format(ID_JOB, span->job, job);
    id_format(ID_TRIGGER, span->trigger, trigger);
    jw_key(jw, "attributes");
    jw_begin_array(jw);
    put_text(jw, "belfry.tenant", span->tenant);
    put_text(jw, "belfry.type", span->type);
    put_text(jw, "belfry.pool", span->pool);
    put_text(jw, "belfry.job", str_from(job));
    put_text(jw, "belfry.name", span->name);
    put_text(jw, "belfry.trigger", str_from(trigger));
    put_text(jw, "belfry.kind", str_from(trigger_kind_text(span->kind)));
    put_text(jw, "belfry.scheduled_for", str_from(instant_format(span->scheduled_ms, at)));
    put_text(jw, "belfry.outcome", str_from(span->outcome));
    if (span->number > 0) {
        put_number(jw, "belfry.attempt", span->number);
    }
    put_text(jw, "belfry.worker", span->worker);
    put_text(jw, "error.type", span->error_code);
    jw_end_array(jw);
}

/* ---- a span ---- */

static void put_id(struct jw *jw, const char *key, uint64_t id)
{
    char text[17];

    (void)snprintf(text, sizeof text, "%016" PRIx64, id);
    wire_put_word(jw, key, text);
}

static void put_instant(struct jw *jw, const char *key, int64_t ms)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%" PRId64 "000000", ms); /* nanoseconds */
    wire_put_word(jw, key, text);
}

static void put_name(struct jw *jw, const struct wire_span *span)
{
    char name[NAME_BYTES];

    (void)snprintf(name, sizeof name, "%s %.*s", span->number > 0 ? "attempt" : "trigger", STR_ARGS(span->type));
    wire_put_word(jw, "name", name);
}

static void put_status(struct jw *jw, const struct wire_span *span)
{
    bool is_good = str_is(str_from(span->outcome), "succeeded");

    jw_key(jw, "status");
    jw_begin_object(jw);
    wire_put_int(jw, "code", span->is_error ? STATUS_ERROR : is_good ? STATUS_OK : STATUS_UNSET);
    if (span->is_error && !str_empty(span->error_message)) {
        wire_put_text(jw, "message", span->error_message);
    }
    jw_end_object(jw);
}

static void put_span(struct jw *jw, const struct wire_span *span)
{
    char trace[33];

    (void)snprintf(trace, sizeof trace, "%016" PRIx64 "%016" PRIx64, span->trace.id[0], span->trace.id[1]);
    jw_begin_object(jw);
    wire_put_word(jw, "traceId", trace);
    put_id(jw, "spanId", span->trace.span);
    if (span->parent != 0) {
        put_id(jw, "parentSpanId", span->parent);
    }
    put_name(jw, span);
    wire_put_int(jw, "kind", span->number > 0 ? KIND_CONSUMER : KIND_INTERNAL);
    put_instant(jw, "startTimeUnixNano", span->started_ms);
    put_instant(jw, "endTimeUnixNano", span->ended_ms >= span->started_ms ? span->ended_ms : span->started_ms);
    put_attributes(jw, span);
    put_status(jw, span);
    jw_end_object(jw);
}

/* ---- the request ---- */

static void put_resource(struct jw *jw, const struct wire_resource *resource)
{
    jw_key(jw, "resource");
    jw_begin_object(jw);
    jw_key(jw, "attributes");
    jw_begin_array(jw);
    put_text(jw, "service.name", STR("belfry"));
    put_text(jw, "service.version", str_from(resource->version));
    put_text(jw, "host.name", resource->server);
    jw_end_array(jw);
    jw_end_object(jw);
}

void wire_otlp(struct jw *jw, const struct wire_resource *resource, const struct wire_span *const *spans, size_t count)
{
    jw_begin_object(jw);
    jw_key(jw, "resourceSpans");
    jw_begin_array(jw);
    jw_begin_object(jw);
    put_resource(jw, resource);
    jw_key(jw, "scopeSpans");
    jw_begin_array(jw);
    jw_begin_object(jw);
    jw_key(jw, "scope");
    jw_begin_object(jw);
    wire_put_word(jw, "name", "belfry");
    wire_put_word(jw, "version", resource->version);
    jw_end_object(jw);
    jw_key(jw, "spans");
    jw_begin_array(jw);
    for (size_t i = 0; i < count; i++) {
        put_span(jw, spans[i]);
    }
    jw_end_array(jw);
    jw_end_object(jw);
    jw_end_array(jw);
    jw_end_object(jw);
    jw_end_array(jw);
    jw_end_object(jw);
}
