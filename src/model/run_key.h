/* run_key: the idempotency key that whoever does the work is given.
 *
 * The same for every attempt of a trigger, so that work done twice can be told from work asked for twice. A replay has
 * the key of what it replays: it is the same work, tried again; its trigger id tells it apart.
 *
 * See: docs/glossary.md, tests/unit/model/test_run_key.c
 */
#ifndef MODEL_RUN_KEY_H
#define MODEL_RUN_KEY_H

#include <stdint.h>

#include "base/id.h"
#include "calendar/instant.h"
#include "model/state.h"

/* Room for any key and its NUL. */
#define RUN_KEY_BYTES (sizeof "job::scheduled_for::run:" + 2 * ID_TEXT_BYTES + INSTANT_BYTES)

/* "job:job_06c4q0wm8g000:scheduled_for:2026-04-08T09:00:00.000Z"; for manual and backfill triggers with
 * ":run:trg_06c4q0wm8g001" behind it, since several of them may have one time. The trigger counts for those two alone.
 * Returns out. */
const char *run_key_format(enum trigger_kind kind, uint64_t job_id, int64_t scheduled_for_ms, uint64_t trigger_id,
                           char out[static RUN_KEY_BYTES]);

#endif
