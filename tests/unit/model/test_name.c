#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "model/name.h"

/* The answer for these very bytes: a copy without a NUL behind it, so that reading on is noticed. */
static enum err check(enum err (*question)(struct str, struct error *), const char *bytes, size_t len,
                      struct error *reterr)
{
    SCOPE_FREE char *exact = mem_dup(bytes, len);

    return question((struct str){exact, len}, reterr);
}

static enum err check_text(const char *text, struct error *reterr)
{
    return check(name_check, text, strlen(text), reterr);
}

static enum err check_job_text(const char *text, struct error *reterr)
{
    return check(name_check_owner, text, strlen(text), reterr);
}

/* Refused at this place, with words that say so. */
static void assert_refused_at(const char *text, int position)
{
    struct error error = {0};

    assert_int_equal(check_text(text, &error), ERR_INVALID);
    assert_int_equal(error.code, ERR_INVALID);
    assert_int_equal(error.position, position);
    assert_string_not_equal(error.text, "");
    assert_int_equal(check_text(text, NULL), ERR_INVALID);
    assert_int_equal(check_job_text(text, &error), ERR_INVALID);
    assert_int_equal(error.position, position);
}

static void names_have_letters_digits_and_four_marks(void **state)
{
    (void)state;
    const char *const names[] = {
        "a", "Z", "0", "welcome", "Mail.daily_report:eu-1", "7", "a.", "a_", "a:", "a-", "0..__::--", "default",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(check_text(names[i], NULL), ERR_OK);
        assert_int_equal(check_job_text(names[i], NULL), ERR_OK);
    }
}

static void of_all_bytes_only_those_are_accepted(void **state)
{
    (void)state;
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static const char marks[] = "._:-";

    for (int byte = 0; byte < 256; byte++) {
        char begin[] = {(char)byte, 'a'};
        char later[] = {'a', 'b', (char)byte};
        bool is_alnum = memchr(first, byte, sizeof first - 1) != NULL;
        bool is_mark = memchr(marks, byte, sizeof marks - 1) != NULL;
        struct error error = {0};

        assert_int_equal(check(name_check, begin, 2, &error) == ERR_OK, is_alnum);
        assert_int_equal(error.position, is_alnum ? 0 : 1);
        error.position = 0;
        assert_int_equal(check(name_check, later, 3, &error) == ERR_OK, is_alnum || is_mark);
        assert_int_equal(error.position, is_alnum || is_mark ? 0 : 3);
    }
}

static void a_refused_name_says_where(void **state)
{
    (void)state;
    assert_refused_at("", 1);
    assert_refused_at(".a", 1);
    assert_refused_at("_a", 1);
    assert_refused_at(":a", 1);
    assert_refused_at("-a", 1);
    assert_refused_at("two words", 4);
    assert_refused_at("a/b", 2);
    assert_refused_at("line\n", 5);
    assert_refused_at("caf\xc3\xa9", 4);
}

static void a_name_has_at_most_200_characters(void **state)
{
    (void)state;
    char name[201];
    struct error error = {0};
    memset(name, 'n', sizeof name);

    assert_int_equal(check(name_check, name, 200, NULL), ERR_OK);
    assert_int_equal(check(name_check_owner, name, 200, NULL), ERR_OK);
    assert_int_equal(check(name_check, name, 201, &error), ERR_INVALID);
    assert_int_equal(error.position, 201);
    assert_int_equal(check(name_check_owner, name, 201, NULL), ERR_INVALID);
}

static void a_jobs_name_does_not_look_like_an_id(void **state)
{
    (void)state;
    struct error error = {0};

    assert_int_equal(check_job_text("job_", &error), ERR_INVALID);
    assert_int_equal(error.position, 1);
    assert_int_equal(check_job_text("job_06c4q0wm8g000", NULL), ERR_INVALID);
    assert_int_equal(check_job_text("job_anything", NULL), ERR_INVALID);
}

static void what_only_resembles_an_id_is_a_name(void **state)
{
    (void)state;
    const char *const names[] = {"job", "job-1", "job:1", "jobs", "Job_1", "JOB_1", "my_job_1", "0job_"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(check_job_text(names[i], NULL), ERR_OK);
    }
}

static void types_and_pools_may_begin_as_ids_do(void **state)
{
    (void)state;
    assert_int_equal(check_text("job_mail", NULL), ERR_OK); /* nothing else stands where they do */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_letters_digits_and_four_marks),
        cmocka_unit_test(of_all_bytes_only_those_are_accepted),
        cmocka_unit_test(a_refused_name_says_where),
        cmocka_unit_test(a_name_has_at_most_200_characters),
        cmocka_unit_test(a_jobs_name_does_not_look_like_an_id),
        cmocka_unit_test(what_only_resembles_an_id_is_a_name),
        cmocka_unit_test(types_and_pools_may_begin_as_ids_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
