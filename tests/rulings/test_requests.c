/* Requests that create several jobs, and what is kept of definitions. */
#include "ledger.h"

#include <stdio.h>
#include <string.h>

#define MANY_MAX 8
#define TEXT_BYTES_MAX 512

/* Creates the definitions that are given, up to a NULL; ' for ". */
static const struct reply *make_many(struct rig *rig, const char *const *definitions)
{
    static char texts[MANY_MAX][TEXT_BYTES_MAX];
    const char *given[MANY_MAX];
    size_t count = 0;

    for (; definitions[count] != NULL; count++) {
        assert_in_range(count, 0, MANY_MAX - 1);
        (void)snprintf(texts[count], sizeof texts[count], "%s", definitions[count]);
        for (char *c = texts[count]; *c != '\0'; c++) {
            *c = *c == '\'' ? '"' : *c;
        }
        given[count] = texts[count];
    }
    return rig_create_many(rig, given, count);
}

#define MANY(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_diamond_may_be_created_at_once(void **state)
{
    struct rig *rig = restless_begin(state);
    const struct reply *reply =
        make_many(rig, MANY("{'name':'foot','depends_on':['left','right']}", "{'name':'left','depends_on':['top']}",
                            "{'name':'right','depends_on':['top']}", "{'name':'top','every':'1m'}"));

    assert_jobs(reply);
    uint64_t foot = reply->jobs[0].id;
    rig_wait(rig, MINUTE);
    assert_int_equal(run_all_at_once(rig), 1);
    assert_int_equal(run_all_at_once(rig), 2);
    assert_int_equal(run_all_at_once(rig), 1);
    assert_ledger(rig, foot, "1");
    rig_free(rig);
}

static void a_ring_is_found_behind_what_leads_nowhere(void **state)
{
    struct rig *rig = restless_begin(state);

    make(rig, "{'name':'outside','every':'1m'}");
    const struct reply *reply =
        make_many(rig, MANY("{'name':'a','depends_on':['outside','blind','b']}", "{'name':'blind','delay':'1m'}",
                            "{'name':'b','depends_on':['blind','c']}", "{'name':'c','depends_on':['a']}"));
    assert_error(reply, ERR_CYCLE);
    assert_non_null(strstr(reply->error.text, "a depends on b depends on c depends on a"));
    assert_non_null(strstr(reply->error.text, "jobs[0]"));
    assert_int_equal(rig_dump(rig)->jobs.count, 1);
    rig_free(rig);
}

static void what_leads_into_a_ring_is_no_part_of_it(void **state)
{
    struct rig *rig = restless_begin(state);
    const struct reply *reply =
        make_many(rig, MANY("{'name':'tail','depends_on':['a','a2']}", "{'name':'a','depends_on':['a2']}",
                            "{'name':'a2','depends_on':['a']}"));

    assert_error(reply, ERR_CYCLE);
    assert_null(strstr(reply->error.text, "tail"));
    rig_free(rig);
}

static void what_is_there_already_may_stand_in_the_request(void **state)
{
    struct rig *rig = restless_begin(state);
    uint64_t a = make(rig, "{'name':'a','every':'1m'}");
    const struct reply *reply = make_many(rig, MANY("{'name':'b','depends_on':['a']}", "{'name':'a','every':'1m'}"));

    assert_jobs(reply);
    assert_true(reply->jobs[1].is_existing);
    assert_int_equal(reply->jobs[1].id, a);
    assert_false(reply->jobs[0].is_existing);
    uint64_t b = reply->jobs[0].id;
    rig_wait(rig, MINUTE);
    assert_int_equal(run_all(rig), 2);
    assert_ledger(rig, b, "1");
    rig_free(rig);
}

static void an_error_names_the_one_that_has_it(void **state)
{
    struct rig *rig = restless_begin(state);

    make(rig, "{'name':'slow','every':'1h'}");
    make(rig, "{'name':'fast','every':'1m'}");
    const struct reply *reply = make_many(
        rig, MANY("{'name':'c','depends_on':['b']}", "{'name':'b','depends_on':['slow','fast']}", "{'name':'d'}"));
    assert_error(reply, ERR_UNPROCESSABLE);
    assert_non_null(strstr(reply->error.text, "jobs[1]"));
    reply = make_many(rig, MANY("{'name':'d'}", "{'name':'e','every':'1m','ends_at':'2026-04-08T09:00:30Z'}"));
    assert_error(reply, ERR_NEVER_FIRES);
    assert_int_equal(rig_dump(rig)->jobs.count, 2);
    rig_free(rig);
}

static void what_is_there_already_is_not_counted_again(void **state)
{
    struct rig *rig = restless_begin(state);

    set(rig, SCOPE_TENANT, "", "default", "{'max_jobs':3}");
    make(rig, "{'name':'a','every':'1h'}");
    make(rig, "{'name':'b','every':'1h'}");
    assert_jobs(make_many(rig, MANY("{'name':'a','every':'1h'}", "{'name':'b','every':'1h'}")));
    assert_error(make_many(rig, MANY("{'name':'c','every':'1h'}", "{'name':'d','every':'1h'}")), ERR_LIMIT);
    assert_int_equal(rig_dump(rig)->jobs.count, 2);
    rig_free(rig);
}

/* ---- definitions that memory has no room for ---- */

static struct rig *forgetful_begin(void **state)
{
    return story_begin_with(state, &(struct engine_config){.seed = 1, .def_bytes_max = 1});
}

static void a_definition_that_is_not_in_memory_is_read_again(void **state)
{
    struct rig *rig = forgetful_begin(state);
    uint64_t job = make(rig, "{'name':'a','every':'1m','priority':2}");
    const struct reply *reply = make_many(rig, MANY("{'name':'a','every':'1m','priority':2}"));

    turn(rig);
    assert_jobs(reply);
    assert_true(reply->jobs[0].is_existing);
    assert_int_equal(reply->jobs[0].id, job);
    turn(rig);
    assert_error(make_many(rig, MANY("{'name':'a','every':'2m'}")), ERR_CONFLICT);
    assert_jobs(patch(rig, job, "{'timeout':'10s'}"));
    turn(rig);
    assert_jobs(patch(rig, job, "{'lease':'5s'}"));
    rig_wait(rig, MINUTE);
    const struct grant *grant = take_of(rig, "w1", job);
    assert_int_equal(grant->version, 3);
    assert_int_equal(grant->place.priority, 2);
    assert_int_equal(grant->timeout_ms, 10000);
    assert_int_equal(grant->lease_ms, 5000);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(a_diamond_may_be_created_at_once),
        STORY(a_ring_is_found_behind_what_leads_nowhere),
        STORY(what_leads_into_a_ring_is_no_part_of_it),
        STORY(what_is_there_already_may_stand_in_the_request),
        STORY(an_error_names_the_one_that_has_it),
        STORY(what_is_there_already_is_not_counted_again),
        STORY(a_definition_that_is_not_in_memory_is_read_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
