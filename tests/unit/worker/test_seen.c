#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "worker/limits_worker.h"
#include "worker/seen.h"

static void what_was_seen_is_known_again(void **state)
{
    struct seen seen;

    (void)state;
    seen_init(&seen, 1);
    assert_true(seen_add(&seen, STR("att_1_1")));
    assert_true(seen_add(&seen, STR("att_1_2")));
    assert_false(seen_add(&seen, STR("att_1_1")));
    seen_done(&seen);
}

static void the_oldest_are_forgotten(void **state)
{
    struct seen seen;
    char id[32];

    (void)state;
    seen_init(&seen, 1);
    for (int i = 0; i < SEEN_MAX + 1; i++) {
        (void)snprintf(id, sizeof id, "att_%d_1", i);
        assert_true(seen_add(&seen, str_from(id)));
    }
    assert_int_equal(map_count(&seen.by_id), SEEN_MAX);
    assert_false(seen_add(&seen, STR("att_1_1")));
    assert_true(seen_add(&seen, STR("att_0_1")));
    seen_done(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_seen_is_known_again),
        cmocka_unit_test(the_oldest_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
