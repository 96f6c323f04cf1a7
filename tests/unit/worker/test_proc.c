#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "worker/proc.h"

static void a_variable_is_found_whole_or_not_at_all(void **state)
{
    static const char env[] = "PATH=/bin\0BELFRY_ATTEMPT=att_1_12\0X=BELFRY_ATTEMPT=att_2_1\0BARE";
    struct str bytes = str_from_bytes(env, sizeof env);

    (void)state;
    assert_true(proc_environ_has(bytes, STR("BELFRY_ATTEMPT"), STR("att_1_12")));
    assert_false(proc_environ_has(bytes, STR("BELFRY_ATTEMPT"), STR("att_1_1")));
    assert_false(proc_environ_has(bytes, STR("BELFRY_ATTEMPT"), STR("att_2_1")));
    assert_false(proc_environ_has(bytes, STR("BELFRY_ATTEMP"), STR("T=att_1_12")));
    assert_false(proc_environ_has(bytes, STR("BARE"), STR("")));
    assert_false(proc_environ_has((struct str){0}, STR("BELFRY_ATTEMPT"), STR("att_1_12")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_is_found_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
