/* Dependents whose upstreams are over, each in its own way: nobody waits for what will never come. */
#include "ledger.h"

#define LONG_RUN "'lease':'1h','timeout':'2h'"
#define TWICE "'cron':'* * * * *','max_fires':2," LONG_RUN

/* Two roots, of which a has used up its fires in minute 2, and b has one left: its second was skipped. */
static void use_up_the_first(struct rig *rig, uint64_t a, uint64_t b)
{
    rig_wait(rig, MINUTE);
    const struct grant *first = take_of(rig, "w1", a), *long_run = take_of(rig, "w1", b);
    rig_succeed(rig, "w1", first);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    assert_int_equal(rig_job(rig, a)->status, JOB_COMPLETED);
    rig_succeed(rig, "w1", long_run);
    assert_ledger(rig, b, "1 overlap(2 by 1)");
}

static void fires_after_the_end_of_one_root_are_not_waited_for(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a'," TWICE "}"), b = make(rig, "{'name':'b'," TWICE "}");
    uint64_t any = make(rig, "{'name':'any','depends_on':[{'job':'a','on':'done'},{'job':'b','on':'done'}]}");
    uint64_t all = make(rig, "{'name':'all','depends_on':['a','b']}");

    use_up_the_first(rig, a, b);
    run_all_at_once(rig);
    run_all_at_once(rig);
    assert_ledger(rig, any, "1 2");
    assert_ledger(rig, all, "1 2:cancelled");
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", b));
    run_all_at_once(rig);
    assert_ledger(rig, any, "1 2 3");
    assert_ledger(rig, all, "1 2:cancelled 3:cancelled");
    rig_free(rig);
}

static void a_dependent_of_what_is_over_is_over_for_its_own_dependents(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a'," TWICE "}"), b = make(rig, "{'name':'b'," TWICE "}");

    uint64_t of_a = make(rig, "{'name':'of_a','depends_on':['a'],'priority':5}");
    uint64_t foot = make(rig, "{'depends_on':[{'job':'of_a','on':'done'},{'job':'b','on':'done'}],'priority':5}");
    use_up_the_first(rig, a, b);
    run_all_at_once(rig);
    run_all_at_once(rig);
    run_all_at_once(rig);
    assert_ledger(rig, foot, "1 2");
    rig_status(rig, of_a, JOB_CANCELLED);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", b));
    run_all_at_once(rig);
    assert_ledger(rig, foot, "1 2 3");
    rig_free(rig);
}

static void a_dependent_that_is_cancelled_passes_on_what_its_upstreams_say(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'}");
    uint64_t middle = make(rig, "{'name':'middle','depends_on':['a']}");
    uint64_t foot = make(rig, "{'name':'foot','depends_on':[{'job':'middle','on':'done'}]}");
    uint64_t strict = make(rig, "{'name':'strict','depends_on':['middle']}");

    rig_status(rig, middle, JOB_CANCELLED);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    rig_succeed(rig, "w1", take_of(rig, "w1", foot));
    assert_nothing_to_do(rig);
    assert_ledger(rig, foot, "1");
    assert_ledger(rig, strict, "1:cancelled");
    rig_free(rig);
}

static void a_one_time_dependent_that_is_cancelled_is_not_begun(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a'," LONG_RUN "}"), b = make(rig, "{'name':'b'," LONG_RUN "}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a','b']}");
    const struct grant *first = take_of(rig, "w1", a), *second = take_of(rig, "w1", b);

    rig_succeed(rig, "w1", first);
    assert_int_equal(rig_trigger_count(rig, down, TRIGGER_WAITING), 1);
    rig_status(rig, down, JOB_CANCELLED);
    assert_int_equal(rig_trigger_count(rig, down, TRIGGER_CANCELLED), 1);
    rig_succeed(rig, "w1", second);
    assert_nothing_to_do(rig);
    assert_int_equal(rig_dump(rig)->waits.count, 0);
    rig_free(rig);
}

static void a_waiting_trigger_may_be_cancelled_alone(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','cron':'* * * * *'}"), b = make(rig, "{'name':'b','cron':'* * * * *'}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a','b']}");
    uint64_t foot = make(rig, "{'name':'foot','depends_on':[{'job':'down','on':'done'}]}");

    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    rig_trigger_command(rig, COMMAND_CANCEL, trigger_of(rig, down, 1)->id);
    assert_ledger(rig, down, "1:cancelled");
    const struct grant *grant = take_of(rig, "w1", b);
    rig_succeed(rig, "w1", grant);
    rig_succeed(rig, "w1", take_of(rig, "w1", foot));
    assert_nothing_to_do(rig);
    assert_ledger(rig, down, "1:cancelled");
    assert_int_equal(rig_dump(rig)->waits.count, 0);
    rig_free(rig);
}

static void a_dependent_that_waits_may_be_deleted(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','cron':'* * * * *'}"), b = make(rig, "{'name':'b','cron':'* * * * *'}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a','b']}");

    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    assert_jobs(rig_delete(rig, down));
    assert_int_equal(rig_dump(rig)->waits.count, 0);
    assert_int_equal(rig_dump(rig)->edges.count, 0);
    rig_succeed(rig, "w1", take_of(rig, "w1", b));
    assert_nothing_to_do(rig);
    assert_jobs(rig_delete(rig, a)); /* nobody depends on it any more */
    rig_free(rig);
}

static void a_one_time_upstream_that_is_cancelled_ends_all_below_it(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','delay':'1h'}"), b = make(rig, "{'name':'b','depends_on':['a']}");
    uint64_t c = make(rig, "{'name':'c','depends_on':['a','b']}");

    rig_status(rig, a, JOB_CANCELLED);
    assert_int_equal(rig_job(rig, b)->status, JOB_COMPLETED);
    assert_int_equal(rig_job(rig, c)->status, JOB_COMPLETED);
    assert_int_equal(rig_trigger_count(rig, b, TRIGGER_CANCELLED), 1);
    assert_int_equal(rig_trigger_count(rig, c, TRIGGER_CANCELLED), 1);
    assert_int_equal(rig_dump(rig)->waits.count, 0);
    assert_int_equal(rig_dump(rig)->edges.count, 0);
    rig_free(rig);
}

static void what_follows_a_run_by_hand_outlives_a_cancelled_job_between(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t top = make(rig, "{'name':'top','every':'1h'," LONG_RUN "}");
    uint64_t left = make(rig, "{'name':'left','depends_on':['top']}");
    uint64_t middle = make(rig, "{'name':'middle','depends_on':['top'],'priority':4}");

    make(rig, "{'name':'right','depends_on':['top'],'priority':5}");
    uint64_t foot = make(rig, "{'depends_on':[{'job':'left','on':'done'},{'job':'middle','on':'done'},"
                              "{'job':'right','on':'done'}],'priority':1}");
    rig_run(rig, top);
    rig_succeed(rig, "w1", take_of(rig, "w1", top));
    rig_succeed(rig, "w1", take_of(rig, "w1", left));
    assert_int_equal(rig_trigger_count(rig, foot, TRIGGER_WAITING), 1);
    rig_status(rig, middle, JOB_CANCELLED);
    assert_int_equal(rig_trigger_count(rig, foot, TRIGGER_WAITING), 1);
    rig_succeed(rig, "w1", take(rig, "w1")); /* right */
    rig_succeed(rig, "w1", take_of(rig, "w1", foot));
    assert_nothing_to_do(rig);
    assert_int_equal(rig_trigger_count(rig, foot, TRIGGER_SUCCEEDED), 1);
    rig_free(rig);
}

static void a_root_may_have_very_many_dependents(void **state)
{
    enum { MANY = 100 };
    struct rig *rig = story_begin(state);
    uint64_t root = make(rig, "{'name':'root','every':'1m'}");
    uint64_t head = make(rig, "{'name':'head','depends_on':['root'],'priority':1}");

    for (int i = 0; i < MANY; i++) {
        make(rig, "{'name':'n%d','depends_on':['head']}", i);
    }
    assert_error(patch(rig, head, "{'depends_on':['n99']}"), ERR_CYCLE);
    turn(rig);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", root));
    rig_succeed(rig, "w1", take_of(rig, "w1", head));
    assert_int_equal(run_all_at_once(rig), MANY);
    rig_free(rig);
}

static void a_run_by_hand_of_what_is_over_holds_nobody_for_ever(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a'," TWICE "}"), b = make(rig, "{'name':'b'," TWICE "}");
    uint64_t any = make(rig, "{'name':'any','depends_on':[{'job':'a','on':'done'},{'job':'b','on':'done'}]}");
    use_up_the_first(rig, a, b);
    run_all_at_once(rig);
    run_all_at_once(rig);
    rig_run(rig, a);
    const struct grant *manual = take_of(rig, "w2", a);
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", b));
    rig_succeed(rig, "w2", manual);
    run_all_at_once(rig);
    run_all_at_once(rig);
    assert_ledger(rig, any, "1 2 2 3"); /* the second 2 follows the run by hand */
    rig_free(rig);
}

/* A chain r, a, b where b also follows c: r was run by hand, and a is at work on it. */
static const struct grant *run_the_chain_by_hand(struct rig *rig, uint64_t *ret_r, uint64_t *ret_a, uint64_t *ret_b)
{
    *ret_r = make(rig, "{'name':'r'," TWICE "}");
    make(rig, "{'name':'c'," TWICE "}");
    *ret_a = make(rig, "{'name':'a','depends_on':['r']," LONG_RUN "}");
    *ret_b = make(rig, "{'name':'b','depends_on':['a','c']}");
    rig_run(rig, *ret_r);
    rig_succeed(rig, "w1", take_of(rig, "w1", *ret_r));
    return take_of(rig, "w1", *ret_a);
}

static void a_root_that_lost_its_dependents_holds_nobody(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t r, a, b;
    const struct grant *grant = run_the_chain_by_hand(rig, &r, &a, &b);

    patch(rig, a, "{'depends_on':['c']}");
    rig_succeed(rig, "w1", grant);
    take_of(rig, "w1", b); /* c says nothing of a run by hand that it does not follow */
    rig_free(rig);
}

static void a_root_that_was_deleted_holds_nobody(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t r, a, b;
    const struct grant *grant = run_the_chain_by_hand(rig, &r, &a, &b);

    patch(rig, a, "{'depends_on':['c']}");
    assert_jobs(rig_delete(rig, r));
    rig_succeed(rig, "w1", grant);
    take_of(rig, "w1", b);
    rig_free(rig);
}

static void what_follows_a_run_by_hand_outlives_an_upstream_that_it_does_not_ask(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t r = make(rig, "{'name':'r'," TWICE "}"), c = make(rig, "{'name':'c'," TWICE "}");
    uint64_t a = make(rig, "{'name':'a','depends_on':['r']}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['r','a','c']}");

    rig_run(rig, r);
    rig_succeed(rig, "w1", take_of(rig, "w1", r));
    rig_status(rig, c, JOB_CANCELLED); /* b waits for a alone */
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    take_of(rig, "w1", b);
    rig_free(rig);
}

static void a_dependent_that_comes_too_late_for_its_first_upstream_does_not_ask_the_second(void **state)
{
    static const char *const both[] = {"{\"name\":\"late\",\"depends_on\":[\"a\",\"b\"]}",
                                       "{\"depends_on\":[\"late\"]}"};
    struct rig *rig = restless_begin(state);

    make(rig, "{'name':'a','retry':{'max_attempts':1}}");
    rig_fail(rig, "w1", take(rig, "w1"));
    make(rig, "{'name':'b'}");
    rig_succeed(rig, "w1", take(rig, "w1"));
    const struct reply *reply = rig_create_many(rig, both, 2);

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(rig_job(rig, reply->jobs[i].id)->status, JOB_COMPLETED);
        assert_int_equal(rig_trigger_count(rig, reply->jobs[i].id, TRIGGER_CANCELLED), 1);
    }
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(fires_after_the_end_of_one_root_are_not_waited_for),
        STORY(a_dependent_of_what_is_over_is_over_for_its_own_dependents),
        STORY(a_dependent_that_is_cancelled_passes_on_what_its_upstreams_say),
        STORY(a_one_time_dependent_that_is_cancelled_is_not_begun),
        STORY(a_waiting_trigger_may_be_cancelled_alone),
        STORY(a_dependent_that_waits_may_be_deleted),
        STORY(a_one_time_upstream_that_is_cancelled_ends_all_below_it),
        STORY(what_follows_a_run_by_hand_outlives_a_cancelled_job_between),
        STORY(a_root_may_have_very_many_dependents),
        STORY(a_run_by_hand_of_what_is_over_holds_nobody_for_ever),
        STORY(a_root_that_lost_its_dependents_holds_nobody),
        STORY(a_root_that_was_deleted_holds_nobody),
        STORY(what_follows_a_run_by_hand_outlives_an_upstream_that_it_does_not_ask),
        STORY(a_dependent_that_comes_too_late_for_its_first_upstream_does_not_ask_the_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
