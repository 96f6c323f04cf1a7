/* job_view: a job of the server's in words: its schedule, its states, its errors.
 */
#ifndef CLI_JOB_VIEW_H
#define CLI_JOB_VIEW_H

#include "base/json.h"
#include "base/str.h"
#include "cli/term.h"

#define JOB_VIEW_BYTES 512

/* "0 9 * * MON-FRI, America/New_York", "every 5m", "once at ...", "after build-site" */
const char *job_view_schedule(struct jr job, char out[JOB_VIEW_BYTES]);

/* How a status of a job, trigger or attempt looks. */
enum style job_view_style(struct str status);

/* "code: message" of an error object; "" where it is null. */
const char *job_view_error(struct jr error, char out[JOB_VIEW_BYTES]);

#endif
