/* What operators may set for tenants, pools and types, and how it is written back. */
#include "settings_test.h"

#include "base/limits.h"

static const enum scope scopes[] = {SCOPE_TENANT, SCOPE_POOL, SCOPE_TYPE, SCOPE_TENANT_TYPE};

/* ---- nothing ---- */

static void assert_nothing_limits(const struct settings *settings)
{
    assert_int_equal(settings->max_jobs, SETTING_NONE);
    assert_int_equal(settings->max_in_flight, SETTING_NONE);
    assert_int_equal(settings->rate_count, SETTING_NONE);
    assert_int_equal(settings->rate_period_ms, SETTING_NONE);
    assert_int_equal(settings->burst, SETTING_NONE);
    assert_int_equal(settings->weight, SETTING_NONE);
    assert_int_equal(settings->max_payload_bytes, SETTING_NONE);
    assert_int_equal(settings->timeout_ms, SETTING_NONE);
    assert_int_equal(settings->paused_ms, SETTING_NONE);
    assert_int_equal(settings->ramp_from_ms, SETTING_NONE);
    assert_int_equal(settings->ramp_ms, SETTING_NONE);
    assert_false(settings->has_spread || settings->is_spread);
    assert_false(settings->has_breaker || settings->has_retry);
    assert_false(settings->dead_policy.is_set || settings->is_paused);
}

static void what_is_not_set_limits_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(scopes); i++) {
        struct settings settings = settings_of(scopes[i], "{}");

        assert_nothing_limits(&settings);
        assert_string_equal(settings_text(&settings, false), "{}");
        assert_string_equal(settings_text(&settings, true), "{}");
    }
    struct settings none = settings_none();
    assert_nothing_limits(&none);
}

static void null_means_not_set(void **state)
{
    (void)state;
    struct settings settings =
        settings_of(SCOPE_POOL, "{'max_jobs':null,'max_in_flight':null,'rate':null,'burst':null,'weight':null,"
                                "'max_payload_bytes':null,'spread':null,'breaker':null,'retry':null,'timeout':null,"
                                "'dead_policy':null}");

    assert_nothing_limits(&settings);
}

static void scopes_have_names(void **state)
{
    (void)state;
    assert_string_equal(scope_text(SCOPE_TENANT), "tenant");
    assert_string_equal(scope_text(SCOPE_POOL), "pool");
    assert_string_equal(scope_text(SCOPE_TYPE), "type");
    assert_string_equal(scope_text(SCOPE_TENANT_TYPE), "tenant_type");
}

/* ---- reading ---- */

static void a_tenant_has_limits_and_a_share(void **state)
{
    (void)state;
    struct settings settings =
        settings_of(SCOPE_TENANT, "{'max_jobs':1000,'max_in_flight':10,'rate':'100/m','burst':20,'weight':7,"
                                  "'max_payload_bytes':4096,'spread':true,'timeout':'10m'}");

    assert_int_equal(settings.max_jobs, 1000);
    assert_int_equal(settings.max_in_flight, 10);
    assert_int_equal(settings.rate_count, 100);
    assert_int_equal(settings.rate_period_ms, MINUTE_MS);
    assert_int_equal(settings.burst, 20);
    assert_int_equal(settings.weight, 7);
    assert_int_equal(settings.max_payload_bytes, 4096);
    assert_true(settings.has_spread && settings.is_spread);
    assert_int_equal(settings.timeout_ms, 10 * MINUTE_MS);
    settings = settings_of(SCOPE_TENANT, "{'spread':false}");
    assert_true(settings.has_spread);
    assert_false(settings.is_spread);
}

static void numbers_may_be_at_their_ends(void **state)
{
    (void)state;
    struct settings least = settings_of(SCOPE_TENANT, "{'max_jobs':0,'max_in_flight':0,'weight':1,"
                                                      "'max_payload_bytes':2,'timeout':'1ms'}");
    struct settings most = settings_of(SCOPE_TENANT, "{'max_jobs':1000000000000,'max_in_flight':1000000000,"
                                                     "'weight':1000,'max_payload_bytes':262144,'timeout':'30d',"
                                                     "'rate':'1000000/s','burst':1000000}");

    assert_int_equal(least.max_jobs, 0);
    assert_int_equal(least.max_in_flight, 0);
    assert_int_equal(least.weight, 1);
    assert_int_equal(least.timeout_ms, 1);
    assert_int_equal(most.max_in_flight, SETTING_IN_FLIGHT_MAX);
    assert_int_equal(most.weight, SETTING_WEIGHT_MAX);
    assert_int_equal(most.max_payload_bytes, PAYLOAD_BYTES_MAX);
    assert_int_equal(most.timeout_ms, TIMEOUT_MAX_MS);
    assert_int_equal(most.rate_count, SETTING_RATE_MAX);
    assert_int_equal(most.burst, SETTING_RATE_MAX);
}

static void a_rate_alone_lets_one_start_at_a_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(scopes); i++) {
        struct settings settings = settings_of(scopes[i], "{'rate':'5/s'}");

        assert_int_equal(settings.burst, 1);
        assert_string_equal(settings_text(&settings, true), quoted("{'rate':'5/s'}"));
        settings = settings_of(scopes[i], "{'rate':'5/s','burst':1}");
        assert_string_equal(settings_text(&settings, true), quoted("{'rate':'5/s'}"));
    }
}

static void a_breaker_has_numbers_or_is_off(void **state)
{
    (void)state;
    struct breaker_settings breaker = settings_of(SCOPE_TYPE, "{'breaker':{}}").breaker;

    assert_false(breaker.is_off);
    assert_int_equal(breaker.failure_milli, 500);
    assert_int_equal(breaker.min_attempts, 20);
    assert_int_equal(breaker.window_ms, 5 * MINUTE_MS);
    assert_int_equal(breaker.open_ms, 30 * 1000);
    assert_int_equal(breaker.closing_successes, 3);
    breaker = settings_of(SCOPE_TENANT_TYPE, "{'breaker':{'failure_rate':0.001,'min_attempts':10000,'window':'1h',"
                                             "'open':'100ms','closing_successes':100}}")
                  .breaker;
    assert_int_equal(breaker.failure_milli, 1);
    assert_int_equal(breaker.min_attempts, 10000);
    assert_int_equal(breaker.window_ms, HOUR_MS);
    assert_int_equal(breaker.open_ms, 100);
    assert_int_equal(breaker.closing_successes, 100);
    struct settings off = settings_of(SCOPE_TYPE, "{'breaker':false}");
    assert_true(off.has_breaker && off.breaker.is_off);
    assert_string_equal(settings_text(&off, false), quoted("{'breaker':false}"));
}

static void a_type_has_defaults_for_its_jobs(void **state)
{
    (void)state;
    struct settings settings =
        settings_of(SCOPE_TYPE, "{'retry':{'max_attempts':2},'timeout':'1m','dead_policy':{'replay_after':'30d',"
                                "'max_replays':100}}");

    assert_true(settings.has_retry);
    assert_int_equal(settings.retry.max_attempts, 2);
    assert_int_equal(settings.retry.delay_count, 5);
    assert_int_equal(settings.timeout_ms, MINUTE_MS);
    assert_true(settings.dead_policy.is_set);
    assert_int_equal(settings.dead_policy.replay_after_ms, 30 * DAY_MS);
    assert_int_equal(settings.dead_policy.max_replays, 100);
}

/* ---- refusing ---- */

static void a_number_out_of_its_range_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"{'max_jobs':-1}", "max_jobs"},
        {"{'max_jobs':1000000000001}", "max_jobs"},
        {"{'max_in_flight':-1}", "max_in_flight"},
        {"{'max_in_flight':1000000001}", "max_in_flight"},
        {"{'max_in_flight':'10'}", "max_in_flight"},
        {"{'max_in_flight':1.5}", "max_in_flight"},
        {"{'weight':0}", "weight"},
        {"{'weight':1001}", "weight"},
        {"{'max_payload_bytes':1}", "max_payload_bytes"},
        {"{'max_payload_bytes':262145}", "max_payload_bytes"},
        {"{'spread':1}", "spread"},
        {"{'rate':100}", "rate"},
        {"{'rate':'0/s'}", "rate"},
        {"{'rate':'1000001/s'}", "rate"},
        {"{'rate':'1/s','burst':0}", "burst"},
        {"{'rate':'1/s','burst':1000001}", "burst"},
        {"{'burst':5}", "burst"},
        {"{'timeout':'0s'}", "timeout"},
        {"{'timeout':'31d'}", "timeout"},
        {"{'timeout':300}", "timeout"},
        {"{'retry':5}", "retry"},
        {"{'retry':{'max_attempts':0}}", "retry.max_attempts"},
        {"{'retry':{'delays':['1s'],'base':'1s'}}", "retry.delays"},
    };

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_settings_refused(SCOPE_TENANT, wrong[i][0], ERR_INVALID, wrong[i][1]);
    }
}

static void a_breaker_out_of_its_ranges_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"{'breaker':true}", "breaker"},
        {"{'breaker':'off'}", "breaker"},
        {"{'breaker':{'failure_rate':0}}", "breaker.failure_rate"},
        {"{'breaker':{'failure_rate':0.0004}}", "breaker.failure_rate"},
        {"{'breaker':{'failure_rate':1.001}}", "breaker.failure_rate"},
        {"{'breaker':{'failure_rate':50}}", "breaker.failure_rate"},
        {"{'breaker':{'min_attempts':0}}", "breaker.min_attempts"},
        {"{'breaker':{'min_attempts':10001}}", "breaker.min_attempts"},
        {"{'breaker':{'window':'999ms'}}", "breaker.window"},
        {"{'breaker':{'window':'61m'}}", "breaker.window"},
        {"{'breaker':{'open':'99ms'}}", "breaker.open"},
        {"{'breaker':{'open':'25h'}}", "breaker.open"},
        {"{'breaker':{'closing_successes':0}}", "breaker.closing_successes"},
        {"{'breaker':{'closing_successes':101}}", "breaker.closing_successes"},
    };

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_settings_refused(SCOPE_TYPE, wrong[i][0], ERR_INVALID, wrong[i][1]);
    }
}

static void a_setting_of_another_scope_says_where_it_belongs(void **state)
{
    (void)state;
    static const struct {
        enum scope scope;
        const char *text;
        const char *field;
        const char *whose;
    } wrong[] = {
        {SCOPE_POOL, "{'weight':2}", "weight", "tenants"},
        {SCOPE_TYPE, "{'max_jobs':2}", "max_jobs", "tenants"},
        {SCOPE_TENANT_TYPE, "{'max_payload_bytes':2}", "max_payload_bytes", "tenants"},
        {SCOPE_POOL, "{'spread':true}", "spread", "tenants"},
        {SCOPE_TENANT, "{'breaker':{}}", "breaker", "types"},
        {SCOPE_POOL, "{'breaker':false}", "breaker", "types"},
        {SCOPE_TENANT, "{'dead_policy':{}}", "dead_policy", "types"},
        {SCOPE_POOL, "{'retry':{}}", "retry", "tenants and types"},
        {SCOPE_TENANT_TYPE, "{'timeout':'1s'}", "timeout", "tenants and types"},
    };

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct error error = settings_refusal(wrong[i].scope, wrong[i].text);

        assert_int_equal(error.code, ERR_INVALID);
        assert_string_equal(error.field, wrong[i].field);
        assert_true(str_ends_with(str_from(error.text), str_from(wrong[i].whose)));
    }
}

static void an_unknown_field_is_refused_with_the_one_that_was_meant(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        {"{'max_inflight':5}", "max_inflight", "max_in_flight"},
        {"{'wieght':5}", "wieght", "weight"},
        {"{'breaker':{'windows':'1m'}}", "breaker.windows", "window"},
        {"{'dead_policy':{'replay_afte':'1m'}}", "dead_policy.replay_afte", "replay_after"},
        {"{'retry':{'max_attempt':1}}", "retry.max_attempt", "max_attempts"},
    };

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct error error = settings_refusal(SCOPE_TYPE, wrong[i][0]);

        assert_int_equal(error.code, ERR_UNKNOWN_FIELD);
        assert_string_equal(error.field, wrong[i][1]);
        if (strstr(error.text, wrong[i][2]) == NULL) {
            fail_msg("\"%s\" does not name %s", error.text, wrong[i][2]);
        }
    }
}

static void something_that_is_no_object_is_refused(void **state)
{
    (void)state;
    assert_settings_refused(SCOPE_POOL, "[]", ERR_INVALID, "");
    assert_settings_refused(SCOPE_POOL, "null", ERR_INVALID, "");
}

/* ---- pause and ramp ---- */

static void clients_do_not_write_pauses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(scopes); i++) {
        assert_settings_refused(scopes[i], "{'paused':true}", ERR_INVALID, "paused");
        assert_settings_refused(scopes[i], "{'paused_at':'2026-04-08T09:00:00Z'}", ERR_INVALID, "paused_at");
        assert_settings_refused(scopes[i], "{'ramp':'5m'}", ERR_INVALID, "ramp");
        assert_settings_refused(scopes[i], "{'ramp_from':'2026-04-08T09:00:00Z'}", ERR_INVALID, "ramp_from");
    }
}

static void pauses_and_ramps_are_stored(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(scopes); i++) {
        struct settings settings = settings_none();

        settings.max_in_flight = 5;
        settings.is_paused = true;
        settings.paused_ms = utc_ms("2026-04-08T08:00:00Z");
        settings.ramp_from_ms = utc_ms("2026-04-08T09:00:00.250Z");
        settings.ramp_ms = 5 * MINUTE_MS;
        assert_string_equal(settings_text(&settings, false), quoted("{'max_in_flight':5}"));
        const char *text = settings_text(&settings, true);
        assert_string_equal(text, quoted("{'max_in_flight':5,'paused':true,'paused_at':'2026-04-08T08:00:00.000Z',"
                                         "'ramp_from':'2026-04-08T09:00:00.250Z','ramp':'5m'}"));
        struct settings again = stored_settings_of(scopes[i], text);
        assert_true(again.is_paused);
        assert_int_equal(again.paused_ms, settings.paused_ms);
        assert_int_equal(again.ramp_from_ms, settings.ramp_from_ms);
        assert_int_equal(again.ramp_ms, settings.ramp_ms);
        assert_string_equal(settings_text(&again, true), text);
    }
}

static void what_a_store_cannot_have_written_is_corrupt(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "{",
                                        "[]",
                                        "{'weight':2}",
                                        "{'max_in_flight':-1}",
                                        "{'paused':'yes'}",
                                        "{'ramp':'5m'}",
                                        "{'ramp_from':'2026-04-08T09:00:00Z'}",
                                        "{'new_field':1}"};

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct settings settings = {.weight = 42};
        struct error error = {0};

        assert_int_equal(settings_read_stored(SCOPE_POOL, str_from(quoted(wrong[i])), &settings, &error), ERR_CORRUPT);
        assert_int_equal(settings.weight, 42);
        assert_true(str_starts_with(str_from(error.text), STR("stored settings of a pool: ")));
    }
}

/* ---- writing ---- */

static void settings_are_written_in_one_form(void **state)
{
    (void)state;
    static const struct {
        enum scope scope;
        const char *text;
        const char *expected; /* NULL: the text */
    } forms[] = {
        {SCOPE_TENANT,
         "{'max_jobs':0,'max_in_flight':0,'rate':'100/d','burst':2,'weight':1,'max_payload_bytes':2,'spread':false,"
         "'retry':{'max_attempts':9,'base':'250ms','factor':1.5,'max':'20m','jitter':0.125},'timeout':'2h'}",
         NULL},
        {SCOPE_TYPE,
         "{'max_in_flight':3,'breaker':{'failure_rate':0.25,'min_attempts':4,'window':'1m','open':'5s',"
         "'closing_successes':1},'timeout':'1m','dead_policy':{'replay_after':'1h','max_replays':3}}",
         NULL},
        {SCOPE_TYPE, "{ 'timeout' : '60s' , 'max_in_flight' : 3 , 'rate' : '007/h' }",
         "{'max_in_flight':3,'rate':'7/h','timeout':'1m'}"},
        {SCOPE_TENANT_TYPE, "{'breaker':{'open':'1m'}}",
         "{'breaker':{'failure_rate':0.5,'min_attempts':20,'window':'5m','open':'1m','closing_successes':3}}"},
        {SCOPE_TENANT, "{'retry':{}}",
         "{'retry':{'max_attempts':5,'delays':['30s','2m','10m','30m','2h'],'jitter':0.2}}"},
    };

    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        struct settings settings = settings_of(forms[i].scope, forms[i].text);
        const char *text = settings_text(&settings, false);
        struct settings again = stored_settings_of(forms[i].scope, text);

        assert_string_equal(text, quoted(forms[i].expected != NULL ? forms[i].expected : forms[i].text));
        assert_string_equal(settings_text(&again, true), text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_set_limits_nothing),
        cmocka_unit_test(null_means_not_set),
        cmocka_unit_test(scopes_have_names),
        cmocka_unit_test(a_tenant_has_limits_and_a_share),
        cmocka_unit_test(numbers_may_be_at_their_ends),
        cmocka_unit_test(a_rate_alone_lets_one_start_at_a_time),
        cmocka_unit_test(a_breaker_has_numbers_or_is_off),
        cmocka_unit_test(a_type_has_defaults_for_its_jobs),
        cmocka_unit_test(a_number_out_of_its_range_is_refused),
        cmocka_unit_test(a_breaker_out_of_its_ranges_is_refused),
        cmocka_unit_test(a_setting_of_another_scope_says_where_it_belongs),
        cmocka_unit_test(an_unknown_field_is_refused_with_the_one_that_was_meant),
        cmocka_unit_test(something_that_is_no_object_is_refused),
        cmocka_unit_test(clients_do_not_write_pauses),
        cmocka_unit_test(pauses_and_ramps_are_stored),
        cmocka_unit_test(what_a_store_cannot_have_written_is_corrupt),
        cmocka_unit_test(settings_are_written_in_one_form),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
