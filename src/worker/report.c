#include "worker/report.h"

#include "base/json_scan.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "worker/limits_worker.h"

/* A control character of an output becomes six bytes; then comes the rest of the report. */
#define REPORT_BYTES_MAX (OUTPUT_BYTES_MAX * 6 + 8 * 1024)
/* Of a report without a result, at most. */
#define PLAIN_NODES 8

static void write_failure(struct jw *jw, const struct outcome *outcome)
{
    char text[DURATION_BYTES];

    jw_key(jw, "error");
    jw_begin_object(jw);
    jw_key(jw, "code");
    jw_text(jw, outcome->code);
    jw_key(jw, "message");
    jw_text(jw, outcome->message);
    jw_end_object(jw);
    jw_key(jw, "retryable");
    jw_bool(jw, outcome->is_retryable);
    if (outcome->is_retryable && outcome->retry_after_ms > 0) {
        jw_key(jw, "retry_after");
        jw_text(jw, duration_format(outcome->retry_after_ms, text));
    }
}

static void write_report(struct str attempt, const struct outcome *outcome, bool has_result, struct buf *out)
{
    static const char *const words[] = {
        [OUTCOME_SUCCEEDED] = "succeeded", [OUTCOME_FAILED] = "failed", [OUTCOME_RELEASED] = "released"};
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    jw_key(&jw, "attempt");
    jw_str(&jw, attempt);
    jw_key(&jw, "status");
    jw_text(&jw, words[outcome->status]);
    if (outcome->status == OUTCOME_FAILED) {
        write_failure(&jw, outcome);
    }
    if (has_result && outcome->result.len > 0 && outcome->status != OUTCOME_RELEASED) {
        jw_key(&jw, outcome->is_json ? "result" : "output");
        if (outcome->is_json) {
            jw_raw(&jw, outcome->result);
        } else {
            jw_str(&jw, outcome->result);
        }
    }
    jw_end_object(&jw);
    jw_done(&jw);
}

struct report *report_new(struct str attempt, const struct outcome *outcome)
{
    struct jscan_limits limits = JSCAN_LIMITS_DEFAULT;
    struct jscan_facts facts;
    struct report *report = mem_zalloc(sizeof *report);

    list_node_init(&report->node);
    buf_init(&report->json, REPORT_BYTES_MAX);
    buf_init(&report->plain_json, REPORT_BYTES_MAX);
    write_report(attempt, outcome, true, &report->json);
    write_report(attempt, outcome, false, &report->plain_json);

    /* Read as the server will read it: what cannot be read goes without its result. */
    enum err err = jscan_check(buf_str(&report->json), &limits, &facts, NULL);

    report->is_plain = buf_overflowed(&report->json) || err != ERR_OK;
    report->nodes = err == ERR_OK ? facts.nodes : PLAIN_NODES;
    return report;
}

void report_free(struct report *report)
{
    buf_done(&report->json);
    buf_done(&report->plain_json);
    mem_free(report);
}

struct str report_json(const struct report *report)
{
    return buf_str(report->is_plain ? &report->plain_json : &report->json);
}
