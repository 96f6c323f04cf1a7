/* job_target: how a job is executed, from the options of the command line: a URL or a command.
 *
 * Pure; a part of job_body, with its rules.
 */
#ifndef CLI_JOB_TARGET_H
#define CLI_JOB_TARGET_H

#include "base/err.h"
#include "base/json_write.h"
#include "cli/job_body.h"

/* The key "target" and its object, where a URL or a command was given. */
enum err job_target_write(struct jw *jw, const struct job_body *body, struct error *reterr) MUST_CHECK;

/* The key and {"NAME":"TEXT",...} of NAME=TEXT, or NAME: TEXT, or whatever else stands between them; nothing for an
 * empty list. */
enum err job_target_pairs(struct jw *jw, const char *option, const char *key, const struct option_list *list,
                          char separator, struct error *reterr) MUST_CHECK;

#endif
