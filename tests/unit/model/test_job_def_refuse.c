/* What a definition may not say: each mistake is named by its field, and nothing is read. */
#include "job_def_test.h"

struct mistake {
    const char *text;
    const char *field;
};

static void assert_all_refused(const struct mistake *mistakes, size_t count, enum err code)
{
    for (size_t i = 0; i < count; i++) {
        assert_refused(mistakes[i].text, code, mistakes[i].field);
    }
}

/* The field, and something that is none of its types: a number where a text or an object is meant, and so on. */
static void a_field_of_the_wrong_type_is_named(void **state)
{
    (void)state;
    static const char *const texts[] = {"tenant", "name",          "type",       "pool",          "run_at",
                                        "delay",  "cron",          "timezone",   "starts_at",     "ends_at",
                                        "jitter", "overlap",       "misfire",    "misfire_after", "timeout",
                                        "lease",  "expires_after", "created_by", "traceparent"};
    static const char *const objects[] = {"dst", "retry", "target", "concurrency", "labels"};
    static const char *const numbers[] = {"priority", "max_fires"};
    static const char *const not_text[] = {"5", "0.5", "true", "false", "[]", "['5s']", "{}"};
    static const char *const not_object[] = {"5", "0.5", "true", "'text'", "[]", "[{}]"};
    static const char *const not_number[] = {"'3'", "true", "[]", "{}", "2.5", "3.0", "99999999999999999999"};

    for (size_t i = 0; i < COUNT_OF(texts) * COUNT_OF(not_text); i++) {
        const char *field = texts[i / COUNT_OF(not_text)];
        assert_refused(arena_printf(&test_arena, "{'%s':%s}", field, not_text[i % COUNT_OF(not_text)]), ERR_INVALID,
                       field);
    }
    for (size_t i = 0; i < COUNT_OF(objects) * COUNT_OF(not_object); i++) {
        const char *field = objects[i / COUNT_OF(not_object)];
        assert_refused(arena_printf(&test_arena, "{'%s':%s}", field, not_object[i % COUNT_OF(not_object)]), ERR_INVALID,
                       field);
    }
    for (size_t i = 0; i < COUNT_OF(numbers) * COUNT_OF(not_number); i++) {
        const char *field = numbers[i / COUNT_OF(not_number)];
        assert_refused(arena_printf(&test_arena, "{'%s':%s}", field, not_number[i % COUNT_OF(not_number)]), ERR_INVALID,
                       field);
    }
}

static void a_definition_is_an_object(void **state)
{
    (void)state;
    static const char *const texts[] = {"[]", "[{}]", "5", "'name'", "null", "true"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct error error = refusal_of(texts[i]);

        assert_int_equal(error.code, ERR_INVALID);
    }
}

/* ---- unknown fields ---- */

static void a_typing_error_is_refused_with_what_was_meant(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *field;
        const char *meant;
    } rows[] = {
        {"{'tennant':'acme'}", "tennant", "tenant"},
        {"{'priorty':1}", "priorty", "priority"},
        {"{'Cron':'* * * * *'}", "Cron", "cron"},
        {"{'depend_on':['a']}", "depend_on", "depends_on"},
        {"{'run_at ':'2026-04-08T09:00:00Z'}", "run_at ", "run_at"},
        {"{'misfire_afer':'1m','name':'a'}", "misfire_afer", "misfire_after"},
        {"{'payload':{},'paylod':null}", "paylod", "payload"},
        {"{'every':{'interval':'5m','afer':'finish'}}", "every.afer", "after"},
        {"{'every':{'intervall':'5m'}}", "every.intervall", "interval"},
        {"{'dst':{'gpa':'skip'}}", "dst.gpa", "gap"},
        {"{'dst':{'folds':'both'}}", "dst.folds", "fold"},
        {"{'retry':{'max_attemps':3}}", "retry.max_attemps", "max_attempts"},
        {"{'retry':{'delay':['1s']}}", "retry.delay", "delays"},
        {"{'retry':{'factors':2}}", "retry.factors", "factor"},
        {"{'target':{'htp':{'url':'http://a/'}}}", "target.htp", "http"},
        {"{'target':{'http':{'url':'http://a/','metod':'GET'}}}", "target.http.metod", "method"},
        {"{'target':{'http':{'url':'http://a/','header':{}}}}", "target.http.header", "headers"},
        {"{'target':{'exec':{'argv':['a'],'evn':{}}}}", "target.exec.evn", "env"},
        {"{'depends_on':[{'job':'a','onn':'done'}]}", "depends_on.onn", "on"},
        {"{'depends_on':['a',{'jobb':'a'}]}", "depends_on.jobb", "job"},
        {"{'concurrency':{'key':'k','maxx':1}}", "concurrency.maxx", "max"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_refused(rows[i].text, ERR_UNKNOWN_FIELD, rows[i].field);
        struct error error = refusal_of(rows[i].text);
        assert_contains(error.text, arena_printf(&test_arena, "did you mean \"%s\"", rows[i].meant));
    }
}

static void unknown_fields_are_refused_at_every_level(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'zzz':1}", "zzz"},
        {"{'zzz':null}", "zzz"},
        {"{'':1}", ""},
        {"{'id':'job_06c4q0wm8g000'}", "id"},
        {"{'status':'paused'}", "status"},
        {"{'dst':{'zzz':1}}", "dst.zzz"},
        {"{'every':{'zzz':1}}", "every.zzz"},
        {"{'retry':{'zzz':1}}", "retry.zzz"},
        {"{'target':{'zzz':1}}", "target.zzz"},
        {"{'target':{'http':{'url':'http://a/','zzz':1}}}", "target.http.zzz"},
        {"{'target':{'exec':{'argv':['a'],'zzz':1}}}", "target.exec.zzz"},
        {"{'depends_on':[{'job':'a','zzz':1}]}", "depends_on.zzz"},
        {"{'concurrency':{'key':'k','zzz':1}}", "concurrency.zzz"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_UNKNOWN_FIELD);
}

/* ---- who ---- */

static void wrong_names_are_refused(void **state)
{
    (void)state;
    static const char *const fields[] = {"tenant", "name", "type", "pool"};
    const char *const wrong[] = {"", " ", "two words", "-a", ".", "a/b", "caf\\u00e9", letters(201, 'n')};

    for (size_t i = 0; i < COUNT_OF(fields) * COUNT_OF(wrong); i++) {
        const char *field = fields[i / COUNT_OF(wrong)];

        assert_refused(arena_printf(&test_arena, "{'%s':'%s'}", field, wrong[i % COUNT_OF(wrong)]), ERR_INVALID, field);
    }
    assert_refused("{'name':'job_06c4q0wm8g000'}", ERR_INVALID, "name");
    assert_int_equal(refusal_of("{'name':'two words'}").position, 4);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'priority':0}", "priority"},   {"{'priority':6}", "priority"},    {"{'priority':-1}", "priority"},
        {"{'max_fires':0}", "max_fires"}, {"{'max_fires':-1}", "max_fires"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
}

/* ---- when ---- */

static void a_job_has_at_most_one_way_of_being_started(void **state)
{
    (void)state;
    static const char *const ways[][2] = {
        {"run_at", "'2026-04-08T09:00:00Z'"}, {"delay", "'5m'"},       {"cron", "'* * * * *'"},
        {"every", "{'interval':'5m'}"},       {"depends_on", "['a']"},
    };

    for (size_t i = 0; i < COUNT_OF(ways) * COUNT_OF(ways); i++) {
        const char *const *one = ways[i / COUNT_OF(ways)];
        const char *const *two = ways[i % COUNT_OF(ways)];

        if (one == two) {
            continue;
        }
        struct error error = refusal_of(arena_printf(&test_arena, "{'%s':%s,'%s':%s}", one[0], one[1], two[0], two[1]));
        bool blames_one = strcmp(error.field, one[0]) == 0;

        assert_int_equal(error.code, ERR_INVALID);
        assert_string_equal(error.field, blames_one ? one[0] : two[0]);
        assert_contains(error.text, blames_one ? two[0] : one[0]); /* and names the other */
    }
    assert_int_equal(refusal_of("{'run_at':'x','delay':'x','cron':'x','every':'x','depends_on':[]}").code, ERR_INVALID);
}

static void null_beside_a_way_of_being_started_is_no_second_one(void **state)
{
    (void)state;
    struct job_def def = def_of("{'run_at':null,'delay':null,'cron':'* * * * *','every':null,'depends_on':null}");

    assert_int_equal(def.when, WHEN_CRON);
}

static void what_is_no_time_is_refused(void **state)
{
    (void)state;
    static const char *const instants[] = {"run_at", "starts_at", "ends_at"};
    static const char *const not_instants[] = {
        "",   "tomorrow",   "2026-04-08T09:00:00",   "2026-02-30T09:00:00Z", "2201-01-01T00:00:00Z",
        "5m", "1775638800", "2026-04-08T09:00:00Z ",
    };
    static const char *const durations[] = {"delay",   "every", "jitter",       "misfire_after",
                                            "timeout", "lease", "expires_after"};
    static const char *const not_durations[] = {"", "5", "5x", "-5s", "5m1h", "1.5h", "5 m", "5M", "36601d", "soon"};

    for (size_t i = 0; i < COUNT_OF(instants) * COUNT_OF(not_instants); i++) {
        const char *field = instants[i / COUNT_OF(not_instants)];
        assert_refused(arena_printf(&test_arena, "{'%s':'%s'}", field, not_instants[i % COUNT_OF(not_instants)]),
                       ERR_INVALID_TIME, field);
    }
    for (size_t i = 0; i < COUNT_OF(durations) * COUNT_OF(not_durations); i++) {
        const char *field = durations[i / COUNT_OF(not_durations)];
        assert_refused(arena_printf(&test_arena, "{'%s':'%s'}", field, not_durations[i % COUNT_OF(not_durations)]),
                       ERR_INVALID_TIME, field);
    }
    assert_int_equal(refusal_of("{'timeout':'1h5x'}").position, 3);
}

static void a_time_out_of_its_range_is_refused(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'every':'9ms'}", "every"},
        {"{'every':'0s'}", "every"},
        {"{'every':{'interval':'9ms'}}", "every.interval"},
        {"{'timeout':'0s'}", "timeout"},
        {"{'timeout':'30d1ms'}", "timeout"},
        {"{'lease':'999ms'}", "lease"},
        {"{'lease':'1h1ms'}", "lease"},
        {"{'expires_after':'0s'}", "expires_after"},
        {"{'retry':{'base':'0s'}}", "retry.base"},
        {"{'retry':{'max':'0s'}}", "retry.max"},
        {"{'retry':{'base':'2s','max':'1s'}}", "retry.max"},
        {"{'starts_at':'2026-04-08T09:00:00Z','ends_at':'2026-04-08T09:00:00Z'}", "ends_at"},
        {"{'starts_at':'2026-04-08T09:00:00Z','ends_at':'2026-04-08T10:59:59+02:00'}", "ends_at"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
}

static void what_is_too_long_for_an_expression_or_a_zone_is_not_kept(void **state)
{
    (void)state;
    const char *expression = letters(CRON_EXPR_BYTES_MAX + 1, '*');
    const char *zone = letters(ZONE_NAME_BYTES_MAX + 1, 'z');

    assert_text(def_of("{'cron':'%s'}", expression + 1).cron, expression + 1);
    assert_text(def_of("{'timezone':'%s'}", zone + 1).timezone, zone + 1);
    assert_string_equal(refusal_of(arena_printf(&test_arena, "{'cron':'%s'}", expression)).field, "cron");
    assert_string_equal(refusal_of(arena_printf(&test_arena, "{'timezone':'%s'}", zone)).field, "timezone");
}

static void every_names_the_part_that_is_wrong(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'every':5}", "every"},
        {"{'every':['5m']}", "every"},
        {"{'every':{}}", "every.interval"},
        {"{'every':{'after':'finish'}}", "every.interval"},
        {"{'every':{'interval':null}}", "every.interval"},
        {"{'every':{'interval':5}}", "every.interval"},
        {"{'every':{'interval':'5m','after':'start'}}", "every.after"},
        {"{'every':{'interval':'5m','after':''}}", "every.after"},
        {"{'every':{'interval':'5m','after':true}}", "every.after"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
    assert_refused("{'every':{'interval':'5'}}", ERR_INVALID_TIME, "every.interval");
}

/* ---- policies ---- */

static void another_word_is_refused(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'dst':{'gap':'before'}}", "dst.gap"}, {"{'dst':{'gap':''}}", "dst.gap"},
        {"{'dst':{'gap':5}}", "dst.gap"},        {"{'dst':{'fold':'third'}}", "dst.fold"},
        {"{'dst':{'fold':[]}}", "dst.fold"},     {"{'dst':{'gap':'first'}}", "dst.gap"},
        {"{'overlap':'never'}", "overlap"},      {"{'overlap':'Skip'}", "overlap"},
        {"{'overlap':''}", "overlap"},           {"{'misfire':'fire_once'}", "misfire"},
        {"{'misfire':'queue'}", "misfire"},      {"{'misfire':''}", "misfire"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
}

static void retry_names_the_part_that_is_wrong(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'retry':{'max_attempts':0}}", "retry.max_attempts"},
        {"{'retry':{'max_attempts':1001}}", "retry.max_attempts"},
        {"{'retry':{'max_attempts':'5'}}", "retry.max_attempts"},
        {"{'retry':{'max_attempts':1.5}}", "retry.max_attempts"},
        {"{'retry':{'delays':'30s'}}", "retry.delays"},
        {"{'retry':{'delays':[]}}", "retry.delays"},
        {"{'retry':{'delays':{}}}", "retry.delays"},
        {"{'retry':{'delays':[30]}}", "retry.delays"},
        {"{'retry':{'delays':['1s',null]}}", "retry.delays"},
        {"{'retry':{'delays':['1s'],'base':'1s'}}", "retry.delays"},
        {"{'retry':{'delays':['1s'],'factor':2}}", "retry.delays"},
        {"{'retry':{'delays':['1s'],'max':'1h'}}", "retry.delays"},
        {"{'retry':{'base':5}}", "retry.base"},
        {"{'retry':{'factor':0.5}}", "retry.factor"},
        {"{'retry':{'factor':-1}}", "retry.factor"},
        {"{'retry':{'factor':100.5}}", "retry.factor"},
        {"{'retry':{'factor':'2'}}", "retry.factor"},
        {"{'retry':{'max':5}}", "retry.max"},
        {"{'retry':{'jitter':-0.1}}", "retry.jitter"},
        {"{'retry':{'jitter':1.1}}", "retry.jitter"},
        {"{'retry':{'jitter':'20%'}}", "retry.jitter"},
        {"{'retry':{'jitter':true}}", "retry.jitter"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
    assert_refused("{'retry':{'delays':['1s','soon']}}", ERR_INVALID_TIME, "retry.delays");
    assert_refused("{'retry':{'base':'soon'}}", ERR_INVALID_TIME, "retry.base");
}

static void there_are_at_most_32_delays(void **state)
{
    (void)state;
    for (int count = RETRY_DELAYS_MAX; count <= RETRY_DELAYS_MAX + 1; count++) {
        SCOPE(buf_done) struct buf text;
        buf_init(&text, 4096);

        for (int i = 0; i < count; i++) {
            buf_printf(&text, "%s'%ds'", i > 0 ? "," : "{'retry':{'delays':[", i);
        }
        buf_append_text(&text, "]}}");
        if (count <= RETRY_DELAYS_MAX) {
            assert_int_equal(def_of("%s", buf_text(&text)).retry.delay_count, count);
        } else {
            assert_refused(buf_text(&text), ERR_INVALID, "retry.delays");
        }
    }
}

/* ---- target ---- */

static void a_url_that_cannot_be_called_is_refused(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "",
        "example.com",
        "/hook",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:1",
        "http:/a",
        "http://a/ b",
        "http://a/\\r\\nX-Evil:1",
        "http://a/\\u0001",
        "http://a/\\u007f",
        "HTTPS//a",
    };

    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        assert_refused(arena_printf(&test_arena, "{'target':{'http':{'url':'%s'}}}", urls[i]), ERR_INVALID,
                       "target.http.url");
    }
    assert_refused(arena_printf(&test_arena, "{'target':{'http':{'url':'http://a/%s'}}}", letters(30000, 'x')),
                   ERR_INVALID, "target.http.url");
}

static void an_http_target_names_the_part_that_is_wrong(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'target':{'http':5}}", "target.http"},
        {"{'target':{'http':'http://a/'}}", "target.http"},
        {"{'target':{'http':[]}}", "target.http"},
        {"{'target':{'http':{}}}", "target.http.url"},
        {"{'target':{'http':{'url':null}}}", "target.http.url"},
        {"{'target':{'http':{'url':5}}}", "target.http.url"},
        {"{'target':{'http':{'url':'http://a/','method':'FETCH'}}}", "target.http.method"},
        {"{'target':{'http':{'url':'http://a/','method':'get'}}}", "target.http.method"},
        {"{'target':{'http':{'url':'http://a/','method':''}}}", "target.http.method"},
        {"{'target':{'http':{'url':'http://a/','headers':[]}}}", "target.http.headers"},
        {"{'target':{'http':{'url':'http://a/','headers':'A: b'}}}", "target.http.headers"},
        {"{'target':{'http':{'url':'http://a/','headers':{'A':5}}}}", "target.http.headers"},
        {"{'target':{'http':{'url':'http://a/','headers':{'':'b'}}}}", "target.http.headers"},
        {"{'target':{'http':{'url':'http://a/','headers':{'A B':'b'}}}}", "target.http.headers"},
        {"{'target':{'http':{'url':'http://a/','headers':{'A\\r\\nB':'b'}}}}", "target.http.headers"},
        {"{'target':{'http':{'url':'http://a/','headers':{'A':'b\\r\\nEvil: 1'}}}}", "target.http.headers"},
        {"{'target':{'http':{'url':'http://a/','headers':{'A':'b\\nEvil: 1'}}}}", "target.http.headers"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
}

static void a_method_that_is_no_text_is_named_once(void **state)
{
    (void)state;
    assert_refused("{'target':{'http':{'url':'http://a/','method':5}}}", ERR_INVALID, "target.http.method");
    assert_refused("{'target':{'http':{'url':'http://a/','method':['GET']}}}", ERR_INVALID, "target.http.method");
}

static void an_exec_target_names_the_part_that_is_wrong(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'target':{'exec':5}}", "target.exec"},
        {"{'target':{'exec':['true']}}", "target.exec"},
        {"{'target':{'exec':{}}}", "target.exec.argv"},
        {"{'target':{'exec':{'argv':null}}}", "target.exec.argv"},
        {"{'target':{'exec':{'argv':'true'}}}", "target.exec.argv"},
        {"{'target':{'exec':{'argv':[]}}}", "target.exec.argv"},
        {"{'target':{'exec':{'argv':['true',5]}}}", "target.exec.argv"},
        {"{'target':{'exec':{'argv':['true',null]}}}", "target.exec.argv"},
        {"{'target':{'exec':{'argv':['true'],'cwd':5}}}", "target.exec.cwd"},
        {"{'target':{'exec':{'argv':['true'],'env':[]}}}", "target.exec.env"},
        {"{'target':{'exec':{'argv':['true'],'env':{'A':5}}}}", "target.exec.env"},
        {"{'target':{'exec':{'argv':['true'],'env':{'':'b'}}}}", "target.exec.env"},
        {"{'target':{'exec':{'argv':['true'],'env':{'A=B':'c'}}}}", "target.exec.env"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
}

static void a_target_is_either_http_or_exec(void **state)
{
    (void)state;
    assert_refused("{'target':{}}", ERR_INVALID, "target");
    assert_refused("{'target':{'http':null}}", ERR_INVALID, "target");
    assert_refused("{'target':{'http':{'url':'http://a/'},'exec':{'argv':['a']}}}", ERR_INVALID, "target");
}

/* 'k0', 'k1' and so on, each with the same end: many(2, "':''") is 'k0':'','k1':'' */
static const char *many(int count, const char *end)
{
    SCOPE(buf_done) struct buf out;
    buf_init(&out, JSON_BYTES_MAX);

    for (int i = 0; i < count; i++) {
        buf_append_text(&out, i > 0 ? "," : "");
        buf_append_text(&out, "'k");
        buf_append_int(&out, i);
        buf_append_text(&out, end);
    }
    return arena_strdup(&test_arena, buf_text(&out));
}

static void a_target_is_bounded(void **state)
{
    (void)state;
    size_t around = strlen("{'exec':{'argv':['']}}");

    assert_refused(
        arena_printf(&test_arena, "{'target':{'exec':{'argv':['%s']}}}", letters(TARGET_BYTES_MAX - around + 1, 'x')),
        ERR_TOO_LARGE, "target");
    assert_refused(
        arena_printf(&test_arena, "{'target':{'http':{'url':'http://a/','headers':{%s}}}}", many(1000, "':''")),
        ERR_INVALID, "target.http.headers");
    assert_refused(arena_printf(&test_arena, "{'target':{'exec':{'argv':[%s]}}}", many(3000, "'")), ERR_INVALID,
                   "target.exec.argv");
    assert_refused(arena_printf(&test_arena, "{'target':{'exec':{'argv':['a'],'env':{%s}}}}", many(1000, "':''")),
                   ERR_INVALID, "target.exec.env");
}

/* ---- relations ---- */

static void depends_on_names_the_part_that_is_wrong(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'depends_on':'a'}", "depends_on"},
        {"{'depends_on':{'job':'a'}}", "depends_on"},
        {"{'depends_on':[]}", "depends_on"},
        {"{'depends_on':[5]}", "depends_on"},
        {"{'depends_on':[null]}", "depends_on"},
        {"{'depends_on':[['a']]}", "depends_on"},
        {"{'depends_on':['']}", "depends_on"},
        {"{'depends_on':['a','b','a']}", "depends_on"},
        {"{'depends_on':['a',{'job':'a','on':'done'}]}", "depends_on"},
        {"{'depends_on':[{}]}", "depends_on.job"},
        {"{'depends_on':[{'on':'done'}]}", "depends_on.job"},
        {"{'depends_on':[{'job':5}]}", "depends_on.job"},
        {"{'depends_on':['b',{'job':null}]}", "depends_on.job"},
        {"{'depends_on':[{'job':'a','on':'maybe'}]}", "depends_on.on"},
        {"{'depends_on':[{'job':'a','on':''}]}", "depends_on.on"},
        {"{'depends_on':[{'job':'a','on':true}]}", "depends_on.on"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
}

static void an_upstream_that_no_job_can_be_called_is_refused(void **state)
{
    (void)state;
    const char *const wrong[] = {" ",          "two words",       "-a",   "a/b",
                                 "caf\\u00e9", letters(201, 'n'), "job_", "job_nonsense!"};

    for (size_t i = 0; i < COUNT_OF(wrong) * 2; i++) {
        const char *name = wrong[i / 2];
        struct error error = refusal_of(i % 2 == 0 ? arena_printf(&test_arena, "{'depends_on':['%s']}", name)
                                                   : arena_printf(&test_arena, "{'depends_on':[{'job':'%s'}]}", name));

        assert_int_equal(error.code, ERR_INVALID);
        assert_true(str_starts_with(str_from(error.field), STR("depends_on")));
    }
}

static void an_id_in_other_letters_is_the_same_upstream(void **state)
{
    (void)state;
    assert_refused("{'depends_on':['job_06c4q0wm8g01a','job_06C4Q0WM8GOLA']}", ERR_INVALID, "depends_on");
}

static void a_thousand_and_one_upstreams_are_refused(void **state)
{
    (void)state;
    assert_refused(arena_printf(&test_arena, "{'depends_on':[%s]}", many(1001, "'")), ERR_INVALID, "depends_on");
}

static void concurrency_names_the_part_that_is_wrong(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"{'concurrency':{}}", "concurrency.key"},
        {"{'concurrency':{'max':1}}", "concurrency.key"},
        {"{'concurrency':{'key':null}}", "concurrency.key"},
        {"{'concurrency':{'key':5}}", "concurrency.key"},
        {"{'concurrency':{'key':''}}", "concurrency.key"},
        {"{'concurrency':{'key':'k','max':0}}", "concurrency.max"},
        {"{'concurrency':{'key':'k','max':-1}}", "concurrency.max"},
        {"{'concurrency':{'key':'k','max':'1'}}", "concurrency.max"},
        {"{'concurrency':{'key':'k','max':1.5}}", "concurrency.max"},
        {"{'concurrency':{'key':'k','max':2147483648}}", "concurrency.max"},
        {"{'concurrency':{'key':'k','max':99999999999999999999}}", "concurrency.max"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
    assert_refused(arena_printf(&test_arena, "{'concurrency':{'key':'%s'}}", letters(201, 'k')), ERR_INVALID,
                   "concurrency.key");
}

static void labels_and_created_by_are_bounded_texts(void **state)
{
    (void)state;
    const char *too_long = letters(201, 'x');
    const struct mistake mistakes[] = {
        {"{'labels':{'a':5}}", "labels"},
        {"{'labels':{'a':'b','c':{}}}", "labels"},
        {"{'labels':{'':'b'}}", "labels"},
        {arena_printf(&test_arena, "{'labels':{'%s':'b'}}", too_long), "labels"},
        {arena_printf(&test_arena, "{'labels':{'a':'%s'}}", too_long), "labels"},
        {arena_printf(&test_arena, "{'labels':{%s}}", many(65, "':''")), "labels"},
        {arena_printf(&test_arena, "{'created_by':'%s'}", too_long), "created_by"},
    };

    assert_all_refused(mistakes, COUNT_OF(mistakes), ERR_INVALID);
}

/* ---- payload ---- */

static void a_payload_of_more_than_256_kib_is_too_large(void **state)
{
    (void)state;
    assert_refused(arena_printf(&test_arena, "{'payload':'%s'}", letters(PAYLOAD_BYTES_MAX - 1, 'x')), ERR_TOO_LARGE,
                   "payload");
    assert_refused(arena_printf(&test_arena, "{'payload':[%s]}", letters(PAYLOAD_BYTES_MAX - 1, ' ')), ERR_TOO_LARGE,
                   "payload"); /* blanks count: they are kept */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_of_the_wrong_type_is_named),
        cmocka_unit_test(a_definition_is_an_object),
        cmocka_unit_test(a_typing_error_is_refused_with_what_was_meant),
        cmocka_unit_test(unknown_fields_are_refused_at_every_level),
        cmocka_unit_test(wrong_names_are_refused),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(a_job_has_at_most_one_way_of_being_started),
        cmocka_unit_test(null_beside_a_way_of_being_started_is_no_second_one),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(a_time_out_of_its_range_is_refused),
        cmocka_unit_test(what_is_too_long_for_an_expression_or_a_zone_is_not_kept),
        cmocka_unit_test(every_names_the_part_that_is_wrong),
        cmocka_unit_test(another_word_is_refused),
        cmocka_unit_test(retry_names_the_part_that_is_wrong),
        cmocka_unit_test(there_are_at_most_32_delays),
        cmocka_unit_test(a_url_that_cannot_be_called_is_refused),
        cmocka_unit_test(an_http_target_names_the_part_that_is_wrong),
        cmocka_unit_test(a_method_that_is_no_text_is_named_once),
        cmocka_unit_test(an_exec_target_names_the_part_that_is_wrong),
        cmocka_unit_test(a_target_is_either_http_or_exec),
        cmocka_unit_test(a_target_is_bounded),
        cmocka_unit_test(depends_on_names_the_part_that_is_wrong),
        cmocka_unit_test(an_upstream_that_no_job_can_be_called_is_refused),
        cmocka_unit_test(an_id_in_other_letters_is_the_same_upstream),
        cmocka_unit_test(a_thousand_and_one_upstreams_are_refused),
        cmocka_unit_test(concurrency_names_the_part_that_is_wrong),
        cmocka_unit_test(labels_and_created_by_are_bounded_texts),
        cmocka_unit_test(a_payload_of_more_than_256_kib_is_too_large),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
