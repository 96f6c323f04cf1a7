/* scope_body: settings as a person types them, NAME=VALUE, as JSON.
 *
 * Pure. A value that is JSON stays as it is, everything else is a text; "none" takes a setting away.
 *
 * See: scope.c, tests/unit/cli/test_scope_body.c
 */
#ifndef CLI_SCOPE_BODY_H
#define CLI_SCOPE_BODY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Room for the largest settings. */
#define SCOPE_BODY_BYTES_MAX (64 * 1024)

/* Appends current (an object's JSON) with the settings of words instead. known names all settings, separated by blanks.
 */
enum err scope_body_write(struct str current, const char *known, char **words, int count, struct buf *out,
                          struct error *reterr) MUST_CHECK;

#endif
