/* The same object in a definition and in a type's settings; here of a definition, and alone. */
#include "job_def_test.h"

#include "model/settings.h"

static void it_says_how_long_to_wait_and_how_often_to_try(void **state)
{
    (void)state;
    struct dead_policy least = def_of("{'dead_policy':{'replay_after':'1s','max_replays':1}}").dead_policy;
    struct dead_policy most = def_of("{'dead_policy':{'max_replays':100,'replay_after':'30d'}}").dead_policy;

    assert_true(least.is_set && most.is_set);
    assert_int_equal(least.replay_after_ms, 1000);
    assert_int_equal(least.max_replays, 1);
    assert_int_equal(most.replay_after_ms, 30 * DAY_MS);
    assert_int_equal(most.max_replays, 100);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"{'dead_policy':'1h'}", "dead_policy"},
        {"{'dead_policy':[]}", "dead_policy"},
        {"{'dead_policy':{}}", "dead_policy.replay_after"},
        {"{'dead_policy':{'max_replays':3}}", "dead_policy.replay_after"},
        {"{'dead_policy':{'replay_after':null,'max_replays':3}}", "dead_policy.replay_after"},
        {"{'dead_policy':{'replay_after':'1h'}}", "dead_policy.max_replays"},
        {"{'dead_policy':{'replay_after':'999ms','max_replays':3}}", "dead_policy.replay_after"},
        {"{'dead_policy':{'replay_after':'31d','max_replays':3}}", "dead_policy.replay_after"},
        {"{'dead_policy':{'replay_after':3600,'max_replays':3}}", "dead_policy.replay_after"},
        {"{'dead_policy':{'replay_after':'1h','max_replays':0}}", "dead_policy.max_replays"},
        {"{'dead_policy':{'replay_after':'1h','max_replays':101}}", "dead_policy.max_replays"},
        {"{'dead_policy':{'replay_after':'1h','max_replays':'3'}}", "dead_policy.max_replays"},
    };

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_refused(wrong[i][0], ERR_INVALID, wrong[i][1]);
    }
    assert_refused("{'dead_policy':{'replay_after':'1h','max_replay':3}}", ERR_UNKNOWN_FIELD, "dead_policy.max_replay");
}

static void it_is_written_as_it_is_read(void **state)
{
    (void)state;
    SCOPE(jr_done) struct jr_doc doc = {0};
    SCOPE(buf_done) struct buf out;
    struct str json = str_from(quoted("{'replay_after':'1h','max_replays':3}"));
    struct dead_policy policy = {0};
    buf_init(&out, 1024);

    assert_int_equal(jr_parse(json, NULL, &doc, NULL), ERR_OK);
    assert_int_equal(dead_policy_read(json, jr_root(&doc), &policy, NULL), ERR_OK);
    assert_int_equal(policy.replay_after_ms, HOUR_MS);
    dead_policy_write(&policy, &out);
    assert_text(buf_str(&out), json.ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_how_long_to_wait_and_how_often_to_try),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(it_is_written_as_it_is_read),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
