/* outbox: the reports that the server has not heard yet.
 *
 * Owns:  every report in it.
 * Rules: (1) a report leaves when an exchange that carried it was answered, and never before.
 *        (2) one that an exchange under way carries is not sent again beside it.
 * See:   session.h, tests/unit/worker/test_outbox.c
 */
#ifndef WORKER_OUTBOX_H
#define WORKER_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "worker/limits_worker.h"
#include "worker/report.h"

struct outbox {
    struct list reports; /* oldest first */
    size_t count;
    size_t bytes;
};

void outbox_init(struct outbox *outbox);
void outbox_done(struct outbox *outbox);

/* Takes the report over. */
void outbox_add(struct outbox *outbox, struct report *report);

/* Chooses those that no exchange carries, as many as fit into one, and gives them to the exchange seq. */
size_t outbox_choose(struct outbox *outbox, uint64_t seq, struct report *chosen[static REQUEST_REPORTS_MAX]);

/* Whether there are any that no exchange carries. */
bool outbox_has_waiting(const struct outbox *outbox);

/* The exchange seq was answered: what it carried is the server's now (rule 1). */
void outbox_delivered(struct outbox *outbox, uint64_t seq);

/* It was not: what it carried waits again. is_refused: the server could not read it; perhaps it was an output, so all
 * of them go without theirs the next time. */
void outbox_returned(struct outbox *outbox, uint64_t seq, bool is_refused);

#endif
