/* report: how an attempt ended, kept until the server has heard it.
 *
 * Owns:  copies of everything.
 * Rules: (1) json is ready to be put into an exchange: whatever a program printed, the server can read it.
 *        (2) a report goes when an exchange that carried it was answered, and never before.
 * See:   exchange.h, session.h
 */
#ifndef WORKER_REPORT_H
#define WORKER_REPORT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/str.h"
#include "worker/outcome.h"

struct report {
    struct list_node node; /* in session.reports */
    struct buf json;       /* rule 1 */
    struct buf plain_json; /* the same without what came from outside, for a server that refuses the first */
    size_t nodes;          /* values in json */
    uint64_t carried_by;   /* seq of the exchange under way that has it; 0: none */
    bool is_plain;
};

struct report *report_new(struct str attempt, const struct outcome *outcome);
void report_free(struct report *report);

/* The form to be sent. */
struct str report_json(const struct report *report);

#endif
