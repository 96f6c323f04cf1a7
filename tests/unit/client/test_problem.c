#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "client/problem.h"

static void a_problem_becomes_an_error(void **state)
{
    (void)state;
    struct problem problem = problem_read(
        400, STR("{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"code\":\"invalid_cron\","
                 "\"detail\":\"minutes are 0 to 59\",\"field\":\"cron\",\"position\":4,\"index\":17}"));

    assert_int_equal(problem.error.code, ERR_INVALID_CRON);
    assert_string_equal(problem.error.text, "minutes are 0 to 59");
    assert_string_equal(problem.error.field, "cron");
    assert_int_equal(problem.error.position, 4);
    assert_string_equal(problem.code, "invalid_cron");
    assert_int_equal(problem.index, 17);
}

static void a_code_of_a_newer_server_goes_by_its_status(void **state)
{
    (void)state;
    struct problem problem = problem_read(409, STR("{\"code\":\"brand_new\",\"detail\":\"no\"}"));

    assert_int_equal(problem.error.code, ERR_CONFLICT);
    assert_string_equal(problem.code, "brand_new");
    assert_int_equal(problem.index, PROBLEM_NO_INDEX);
    assert_int_equal(problem_read(418, STR("{\"code\":\"x\",\"detail\":\"no\"}")).error.code, ERR_INVALID);
    assert_int_equal(problem_read(599, STR("{\"code\":\"x\",\"detail\":\"no\"}")).error.code, ERR_IO);
}

static void what_no_belfry_wrote_gets_a_sentence_too(void **state)
{
    (void)state;
    assert_non_null(strstr(problem_read(502, STR("<html>\nBad Gateway</html>")).error.text, "502"));
    assert_non_null(strstr(problem_read(502, STR("<html>\nBad Gateway</html>")).error.text, "<html>"));
    assert_null(strstr(problem_read(502, STR("<html>\nBad Gateway</html>")).error.text, "Gateway"));
    assert_non_null(strstr(problem_read(500, STR("")).error.text, "nothing more"));
    assert_non_null(strstr(problem_read(500, STR("[1,2]")).error.text, "500"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_becomes_an_error),
        cmocka_unit_test(a_code_of_a_newer_server_goes_by_its_status),
        cmocka_unit_test(what_no_belfry_wrote_gets_a_sentence_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
