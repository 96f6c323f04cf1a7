/* trigger: the entries of the fire ledger, and attempts, as the contract shows them.
 *
 * Owns:  nothing.
 * Rules: (1) a living claim says that a trigger runs (model/record.h, rule 1): the view brings it along.
 * See:   docs/openapi.yaml (Trigger, TriggerDetail, SkipRecord, DueFires, Attempt), tests/unit/wire/test_trigger.c
 */
#ifndef WIRE_TRIGGER_H
#define WIRE_TRIGGER_H

#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "model/record.h"

/* Attempts shown in a trigger's details. */
#define WIRE_EXECUTIONS_MAX 1000
/* Fires that are counted when they are due. */
#define WIRE_DUE_COUNT_MAX 10000

/* How far an attempt is, as its worker last said. */
struct wire_progress {
    double percent;  /* 0 to 100; negative: not said */
    struct str note; /* empty: not said */
    int64_t at_ms;
};

/* A trigger and what its row does not say. */
struct wire_trigger {
    const struct trigger_row *row;
    const struct claim *claim;            /* the one that lives: it runs. NULL: none does */
    struct str name;                      /* the job's; empty: its id stands for it */
    uint32_t max_attempts;                /* of the job's present definition */
    const struct wire_progress *progress; /* of the attempt that runs; NULL: nothing was said */
};

/* The row that a trigger with a claim and without a row would have: its first attempt is out. due_ms is the nominal
 * time; who knows the jitter adds it. Texts are the job row's. */
struct trigger_row wire_claimed_row(const struct job_row *job, const struct claim *claim);

/* The attempt that a claim stands for. */
struct attempt_row wire_claimed_attempt(const struct claim *claim);

void wire_trigger(struct jw *jw, const struct wire_trigger *trigger);

/* The same with payload, target and attempts. def is the canonical definition of the trigger's version; attempts are
 * the rows there are, by number upwards. The last attempt in the trigger's row and the one that runs are added where
 * they are not among them; of more than WIRE_EXECUTIONS_MAX the newest are shown. */
void wire_trigger_detail(struct jw *jw, const struct wire_trigger *trigger, struct str def,
                         const struct attempt_row *attempts, size_t attempt_count);

void wire_skip(struct jw *jw, const struct skip_row *skip);
void wire_put_skip(struct jw *jw, const struct skip_row *skip); /* its fields alone */

/* Fires from the cursor on that are due and not decided; count is at least 1, shown up to WIRE_DUE_COUNT_MAX. */
void wire_due(struct jw *jw, uint64_t job, int64_t from_ms, int64_t to_ms, int64_t count);

/* progress may be NULL; it is shown of an attempt that runs alone. */
void wire_attempt(struct jw *jw, const struct attempt_row *attempt, uint64_t job, const struct wire_progress *progress);

/* How a trigger that has ended did: LastResult of a job. */
void wire_last_result(struct jw *jw, const struct trigger_row *row);

/* {"percent":..,"note":..,"at":..}; null for NULL. */
/* The code of an attempt's error: where it gave none, or its texts are not at hand (a living trigger's last attempt),
 * what its state tells. */
struct str wire_error_code(const struct attempt_row *attempt);

void wire_progress(struct jw *jw, const struct wire_progress *progress);

/* BackfillResult, ReplayResult and DiscardResult. triggers are those made; the first WIRE_TRIGGERS_SHOWN_MAX are shown.
 * next is a mark (wire/mark.h), NULL where the filter has come to its end. */
#define WIRE_TRIGGERS_SHOWN_MAX 1000
void wire_backfilled(struct jw *jw, const uint64_t *triggers, size_t count, int64_t not_needed);
void wire_replayed(struct jw *jw, int64_t accepted, int64_t not_dead, const char *next, const uint64_t *triggers,
                   size_t count);
void wire_discarded(struct jw *jw, int64_t accepted, int64_t not_dead, const char *next);

#endif
