#include "api/answers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define FRESH_MS 5000

static struct answers *answers;
static struct buf out;

static int begin(void **state)
{
    (void)state;
    answers = answers_new();
    buf_init(&out, 1000);
    return 0;
}

static int end(void **state)
{
    (void)state;
    answers_free(answers);
    buf_done(&out);
    return 0;
}

static enum answers_found find(const char *key, int64_t now_ms)
{
    buf_reset(&out);
    return answers_find(answers, key, now_ms, FRESH_MS, &out);
}

static void an_answer_is_made_once_and_given_while_it_is_fresh(void **state)
{
    (void)state;
    assert_int_equal(find("a", 0), ANSWERS_MAKE);
    assert_false(answers_peek(answers, "a", 0, FRESH_MS, &out));
    answers_keep(answers, "a", 10, STR("first"));
    assert_true(answers_peek(answers, "a", 10, FRESH_MS, &out));
    assert_false(answers_peek(answers, "a", 11 + FRESH_MS, FRESH_MS, &out));
    assert_int_equal(find("a", 10 + FRESH_MS), ANSWERS_HERE);
    assert_string_equal(buf_text(&out), "first");
    assert_int_equal(find("a", 11 + FRESH_MS), ANSWERS_MAKE);
}

static void while_it_is_being_made_others_get_the_one_before(void **state)
{
    (void)state;
    assert_int_equal(find("a", 0), ANSWERS_MAKE);
    assert_int_equal(find("a", 1), ANSWERS_BUSY);
    answers_keep(answers, "a", 2, STR("first"));
    assert_int_equal(find("a", 10000), ANSWERS_MAKE);
    assert_int_equal(find("a", 10001), ANSWERS_HERE);
    assert_string_equal(buf_text(&out), "first");
    answers_keep(answers, "a", 10002, STR("second"));
    assert_int_equal(find("a", 10003), ANSWERS_HERE);
    assert_string_equal(buf_text(&out), "second");
}

static void what_could_not_be_made_is_tried_by_the_next(void **state)
{
    (void)state;
    assert_int_equal(find("a", 0), ANSWERS_MAKE);
    answers_give_up(answers, "a");
    assert_int_equal(find("a", 1), ANSWERS_MAKE);
}

static void the_oldest_goes_first(void **state)
{
    char key[20];

    (void)state;
    for (int i = 0; i <= ANSWERS_MAX; i++) {
        (void)snprintf(key, sizeof key, "key %d", i);
        assert_int_equal(find(key, i), ANSWERS_MAKE);
        answers_keep(answers, key, i, STR("text"));
    }
    assert_int_equal(find("key 1", 100), ANSWERS_HERE);
    assert_int_equal(find("key 0", 100), ANSWERS_MAKE);
}

static void what_is_being_made_keeps_its_place(void **state)
{
    char key[20];

    (void)state;
    for (int i = 0; i < ANSWERS_MAX; i++) {
        (void)snprintf(key, sizeof key, "key %d", i);
        assert_int_equal(find(key, i), ANSWERS_MAKE);
    }
    assert_int_equal(find("one more", 100), ANSWERS_BUSY);
    answers_give_up(answers, "key 3");
    assert_int_equal(find("one more", 100), ANSWERS_MAKE);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        WITH(an_answer_is_made_once_and_given_while_it_is_fresh),
        WITH(while_it_is_being_made_others_get_the_one_before),
        WITH(what_could_not_be_made_is_tried_by_the_next),
        WITH(the_oldest_goes_first),
        WITH(what_is_being_made_keeps_its_place),
    };

    return cmocka_run_group_tests_name("answers", tests, NULL, NULL);
}
