/* job_reading: what the readers of definitions and settings share. Used by them alone.
 *
 * A field that is missing or null keeps the default that already stands in its place; every error names its field.
 */
#ifndef MODEL_JOB_READING_H
#define MODEL_JOB_READING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "model/job_def.h"

struct reading {
    struct str text;     /* of the whole definition; unused by settings, as the next two are */
    struct arena *arena; /* for texts that stay */
    struct job_def *def; /* what is being filled in */
    struct error *reterr;
};

/* A copy in the arena: texts of the JSON tree go with it. */
struct str reading_keep(const struct reading *reading, struct str text);

/* Whether the field is there and not null. */
bool reading_given(struct jr object, const char *field);

/* is_owner: a tenant's or a job's name, which no id can be taken for. */
enum err reading_name(const struct reading *reading, struct jr object, const char *field, bool is_owner,
                      struct str *ret_name) MUST_CHECK;
/* A text of at most bytes_max bytes. */
enum err reading_text(const struct reading *reading, struct jr object, const char *field, size_t bytes_max,
                      struct str *ret_text) MUST_CHECK;
enum err reading_duration(const struct reading *reading, struct jr object, const char *field, int64_t min_ms,
                          int64_t max_ms, int64_t *ret_ms) MUST_CHECK;
enum err reading_instant(const struct reading *reading, struct jr object, const char *field,
                         int64_t *ret_ms) MUST_CHECK;
/* A share or a factor as thousandths, from 0 to max; what people write has at most three digits behind the point. */
enum err reading_milli(const struct reading *reading, struct jr object, const char *field, double max,
                       int64_t *ret_milli) MUST_CHECK;

/* "retry": either delays or the formula, into a retry that holds its defaults. */
enum err reading_retry(const struct reading *reading, struct jr object, struct retry *retry) MUST_CHECK;
/* "dead_policy" */
enum err reading_dead_policy(const struct reading *reading, struct jr object,
                             struct dead_policy *ret_policy) MUST_CHECK;

/* The parts of a definition that have a file of their own: overlap, misfire, retry, time-outs, dead letters; upstreams,
 * concurrency, labels; the target. */
enum err job_policies_read(const struct reading *reading, struct jr object) MUST_CHECK;
enum err job_relations_read(const struct reading *reading, struct jr object) MUST_CHECK;
enum err job_target_read(const struct reading *reading, struct jr object) MUST_CHECK;

#endif
