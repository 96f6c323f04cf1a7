/* ledger_audit: proves a fire ledger: one decision for each nominal time, and none for any other.
 *
 * Pure: schedules and decisions in, findings out. Nothing is enumerated that the ledger does not list: between two
 * decisions the schedule is asked for its next fire, and a run of skipped fires for its count.
 *
 * Rules: (1) a stretch is the time in which one schedule held: fires after from_ms, up to and including to_ms.
 *        (2) decisions of a stretch are in order of from_ms; those of one nominal time twice are two decisions.
 *        (3) where the schedule has jitter, fires less than it before the end of a stretch that was edited away may
 * have no decision: they were not due yet. See:   audit.c, docs/openapi.yaml (the fire ledger),
 * tests/unit/cli/test_ledger_audit.c
 */
#ifndef CLI_LEDGER_AUDIT_H
#define CLI_LEDGER_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/schedule.h"

enum ledger_fault {
    LEDGER_MISSED,  /* fires without any decision */
    LEDGER_TWICE,   /* a fire with two */
    LEDGER_FOREIGN, /* a decision for a time that is none of the schedule's */
    LEDGER_COUNT,   /* a skip record that counts wrongly */
};

/* "missed", "twice", "foreign", "miscounted" */
const char *ledger_fault_text(enum ledger_fault fault);

/* A trigger of the schedule (from_ms is to_ms, count 1), or a skip record. */
struct ledger_decision {
    int64_t from_ms;
    int64_t to_ms;
    int64_t count;
};

struct ledger_stretch {
    const struct schedule *schedule;
    int64_t from_ms;     /* rule 1 */
    int64_t to_ms;       /* the last instant whose fires must be decided */
    bool is_edited_away; /* rule 3 */
};

struct ledger_finding {
    enum ledger_fault fault;
    int64_t at_ms; /* the first nominal time concerned */
    int64_t count; /* fires concerned; of a miscount what the schedule says */
};

typedef void ledger_report(void *context, const struct ledger_finding *finding);

/* Order for rule 2, for qsort. */
int ledger_compare(const void *a, const void *b);

/* Walks one stretch; returns how many fires its decisions cover. */
int64_t ledger_audit(const struct ledger_stretch *stretch, const struct ledger_decision *decisions, size_t count,
                     ledger_report *report, void *context);

#endif
