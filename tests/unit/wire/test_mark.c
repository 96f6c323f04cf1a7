/* Marks of pages: what goes out comes back, and nothing else is taken for one. */
#include "wire_test.h"

#include "model/record.h"
#include "wire/mark.h"

static void assert_url_safe(const char *mark)
{
    assert_true(strlen(mark) < WIRE_MARK_BYTES);
    assert_int_equal(strspn(mark, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), strlen(mark));
}

static void marks_come_back_as_what_they_stand_for(void **state)
{
    (void)state;
    const uint64_t ids[] = {0, 1, JOB, UINT64_MAX};
    const int64_t numbers[] = {TIME_NONE, -1, 0, 1775638800000, INT64_MAX};
    char mark[WIRE_MARK_BYTES];
    uint64_t id;
    int64_t number;

    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        assert_url_safe(wire_mark_id(ids[i], mark));
        assert_int_equal(wire_mark_read_id(str_from(mark), &id, NULL), ERR_OK);
        assert_true(id == ids[i]);
        for (size_t j = 0; j < COUNT_OF(numbers); j++) {
            assert_url_safe(wire_mark_pair(numbers[j], ids[i], mark));
            assert_int_equal(wire_mark_read_pair(str_from(mark), &number, &id, NULL), ERR_OK);
            assert_true(number == numbers[j] && id == ids[i]);
        }
    }
}

static void texts_come_back_whatever_their_bytes(void **state)
{
    (void)state;
    char all[WIRE_MARK_TEXT_BYTES_MAX];
    char mark[WIRE_MARK_BYTES];

    for (size_t i = 0; i < sizeof all; i++) {
        all[i] = (char)(i * 7 + 1);
    }
    for (size_t len = 0; len <= sizeof all; len++) {
        struct str text = {0};

        assert_url_safe(wire_mark_text((struct str){all, len}, mark));
        assert_int_equal(wire_mark_read_text(str_from(mark), &test_arena, &text, NULL), ERR_OK);
        assert_true(str_equal(text, (struct str){all, len}));
    }
}

static void assert_no_mark(struct str mark)
{
    struct error error = {0};
    struct str text = STR("as it was");
    uint64_t id = 42;
    int64_t number = 42;

    assert_int_equal(wire_mark_read_id(mark, &id, &error), ERR_INVALID);
    assert_string_equal(error.field, "after");
    assert_int_equal(wire_mark_read_pair(mark, &number, &id, &error), ERR_INVALID);
    assert_int_equal(wire_mark_read_text(mark, &test_arena, &text, &error), ERR_INVALID);
    assert_string_equal(error.field, "after");
    assert_int_equal(id, 42);
    assert_int_equal(number, 42);
    assert_text(text, "as it was");
}

static void what_nobody_wrote_is_refused(void **state)
{
    (void)state;
    const char *const odd[] = {"",       "1",          "1i-",      "1i-5",      "1i--0000",      "2i-5-abcd",
                               "1x-5-0", "job_06c4q0", "1p-1-",    "1p-1-1",    "1t-",           "1t-=-0000",
                               "------", "1i-5-0000",  "1i-05-00", "1p--5-000", "1i-5-0000-0000"};

    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        assert_no_mark(str_from(odd[i]));
    }
    assert_no_mark(str_from(letters(WIRE_MARK_BYTES, 'a')));
    assert_no_mark(str_from(arena_printf(&test_arena, "1t-%s", letters(2 * WIRE_MARK_BYTES, 'a'))));
}

static void a_mark_that_was_cut_or_changed_is_refused(void **state)
{
    (void)state;
    char mark[WIRE_MARK_BYTES];
    uint64_t id;
    size_t refused = 0;
    size_t len = strlen(wire_mark_id(JOB, mark));

    for (size_t i = 0; i < len; i++) {
        assert_int_equal(wire_mark_read_id((struct str){mark, i}, &id, NULL), ERR_INVALID);
        char before = mark[i];
        mark[i] = before == '1' ? '2' : '1';
        refused += wire_mark_read_id((struct str){mark, len}, &id, NULL) == ERR_INVALID;
        mark[i] = before;
    }
    assert_int_equal(refused, len);
}

static void a_mark_of_another_list_is_refused(void **state)
{
    (void)state;
    char mark[WIRE_MARK_BYTES];
    struct str text;
    uint64_t id;
    int64_t number;

    (void)wire_mark_id(JOB, mark);
    assert_int_equal(wire_mark_read_pair(str_from(mark), &number, &id, NULL), ERR_INVALID);
    assert_int_equal(wire_mark_read_text(str_from(mark), &test_arena, &text, NULL), ERR_INVALID);
    (void)wire_mark_pair(5, JOB, mark);
    assert_int_equal(wire_mark_read_id(str_from(mark), &id, NULL), ERR_INVALID);
    (void)wire_mark_text(STR("acme"), mark);
    assert_int_equal(wire_mark_read_id(str_from(mark), &id, NULL), ERR_INVALID);
}

/* Clients may keep one over an upgrade. */
static void marks_stay_as_they_are(void **state)
{
    (void)state;
    char mark[WIRE_MARK_BYTES];

    assert_string_equal(wire_mark_id(JOB, mark), "1i-330970728880000-b667");
    assert_string_equal(wire_mark_pair(1775638800000, TRIGGER, mark), "1p-19d6c51e680-330970728880001-c0d9");
    assert_string_equal(wire_mark_text(STR("acme"), mark), "1t-YWNtZQ-a03e");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_come_back_as_what_they_stand_for),
        cmocka_unit_test(texts_come_back_whatever_their_bytes),
        cmocka_unit_test(what_nobody_wrote_is_refused),
        cmocka_unit_test(a_mark_that_was_cut_or_changed_is_refused),
        cmocka_unit_test(a_mark_of_another_list_is_refused),
        cmocka_unit_test(marks_stay_as_they_are),
    };
    WIRE_MAIN(tests);
}
