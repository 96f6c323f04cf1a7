#include "model/run_key.h"

#include <stdio.h>

const char *run_key_format(enum trigger_kind kind, uint64_t job_id, int64_t scheduled_for_ms, uint64_t trigger_id,
                           char out[static RUN_KEY_BYTES])
{
    char job[ID_TEXT_BYTES];
    char trigger[ID_TEXT_BYTES];
    char instant[INSTANT_BYTES];

    id_format(ID_JOB, job_id, job);
    (void)instant_format(scheduled_for_ms, instant);
    switch (kind) {
    case TRIGGER_SCHEDULE:
    case TRIGGER_REPLAY:
    case TRIGGER_DEPENDENCY:
        (void)snprintf(out, RUN_KEY_BYTES, "job:%s:scheduled_for:%s", job, instant);
        break;
    case TRIGGER_MANUAL:
    case TRIGGER_BACKFILL:
        id_format(ID_TRIGGER, trigger_id, trigger);
        (void)snprintf(out, RUN_KEY_BYTES, "job:%s:scheduled_for:%s:run:%s", job, instant, trigger);
        break;
    }
    return out;
}
