#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>

#include "base/chrono.h"

static void wall_time_is_the_time_of_day(void **state)
{
    (void)state;
    int64_t before_s = (int64_t)time(NULL);
    int64_t wall_ms = chrono_wall_ms();

    /* time() is taken from a coarser clock, which may be a tick behind. */
    assert_true(wall_ms >= before_s * 1000 && wall_ms <= ((int64_t)time(NULL) + 2) * 1000);
}

static void monotonic_time_does_not_go_back(void **state)
{
    (void)state;
    int64_t last_ms = chrono_mono_ms(), last_ns = chrono_mono_ns();

    for (int i = 0; i < 1000; i++) {
        int64_t ms = chrono_mono_ms(), ns = chrono_mono_ns();
        assert_true(ms >= last_ms && ns >= last_ns);
        last_ms = ms;
        last_ns = ns;
    }
    assert_true(last_ms > 0 && last_ns > 0);
}

static void the_systems_source_reads_the_system(void **state)
{
    (void)state;
    struct chrono chrono = chrono_system();
    int64_t wall_ms = chrono_wall_ms(), mono_ms = chrono_mono_ms();

    assert_true(chrono_mono_ms_of(&chrono) >= mono_ms);
    assert_true(chrono_wall_ms_of(&chrono) > wall_ms - 60000); /* it may be set back meanwhile, but hardly by as much */
}

static void a_fake_moves_only_when_told(void **state)
{
    (void)state;
    struct chrono chrono = chrono_fake(1000, 50);

    assert_int_equal(chrono_wall_ms_of(&chrono), 1000);
    assert_int_equal(chrono_mono_ms_of(&chrono), 50);
    chrono_advance(&chrono, 7);
    assert_int_equal(chrono_wall_ms_of(&chrono), 1007);
    assert_int_equal(chrono_mono_ms_of(&chrono), 57);
}

static void a_fakes_wall_clock_can_be_set_back_alone(void **state)
{
    (void)state;
    struct chrono chrono = chrono_fake(1000, 50);

    chrono_set_wall(&chrono, -5);
    assert_int_equal(chrono_wall_ms_of(&chrono), -5);
    assert_int_equal(chrono_mono_ms_of(&chrono), 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wall_time_is_the_time_of_day),
        cmocka_unit_test(monotonic_time_does_not_go_back),
        cmocka_unit_test(the_systems_source_reads_the_system),
        cmocka_unit_test(a_fake_moves_only_when_told),
        cmocka_unit_test(a_fakes_wall_clock_can_be_set_back_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
