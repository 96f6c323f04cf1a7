/* Trace contexts. */
#include "job_def_test.h"

#include "model/trace.h"

#define GIVEN "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

static void a_traceparent_is_read_and_written(void **state)
{
    (void)state;
    struct trace trace;
    char text[TRACE_TEXT_BYTES];

    assert_true(trace_parse(STR(GIVEN), &trace));
    assert_true(trace.id[0] == UINT64_C(0x4bf92f3577b34da6) && trace.id[1] == UINT64_C(0xa3ce929d0e0e4736));
    assert_true(trace.span == UINT64_C(0x00f067aa0ba902b7) && trace.is_sampled);
    assert_string_equal(trace_format(&trace, text), GIVEN);
    assert_true(trace_parse(STR("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe"), &trace));
    assert_false(trace.is_sampled);
    assert_string_equal(trace_format(&trace, text), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
}

static void later_versions_are_read_by_what_they_have_in_common(void **state)
{
    (void)state;
    struct trace trace;

    assert_true(trace_parse(STR("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), &trace));
    assert_true(trace_parse(STR("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"), &trace));
    assert_false(trace_parse(STR("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more"), &trace));
}

static void anything_else_is_none(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902bX-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7--01-",
    };

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct trace trace = {.span = 7};

        assert_false(trace_parse(str_from(wrong[i]), &trace));
        assert_int_equal(trace.span, 7);
    }
}

static void spans_are_computed_and_differ(void **state)
{
    (void)state;
    struct trace given, none = {0};

    assert_true(trace_parse(STR(GIVEN), &given));
    struct trace trigger = trace_of_trigger(&given, 42), first = trace_of_attempt(&given, 42, 1);
    struct trace second = trace_of_attempt(&given, 42, 2), again = trace_of_attempt(&given, 42, 2);

    assert_true(first.id[0] == given.id[0] && first.id[1] == given.id[1] && first.is_sampled);
    assert_true(first.span != second.span && first.span != trigger.span && trigger.span != given.span);
    assert_int_equal(second.span, again.span);
    given.is_sampled = false;
    assert_false(trace_of_attempt(&given, 42, 1).is_sampled);
    struct trace own = trace_of_attempt(&none, 42, 1), other = trace_of_attempt(&none, 43, 1);
    assert_true(trace_is_set(&own) && own.is_sampled && own.span == first.span);
    assert_true(own.id[0] != other.id[0] && own.id[1] != other.id[1]);
    assert_true(trace_of_trigger(&none, 42).id[0] == own.id[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_traceparent_is_read_and_written),
        cmocka_unit_test(later_versions_are_read_by_what_they_have_in_common),
        cmocka_unit_test(anything_else_is_none),
        cmocka_unit_test(spans_are_computed_and_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
