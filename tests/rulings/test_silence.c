/* Renewals, refused renewals, and workers that fall silent: what is counted, and when. */
#include "engine/view.h"
#include "story.h"

static struct engine_figures figures(struct rig *rig)
{
    struct engine_figures figures;

    engine_figures(rig_engine(rig), &figures);
    return figures;
}

static void a_worker_that_renews_is_not_silent(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'lease':'30s'}");
    take(rig, "w1");
    for (int i = 0; i < 4; i++) {
        rig_wait(rig, 20000);
        rig_renew(rig, "w1");
    }
    assert_int_equal(figures(rig).renewals, 4);
    assert_int_equal(figures(rig).renewals_refused, 0);
    assert_int_equal(figures(rig).silences, 0);
    rig_free(rig);
}

static void a_silence_counts_once_whatever_the_worker_held(void **state)
{
    struct rig *rig = story_begin(state);

    make(rig, "{'lease':'10s'}");
    make(rig, "{'lease':'20s'}");
    take(rig, "w1");
    take(rig, "w1");
    rig_wait(rig, 60000);
    assert_int_equal(figures(rig).silences, 1);
    rig_renew(rig, "w1"); /* it names both, and has lost both */
    assert_int_equal(figures(rig).renewals_refused, 2);
    take(rig, "w1"); /* heard of again, it may fall silent again */
    rig_worker_dies(rig, "w1");
    rig_wait(rig, 60000);
    assert_int_equal(figures(rig).silences, 2);
    rig_free(rig);
}

static void who_holds_nothing_is_missed_after_a_while_unless_it_said_goodbye(void **state)
{
    struct rig *rig = story_begin(state);

    rig_poll(rig, "w1", "default", 1); /* wanted something, and never came back */
    rig_poll(rig, "w2", "default", 0); /* wants nothing more */
    rig_wait(rig, 9 * 60000);
    assert_int_equal(figures(rig).silences, 0);
    rig_wait(rig, 2 * 60000);
    assert_int_equal(figures(rig).silences, 1);
    rig_free(rig);
}

static void jobs_of_all_tenants_are_counted_through_a_restart(void **state)
{
    struct rig *rig = story_begin(state);
    struct view_scope all;

    make(rig, "{'tenant':'acme','delay':'1h'}");
    uint64_t gone = make(rig, "{'tenant':'globex','delay':'1h'}");
    make(rig, "{'tenant':'globex','delay':'1h'}");
    rig_delete(rig, gone);
    engine_view_all(rig_engine(rig), &all);
    assert_int_equal(all.jobs, 2);
    rig_restart(rig);
    engine_view_all(rig_engine(rig), &all);
    assert_int_equal(all.jobs, 2);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONCE(a_worker_that_renews_is_not_silent),
        ONCE(a_silence_counts_once_whatever_the_worker_held),
        ONCE(who_holds_nothing_is_missed_after_a_while_unless_it_said_goodbye),
        ONCE(jobs_of_all_tenants_are_counted_through_a_restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
