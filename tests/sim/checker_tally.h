/* checker_tally: what a trigger's row ought to say, counted attempt by attempt.
 *
 * Policies may come from the job or, where it names none, from its type or tenant, and may be edited in the same batch:
 * whatever one of them allows is right.
 *
 * See: checker_attempts.c
 */
#ifndef TESTS_SIM_CHECKER_TALLY_H
#define TESTS_SIM_CHECKER_TALLY_H

#include "checker_state.h"

struct tally {
    struct checker *checker;
    struct trigger *trigger;
    struct checker_policies policies;
    uint32_t attempts, failures, lost_run, released_run;
    const struct ended *last;   /* ended in this batch; NULL: none */
    const struct said *reports; /* the newest report that its end repeats; NULL: none */
    bool may_be_lost_on;        /* a late RELEASED: whether it still counts as lost is open */
};

/* One more has ended. */
void tally_count(struct tally *tally, const struct ended *ended);

/* The earliest due time that the last end allows; and whether due_ms is one that some policy gives. */
int64_t tally_earliest_due_ms(const struct tally *tally, int64_t due_ms, bool *ret_is_one);

/* Whether the trigger's row says the same. */
void tally_check_row(struct tally *tally);

#endif
