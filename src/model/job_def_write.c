#include <stdlib.h>

#include "base/json_write.h"
#include "calendar/duration.h"
#include "calendar/instant.h"
#include "model/job_def.h"
#include "model/job_words.h"

static void put_text(struct jw *jw, const char *key, struct str text)
{
    jw_key(jw, key);
    jw_str(jw, text);
}

static void put_duration(struct jw *jw, const char *key, int64_t ms)
{
    char text[DURATION_BYTES];

    jw_key(jw, key);
    jw_text(jw, duration_format(ms, text));
}

static void put_instant(struct jw *jw, const char *key, int64_t ms)
{
    char text[INSTANT_BYTES];

    jw_key(jw, key);
    jw_text(jw, instant_format(ms, text));
}

static void put_every(const struct job_def *def, struct jw *jw)
{
    if (!def->after_finish) {
        put_duration(jw, "every", def->every_ms);
        return;
    }
    jw_key(jw, "every");
    jw_begin_object(jw);
    put_duration(jw, "interval", def->every_ms);
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
        put_instant(jw, "run_at", def->run_at_ms);
        break;
    case WHEN_DELAY:
        put_duration(jw, "delay", def->delay_ms);
        break;
    case WHEN_CRON:
        put_text(jw, "cron", def->cron);
        break;
    case WHEN_EVERY:
        put_every(def, jw);
        break;
    }
    put_text(jw, "timezone", def->timezone);
    jw_key(jw, "dst");
    jw_begin_object(jw);
    jw_key(jw, "gap");
    jw_text(jw, dst_gap_text(def->dst.gap));
    jw_key(jw, "fold");
    jw_text(jw, dst_fold_text(def->dst.fold));
    jw_end_object(jw);
    if (def->starts_at_ms != SCHEDULE_NO_START) {
        put_instant(jw, "starts_at", def->starts_at_ms);
    }
    if (def->ends_at_ms != SCHEDULE_NO_END) {
        put_instant(jw, "ends_at", def->ends_at_ms);
    }
    if (def->max_fires != SCHEDULE_NO_MAX) {
        jw_key(jw, "max_fires");
        jw_int(jw, def->max_fires);
    }
    if (def->jitter_ms != 0) {
        put_duration(jw, "jitter", def->jitter_ms);
    }
}

static void put_retry(const struct retry *retry, struct jw *jw)
{
    jw_key(jw, "retry");
    jw_begin_object(jw);
    jw_key(jw, "max_attempts");
    jw_int(jw, retry->max_attempts);
    if (retry->delay_count > 0) {
        jw_key(jw, "delays");
        jw_begin_array(jw);
        for (int i = 0; i < retry->delay_count; i++) {
            char text[DURATION_BYTES];

            jw_text(jw, duration_format(retry->delays_ms[i], text));
        }
        jw_end_array(jw);
    } else {
        put_duration(jw, "base", retry->base_ms);
        jw_key(jw, "factor");
        jw_double(jw, (double)retry->factor_milli / 1000);
        put_duration(jw, "max", retry->max_ms);
    }
    jw_key(jw, "jitter");
    jw_double(jw, (double)retry->jitter_milli / 1000);
    jw_end_object(jw);
}

static void put_policies(const struct job_def *def, struct jw *jw)
{
    jw_key(jw, "overlap");
    jw_text(jw, job_overlap_text(def->overlap));
    jw_key(jw, "misfire");
    jw_text(jw, job_misfire_text(def->misfire));
    put_duration(jw, "misfire_after", def->misfire_after_ms);
    put_retry(&def->retry, jw);
    put_duration(jw, "timeout", def->timeout_ms);
    put_duration(jw, "lease", def->lease_ms);
    if (def->expires_after_ms != 0) {
        put_duration(jw, "expires_after", def->expires_after_ms);
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
static void put_relations(struct job_def *def, struct jw *jw)
{
    if (def->depends_on_count > 0) {
        qsort(def->depends_on, def->depends_on_count, sizeof *def->depends_on, by_job);
        jw_key(jw, "depends_on");
        jw_begin_array(jw);
        for (size_t i = 0; i < def->depends_on_count; i++) {
            jw_begin_object(jw);
            put_text(jw, "job", def->depends_on[i].job);
            jw_key(jw, "on");
            jw_text(jw, job_edge_text(def->depends_on[i].on));
            jw_end_object(jw);
        }
        jw_end_array(jw);
    }
    if (def->concurrency_key.len > 0) {
        jw_key(jw, "concurrency");
        jw_begin_object(jw);
        put_text(jw, "key", def->concurrency_key);
        jw_key(jw, "max");
        jw_int(jw, def->concurrency_max);
        jw_end_object(jw);
    }
    if (def->label_count > 0) {
        qsort(def->labels, def->label_count, sizeof *def->labels, by_key);
        jw_key(jw, "labels");
        jw_begin_object(jw);
        for (size_t i = 0; i < def->label_count; i++) {
            jw_key_str(jw, def->labels[i].key);
            jw_str(jw, def->labels[i].value);
        }
        jw_end_object(jw);
    }
}

void job_def_write(struct job_def *def, struct buf *out)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    put_text(&jw, "tenant", def->tenant);
    if (def->name.len > 0) {
        put_text(&jw, "name", def->name);
    }
    put_text(&jw, "type", def->type);
    put_text(&jw, "pool", def->pool);
    jw_key(&jw, "priority");
    jw_int(&jw, def->priority);
    put_when(def, &jw);
    put_policies(def, &jw);
    jw_key(&jw, "payload");
    jw_raw(&jw, def->payload);
    if (def->target_kind != TARGET_NONE) {
        jw_key(&jw, "target");
        jw_begin_object(&jw);
        jw_key(&jw, def->target_kind == TARGET_HTTP ? "http" : "exec");
        jw_raw(&jw, def->target);
        jw_end_object(&jw);
    }
    put_relations(def, &jw);
    if (def->created_by.len > 0) {
        put_text(&jw, "created_by", def->created_by);
    }
    jw_end_object(&jw);
    jw_done(&jw);
}
