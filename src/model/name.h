/* name: what tenants, jobs, types and pools may be called.
 *
 * 1 to NAME_BYTES_MAX characters of A-Z a-z 0-9 . _ : - that begin with a letter or digit: safe in a URL, a log, a
 * shell and a file. The names of tenants and jobs do not begin with job_, so that they can stand wherever an id can.
 */
#ifndef MODEL_NAME_H
#define MODEL_NAME_H

#include "base/err.h"
#include "base/str.h"

/* Bytes of a tenant's, job's, type's or pool's name; the contract says so. */
#define NAME_BYTES_MAX 200

enum err name_check(struct str name, struct error *reterr) MUST_CHECK;
enum err name_check_owner(struct str name, struct error *reterr) MUST_CHECK;

#endif
