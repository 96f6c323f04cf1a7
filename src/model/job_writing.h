/* job_writing: what the writers of definitions and settings share. Used by them alone.
 *
 * Each writes a field, its key and its value, unless it says something else.
 */
#ifndef MODEL_JOB_WRITING_H
#define MODEL_JOB_WRITING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_write.h"
#include "base/str.h"
#include "model/retry.h"
#include "model/settings.h"

void writing_text(struct jw *jw, const char *field, struct str text);
void writing_duration(struct jw *jw, const char *field, int64_t ms);
void writing_instant(struct jw *jw, const char *field, int64_t ms);

/* A share or a factor, which people write with a point. */
void writing_milli(struct jw *jw, const char *field, int64_t milli);

/* "retry": all of it, or without what reading_retry fills in by itself. */
void writing_retry(struct jw *jw, const struct retry *retry, bool is_full);

/* The object alone, of a policy that is set. */
void writing_dead_policy(struct jw *jw, const struct dead_policy *policy);

#endif
