/* The canonical form: one definition, one text, however it was written. It is what stores keep and what "the same
 * definition" compares, so a change here makes every repeated create of an older job a conflict. */
#include "job_def_test.h"

#define FULL_TEXT                                                                                                      \
    "{'tenant':'acme','name':'nightly','type':'report','pool':'slow','priority':1,"                                    \
    "'cron':'0 2 * * *','timezone':'Europe/Berlin','dst':{'gap':'skip','fold':'both'},"                                \
    "'starts_at':'2026-01-01T00:00:00.000Z','ends_at':'2027-01-01T00:00:00.000Z','max_fires':100,'jitter':'45s',"      \
    "'overlap':'queue','misfire':'backfill','misfire_after':'1m30s',"                                                  \
    "'retry':{'max_attempts':9,'base':'250ms','factor':1.5,'max':'20m','jitter':0.125},"                               \
    "'timeout':'2h','lease':'1m','expires_after':'1d','dead_policy':{'replay_after':'1h','max_replays':3},"            \
    "'payload':{ 'n': 0.10 },'target':{'exec':{'argv':['make', 'report']}},"                                           \
    "'concurrency':{'key':'reports','max':2},'labels':{'a':'1','b':'2'},'created_by':'ada'}"

static void a_definition_is_written_in_one_form(void **state)
{
    (void)state;
    struct job_def def = def_of(FULL_TEXT);

    assert_string_equal(written(&def), quoted(FULL_TEXT));
    assert_string_equal(written_full(&def), quoted(FULL_TEXT));
}

static void people_are_shown_the_defaults_too(void **state)
{
    (void)state;
    struct job_def def = def_of("{}");

    assert_string_equal(written_full(&def),
                        quoted("{'tenant':'default','type':'default','pool':'default','priority':3,"
                               "'timezone':'UTC','dst':{'gap':'after','fold':'first'},"
                               "'overlap':'skip','misfire':'fire_latest','misfire_after':'1m',"
                               "'retry':{'max_attempts':5,'delays':['30s','2m','10m','30m','2h'],'jitter':0.2},"
                               "'timeout':'5m','lease':'30s','payload':{}}"));
    def = def_of("{'dst':{'gap':'skip'},'retry':{'base':'1s'},'depends_on':['a'],'concurrency':{'key':'k'}}");
    assert_string_equal(written_full(&def),
                        quoted("{'tenant':'default','type':'default','pool':'default','priority':3,"
                               "'timezone':'UTC','dst':{'gap':'skip','fold':'first'},"
                               "'overlap':'skip','misfire':'fire_latest','misfire_after':'1m',"
                               "'retry':{'max_attempts':5,'base':'1s','factor':2,'max':'1h','jitter':0.2},"
                               "'timeout':'5m','lease':'30s','payload':{},"
                               "'depends_on':[{'job':'a','on':'success'}],'concurrency':{'key':'k','max':1}}"));
}

/* The left is how a person may say it, the right all that is kept of it. */
static void what_has_its_default_is_left_out(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"{}", "{}"},
        {"{'tenant':'acme','name':'a','type':'default'}", "{'tenant':'acme','name':'a'}"},
        {"{'name':'default','priority':3}", "{'name':'default'}"},
        {"{'payload':{}}", "{}"},
        {"{'payload':{ }}", "{'payload':{ }}"},
        {"{'payload':null}", "{}"},
        {"{'delay':'0s'}", "{'delay':'0s'}"},
        {"{'cron':'@daily','timezone':'UTC'}", "{'cron':'@daily'}"},
        {"{'dst':{'gap':'after','fold':'both'}}", "{'dst':{'fold':'both'}}"},
        {"{'retry':{'max_attempts':1}}", "{'retry':{'max_attempts':1}}"},
        {"{'retry':{'max_attempts':5,'jitter':0}}", "{'retry':{'jitter':0}}"},
        {"{'retry':{'delays':['30s','2m','10m','30m']}}", "{'retry':{'delays':['30s','2m','10m','30m']}}"},
        {"{'retry':{'factor':2}}", "{'retry':{'base':'1s'}}"},
        {"{'retry':{'base':'2s','max':'2h'}}", "{'retry':{'base':'2s','max':'2h'}}"},
        {"{'depends_on':[{'job':'b','on':'success'},{'job':'a','on':'done'}]}",
         "{'depends_on':[{'job':'a','on':'done'},'b']}"},
        {"{'concurrency':{'key':'k','max':1}}", "{'concurrency':{'key':'k'}}"},
        {"{'dead_policy':{'max_replays':3,'replay_after':'60m'}}",
         "{'dead_policy':{'replay_after':'1h','max_replays':3}}"},
        {"{'dead_policy':null}", "{}"},
    };

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        assert_string_equal(canonical(pairs[i][0]), quoted(pairs[i][1]));
    }
}

/* A store keeps millions of them. */
static void a_small_job_is_small(void **state)
{
    (void)state;
    const char *text = canonical("{'tenant':'acme','name':'welcome-4711','type':'send_email','pool':'email',"
                                 "'run_at':'2026-04-08T09:00:00Z','overlap':'skip','timeout':'300s'}");

    assert_in_range(strlen(text), 1, 120);
}

static void what_was_written_is_written_again(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        FULL_TEXT,
        "{'run_at':'2026-04-08T11:00:00+02:00'}",
        "{'delay':'90s'}",
        "{'delay':'0s'}",
        "{'every':'90m'}",
        "{'every':{'interval':'36600d','after':'finish'}}",
        "{'cron':'TZID=Asia/Tokyo:@daily'}",
        "{'depends_on':['b',{'job':'a','on':'done'}]}",
        "{'retry':{'factor':1.001,'jitter':0.001}}",
        "{'max_fires':9223372036854775807}",
        "{'labels':{'quote \\u0022 and \\\\':'line\\nand \\u202e \\ud83d\\ude00'},'created_by':'\\u0007'}",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const char *once = canonical(texts[i]);
        struct job_def again = def_of_json(once);

        assert_string_equal(written(&again), once);
    }
}

static void the_order_of_fields_does_not_matter(void **state)
{
    (void)state;
    const char *expected = canonical("{'name':'a','pool':'p','every':'5m','payload':{'x':1},'labels':{'k':'v'},"
                                     "'dst':{'gap':'skip','fold':'both'},'retry':{'max_attempts':2,'delays':['1s']}}");

    assert_string_equal(canonical("{'retry':{'delays':['1s'],'max_attempts':2},'dst':{'fold':'both','gap':'skip'},"
                                  "'labels':{'k':'v'},'payload':{'x':1},'every':'5m','pool':'p','name':'a'}"),
                        expected);
    assert_string_equal(canonical(" { 'payload' : {'x':1} , 'every' : { 'interval':'5m' } ,\n'labels':{'k':'v'},"
                                  "'retry':{'max_attempts':2,'delays':['1s']},'name':'a','dst':{'gap':'skip',"
                                  "'fold':'both'},'pool':'p'}\n"),
                        expected);
}

static void the_order_of_labels_and_upstreams_does_not_matter(void **state)
{
    (void)state;
    const char *labels = canonical("{'labels':{'a':'1','ab':'2','b':'3','B':'4','\\u00e9':'5'}}");

    assert_string_equal(canonical("{'labels':{'\\u00e9':'5','b':'3','ab':'2','B':'4','a':'1'}}"), labels);
    assert_string_equal(canonical("{'labels':{'B':'4','b':'3','a':'1','\\u00e9':'5','ab':'2'}}"), labels);
    const char *upstreams = canonical("{'depends_on':['a','ab',{'job':'b','on':'done'},'c']}");
    assert_string_equal(canonical("{'depends_on':['c',{'on':'done','job':'b'},'ab',{'job':'a'}]}"), upstreams);
    assert_string_equal(canonical("{'depends_on':['ab','c','a',{'job':'b','on':'done'}]}"), upstreams);
}

static void a_default_written_out_is_no_difference(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"{'tenant':'default'}", "{}"},
        {"{'type':'default','pool':'default','priority':3}", "{}"},
        {"{'timezone':'UTC','dst':{'gap':'after','fold':'first'}}", "{}"},
        {"{'dst':{'gap':'skip'}}", "{'dst':{'gap':'skip','fold':'first'}}"},
        {"{'jitter':'0s','max_fires':null,'labels':{},'created_by':''}", "{}"},
        {"{'overlap':'skip','misfire':'fire_latest','misfire_after':'60s'}", "{}"},
        {"{'retry':{'max_attempts':5,'delays':['30s','2m','10m','30m','2h'],'jitter':0.2}}", "{}"},
        {"{'retry':{'base':'1s'}}", "{'retry':{'max_attempts':5,'base':'1s','factor':2,'max':'1h','jitter':0.2}}"},
        {"{'timeout':'300s','lease':'30s','payload':{}}", "{}"},
        {"{'every':{'interval':'5m'}}", "{'every':'5m'}"},
        {"{'depends_on':['a']}", "{'depends_on':[{'job':'a','on':'success'}]}"},
        {"{'concurrency':{'key':'k'}}", "{'concurrency':{'key':'k','max':1}}"},
    };

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        assert_string_equal(canonical(pairs[i][0]), canonical(pairs[i][1]));
    }
}

static void the_same_time_in_other_words_is_no_difference(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"{'run_at':'2026-04-08T11:00:00+02:00'}", "{'run_at':'2026-04-08T09:00:00.000Z'}"},
        {"{'every':'300s'}", "{'every':'5m'}"},
        {"{'delay':'90s'}", "{'delay':'1m30s'}"},
        {"{'timeout':'120m'}", "{'timeout':'2h'}"},
        {"{'retry':{'delays':['60s']}}", "{'retry':{'delays':['1m']}}"},
        {"{'retry':{'factor':2.0,'jitter':0.5}}", "{'retry':{'factor':2,'jitter':5e-1}}"},
        {"{'starts_at':'2026-04-08T04:00:00-05:00'}", "{'starts_at':'2026-04-08T09:00:00Z'}"},
    };

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        assert_string_equal(canonical(pairs[i][0]), canonical(pairs[i][1]));
    }
}

/* Crockford's base 32 is read in either case, with O for 0 and I or L for 1. */
static void the_same_id_in_other_letters_is_no_difference(void **state)
{
    (void)state;
    const char *expected = canonical("{'depends_on':['job_06c4q0wm8g01a']}");

    assert_string_equal(canonical("{'depends_on':['job_06C4Q0WM8G01A']}"), expected);
    assert_string_equal(canonical("{'depends_on':[{'job':'job_o6c4q0wm8gola'}]}"), expected);
}

static void another_definition_is_another_text(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "{'tenant':'acme'}",
        "{'name':'default'}",
        "{'type':'acme'}",
        "{'pool':'acme'}",
        "{'priority':2}",
        "{'run_at':'2026-04-08T09:00:00Z'}",
        "{'run_at':'2026-04-08T09:00:00.001Z'}",
        "{'delay':'5m'}",
        "{'delay':'0s'}",
        "{'cron':'*/5 * * * *'}",
        "{'every':'5m'}",
        "{'every':{'interval':'5m','after':'finish'}}",
        "{'timezone':'Europe/Paris'}",
        "{'dst':{'gap':'skip'}}",
        "{'dst':{'fold':'both'}}",
        "{'starts_at':'2026-04-08T09:00:00Z'}",
        "{'ends_at':'2026-04-08T09:00:00Z'}",
        "{'max_fires':1}",
        "{'jitter':'1ms'}",
        "{'overlap':'allow'}",
        "{'misfire':'skip'}",
        "{'misfire_after':'0s'}",
        "{'retry':{'max_attempts':4}}",
        "{'retry':{'delays':['30s']}}",
        "{'retry':{'base':'1s'}}",
        "{'retry':{'base':'2s'}}",
        "{'retry':{'factor':3}}",
        "{'retry':{'max':'2h'}}",
        "{'retry':{'jitter':0.201}}",
        "{'timeout':'1ms'}",
        "{'lease':'1s'}",
        "{'expires_after':'1ms'}",
        "{'dead_policy':{'replay_after':'1h','max_replays':3}}",
        "{'dead_policy':{'replay_after':'1h','max_replays':4}}",
        "{'dead_policy':{'replay_after':'2h','max_replays':3}}",
        "{'payload':[]}",
        "{'payload':{ }}",
        "{'target':{'http':{'url':'http://a/'}}}",
        "{'target':{'http':{'url':'http://a/','method':'POST'}}}",
        "{'target':{'exec':{'argv':['a']}}}",
        "{'depends_on':['a']}",
        "{'depends_on':['b']}",
        "{'depends_on':[{'job':'a','on':'done'}]}",
        "{'concurrency':{'key':'a'}}",
        "{'concurrency':{'key':'a','max':2}}",
        "{'labels':{'a':''}}",
        "{'labels':{'a':'b'}}",
        "{'created_by':'a'}",
    };
    const char *forms[COUNT_OF(texts)];

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        forms[i] = canonical(texts[i]);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(forms[i], forms[j]) == 0) {
                fail_msg("%s and %s are written alike", texts[i], texts[j]);
            }
        }
    }
}

static void it_is_appended_to_what_is_there(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf out;
    struct job_def def = def_of("{}");
    const char *alone = written(&def);
    buf_init(&out, 4096);

    buf_append_text(&out, "first\n");
    job_def_write(&def, &out);
    assert_string_equal(buf_text(&out), arena_printf(&test_arena, "first\n%s", alone));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_is_written_in_one_form),
        cmocka_unit_test(people_are_shown_the_defaults_too),
        cmocka_unit_test(what_has_its_default_is_left_out),
        cmocka_unit_test(a_small_job_is_small),
        cmocka_unit_test(what_was_written_is_written_again),
        cmocka_unit_test(the_order_of_fields_does_not_matter),
        cmocka_unit_test(the_order_of_labels_and_upstreams_does_not_matter),
        cmocka_unit_test(a_default_written_out_is_no_difference),
        cmocka_unit_test(the_same_time_in_other_words_is_no_difference),
        cmocka_unit_test(the_same_id_in_other_letters_is_no_difference),
        cmocka_unit_test(another_definition_is_another_text),
        cmocka_unit_test(it_is_appended_to_what_is_there),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
