/* job_ref: how a person names a job: NAME, TENANT/NAME or an id; and a trigger: trg_...
 */
#ifndef CLI_JOB_REF_H
#define CLI_JOB_REF_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "client/url.h"

struct job_ref {
    struct str tenant; /* ptr NULL: not said */
    struct str name;   /* or id */
};

/* tenant is what --tenant says (ptr NULL: nothing); it may not contradict TENANT/NAME. */
enum err job_ref_read(const char *text, struct str tenant, struct job_ref *ret_ref, struct error *reterr) MUST_CHECK;

/* Whether a text has the form of a trigger's id. */
bool job_ref_is_trigger(const char *text);

/* /v1/jobs/NAME and rest, and the tenant as a query. */
void job_ref_url(const struct job_ref *ref, const char *rest, struct url *url);

/* "morning-report", or "acme/morning-report" where the tenant is not the default one. */
#define JOB_REF_BYTES 408
const char *job_ref_text(struct str tenant, struct str name, char out[JOB_REF_BYTES]);

#endif
