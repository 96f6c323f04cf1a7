/* Runs every test on a store of its own, and looks at everything afterwards, before and after opening anew. */
#include "contract_tests.h"

#define X(name)                                                                                                        \
    static void run_##name(void **state)                                                                               \
    {                                                                                                                  \
        struct contract *c = *state;                                                                                   \
        name(c);                                                                                                       \
        check_all(c);                                                                                                  \
        reopen(c);                                                                                                     \
        check_all(c);                                                                                                  \
    }
CONTRACT_TESTS(X)
#undef X

int main(void)
{
    const struct CMUnitTest tests[] = {
#define X(name) {#name, run_##name, contract_setup, contract_teardown, NULL},
        CONTRACT_TESTS(X)
#undef X
    };
    return cmocka_run_group_tests_name(contract_kind.name, tests, NULL, NULL);
}
