/* job_options: everything one can say about a job on the command line, for add and edit alike.
 *
 * Every value stays the text that was typed; job_body turns them into JSON.
 *
 * See: job_body.h, docs/openapi.yaml (JobFields)
 */
#ifndef CLI_JOB_OPTIONS_H
#define CLI_JOB_OPTIONS_H

#include <stdbool.h>

#include "base/str.h"
#include "cli/api.h"
#include "cli/options.h"

struct job_options {
    struct api_options api;
    struct str cron, at, in, every;
    bool after_finish;
    struct str tz, gap, fold, starts, ends, max_fires, jitter;
    struct str overlap, misfire, misfire_after;
    struct str max_attempts, retry_delays, retry_base, retry_factor, retry_max, retry_jitter;
    struct str dead_replay_after, dead_max_replays;
    struct str timeout, lease, expires;
    struct str payload;
    struct str http, method;
    struct option_list header;
    struct option_list env;
    struct str cwd;
    struct str type, pool, priority;
    struct option_list depends_on;
    struct str concurrency_key, concurrency_max;
    struct option_list label;
    struct str created_by;
    struct str tenant;
    struct str json_file;
    struct str key;                 /* add only */
    struct option_list set_default; /* edit only */
};

/* The tables of add and of edit. */
extern const struct option job_option_table[];
extern const struct option job_edit_option_table[];

#endif
