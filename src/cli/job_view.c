#include "cli/job_view.h"

#include <stdio.h>

#include "cli/field.h"
#include "cli/when.h"

static void put_upstreams(struct jr upstreams, char out[JOB_VIEW_BYTES])
{
    struct str first = field_str(jr_at(upstreams, 0), "job");
    size_t count = jr_count(upstreams);

    if (count == 1) {
        (void)snprintf(out, JOB_VIEW_BYTES, "after %.*s", STR_ARGS(first));
    } else {
        (void)snprintf(out, JOB_VIEW_BYTES, "after %.*s and %zu more", STR_ARGS(first), count - 1);
    }
}

const char *job_view_schedule(struct jr job, char out[JOB_VIEW_BYTES])
{
    struct str cron = field_str(job, "cron");
    struct str zone = field_str(job, "timezone");
    struct str every = field_str(job, "every");
    struct str interval = field_str(jr_get(job, "every"), "interval");
    struct str delay = field_str(job, "delay");
    char at[WHEN_BYTES];

    if (cron.len > 0) {
        bool has_zone = zone.len > 0 && !str_is(zone, "UTC");

        (void)snprintf(out, JOB_VIEW_BYTES, "%.*s%s%.*s", STR_ARGS(cron), has_zone ? ", " : "",
                       STR_ARGS(has_zone ? zone : STR("")));
    } else if (every.len > 0) {
        (void)snprintf(out, JOB_VIEW_BYTES, "every %.*s", STR_ARGS(every));
    } else if (interval.len > 0) {
        (void)snprintf(out, JOB_VIEW_BYTES, "%.*s after each run", STR_ARGS(interval));
    } else if (delay.len > 0) {
        (void)snprintf(out, JOB_VIEW_BYTES, "once, %.*s after creation", STR_ARGS(delay));
    } else if (field_is_set(job, "run_at")) {
        (void)snprintf(out, JOB_VIEW_BYTES, "once at %s", when_exact(when_field(job, "run_at"), at));
    } else if (jr_count(jr_get(job, "depends_on")) > 0) {
        put_upstreams(jr_get(job, "depends_on"), out);
    } else {
        (void)snprintf(out, JOB_VIEW_BYTES, "once");
    }
    return out;
}

enum style job_view_style(struct str status)
{
    static const char *const good[] = {"active", "succeeded", "ok", "closed", NULL};
    static const char *const bad[] = {"dead", "failed", "timed_out", "lost", "critical", "open", NULL};
    static const char *const warn[] = {"paused", "pending", "waiting", "due", "skip", "warning", "half_open", NULL};
    static const char *const dim[] = {"cancelled", "completed", "released", "unknown", NULL};

    if (str_index_in(status, good) >= 0) {
        return STYLE_GOOD;
    }
    if (str_index_in(status, bad) >= 0) {
        return STYLE_BAD;
    }
    if (str_index_in(status, warn) >= 0) {
        return STYLE_WARN;
    }
    return str_index_in(status, dim) >= 0 ? STYLE_DIM : STYLE_PLAIN;
}

const char *job_view_error(struct jr error, char out[JOB_VIEW_BYTES])
{
    struct str code = field_str(error, "code");
    struct str message = field_str(error, "message");

    (void)snprintf(out, JOB_VIEW_BYTES, "%.*s%s%.*s", STR_ARGS(code), code.len > 0 && message.len > 0 ? ": " : "",
                   STR_ARGS(message));
    return out;
}
