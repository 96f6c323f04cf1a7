/* Tenants, pools and types; the examples are those of docs/openapi.yaml. */
#include "../model/settings_test.h"
#include "wire_test.h"

#include "wire/scope.h"

#define NOW utc_ms("2026-04-08T09:00:00Z")

static void a_tenant_is_the_one_of_the_contract(void **state)
{
    (void)state;
    struct settings settings = settings_of(SCOPE_TENANT, "{'max_in_flight':10,'rate':'100/s'}");
    struct wire_standing standing = {.now_ms = NOW, .jobs = 412, .ready = 3, .running = 10};

    wire_tenant(test_open(), STR("acme"), &settings, &standing);
    assert_json(test_close(), "{'tenant':'acme','settings':{'max_in_flight':10,'rate':'100/s'},'paused':false,"
                              "'ramp':null,'jobs':412,'ready':3,'running':10}");
}

static void a_pool_is_the_one_of_the_contract(void **state)
{
    (void)state;
    struct settings settings = settings_of(SCOPE_POOL, "{'max_in_flight':64}");
    struct wire_standing standing = {.now_ms = NOW, .ready = 12, .running = 16, .workers = 2};

    wire_pool(test_open(), STR("email"), &settings, &standing);
    assert_json(test_close(), "{'pool':'email','settings':{'max_in_flight':64},'paused':false,'ramp':null,'ready':12,"
                              "'running':16,'workers':2}");
}

static void a_type_is_the_one_of_the_contract(void **state)
{
    (void)state;
    struct settings settings = settings_of(SCOPE_TYPE, "{'rate':'10/s','burst':5}");
    struct wire_standing standing = {.now_ms = NOW, .ready = 12, .running = 16};

    wire_type(test_open(), STR("send_email"), STR(""), &settings, &standing, NULL, 0);
    assert_json(test_close(), "{'type':'send_email','tenant':null,'settings':{'rate':'10/s','burst':5},'paused':false,"
                              "'ramp':null,'ready':12,'running':16,'breakers':[]}");
}

static void a_narrowed_type_names_its_tenant_and_breakers(void **state)
{
    (void)state;
    struct settings settings = settings_none();
    struct wire_standing standing = {.now_ms = NOW};
    const struct circuit_row breakers[] = {
        {.tenant = STR("acme"), .type = STR("x"), .open_until_ms = utc_ms("2026-04-08T09:00:30Z")},
        {.tenant = STR("acme"), .type = STR("default"), .job = JOB, .is_half_open = true, .open_until_ms = NOW},
    };

    wire_type(test_open(), STR("x"), STR("acme"), &settings, &standing, breakers, COUNT_OF(breakers));
    assert_json(test_close(),
                "{'type':'x','tenant':'acme','settings':{},'paused':false,'ramp':null,'ready':0,'running':0,"
                "'breakers':[{'tenant':'acme','job':null,'state':'open','open_until':'2026-04-08T09:00:30.000Z'},"
                "{'tenant':'acme','job':'job_06c4q0wm8g000','state':'half_open','open_until':null}]}");
}

static const char *ramp_text(const struct settings *settings, int64_t now_ms)
{
    struct wire_standing standing = {.now_ms = now_ms};
    struct str ramp = {0};

    wire_pool(test_open(), STR("email"), settings, &standing);
    assert_true(jraw_member(str_from(test_close()), STR("ramp"), &ramp));
    return arena_strdup_str(&test_arena, ramp);
}

static void a_ramp_is_shown_until_it_is_over(void **state)
{
    (void)state;
    struct settings settings = settings_none();

    settings.is_paused = true;
    settings.ramp_from_ms = NOW;
    settings.ramp_ms = 5 * MINUTE_MS;
    assert_json(ramp_text(&settings, NOW), "{'from':'2026-04-08T09:00:00.000Z','length':'5m'}");
    assert_json(ramp_text(&settings, NOW + 5 * MINUTE_MS - 1), "{'from':'2026-04-08T09:00:00.000Z','length':'5m'}");
    assert_string_equal(ramp_text(&settings, NOW + 5 * MINUTE_MS), "null");
}

static void a_pause_is_shown_beside_the_settings(void **state)
{
    (void)state;
    struct settings settings = settings_none();
    struct wire_standing standing = {.now_ms = NOW};

    settings.is_paused = true;
    wire_pool(test_open(), STR("email"), &settings, &standing);
    assert_json(test_close(), "{'pool':'email','settings':{},'paused':true,'ramp':null,'ready':0,'running':0,"
                              "'workers':0}");
}

static void stats_of_a_pool_are_those_of_the_contract(void **state)
{
    (void)state;
    struct wire_pool_stats stats = {.pool = STR("email"),
                                    .ready = 12,
                                    .running = 16,
                                    .oldest_ready_ms = utc_ms("2026-04-08T08:59:58.750Z"),
                                    .now_ms = NOW,
                                    .workers = 2,
                                    .capacity = 32};

    wire_pool_stats(test_open(), &stats);
    assert_json(test_close(), "{'pool':'email','ready':12,'running':16,'backlog':28,"
                              "'oldest_ready':'2026-04-08T08:59:58.750Z','oldest_ready_ms':1250,'workers':2,"
                              "'capacity':32,'saturation':0.5}");
    stats = (struct wire_pool_stats){.pool = STR("x"), .oldest_ready_ms = TIME_NONE, .now_ms = NOW};
    wire_pool_stats(test_open(), &stats);
    assert_json(test_close(), "{'pool':'x','ready':0,'running':0,'backlog':0,'oldest_ready':null,'oldest_ready_ms':0,"
                              "'workers':0,'capacity':0,'saturation':null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tenant_is_the_one_of_the_contract),
        cmocka_unit_test(a_pool_is_the_one_of_the_contract),
        cmocka_unit_test(a_type_is_the_one_of_the_contract),
        cmocka_unit_test(a_narrowed_type_names_its_tenant_and_breakers),
        cmocka_unit_test(a_ramp_is_shown_until_it_is_over),
        cmocka_unit_test(a_pause_is_shown_beside_the_settings),
        cmocka_unit_test(stats_of_a_pool_are_those_of_the_contract),
    };
    WIRE_MAIN(tests);
}
