#include "../calendar/calendar_test.h"

#include "model/run_key.h"

#define JOB UINT64_C(0x0123456789abcdef)
#define TRIGGER UINT64_C(0x0123456789abcdf0)

static const char *key_of(enum trigger_kind kind, uint64_t trigger)
{
    static char key[RUN_KEY_BYTES];

    return run_key_format(kind, JOB, utc_ms("2026-04-08T09:00:00Z"), trigger, key);
}

/* Written out, not put together: workers and their stores keep these texts for ever. */
static void the_key_of_a_fire_names_job_and_time(void **state)
{
    (void)state;
    assert_string_equal(key_of(TRIGGER_SCHEDULE, TRIGGER),
                        "job:job_028t5cy4tqkff:scheduled_for:2026-04-08T09:00:00.000Z");
    assert_string_equal(key_of(TRIGGER_DEPENDENCY, TRIGGER),
                        "job:job_028t5cy4tqkff:scheduled_for:2026-04-08T09:00:00.000Z");
}

static void a_replay_has_the_key_of_what_it_replays(void **state)
{
    (void)state;
    const char *fire = "job:job_028t5cy4tqkff:scheduled_for:2026-04-08T09:00:00.000Z";

    assert_string_equal(key_of(TRIGGER_REPLAY, TRIGGER), fire);
    assert_string_equal(key_of(TRIGGER_REPLAY, TRIGGER + 1), fire);
}

static void a_run_by_hand_has_a_key_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(key_of(TRIGGER_MANUAL, TRIGGER),
                        "job:job_028t5cy4tqkff:scheduled_for:2026-04-08T09:00:00.000Z:run:trg_028t5cy4tqkfg");
    assert_string_equal(key_of(TRIGGER_BACKFILL, TRIGGER + 1),
                        "job:job_028t5cy4tqkff:scheduled_for:2026-04-08T09:00:00.000Z:run:trg_028t5cy4tqkfh");
}

static void milliseconds_count(void **state)
{
    (void)state;
    char key[RUN_KEY_BYTES];

    assert_string_equal(run_key_format(TRIGGER_SCHEDULE, 1, utc_ms("1970-01-01T00:00:00.007Z"), 1, key),
                        "job:job_0000000000001:scheduled_for:1970-01-01T00:00:00.007Z");
}

/* The longest: the largest ids, the last year. */
static void every_key_fits(void **state)
{
    (void)state;
    char key[RUN_KEY_BYTES];
    char job[ID_TEXT_BYTES];
    char trigger[ID_TEXT_BYTES];
    char expected[256];

    id_format(ID_JOB, INT64_MAX, job);
    id_format(ID_TRIGGER, INT64_MAX - 1, trigger);
    (void)snprintf(expected, sizeof expected, "job:%s:scheduled_for:2200-12-31T23:59:59.999Z:run:%s", job, trigger);
    assert_string_equal(
        run_key_format(TRIGGER_MANUAL, INT64_MAX, utc_ms("2200-12-31T23:59:59.999Z"), INT64_MAX - 1, key), expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_of_a_fire_names_job_and_time),
        cmocka_unit_test(a_replay_has_the_key_of_what_it_replays),
        cmocka_unit_test(a_run_by_hand_has_a_key_of_its_own),
        cmocka_unit_test(milliseconds_count),
        cmocka_unit_test(every_key_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
