#include <stdlib.h>

#include "model/job_def.h"
#include "model/job_words.h"
#include "model/job_writing.h"
#include "model/trace.h"

/* One form of a definition being written: all fields, or those that differ from the default. */
struct writing {
    struct jw *jw;
    bool is_full;
    struct job_def usual; /* the defaults */
};

static void put_text(const struct writing *writing, const char *field, struct str text, struct str usual)
{
    if (writing->is_full || !str_equal(text, usual)) {
        writing_text(writing->jw, field, text);
    }
}

static void put_word(const struct writing *writing, const char *field, const char *word, const char *usual)
{
    put_text(writing, field, str_from(word), str_from(usual));
}

static void put_duration(const struct writing *writing, const char *field, int64_t ms, int64_t usual_ms)
{
    if (writing->is_full || ms != usual_ms) {
        writing_duration(writing->jw, field, ms);
    }
}

static void put_who(const struct writing *writing, const struct job_def *def)
{
    const struct job_def *usual = &writing->usual;

    put_text(writing, "tenant", def->tenant, usual->tenant);
    if (def->name.len > 0) {
        writing_text(writing->jw, "name", def->name);
    }
    put_text(writing, "type", def->type, usual->type);
    put_text(writing, "pool", def->pool, usual->pool);
    if (writing->is_full || def->priority != usual->priority) {
        jw_key(writing->jw, "priority");
        jw_int(writing->jw, def->priority);
    }
}

static void put_every(const struct job_def *def, struct jw *jw)
{
    if (!def->after_finish) {
        writing_duration(jw, "every", def->every_ms);
        return;
    }
    jw_key(jw, "every");
    jw_begin_object(jw);
    writing_duration(jw, "interval", def->every_ms);
    jw_key(jw, "after");
    jw_text(jw, "finish");
    jw_end_object(jw);
}

static void put_when(const struct job_def *def, struct jw *jw)
{
    switch (def->when) {
    case WHEN_NOW:
    case WHEN_UPSTREAM:
        break;
    case WHEN_AT:
        writing_instant(jw, "run_at", def->run_at_ms);
        break;
    case WHEN_DELAY:
        writing_duration(jw, "delay", def->delay_ms);
        break;
    case WHEN_CRON:
        writing_text(jw, "cron", def->cron);
        break;
    case WHEN_EVERY:
        put_every(def, jw);
        break;
    }
}

static void put_dst(const struct writing *writing, struct dst dst, struct dst usual)
{
    if (!writing->is_full && dst.gap == usual.gap && dst.fold == usual.fold) {
        return;
    }
    jw_key(writing->jw, "dst");
    jw_begin_object(writing->jw);
    put_word(writing, "gap", dst_gap_text(dst.gap), dst_gap_text(usual.gap));
    put_word(writing, "fold", dst_fold_text(dst.fold), dst_fold_text(usual.fold));
    jw_end_object(writing->jw);
}

static void put_bounds(const struct writing *writing, const struct job_def *def)
{
    struct jw *jw = writing->jw;

    put_text(writing, "timezone", def->timezone, writing->usual.timezone);
    put_dst(writing, def->dst, writing->usual.dst);
    if (def->starts_at_ms != SCHEDULE_NO_START) {
        writing_instant(jw, "starts_at", def->starts_at_ms);
    }
    if (def->ends_at_ms != SCHEDULE_NO_END) {
        writing_instant(jw, "ends_at", def->ends_at_ms);
    }
    if (def->max_fires != SCHEDULE_NO_MAX) {
        jw_key(jw, "max_fires");
        jw_int(jw, def->max_fires);
    }
    if (def->jitter_ms != 0) {
        writing_duration(jw, "jitter", def->jitter_ms);
    }
}

static void put_policies(const struct writing *writing, const struct job_def *def)
{
    const struct job_def *usual = &writing->usual;

    put_word(writing, "overlap", job_overlap_text(def->overlap), job_overlap_text(usual->overlap));
    put_word(writing, "misfire", job_misfire_text(def->misfire), job_misfire_text(usual->misfire));
    put_duration(writing, "misfire_after", def->misfire_after_ms, usual->misfire_after_ms);
    if (writing->is_full || !retry_equal(&def->retry, &usual->retry)) {
        writing_retry(writing->jw, &def->retry, writing->is_full);
    }
    put_duration(writing, "timeout", def->timeout_ms, usual->timeout_ms);
    put_duration(writing, "lease", def->lease_ms, usual->lease_ms);
    if (def->expires_after_ms != 0) {
        writing_duration(writing->jw, "expires_after", def->expires_after_ms);
    }
    if (def->dead_policy.is_set) {
        jw_key(writing->jw, "dead_policy");
        writing_dead_policy(writing->jw, &def->dead_policy);
    }
}

static void put_work(const struct writing *writing, const struct job_def *def)
{
    struct jw *jw = writing->jw;

    if (writing->is_full || !str_equal(def->payload, writing->usual.payload)) {
        jw_key(jw, "payload");
        jw_raw(jw, def->payload);
    }
    if (def->target_kind != TARGET_NONE) {
        jw_key(jw, "target");
        jw_begin_object(jw);
        jw_key(jw, def->target_kind == TARGET_HTTP ? "http" : "exec");
        jw_raw(jw, def->target);
        jw_end_object(jw);
    }
}

static int by_job(const void *a, const void *b)
{
    return str_compare(((const struct job_upstream *)a)->job, ((const struct job_upstream *)b)->job);
}

static int by_key(const void *a, const void *b)
{
    return str_compare(((const struct job_label *)a)->key, ((const struct job_label *)b)->key);
}

/* Sorted, since their order has no meaning. */
static void put_upstreams(const struct writing *writing, struct job_def *def)
{
    struct jw *jw = writing->jw;

    qsort(def->depends_on, def->depends_on_count, sizeof *def->depends_on, by_job);
    jw_key(jw, "depends_on");
    jw_begin_array(jw);
    for (size_t i = 0; i < def->depends_on_count; i++) {
        const struct job_upstream *upstream = &def->depends_on[i];

        if (!writing->is_full && upstream->on == EDGE_SUCCESS) {
            jw_str(jw, upstream->job);
            continue;
        }
        jw_begin_object(jw);
        writing_text(jw, "job", upstream->job);
        jw_key(jw, "on");
        jw_text(jw, job_edge_text(upstream->on));
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

/* Sorted, too. */
static void put_labels(const struct writing *writing, struct job_def *def)
{
    qsort(def->labels, def->label_count, sizeof *def->labels, by_key);
    jw_key(writing->jw, "labels");
    jw_begin_object(writing->jw);
    for (size_t i = 0; i < def->label_count; i++) {
        jw_key_str(writing->jw, def->labels[i].key);
        jw_str(writing->jw, def->labels[i].value);
    }
    jw_end_object(writing->jw);
}

static void put_relations(const struct writing *writing, struct job_def *def)
{
    struct jw *jw = writing->jw;

    if (def->depends_on_count > 0) {
        put_upstreams(writing, def);
    }
    if (def->concurrency_key.len > 0) {
        jw_key(jw, "concurrency");
        jw_begin_object(jw);
        writing_text(jw, "key", def->concurrency_key);
        if (writing->is_full || def->concurrency_max != JOB_CONCURRENCY_DEFAULT) {
            jw_key(jw, "max");
            jw_int(jw, def->concurrency_max);
        }
        jw_end_object(jw);
    }
    if (def->label_count > 0) {
        put_labels(writing, def);
    }
    if (def->created_by.len > 0) {
        writing_text(jw, "created_by", def->created_by);
    }
}

static void write_form(struct job_def *def, bool is_full, struct buf *out)
{
    struct jw jw;
    const struct writing writing = {.jw = &jw, .is_full = is_full, .usual = job_def_default()};

    jw_init(&jw, out);
    jw_begin_object(&jw);
    if (def->traceparent.len > 0) { /* first: job_def_traceparent relies on it */
        writing_text(&jw, "traceparent", def->traceparent);
    }
    put_who(&writing, def);
    put_when(def, &jw);
    put_bounds(&writing, def);
    put_policies(&writing, def);
    put_work(&writing, def);
    put_relations(&writing, def);
    jw_end_object(&jw);
    jw_done(&jw);
}

void job_def_write(struct job_def *def, struct buf *out)
{
    write_form(def, false, out);
}

void job_def_write_full(struct job_def *def, struct buf *out)
{
    write_form(def, true, out);
}

/* ---- traces in canonical text ---- */

#define TRACE_HEAD "{\"traceparent\":\""
#define TRACE_HEAD_LEN (sizeof TRACE_HEAD - 1)

struct str job_def_traceparent(struct str canonical)
{
    return str_starts_with(canonical, STR(TRACE_HEAD)) && canonical.len > TRACE_HEAD_LEN + TRACE_TEXT_LEN
               ? (struct str){canonical.ptr + TRACE_HEAD_LEN, TRACE_TEXT_LEN}
               : STR("");
}

/* What follows the opening brace and the trace. */
static struct str behind_trace(struct str canonical)
{
    size_t skipped = 1;

    if (!str_empty(job_def_traceparent(canonical))) {
        skipped = TRACE_HEAD_LEN + TRACE_TEXT_LEN + 1; /* its closing quote */
        skipped += skipped < canonical.len && canonical.ptr[skipped] == ',' ? 1 : 0;
    }
    return canonical.len >= skipped ? (struct str){canonical.ptr + skipped, canonical.len - skipped} : STR("");
}

bool job_def_same(struct str canonical_a, struct str canonical_b)
{
    return str_equal(behind_trace(canonical_a), behind_trace(canonical_b));
}
