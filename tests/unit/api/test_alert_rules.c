#include "api/alert_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MINUTE_MS 60000

/* Nothing is wrong. */
static struct alert_figures calm(void)
{
    return (struct alert_figures){
        .has_engine = true, .has_dead = true, .due_before = -1, .lag_p99_ms = -1, .failing_share = -1};
}

/* One alert, its figures at the threshold and above it, and how long it has to be so. */
struct rule_case {
    enum alert alert;
    struct alert_figures at, above;
    int64_t for_ms;
};

#define FIGURES(...)                                                                                                   \
    {                                                                                                                  \
        .has_engine = true, .has_dead = true, __VA_ARGS__                                                              \
    }

static const struct rule_case cases[] = {
    {ALERT_DEAD_LETTERS, FIGURES(.dead = 0), FIGURES(.dead = 1), 0},
    {ALERT_DEAD_LETTERS_MANY, FIGURES(.dead = 1000), FIGURES(.dead = 1001), 0},
    {ALERT_TYPE_FAILING, FIGURES(.failing_share = 0.05), FIGURES(.failing_share = 0.06), MINUTE_MS},
    {ALERT_RETRY_RATE, FIGURES(.day_started = 100, .day_retried = 5), FIGURES(.day_started = 100, .day_retried = 6),
     5 * MINUTE_MS},
    {ALERT_RETRY_RATE, FIGURES(.day_started = 19, .day_retried = 19), FIGURES(.day_started = 20, .day_retried = 20),
     5 * MINUTE_MS},
    {ALERT_BREAKER_OPEN, FIGURES(.breakers_open = 0), FIGURES(.breakers_open = 1), 0},
    {ALERT_OVERDUE, FIGURES(.overdue = 10), FIGURES(.overdue = 11), 0},
    {ALERT_TRIGGER_LAG, FIGURES(.lag_p99_ms = 2000), FIGURES(.lag_p99_ms = 2001), MINUTE_MS},
    {ALERT_QUEUE_GROWING, FIGURES(.due = 50, .due_before = 50), FIGURES(.due = 51, .due_before = 50), 5 * MINUTE_MS},
    {ALERT_QUEUE_GROWING, FIGURES(.due = 10, .due_before = 0), FIGURES(.due = 11, .due_before = 0), 5 * MINUTE_MS},
    {ALERT_QUEUE_GROWING, FIGURES(.due = 50, .due_before = -1), FIGURES(.due = 50, .due_before = 0), 5 * MINUTE_MS},
    {ALERT_BACKLOG, FIGURES(.due = 10000), FIGURES(.due = 10001), MINUTE_MS},
    {ALERT_POOL_WITHOUT_WORKERS, FIGURES(.bare_pools = 0), FIGURES(.bare_pools = 1), MINUTE_MS},
    {ALERT_WORKER_HEARTBEATS, FIGURES(.silences = 0), FIGURES(.silences = 1), 0},
    {ALERT_INDEX_LARGE, FIGURES(.jobs = 20000000), FIGURES(.jobs = 20000001), 5 * MINUTE_MS},
    {ALERT_STORE_ERRORS, FIGURES(.store_failures = 0), FIGURES(.store_failures = 1), 0},
    {ALERT_CLOCK_HELD, FIGURES(.is_clock_held = false), FIGURES(.is_clock_held = true), 0},
};

static void each_is_silent_at_its_threshold_and_fires_above_it_after_its_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rule_case *one = &cases[i];
        struct alert_state alert = {0};

        print_message("# %s\n", alert_rules[one->alert].name);
        assert_false(alert_step(one->alert, &alert, &one->at, 0, 1000));
        assert_false(alert_step(one->alert, &alert, &one->at, 3600000, 1000));
        if (one->for_ms > 0) {
            assert_false(alert_step(one->alert, &alert, &one->above, 3600000, 2000));
            assert_false(alert_step(one->alert, &alert, &one->above, 3600000 + one->for_ms - 1, 3000));
        }
        assert_true(alert_step(one->alert, &alert, &one->above, 3600000 + one->for_ms, one->for_ms > 0 ? 4000 : 2000));
        assert_true(alert.is_firing);
        assert_int_equal(alert.since_ms, 2000);
    }
}

static void every_alert_is_in_the_table_with_a_name_and_advice(void **state)
{
    (void)state;
    for (int i = 0; i < ALERTS; i++) {
        bool is_tested = false;

        assert_non_null(alert_rules[i].name);
        assert_non_null(alert_rules[i].what_to_do);
        assert_true(strcmp(alert_rules[i].severity, "warning") == 0 ||
                    strcmp(alert_rules[i].severity, "critical") == 0);
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            is_tested = is_tested || (int)cases[k].alert == i;
        }
        assert_true(is_tested);
    }
}

static void what_flutters_is_told_once(void **state)
{
    struct alert_figures bad = calm(), good = calm();
    struct alert_state alert = {0};

    (void)state;
    bad.dead = 3;
    assert_true(alert_step(ALERT_DEAD_LETTERS, &alert, &bad, 0, 100));
    for (int64_t ms = 1000; ms < 60000; ms += 2000) {
        assert_false(alert_step(ALERT_DEAD_LETTERS, &alert, &good, ms, 200));
        assert_false(alert_step(ALERT_DEAD_LETTERS, &alert, &bad, ms + 1000, 300));
    }
    assert_int_equal(alert.since_ms, 100);
    assert_false(alert_step(ALERT_DEAD_LETTERS, &alert, &good, 100000, 400));
    assert_false(alert_step(ALERT_DEAD_LETTERS, &alert, &good, 100000 + ALERT_CALM_MS - 1, 400));
    assert_true(alert_step(ALERT_DEAD_LETTERS, &alert, &good, 100000 + ALERT_CALM_MS, 400));
    assert_false(alert.is_firing);
    assert_false(alert_step(ALERT_DEAD_LETTERS, &alert, &good, 200000, 400));
    assert_true(alert_step(ALERT_DEAD_LETTERS, &alert, &bad, 300000, 500));
    assert_int_equal(alert.since_ms, 500);
}

static void a_pause_in_between_begins_the_wait_anew(void **state)
{
    struct alert_figures bad = calm(), good = calm();
    struct alert_state alert = {0};

    (void)state;
    bad.due = 10001;
    assert_false(alert_step(ALERT_BACKLOG, &alert, &bad, 0, 0));
    assert_false(alert_step(ALERT_BACKLOG, &alert, &good, MINUTE_MS - 1, 0));
    assert_false(alert_step(ALERT_BACKLOG, &alert, &bad, MINUTE_MS, 0));
    assert_false(alert_step(ALERT_BACKLOG, &alert, &bad, 2 * MINUTE_MS - 1, 0));
    assert_true(alert_step(ALERT_BACKLOG, &alert, &bad, 2 * MINUTE_MS, 0));
}

static void what_is_not_known_changes_nothing(void **state)
{
    struct alert_figures bad = calm(), unknown = calm();
    struct alert_state alert = {0};

    (void)state;
    bad.overdue = 11;
    unknown.has_engine = false;
    unknown.store_failures = 1;
    assert_true(alert_step(ALERT_OVERDUE, &alert, &bad, 0, 0));
    assert_false(alert_step(ALERT_OVERDUE, &alert, &unknown, 10 * MINUTE_MS, 0));
    assert_true(alert.is_firing);
    alert = (struct alert_state){0};
    assert_true(alert_step(ALERT_STORE_ERRORS, &alert, &unknown, 0, 0)); /* that is known without an engine */
}

static void types_and_pools_are_named(void **state)
{
    struct alert_figures figures = calm();

    (void)state;
    strcpy(figures.failing_type, "mail");
    strcpy(figures.bare_pool, "crawl");
    assert_string_equal(alert_subject(ALERT_TYPE_FAILING, &figures), "mail");
    assert_string_equal(alert_subject(ALERT_POOL_WITHOUT_WORKERS, &figures), "crawl");
    assert_string_equal(alert_subject(ALERT_OVERDUE, &figures), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_silent_at_its_threshold_and_fires_above_it_after_its_time),
        cmocka_unit_test(every_alert_is_in_the_table_with_a_name_and_advice),
        cmocka_unit_test(what_flutters_is_told_once),
        cmocka_unit_test(a_pause_in_between_begins_the_wait_anew),
        cmocka_unit_test(what_is_not_known_changes_nothing),
        cmocka_unit_test(types_and_pools_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
