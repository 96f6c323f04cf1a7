/* signature: the proof that a call comes from us, as Standard Webhooks has it.
 *
 * "v1," and the base 64 of HMAC-SHA-256 over "id.timestamp.body", once for each secret, so that a secret can be
 * replaced without a gap.
 *
 * See: tests/unit/worker/test_signature.c
 */
#ifndef WORKER_SIGNATURE_H
#define WORKER_SIGNATURE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* secrets: one or more with blanks between, each "whsec_" and base 64, or bare base 64. ERR_INVALID where one is not.
 */
MUST_CHECK enum err signature_check(struct str secrets, struct error *reterr);

/* Appends the header's value. The secrets have passed the check. */
void signature_write(struct str secrets, struct str id, int64_t timestamp_s, struct str body, struct buf *out);

#endif
