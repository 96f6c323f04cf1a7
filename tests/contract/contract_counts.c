/* How many there are. */
#include "contract_tests.h"
#include "samples.h"

void triggers_are_counted_by_state(struct contract *c)
{
    static const enum trigger_state states[] = {TRIGGER_WAITING,   TRIGGER_PENDING,   TRIGGER_PENDING,
                                                TRIGGER_SUCCEEDED, TRIGGER_SUCCEEDED, TRIGGER_SUCCEEDED,
                                                TRIGGER_DEAD,      TRIGGER_CANCELLED};
    struct query q = query_of(QUERY_COUNTS);

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(20 + i, 1, states[i]));
        add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(40 + i, 2, TRIGGER_DEAD));
    }
    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(1, 1, TRIGGER_DEAD)); /* a one-time job's own */
    commit(c);
    q.id = 1;
    ask_query(c, q);
    assert_int_equal(c->rows.counts[TRIGGER_WAITING], 1);
    assert_int_equal(c->rows.counts[TRIGGER_PENDING], 2);
    assert_int_equal(c->rows.counts[TRIGGER_RUNNING], 0);
    assert_int_equal(c->rows.counts[TRIGGER_SUCCEEDED], 3);
    assert_int_equal(c->rows.counts[TRIGGER_DEAD], 2);
    assert_int_equal(c->rows.counts[TRIGGER_CANCELLED], 1);
    assert_int_equal(c->rows.triggers.count, 0);
    q.id = 0;
    ask_query(c, q);
    assert_int_equal(c->rows.counts[TRIGGER_DEAD], 10); /* of all jobs */
    assert_int_equal(c->rows.counts[TRIGGER_PENDING], 0);
}

void a_store_says_what_it_takes_on_disk_or_that_it_does_not_know(struct contract *c)
{
    struct error error = {0};
    int64_t bytes = 0;

    add_trigger(c, OP_TRIGGER_INSERT, sample_trigger_in(20, 1, TRIGGER_PENDING));
    commit(c);
    enum store_outcome outcome = store_size(c->reader, &bytes, &error);

    if (outcome == STORE_DONE) {
        assert_true(bytes > 4096);
    } else {
        assert_int_equal(outcome, STORE_REFUSED);
        assert_int_equal(error.code, ERR_INVALID);
    }
}
