/* editor: a text in the user's own editor.
 */
#ifndef CLI_EDITOR_H
#define CLI_EDITOR_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Opens text with VISUAL, else EDITOR, else vi, and waits; what was saved is in ret_text. ERR_IO where the editor
 * failed. */
enum err editor_run(struct str text, size_t bytes_max, struct buf *ret_text, struct error *reterr) MUST_CHECK;

#endif
