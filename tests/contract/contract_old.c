/* What goes for its age, and what never does. */
#include "base/mem.h"
#include "contract_tests.h"
#include "samples.h"

#define DAY_MS (24 * INT64_C(3600000))

/* All that goes, step by step; how many rows of each kind is in gone. */
struct gone {
    size_t triggers, attempts, skips, versions, idems;
};

static struct gone forget_all(struct contract *c, const struct store_ages *ages)
{
    struct gone gone = {0};
    bool has_more = true;

    for (int steps = 0; has_more && steps < 10000; steps++) {
        struct error error = {0};
        struct rows rows;

        rows_init(&rows);
        assert_int_equal(store_old(c->store, ages, &rows, &has_more, &error), STORE_DONE);
        assert_int_equal(store_forget(c->store, &rows, &error), STORE_DONE);
        naive_forget(&c->naive, &rows);
        gone.triggers += rows.triggers.count;
        gone.attempts += rows.attempts.count;
        gone.skips += rows.skips.count;
        gone.versions += rows.versions.count;
        gone.idems += rows.idems.count;
        rows_done(&rows);
    }
    assert_false(has_more);
    return gone;
}

/* Everything that ended before NOW_MS. */
static struct store_ages all_ages(void)
{
    return (struct store_ages){.history_ms = NOW_MS, .dead_ms = NOW_MS, .idem_ms = NOW_MS, .rows_max = 3};
}

static void add_ended(struct contract *c, uint64_t id, uint64_t job, enum trigger_state state, int64_t ended_ms)
{
    struct trigger_row row = sample_trigger_in(id, job, state);

    row.scheduled_ms = NOW_MS + (int64_t)id;
    row.ended_ms = ended_ms;
    add_trigger(c, OP_TRIGGER_INSERT, row);
}

void what_ended_long_ago_goes_with_its_attempts(struct contract *c)
{
    add_job(c, OP_JOB_INSERT, sample_job(1));
    for (uint64_t id = 10; id < 30; id++) {
        add_ended(c, id, 1, id % 2 == 0 ? TRIGGER_SUCCEEDED : TRIGGER_CANCELLED, NOW_MS - (id < 20 ? 1 : 0));
        add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(id, 1));
        add_attempt(c, OP_ATTEMPT_INSERT, sample_attempt(id, 2));
    }
    commit(c);
    struct gone gone = forget_all(c, &(struct store_ages){NOW_MS, TIME_NONE, TIME_NONE, 3});
    assert_int_equal(gone.triggers, 10);
    assert_int_equal(gone.attempts, 20);
    gone = forget_all(c, &(struct store_ages){NOW_MS, TIME_NONE, TIME_NONE, 3});
    assert_int_equal(gone.triggers, 0);
}

void what_lives_stays_whatever_its_age(struct contract *c)
{
    struct trigger_row waiting = sample_trigger_in(10, 1, TRIGGER_WAITING);
    struct trigger_row pending = sample_trigger_in(11, 1, TRIGGER_PENDING);

    waiting.scheduled_ms = 1;
    pending.scheduled_ms = 2;
    waiting.created_ms = pending.created_ms = pending.due_ms = NOW_MS - 1000 * DAY_MS;
    add_job(c, OP_JOB_INSERT, sample_job(1));
    add_trigger(c, OP_TRIGGER_INSERT, waiting);
    add_trigger(c, OP_TRIGGER_INSERT, pending);
    add_ended(c, 12, 1, TRIGGER_SUCCEEDED, NOW_MS - 1000 * DAY_MS);
    commit(c);
    assert_int_equal(forget_all(c, &(struct store_ages){NOW_MS, NOW_MS, NOW_MS, 3}).triggers, 1);
    add_id(c, OP_JOB_DELETE, 1);
    commit(c);
    assert_int_equal(forget_all(c, &(struct store_ages){NOW_MS, NOW_MS, NOW_MS, 3}).triggers, 0);
}

void dead_letters_have_an_age_of_their_own(struct contract *c)
{
    add_job(c, OP_JOB_INSERT, sample_job(1));
    add_ended(c, 10, 1, TRIGGER_DEAD, NOW_MS - 5 * DAY_MS);
    add_ended(c, 11, 1, TRIGGER_DEAD, NOW_MS - 3 * DAY_MS);
    add_ended(c, 12, 1, TRIGGER_SUCCEEDED, NOW_MS - 5 * DAY_MS);
    commit(c);
    struct store_ages ages = {NOW_MS - 10 * DAY_MS, NOW_MS - 4 * DAY_MS, TIME_NONE, 3};
    assert_int_equal(forget_all(c, &ages).triggers, 1);
    ages = (struct store_ages){NOW_MS, TIME_NONE, TIME_NONE, 3};
    assert_int_equal(forget_all(c, &ages).triggers, 1);
    assert_int_equal(forget_all(c, &(struct store_ages){TIME_NONE, NOW_MS, TIME_NONE, 3}).triggers, 1);
}

/* Without its row the claim would be taken for a living one, and the attempt be waited for again. */
void a_trigger_that_a_claims_row_names_stays(struct contract *c)
{
    const struct claim claims[] = {sample_claim(10, 1, 1), sample_claim(11, 1, 1)};

    add_job(c, OP_JOB_INSERT, sample_job(1));
    for (uint64_t id = 10; id < 14; id++) {
        add_ended(c, id, 1, id == 11 ? TRIGGER_DEAD : TRIGGER_SUCCEEDED, NOW_MS - DAY_MS);
    }
    add_claims(c, 100, claims, 2);
    commit(c);
    struct store_ages ages = all_ages();
    assert_int_equal(forget_all(c, &ages).triggers, 2);
    add_id(c, OP_CLAIMS_DELETE, 100);
    commit(c);
    assert_int_equal(forget_all(c, &ages).triggers, 2);
}

void a_one_time_job_s_own_trigger_stays_as_long_as_the_job(struct contract *c)
{
    struct store_ages ages = all_ages();

    add_job(c, OP_JOB_INSERT, sample_job(10));
    add_job(c, OP_JOB_INSERT, sample_job(11));
    add_ended(c, 10, 10, TRIGGER_SUCCEEDED, NOW_MS - DAY_MS);
    add_ended(c, 11, 11, TRIGGER_DEAD, NOW_MS - DAY_MS); /* it can be discarded, so it can get old */
    commit(c);
    assert_int_equal(forget_all(c, &ages).triggers, 1);
    add_id(c, OP_JOB_DELETE, 10);
    commit(c);
    assert_int_equal(forget_all(c, &ages).triggers, 1);
}

void the_history_of_a_deleted_job_goes_at_any_age(struct contract *c)
{
    for (uint64_t job = 1; job < 4; job++) {
        add_job(c, OP_JOB_INSERT, sample_job(job));
        add_version(c, sample_version(job, 1));
        for (uint64_t i = 0; i < 7; i++) {
            add_ended(c, job * 10 + i, job, i == 0 ? TRIGGER_DEAD : TRIGGER_SUCCEEDED, NOW_MS + DAY_MS);
            add_skip(c, sample_skip(job, NOW_MS + (int64_t)i));
        }
    }
    commit(c);
    const struct store_ages none = {TIME_NONE, TIME_NONE, TIME_NONE, 3};
    struct gone gone = forget_all(c, &none);
    assert_int_equal(gone.triggers + gone.skips + gone.versions, 0);
    add_id(c, OP_JOB_DELETE, 1);
    add_id(c, OP_JOB_DELETE, 3);
    commit(c);
    gone = forget_all(c, &none);
    assert_int_equal(gone.triggers, 14);
    assert_int_equal(gone.skips, 14);
    assert_int_equal(gone.versions, 2);
}

void old_skips_and_answers_go(struct contract *c)
{
    struct skip_row skip = sample_skip(1, 5);
    struct idem_row idem = sample_idem("acme", "young");

    add_job(c, OP_JOB_INSERT, sample_job(1));
    for (int64_t i = 0; i < 10; i++) {
        skip.from_ms = i;
        skip.decided_ms = NOW_MS - i * DAY_MS;
        add_skip(c, skip);
    }
    idem.created_ms = NOW_MS;
    add_idem(c, idem);
    static const char *const keys[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < 5; i++) {
        idem.key = str_from(keys[i]);
        idem.created_ms = NOW_MS - DAY_MS;
        add_idem(c, idem);
    }
    commit(c);
    struct gone gone = forget_all(c, &(struct store_ages){NOW_MS - 5 * DAY_MS, TIME_NONE, NOW_MS, 3});
    assert_int_equal(gone.skips, 4);
    assert_int_equal(gone.idems, 5);
}

void an_old_owner_forgets_nothing(struct contract *c)
{
    struct store_ages ages = all_ages();
    struct error error;
    struct rows rows;
    bool has_more = true;

    add_job(c, OP_JOB_INSERT, sample_job(1));
    add_ended(c, 10, 1, TRIGGER_SUCCEEDED, NOW_MS - DAY_MS);
    commit(c);
    rows_init(&rows);
    while (rows.triggers.count == 0 && has_more) {
        assert_int_equal(store_old(c->store, &ages, &rows, &has_more, &error), STORE_DONE);
    }
    assert_int_equal(rows.triggers.count, 1);
    c->other = contract_kind.open(c->data);
    const struct store_owner owner = {.name = STR("other"), .nonce = {77, 78}};
    uint64_t epoch;
    assert_int_equal(store_acquire(c->other, &owner, &epoch, &error), STORE_DONE);
    assert_int_equal(store_forget(c->store, &rows, &error), STORE_FENCED);
    rows_done(&rows);
    store_close(c->other);
    c->other = NULL;
    acquire(c);
}
