/* Edits of what a job depends on, and which roots may stand side by side above a dependent. */
#include "ledger.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"

#define LONG_RUN "'lease':'1h','timeout':'2h'"
#define TEXT_BYTES_MAX 1024

/* The reply to a definition, with ' for ". */
static const struct reply *ask(struct rig *rig, const char *text)
{
    char quoted[TEXT_BYTES_MAX];

    (void)snprintf(quoted, sizeof quoted, "%s", text);
    for (char *c = quoted; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return rig_create_reply(rig, quoted);
}

/* An edit of a job with one %s in it, which is an id. */
static const struct reply *patch_id(struct rig *rig, uint64_t job, const char *format, uint64_t id)
{
    char text[TEXT_BYTES_MAX], name[ID_TEXT_BYTES];
    const char *mark = strstr(format, "%s");

    id_format(ID_JOB, id, name);
    assert_non_null(mark);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - format), format, name, mark + 2);
    return patch(rig, job, text);
}

/* ---- roots ---- */

static const struct pair_of_roots {
    const char *one, *other;
} unequal[] = {
    {"'cron':'* * * * *'", "'cron':'0 * * * * ?'"}, /* the same times, in another language */
    {"'cron':'* 9 * * *'", "'cron':'0-59 9 * * *'"},
    {"'cron':'0 * * * * ?'", "'cron':'30 * * * * ?'"},
    {"'cron':'5 9 * * *'", "'cron':'6 9 * * *'"},
    {"'cron':'5 9 * * *'", "'cron':'5 10 * * *'"},
    {"'cron':'0 0 1 * *'", "'cron':'0 0 2 * *'"},
    {"'cron':'0 0 1 1 *'", "'cron':'0 0 1 2 *'"},
    {"'cron':'0 0 * * 1'", "'cron':'0 0 * * 2'"},
    {"'cron':'0 0 0 L * ?'", "'cron':'0 0 0 LW * ?'"},
    {"'cron':'0 0 0 15W * ?'", "'cron':'0 0 0 16W * ?'"},
    {"'cron':'0 0 0 ? * 6#3'", "'cron':'0 0 0 ? * 5#3'"},
    {"'cron':'0 0 0 ? * 6#3'", "'cron':'0 0 0 ? * 6#2'"},
    {"'cron':'0 0 0 1 1 ? 2030'", "'cron':'0 0 0 1 1 ? 2031'"},
    {"'cron':'0 2 * * *','dst':{'fold':'second'}", "'cron':'0 2 * * *'"},
    {"'every':'1m','starts_at':'2026-04-09T00:00:00Z'", "'every':'2m','starts_at':'2026-04-09T00:00:00Z'"},
    {"'every':'1m','starts_at':'2026-04-09T00:00:00Z'", "'every':'1m','starts_at':'2026-04-09T00:00:01Z'"},
    {"'every':{'interval':'1m','after':'finish'},'starts_at':'2026-04-09T00:00:00Z'",
     "'every':'1m','starts_at':'2026-04-09T00:00:00Z'"},
};

static void every_field_of_two_roots_must_be_equal(void **state)
{
    for (size_t i = 0; i < sizeof unequal / sizeof unequal[0]; i++) {
        struct rig *rig = restless_begin(state);

        make(rig, "{'name':'a',%s}", unequal[i].one);
        make(rig, "{'name':'b',%s}", unequal[i].other);
        const struct reply *reply = ask(rig, "{'name':'c','depends_on':['a','b']}");
        if (reply->kind != REPLY_ERROR || reply->error.code != ERR_UNPROCESSABLE) {
            fail_msg("%s beside %s was taken", unequal[i].one, unequal[i].other);
        }
        /* Beside one that is equal each of them may stand. */
        make(rig, "{'name':'same',%s}", unequal[i].other);
        assert_jobs(ask(rig, "{'name':'c','depends_on':['b','same']}"));
        rig_free(rig);
    }
}

static void an_edit_of_a_root_names_who_depends_on_it_and_on_others(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','cron':'0 * * * *'}");

    make(rig, "{'name':'b','cron':'0 * * * *'}");
    make(rig, "{'name':'alone','depends_on':['a']}");
    uint64_t both = make(rig, "{'name':'both','depends_on':['a','b']}");
    const struct reply *reply = patch(rig, a, "{'cron':'30 * * * *'}");
    assert_error(reply, ERR_UNPROCESSABLE);
    assert_non_null(strstr(reply->error.text, "both"));
    rig_delete(rig, both);
    make(rig, "{'depends_on':['a','b']}"); /* one without a name */
    assert_error(patch(rig, a, "{'cron':'30 * * * *'}"), ERR_UNPROCESSABLE);
    assert_int_equal(rig_job(rig, a)->version, 1);
    rig_free(rig);
}

static void a_root_that_stands_alone_is_edited_freely(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'}");
    uint64_t b = make(rig, "{'name':'b','depends_on':['a']}");

    assert_jobs(patch(rig, a, "{'every':'2m'}"));
    rig_wait(rig, 2 * MINUTE);
    assert_int_equal(run_all(rig), 2);
    assert_ledger(rig, b, "2");
    rig_free(rig);
}

static void what_has_dependents_stays_once_or_often(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t often = make(rig, "{'name':'often','every':'1h'}");
    uint64_t once = make(rig, "{'name':'once','delay':'1h'}");

    make(rig, "{'depends_on':['often']}");
    make(rig, "{'depends_on':['once']}");
    assert_error(patch(rig, often, "{'every':null,'delay':'2h'}"), ERR_UNPROCESSABLE);
    assert_error(patch(rig, once, "{'delay':null,'every':'2h'}"), ERR_UNPROCESSABLE);
    assert_jobs(patch(rig, once, "{'delay':'2h'}"));
    assert_jobs(patch(rig, often, "{'every':'2h'}"));
    rig_free(rig);
}

/* ---- edits of edges ---- */

static void a_dependent_follows_its_new_upstream(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1h'}");
    uint64_t b = make(rig, "{'name':'b','every':'1h'}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a']}");

    assert_jobs(patch(rig, down, "{'depends_on':['b']}"));
    assert_int_equal(rig_job(rig, down)->version, 2);
    rig_wait(rig, HOUR);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    const struct grant *grant = take_of(rig, "w1", b);
    assert_nothing_to_do(rig);
    rig_succeed(rig, "w1", grant);
    rig_succeed(rig, "w1", take_of(rig, "w1", down));
    assert_ledger(rig, down, "60 v2");
    rig_free(rig);
}

static void an_upstream_may_be_named_by_its_id(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1h'}");
    uint64_t b = make(rig, "{'every':'1h'}"); /* has no name */
    uint64_t down = make(rig, "{'name':'down','depends_on':['a']}");

    assert_jobs(patch_id(rig, down, "{'depends_on':['%s']}", b));
    assert_jobs(patch_id(rig, down, "{'depends_on':['%s'],'priority':1}", b)); /* in memory by now */
    rig_wait(rig, HOUR);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    rig_succeed(rig, "w1", take_of(rig, "w1", b));
    rig_succeed(rig, "w1", take_of(rig, "w1", down));
    rig_free(rig);
}

static void a_changed_edge_asks_for_another_end(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m','retry':{'max_attempts':1,'delays':['1s'],'jitter':0}}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a']}");

    assert_jobs(patch(rig, down, "{'depends_on':[{'job':'a','on':'failure'}]}"));
    rig_wait(rig, MINUTE);
    rig_fail(rig, "w1", take_of(rig, "w1", a));
    rig_succeed(rig, "w1", take_of(rig, "w1", down));
    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    assert_ledger(rig, down, "1 v2 2:cancelled v2");
    rig_free(rig);
}

static void the_same_edges_in_another_order_change_nothing(void **state)
{
    struct rig *rig = restless_begin(state);

    make(rig, "{'name':'a','cron':'* * * * *'}");
    make(rig, "{'name':'b','cron':'* * * * *'}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a','b']}");
    assert_jobs(patch(rig, down, "{'depends_on':[{'job':'b','on':'success'},'a']}"));
    assert_int_equal(rig_job(rig, down)->version, 1);
    rig_free(rig);
}

static void what_waited_for_edges_that_are_gone_is_cancelled(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','cron':'* * * * *'," LONG_RUN "}");
    uint64_t b = make(rig, "{'name':'b','cron':'* * * * *'," LONG_RUN "}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a','b']}");

    rig_wait(rig, MINUTE);
    rig_succeed(rig, "w1", take_of(rig, "w1", a));
    assert_int_equal(rig_trigger_count(rig, down, TRIGGER_WAITING), 1);
    assert_jobs(patch(rig, down, "{'depends_on':['b']}"));
    assert_int_equal(rig_trigger_count(rig, down, TRIGGER_WAITING), 0);
    assert_ledger(rig, down, "1:cancelled");
    /* The fire that had begun was none of the new edge's. */
    rig_succeed(rig, "w1", take_of(rig, "w1", b));
    assert_nothing_to_do(rig);
    assert_ledger(rig, down, "1:cancelled");
    rig_free(rig);
}

static void what_cannot_be_depended_on_is_refused(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1h'}");
    uint64_t other = make(rig, "{'name':'other','tenant':'x','every':'1h'}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a']}");

    make(rig, "{'name':'quick','every':'1m'}");
    make(rig, "{'name':'once','delay':'1h'}");
    assert_error(patch(rig, down, "{'depends_on':['nobody']}"), ERR_UNPROCESSABLE);
    assert_error(patch(rig, down, "{'depends_on':['job_nonsense']}"), ERR_INVALID);
    assert_error(patch(rig, down, "{'depends_on':['other']}"), ERR_UNPROCESSABLE);
    assert_error(patch_id(rig, down, "{'depends_on':['%s']}", other), ERR_UNPROCESSABLE);
    assert_error(patch_id(rig, down, "{'depends_on':['%s']}", a + 4096), ERR_UNPROCESSABLE);
    assert_error(patch_id(rig, down, "{'depends_on':['a','%s']}", a), ERR_UNPROCESSABLE); /* twice */
    assert_error(patch(rig, down, "{'depends_on':['a','quick']}"), ERR_UNPROCESSABLE);
    assert_error(patch(rig, down, "{'depends_on':['a','once']}"), ERR_UNPROCESSABLE);
    assert_int_equal(rig_job(rig, down)->version, 1);
    rig_free(rig);
}

static void schedules_and_upstreams_do_not_turn_into_each_other(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1h'}");
    uint64_t down = make(rig, "{'name':'down','depends_on':['a']}");
    uint64_t alone = make(rig, "{'name':'alone','every':'1h'}");

    assert_error(patch(rig, down, "{'depends_on':null}"), ERR_UNPROCESSABLE);
    assert_error(patch(rig, down, "{'depends_on':null,'every':'1h'}"), ERR_UNPROCESSABLE);
    assert_error(patch(rig, alone, "{'depends_on':['a'],'every':null}"), ERR_UNPROCESSABLE);
    assert_int_equal(rig_job(rig, down)->version, 1);
    assert_int_equal(rig_job(rig, alone)->version, 1);
    assert_int_equal(rig_job(rig, a)->version, 1);
    rig_free(rig);
}

static void a_cycle_is_shown_with_ids_where_there_are_no_names(void **state)
{
    struct rig *rig = restless_begin(state);

    make(rig, "{'name':'root','every':'1m'}");
    uint64_t head = make(rig, "{'name':'head','depends_on':['root']}");
    uint64_t middle = make(rig, "{'depends_on':['head']}"), side = make(rig, "{'name':'side','depends_on':['head']}");
    char id[ID_TEXT_BYTES];

    id_format(ID_JOB, middle, id);
    make(rig, "{'name':'blind','depends_on':['side']}");
    make(rig, "{'name':'tail','depends_on':['%s']}", id);
    const struct reply *reply = patch(rig, head, "{'depends_on':['tail']}");
    assert_error(reply, ERR_CYCLE);
    assert_non_null(strstr(reply->error.text, id));
    assert_null(strstr(reply->error.text, "side"));
    assert_error(patch(rig, head, "{'depends_on':['blind','tail']}"), ERR_CYCLE);
    assert_error(patch(rig, side, "{'depends_on':['side']}"), ERR_CYCLE);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(every_field_of_two_roots_must_be_equal),
        STORY(an_edit_of_a_root_names_who_depends_on_it_and_on_others),
        STORY(a_root_that_stands_alone_is_edited_freely),
        STORY(what_has_dependents_stays_once_or_often),
        STORY(a_dependent_follows_its_new_upstream),
        STORY(an_upstream_may_be_named_by_its_id),
        STORY(a_changed_edge_asks_for_another_end),
        STORY(the_same_edges_in_another_order_change_nothing),
        STORY(what_waited_for_edges_that_are_gone_is_cancelled),
        STORY(what_cannot_be_depended_on_is_refused),
        STORY(schedules_and_upstreams_do_not_turn_into_each_other),
        STORY(a_cycle_is_shown_with_ids_where_there_are_no_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
