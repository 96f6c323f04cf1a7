/* What a definition may say, field by field in the order of the contract, and what is meant where it says nothing. */
#include "job_def_test.h"

/* ---- defaults ---- */

static void assert_default_when_and_policies(const struct job_def *def)
{
    assert_int_equal(def->when, WHEN_NOW);
    assert_text(def->timezone, "UTC");
    assert_int_equal(def->dst.gap, DST_GAP_AFTER);
    assert_int_equal(def->dst.fold, DST_FOLD_FIRST);
    assert_int_equal(def->starts_at_ms, SCHEDULE_NO_START);
    assert_int_equal(def->ends_at_ms, SCHEDULE_NO_END);
    assert_int_equal(def->max_fires, SCHEDULE_NO_MAX);
    assert_int_equal(def->jitter_ms, 0);
    assert_int_equal(def->overlap, OVERLAP_SKIP);
    assert_int_equal(def->misfire, MISFIRE_FIRE_LATEST);
    assert_int_equal(def->misfire_after_ms, 60 * 1000);
    assert_int_equal(def->timeout_ms, 300 * 1000);
    assert_int_equal(def->lease_ms, 30 * 1000);
    assert_int_equal(def->expires_after_ms, 0);
    assert_false(def->dead_policy.is_set);
}

static void assert_default_retry(const struct retry *retry)
{
    const int64_t delays_ms[] = {30 * 1000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS};

    assert_int_equal(retry->max_attempts, 5);
    assert_int_equal(retry->delay_count, 5);
    for (size_t i = 0; i < COUNT_OF(delays_ms); i++) {
        assert_int_equal(retry->delays_ms[i], delays_ms[i]);
    }
    assert_int_equal(retry->jitter_milli, 200);
}

static void assert_all_default(const struct job_def *def)
{
    assert_text(def->tenant, "default");
    assert_text(def->name, ""); /* the id stands for it */
    assert_text(def->type, "default");
    assert_text(def->pool, "default");
    assert_int_equal(def->priority, 3);
    assert_default_when_and_policies(def);
    assert_default_retry(&def->retry);
    assert_text(def->payload, "{}");
    assert_int_equal(def->target_kind, TARGET_NONE);
    assert_text(def->target, "");
    assert_int_equal(def->depends_on_count, 0);
    assert_text(def->concurrency_key, "");
    assert_int_equal(def->label_count, 0);
    assert_text(def->created_by, "");
}

static void what_is_left_out_has_its_default(void **state)
{
    (void)state;
    struct job_def def = def_of("{}");

    assert_all_default(&def);
    def = job_def_default();
    assert_all_default(&def);
}

static void null_means_the_default(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "tenant",     "name",          "type",   "pool",       "priority",    "run_at",        "delay",   "cron",
        "every",      "timezone",      "dst",    "starts_at",  "ends_at",     "max_fires",     "jitter",  "overlap",
        "misfire",    "misfire_after", "retry",  "timeout",    "lease",       "expires_after", "payload", "target",
        "depends_on", "concurrency",   "labels", "created_by", "dead_policy", "traceparent",
    };
    SCOPE(buf_done) struct buf all;
    buf_init(&all, 4096);

    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        struct job_def def = def_of("{'%s':null}", fields[i]);

        assert_all_default(&def);
        buf_printf(&all, "%s'%s' : null\n", i > 0 ? "," : "{", fields[i]);
    }
    buf_append_text(&all, "}");
    struct job_def def = def_of("%s", buf_text(&all));
    assert_all_default(&def);
}

static void null_means_the_default_inside_too(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"{'dst':{'gap':null,'fold':null}}", "{}"},
        {"{'dst':{}}", "{}"},
        {"{'retry':{'max_attempts':null,'delays':null,'base':null,'factor':null,'max':null,'jitter':null}}", "{}"},
        {"{'retry':{}}", "{}"},
        {"{'every':{'interval':'5m','after':null}}", "{'every':'5m'}"},
        {"{'depends_on':[{'job':'a','on':null}]}", "{'depends_on':['a']}"},
        {"{'concurrency':{'key':'k','max':null}}", "{'concurrency':{'key':'k'}}"},
        {"{'target':{'http':{'url':'http://a/'},'exec':null}}", "{'target':{'http':{'url':'http://a/'}}}"},
        {"{'target':{'http':null,'exec':{'argv':['a']}}}", "{'target':{'exec':{'argv':['a']}}}"},
    };

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        assert_string_equal(canonical(pairs[i][0]), canonical(pairs[i][1]));
    }
    (void)def_of("{'target':{'http':{'url':'http://a/','method':null,'headers':null}}}");
    (void)def_of("{'target':{'exec':{'argv':['a'],'env':null,'cwd':null}}}");
}

/* ---- who ---- */

static void tenant_name_type_and_pool_are_names(void **state)
{
    (void)state;
    struct job_def def = def_of("{'tenant':'acme','name':'welcome:eu-1','type':'send_email','pool':'Mail.2'}");

    assert_text(def.tenant, "acme");
    assert_text(def.name, "welcome:eu-1");
    assert_text(def.type, "send_email");
    assert_text(def.pool, "Mail.2");
}

static void names_may_have_200_characters(void **state)
{
    (void)state;
    const char *name = letters(200, 'n');
    struct job_def def = def_of("{'tenant':'%s','name':'%s','type':'%s','pool':'%s'}", name, name, name, name);

    assert_text(def.tenant, name);
    assert_text(def.name, name);
    assert_text(def.type, name);
    assert_text(def.pool, name);
}

static void priorities_are_1_to_5(void **state)
{
    (void)state;
    for (int priority = 1; priority <= 5; priority++) {
        struct job_def def = def_of("{'priority':%d}", priority);

        assert_int_equal(def.priority, priority);
    }
}

/* ---- when ---- */

static void run_at_is_an_instant_with_any_offset(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2026-04-08T09:00:00.250Z",
        "2026-04-08T11:00:00.25+02:00",
        "2026-04-08T03:30:00.250-05:30",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct job_def def = def_of("{'run_at':'%s'}", texts[i]);

        assert_int_equal(def.when, WHEN_AT);
        assert_int_equal(def.run_at_ms, utc_ms("2026-04-08T09:00:00.250Z"));
    }
}

static void delay_is_a_duration(void **state)
{
    (void)state;
    struct job_def def = def_of("{'delay':'1h30m'}");

    assert_int_equal(def.when, WHEN_DELAY);
    assert_int_equal(def.delay_ms, 90 * MINUTE_MS);
    def = def_of("{'delay':'0s'}");
    assert_int_equal(def.when, WHEN_DELAY);
    assert_int_equal(def.delay_ms, 0);
    assert_int_equal(def_of("{'delay':'36600d'}").delay_ms, DURATION_MAX_MS);
    assert_int_equal(def_of("{'delay':'250ms'}").delay_ms, 250);
}

static void cron_is_kept_as_written(void **state)
{
    (void)state;
    struct job_def def = def_of("{'cron':'TZID=America/New_York:0 9  * * mon-FRI'}");

    assert_int_equal(def.when, WHEN_CRON);
    assert_text(def.cron, "TZID=America/New_York:0 9  * * mon-FRI");
}

static void every_is_a_duration_or_says_after_what(void **state)
{
    (void)state;
    struct job_def def = def_of("{'every':'5m'}");

    assert_int_equal(def.when, WHEN_EVERY);
    assert_int_equal(def.every_ms, 5 * MINUTE_MS);
    assert_false(def.after_finish);
    def = def_of("{'every':{'interval':'5m','after':'finish'}}");
    assert_int_equal(def.when, WHEN_EVERY);
    assert_int_equal(def.every_ms, 5 * MINUTE_MS);
    assert_true(def.after_finish);
    assert_false(def_of("{'every':{'interval':'5m'}}").after_finish);
    assert_int_equal(def_of("{'every':'10ms'}").every_ms, EVERY_MIN_MS);
    assert_int_equal(def_of("{'every':{'interval':'36600d'}}").every_ms, DURATION_MAX_MS);
}

static void the_zone_is_kept_for_whoever_has_tzdata(void **state)
{
    (void)state;
    assert_text(def_of("{'timezone':'America/New_York'}").timezone, "America/New_York");
}

static void gaps_and_folds_have_three_policies_each(void **state)
{
    (void)state;
    static const char *const gaps[] = {"after", "shift", "skip"};
    static const char *const folds[] = {"first", "second", "both"};
    const enum dst_gap gap_values[] = {DST_GAP_AFTER, DST_GAP_SHIFT, DST_GAP_SKIP};
    const enum dst_fold fold_values[] = {DST_FOLD_FIRST, DST_FOLD_SECOND, DST_FOLD_BOTH};

    for (size_t i = 0; i < 9; i++) {
        struct job_def def = def_of("{'dst':{'gap':'%s','fold':'%s'}}", gaps[i / 3], folds[i % 3]);

        assert_int_equal(def.dst.gap, gap_values[i / 3]);
        assert_int_equal(def.dst.fold, fold_values[i % 3]);
    }
    assert_int_equal(def_of("{'dst':{'fold':'both'}}").dst.gap, DST_GAP_AFTER);
    assert_int_equal(def_of("{'dst':{'gap':'skip'}}").dst.fold, DST_FOLD_FIRST);
}

static void a_schedule_may_be_bounded(void **state)
{
    (void)state;
    struct job_def def = def_of("{'every':'1m','starts_at':'2026-04-08T09:00:00Z','ends_at':'2026-04-08T09:00:00.001Z',"
                                "'max_fires':7,'jitter':'30s'}");

    assert_int_equal(def.starts_at_ms, utc_ms("2026-04-08T09:00:00Z"));
    assert_int_equal(def.ends_at_ms, utc_ms("2026-04-08T09:00:00.001Z"));
    assert_int_equal(def.max_fires, 7);
    assert_int_equal(def.jitter_ms, 30 * 1000);
    def = def_of("{'every':'1m','ends_at':'2026-04-08T09:00:00Z','max_fires':1,'jitter':'0s'}");
    assert_int_equal(def.starts_at_ms, SCHEDULE_NO_START);
    assert_int_equal(def.ends_at_ms, utc_ms("2026-04-08T09:00:00Z"));
    assert_int_equal(def.max_fires, 1);
    assert_int_equal(def.jitter_ms, 0);
}

/* ---- policies ---- */

static void overlap_and_misfire_have_four_policies_each(void **state)
{
    (void)state;
    static const char *const overlaps[] = {"skip", "queue", "collapse", "allow"};
    static const char *const misfires[] = {"fire_latest", "fire_now", "skip", "backfill"};
    const enum job_overlap overlap_values[] = {OVERLAP_SKIP, OVERLAP_QUEUE, OVERLAP_COLLAPSE, OVERLAP_ALLOW};
    const enum job_misfire misfire_values[] = {MISFIRE_FIRE_LATEST, MISFIRE_FIRE_NOW, MISFIRE_SKIP, MISFIRE_BACKFILL};

    for (size_t i = 0; i < 16; i++) {
        struct job_def def = def_of("{'overlap':'%s','misfire':'%s'}", overlaps[i / 4], misfires[i % 4]);

        assert_int_equal(def.overlap, overlap_values[i / 4]);
        assert_int_equal(def.misfire, misfire_values[i % 4]);
    }
}

static void lengths_of_time_have_their_ranges(void **state)
{
    (void)state;
    struct job_def least = def_of("{'misfire_after':'0s','timeout':'1ms','lease':'1s','expires_after':'1ms'}");
    struct job_def most = def_of("{'misfire_after':'36600d','timeout':'30d','lease':'1h','expires_after':'36600d'}");

    assert_int_equal(least.misfire_after_ms, 0);
    assert_int_equal(least.timeout_ms, 1);
    assert_int_equal(least.lease_ms, LEASE_MIN_MS);
    assert_int_equal(least.expires_after_ms, 1);
    assert_int_equal(most.misfire_after_ms, DURATION_MAX_MS);
    assert_int_equal(most.timeout_ms, TIMEOUT_MAX_MS);
    assert_int_equal(most.lease_ms, LEASE_MAX_MS);
    assert_int_equal(most.expires_after_ms, DURATION_MAX_MS);
}

static void retry_may_be_a_list_of_delays(void **state)
{
    (void)state;
    struct job_def def = def_of("{'retry':{'max_attempts':3,'delays':['1s','15s','0s'],'jitter':0}}");

    assert_int_equal(def.retry.max_attempts, 3);
    assert_int_equal(def.retry.delay_count, 3);
    assert_int_equal(def.retry.delays_ms[0], 1000);
    assert_int_equal(def.retry.delays_ms[1], 15 * 1000);
    assert_int_equal(def.retry.delays_ms[2], 0);
    assert_int_equal(def.retry.jitter_milli, 0);
    def = def_of("{'retry':{'delays':['1m']}}");
    assert_int_equal(def.retry.max_attempts, 5);
    assert_int_equal(def.retry.delay_count, 1);
    assert_int_equal(def.retry.delays_ms[0], MINUTE_MS);
    assert_int_equal(def.retry.jitter_milli, 200);
}

static void retry_may_be_a_formula(void **state)
{
    (void)state;
    struct job_def def = def_of("{'retry':{'max_attempts':9,'base':'250ms','factor':1.5,'max':'20m','jitter':0.125}}");

    assert_int_equal(def.retry.max_attempts, 9);
    assert_int_equal(def.retry.delay_count, 0);
    assert_int_equal(def.retry.base_ms, 250);
    assert_int_equal(def.retry.factor_milli, 1500);
    assert_int_equal(def.retry.max_ms, 20 * MINUTE_MS);
    assert_int_equal(def.retry.jitter_milli, 125);
}

static void any_part_of_the_formula_asks_for_it(void **state)
{
    (void)state;
    static const char *const parts[] = {"'base':'1s'", "'factor':2", "'max':'1h'"};

    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct job_def def = def_of("{'retry':{%s}}", parts[i]);

        assert_int_equal(def.retry.delay_count, 0);
        assert_int_equal(def.retry.base_ms, 1000);
        assert_int_equal(def.retry.factor_milli, 2000);
        assert_int_equal(def.retry.max_ms, HOUR_MS);
        assert_int_equal(def.retry.max_attempts, 5);
        assert_int_equal(def.retry.jitter_milli, 200);
    }
}

static void retries_have_their_ranges(void **state)
{
    (void)state;
    struct job_def def = def_of("{'retry':{'max_attempts':1,'base':'1ms','factor':1,'max':'1ms','jitter':1}}");

    assert_int_equal(def.retry.max_attempts, 1);
    assert_int_equal(def.retry.factor_milli, 1000);
    assert_int_equal(def.retry.jitter_milli, 1000);
    def = def_of("{'retry':{'max_attempts':1000,'base':'36600d','factor':100,'max':'36600d'}}");
    assert_int_equal(def.retry.max_attempts, RETRY_ATTEMPTS_MAX);
    assert_int_equal(def.retry.base_ms, DURATION_MAX_MS);
    assert_int_equal(def.retry.factor_milli, 100000);
}

static void every_thousandth_is_read_as_it_is_written(void **state)
{
    (void)state;
    for (int milli = 0; milli < 1000; milli++) {
        struct job_def def = def_of("{'retry':{'jitter':0.%03d,'factor':%d.%03d}}", milli, 1 + milli % 99, milli);

        assert_int_equal(def.retry.jitter_milli, milli);
        assert_int_equal(def.retry.factor_milli, (1 + milli % 99) * 1000 + milli);
    }
}

static void retry_keeps_the_default_of_what_it_does_not_say(void **state)
{
    (void)state;
    struct job_def def = def_of("{'retry':{'max_attempts':2}}");

    assert_int_equal(def.retry.max_attempts, 2);
    def.retry.max_attempts = 5;
    assert_default_retry(&def.retry);
    def = def_of("{'retry':{'jitter':0.5}}");
    assert_int_equal(def.retry.jitter_milli, 500);
    def.retry.jitter_milli = 200;
    assert_default_retry(&def.retry);
}

/* ---- payload ---- */

static void a_payload_is_kept_byte_for_byte(void **state)
{
    (void)state;
    static const char *const payloads[] = {
        "{}",
        "[]",
        "0",
        "false",
        "\"\"",
        "\"null\"",
        "0.1",
        "1.10",
        "-0",
        "-0.0",
        "1E+2",
        "12345678901234567890",
        "-98765432109876543210.000",
        "{\"id\":12345678901234567890,\"share\":0.1}",
        "{ \"a\" :\t[ 1 ,\r\n 2 ] , \"b\":{ } }",
        "\"\\u00e9 \xc3\xa9 \\/ / \\ud83d\\ude00 \\\" \\\\ \\n\"",
        "{\"\\u0061\":1,\"}\":\"]\",\"{\":[\"\\\"\"]}",
        "[[[[[[[[[[null]]]]]]]]]]",
    };
    static const char *const around[][2] = {{"{\"payload\":", "}"}, {" {\n\"payload\" :\t", "\r\n, \"priority\":2}\n"}};

    for (size_t i = 0; i < COUNT_OF(payloads) * COUNT_OF(around); i++) {
        const char *payload = payloads[i / COUNT_OF(around)];
        const char *const *two = around[i % COUNT_OF(around)];
        struct job_def def = def_of_json(arena_printf(&test_arena, "%s%s%s", two[0], payload, two[1]));

        assert_text(def.payload, payload);
        assert_text(def_of_json(written(&def)).payload, payload);
    }
}

static void the_payload_is_the_definitions_own(void **state)
{
    (void)state;
    assert_text(def_of("{'labels':{'payload':'x'},'payload':1}").payload, "1");
    assert_text(def_of("{'labels':{'payload':'x'}}").payload, "{}");
    assert_text(def_of("{'payload':{'payload':2},'labels':{'payload':'x'}}").payload, "{\"payload\":2}");
    assert_text(def_of_json("{\"created_by\":\"\\\"payload\\\":3,\"}").payload, "{}");
    assert_text(def_of_json("{\"p\\u0061yload\": 4 }").payload, "4");
    assert_int_equal(def_of("{'payload':{'target':{'exec':{'argv':['a']}}}}").target_kind, TARGET_NONE);
}

static void a_payload_may_have_256_kib(void **state)
{
    (void)state;
    const char *text = letters(PAYLOAD_BYTES_MAX - 2, 'x');
    struct job_def def = def_of("{'payload':'%s'}", text);

    assert_int_equal(PAYLOAD_BYTES_MAX, 262144);
    assert_int_equal(def.payload.len, PAYLOAD_BYTES_MAX);
    assert_memory_equal(def.payload.ptr + 1, text, PAYLOAD_BYTES_MAX - 2);
}

/* ---- target ---- */

static void a_target_may_be_a_url(void **state)
{
    (void)state;
    struct job_def def = def_of("{'target': { 'http' : {'url':'https://example.com/hook?a=b', 'method':'PUT',"
                                " 'headers':{'X-Team':'mail room','Accept':''}} } }");

    assert_int_equal(def.target_kind, TARGET_HTTP);
    assert_text(def.target, quoted("{'url':'https://example.com/hook?a=b', 'method':'PUT',"
                                   " 'headers':{'X-Team':'mail room','Accept':''}}"));
}

static void every_method_with_a_meaning_is_known(void **state)
{
    (void)state;
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"};

    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        (void)def_of("{'target':{'http':{'url':'http://a/','method':'%s'}}}", methods[i]);
    }
}

static void a_target_may_be_a_command(void **state)
{
    (void)state;
    const char *exec = quoted("{'argv':['/bin/sh','-c','echo  \\u00e9'],'env':{'LANG':'C','EMPTY':''},'cwd':'/srv'}");
    struct job_def def = def_of_json(arena_printf(&test_arena, "{\"target\":{\"exec\":%s}}", exec));

    assert_int_equal(def.target_kind, TARGET_EXEC);
    assert_text(def.target, exec);
}

static void a_target_may_have_32_kib(void **state)
{
    (void)state;
    size_t around = strlen("{'exec':{'argv':['']}}");
    const char *word = letters(TARGET_BYTES_MAX - around, 'x');
    struct job_def def = def_of("{'target':{'exec':{'argv':['%s']}}}", word);

    assert_int_equal(def.target.len, TARGET_BYTES_MAX - strlen("{'exec':}"));
}

/* ---- relations ---- */

static void upstreams_are_names_or_ids_with_an_edge(void **state)
{
    (void)state;
    struct job_def def = def_of("{'depends_on':['extract','job_06c4q0wm8g000',{'job':'load','on':'failure'},"
                                "{'job':'check','on':'done'},{'job':'plan','on':'success'},{'job':'tidy'}]}");
    static const char *const jobs[] = {"extract", "job_06c4q0wm8g000", "load", "check", "plan", "tidy"};
    const enum job_edge edges[] = {EDGE_SUCCESS, EDGE_SUCCESS, EDGE_FAILURE, EDGE_DONE, EDGE_SUCCESS, EDGE_SUCCESS};

    assert_int_equal(def.when, WHEN_UPSTREAM);
    assert_int_equal(def.depends_on_count, COUNT_OF(jobs));
    for (size_t i = 0; i < COUNT_OF(jobs); i++) {
        assert_text(def.depends_on[i].job, jobs[i]);
        assert_int_equal(def.depends_on[i].on, edges[i]);
    }
}

static void a_job_may_wait_for_a_thousand_others(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf json;
    buf_init(&json, JSON_BYTES_MAX);

    for (int i = 0; i < 1000; i++) {
        buf_printf(&json, "%s{'job':'upstream-%d','on':'done'}", i > 0 ? "," : "{'depends_on':[", i);
    }
    buf_append_text(&json, "]}");
    struct job_def def = def_of("%s", buf_text(&json));
    assert_int_equal(def.depends_on_count, 1000);
    assert_text(def.depends_on[0].job, "upstream-0");
    assert_text(def.depends_on[999].job, "upstream-999");
    assert_int_equal(def.depends_on[999].on, EDGE_DONE);
}

static void concurrency_is_a_key_and_how_many(void **state)
{
    (void)state;
    struct job_def def = def_of("{'concurrency':{'key':'customer-7','max':3}}");

    assert_text(def.concurrency_key, "customer-7");
    assert_int_equal(def.concurrency_max, 3);
    assert_int_equal(def_of("{'concurrency':{'key':'any key, even \\u00e9'}}").concurrency_max, 1);
    const char *longest = letters(200, 'k');
    def = def_of("{'concurrency':{'key':'%s','max':2147483647}}", longest);
    assert_text(def.concurrency_key, longest);
    assert_int_equal(def.concurrency_max, INT32_MAX);
}

#define TRACE "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

static void a_trace_is_kept_and_makes_no_other_definition(void **state)
{
    (void)state;
    struct job_def def = def_of("{'traceparent':'" TRACE "','name':'a'}");

    assert_text(def.traceparent, TRACE);
    assert_text(def_of("{'traceparent':'cc"
                       "-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x'}")
                    .traceparent,
                TRACE);
    assert_text(job_def_traceparent(str_from(written(&def))), TRACE);
    assert_text(job_def_traceparent(STR("{}")), "");
    struct str with = str_from(written(&def)), without = STR("{\"name\":\"a\"}");

    assert_true(job_def_same(with, without) && job_def_same(without, with) && job_def_same(with, with));
    assert_false(job_def_same(with, STR("{\"name\":\"b\"}")));
    def = def_of("{'traceparent':'" TRACE "'}");
    assert_true(job_def_same(str_from(written(&def)), STR("{}")));
}

static void labels_and_created_by_are_texts(void **state)
{
    (void)state;
    struct job_def def =
        def_of("{'labels':{'team':'mail','caf\\u00e9':'','a b':'c=d'},'created_by':'Ada \\u2014 ops'}");

    assert_int_equal(def.label_count, 3);
    assert_text(def.labels[0].key, "team");
    assert_text(def.labels[0].value, "mail");
    assert_text(def.labels[1].key, "caf\xc3\xa9");
    assert_text(def.labels[1].value, "");
    assert_text(def.labels[2].key, "a b");
    assert_text(def.labels[2].value, "c=d");
    assert_text(def.created_by, "Ada \xe2\x80\x94 ops");
    assert_int_equal(def_of("{'labels':{}}").label_count, 0);
    const char *longest = letters(200, 'x');
    assert_text(def_of("{'created_by':'%s'}", longest).created_by, longest);
}

static void there_may_be_64_labels_of_200_bytes(void **state)
{
    (void)state;
    SCOPE(buf_done) struct buf json;
    buf_init(&json, JSON_BYTES_MAX);

    for (int i = 0; i < 64; i++) {
        buf_printf(&json, "%s'%03d%s':'%s'", i > 0 ? "," : "{'labels':{", i, letters(197, 'k'), letters(200, 'v'));
    }
    buf_append_text(&json, "}}");
    struct job_def def = def_of("%s", buf_text(&json));
    assert_int_equal(def.label_count, 64);
    assert_int_equal(def.labels[63].key.len, 200);
    assert_text(def.labels[63].value, letters(200, 'v'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(null_means_the_default),
        cmocka_unit_test(null_means_the_default_inside_too),
        cmocka_unit_test(tenant_name_type_and_pool_are_names),
        cmocka_unit_test(names_may_have_200_characters),
        cmocka_unit_test(priorities_are_1_to_5),
        cmocka_unit_test(run_at_is_an_instant_with_any_offset),
        cmocka_unit_test(delay_is_a_duration),
        cmocka_unit_test(cron_is_kept_as_written),
        cmocka_unit_test(every_is_a_duration_or_says_after_what),
        cmocka_unit_test(the_zone_is_kept_for_whoever_has_tzdata),
        cmocka_unit_test(gaps_and_folds_have_three_policies_each),
        cmocka_unit_test(a_schedule_may_be_bounded),
        cmocka_unit_test(overlap_and_misfire_have_four_policies_each),
        cmocka_unit_test(lengths_of_time_have_their_ranges),
        cmocka_unit_test(retry_may_be_a_list_of_delays),
        cmocka_unit_test(retry_may_be_a_formula),
        cmocka_unit_test(any_part_of_the_formula_asks_for_it),
        cmocka_unit_test(retries_have_their_ranges),
        cmocka_unit_test(every_thousandth_is_read_as_it_is_written),
        cmocka_unit_test(retry_keeps_the_default_of_what_it_does_not_say),
        cmocka_unit_test(a_payload_is_kept_byte_for_byte),
        cmocka_unit_test(the_payload_is_the_definitions_own),
        cmocka_unit_test(a_payload_may_have_256_kib),
        cmocka_unit_test(a_target_may_be_a_url),
        cmocka_unit_test(every_method_with_a_meaning_is_known),
        cmocka_unit_test(a_target_may_be_a_command),
        cmocka_unit_test(a_target_may_have_32_kib),
        cmocka_unit_test(upstreams_are_names_or_ids_with_an_edge),
        cmocka_unit_test(a_job_may_wait_for_a_thousand_others),
        cmocka_unit_test(concurrency_is_a_key_and_how_many),
        cmocka_unit_test(a_trace_is_kept_and_makes_no_other_definition),
        cmocka_unit_test(labels_and_created_by_are_texts),
        cmocka_unit_test(there_may_be_64_labels_of_200_bytes),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
