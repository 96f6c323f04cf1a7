/* fate: what became of one fire of a job, in words and in a sentence.
 *
 * Owns:  nothing.
 * See:   docs/openapi.yaml (FireFate, SkipTold), api/fate.h (finds it out), tests/api/test_why.py
 */
#ifndef WIRE_FATE_H
#define WIRE_FATE_H

#include "base/buf.h"
#include "base/json_write.h"
#include "model/job_def.h"
#include "model/record.h"

#define WIRE_FATE_TABLE(X)                                                                                             \
    X(WIRE_FATE_RAN, "ran")                                                                                            \
    X(WIRE_FATE_RUNNING, "running")                                                                                    \
    X(WIRE_FATE_PENDING, "pending")                                                                                    \
    X(WIRE_FATE_SKIPPED, "skipped")                                                                                    \
    X(WIRE_FATE_DUE, "due")                                                                                            \
    X(WIRE_FATE_COMING, "coming")                                                                                      \
    X(WIRE_FATE_NOT_A_FIRE, "not_a_fire")                                                                              \
    X(WIRE_FATE_BEFORE_JOB, "before_job")                                                                              \
    X(WIRE_FATE_OVER, "over")                                                                                          \
    X(WIRE_FATE_UNKNOWN, "unknown")

enum wire_fate_kind {
#define X(name, text) name,
    WIRE_FATE_TABLE(X)
#undef X
};

const char *wire_fate_text(enum wire_fate_kind kind);

struct wire_fate {
    enum wire_fate_kind kind;
    int64_t at_ms;                     /* the nominal time that was asked about */
    const struct job_row *job;         /* as it is now */
    const struct trigger_row *trigger; /* RAN, RUNNING, PENDING */
    const struct claim *claim;         /* RUNNING */
    const struct skip_row *skip;       /* SKIPPED */
    const struct job_def *def;         /* SKIPPED: the definition of then; NULL: unknown */
    const struct trigger_row *instead; /* SKIPPED: what ran for it and others; NULL: nothing, or unknown */
    uint32_t version;                  /* of the schedule that was looked at; 0: none */
    int64_t before_ms, after_ms;       /* the nearest fires of that schedule; TIME_NONE: none */
};

void wire_fate(struct jw *jw, const struct wire_fate *fate);

/* "2 fires from ... to ... were skipped: ...". def is the definition of then; NULL: it is not known. */
void wire_skip_sentence(struct buf *text, const struct skip_row *skip, const struct job_def *def);

/* A skip record with that sentence. */
void wire_skip_told(struct jw *jw, const struct skip_row *skip, const struct job_def *def);

#endif
