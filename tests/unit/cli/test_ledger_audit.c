#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <stdio.h>

#include "cli/ledger_audit.h"

/* Every ten seconds, first at 10 s. */
static struct schedule every_ten(void)
{
    struct schedule schedule = schedule_unbounded(SCHEDULE_EVERY);

    schedule.every_ms = 10000;
    schedule.first_ms = 10000;
    return schedule;
}

struct found {
    char text[512]; /* "missed 20 2; " in seconds */
};

static void report(void *context, const struct ledger_finding *finding)
{
    struct found *found = context;
    size_t len = strlen(found->text);

    (void)snprintf(found->text + len, sizeof found->text - len, "%s %lld %lld; ", ledger_fault_text(finding->fault),
                   (long long)finding->at_ms / 1000, (long long)finding->count);
}

static void assert_found(const struct ledger_decision *decisions, size_t count, int64_t jitter_ms, bool is_edited_away,
                         const char *wanted)
{
    struct schedule schedule = every_ten();
    struct found found = {""};

    schedule.jitter_ms = jitter_ms;
    const struct ledger_stretch stretch = {&schedule, 0, 50000, is_edited_away};
    (void)ledger_audit(&stretch, decisions, count, report, &found);
    assert_string_equal(found.text, wanted);
}

#define FIRE(s)                                                                                                        \
    {                                                                                                                  \
        (s) * 1000, (s)*1000, 1                                                                                        \
    }
#define SKIP(a, b, n)                                                                                                  \
    {                                                                                                                  \
        (a) * 1000, (b)*1000, n                                                                                        \
    }
#define ASSERT_FOUND(wanted, ...)                                                                                      \
    do {                                                                                                               \
        const struct ledger_decision list[] = {__VA_ARGS__};                                                           \
        assert_found(list, sizeof list / sizeof list[0], 0, false, wanted);                                            \
    } while (0)

static void every_fire_once_is_right(void **state)
{
    (void)state;
    ASSERT_FOUND("", FIRE(10), FIRE(20), FIRE(30), FIRE(40), FIRE(50));
    ASSERT_FOUND("", SKIP(10, 50, 5));
    ASSERT_FOUND("", FIRE(10), SKIP(20, 40, 3), FIRE(50));
}

static void what_is_missed_is_counted(void **state)
{
    (void)state;
    ASSERT_FOUND("missed 10 2; ", FIRE(30), FIRE(40), FIRE(50));
    ASSERT_FOUND("missed 20 1; missed 40 2; ", FIRE(10), FIRE(30));
    assert_found(NULL, 0, 0, false, "missed 10 5; ");
}

static void what_is_too_much_is_found(void **state)
{
    (void)state;
    ASSERT_FOUND("twice 20 1; ", FIRE(10), FIRE(20), FIRE(20), FIRE(30), FIRE(40), FIRE(50));
    ASSERT_FOUND("twice 30 1; ", SKIP(10, 40, 4), FIRE(30), FIRE(50));
    ASSERT_FOUND("foreign 25 1; ", FIRE(10), FIRE(20), FIRE(25), FIRE(30), FIRE(40), FIRE(50));
    ASSERT_FOUND("foreign 0 1; ", FIRE(0), SKIP(10, 50, 5));
    ASSERT_FOUND("miscounted 10 5; ", SKIP(10, 50, 4));
    ASSERT_FOUND("foreign 10 4; ", SKIP(10, 48, 4), FIRE(50));
}

static void a_fire_that_was_not_due_yet_may_be_edited_away(void **state)
{
    (void)state;
    const struct ledger_decision list[] = {SKIP(10, 40, 4)};

    assert_found(list, 1, 5000, false, "missed 50 1; ");
    assert_found(list, 1, 5000, true, "");
    assert_found(list, 1, 0, true, "missed 50 1; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fire_once_is_right),
        cmocka_unit_test(what_is_missed_is_counted),
        cmocka_unit_test(what_is_too_much_is_found),
        cmocka_unit_test(a_fire_that_was_not_due_yet_may_be_edited_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
