/* job_patch: from what a person wants changed to the fields that are sent.
 *
 * Pure. The server replaces whole fields; a person who types --max-attempts 3 means the rest of retry to stay.
 *
 * See: edit.c, docs/openapi.yaml (JobPatch), tests/unit/cli/test_job_patch.c
 */
#ifndef CLI_JOB_PATCH_H
#define CLI_JOB_PATCH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* The fields of a definition that can be changed, in the order in which an editor shows them; NULL-terminated. */
extern const char *const job_patch_fields[];

/* Appends the patch: wanted's fields, of which retry, dst and concurrency keep what is there and not mentioned; another
 * way of saying when takes the place of the one that is there. current is the job, both are JSON that was checked. */
void job_patch_merge(struct str current, struct str wanted, struct buf *out);

/* Appends what an editor changed: fields that differ with their new value, fields that are gone as null. False where
 * nothing changed. ERR_UNKNOWN_FIELD is left to the server. */
bool job_patch_difference(struct str before, struct str after, struct buf *out);

#endif
