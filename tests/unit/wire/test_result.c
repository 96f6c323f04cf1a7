/* What an attempt gave and wrote, as one text. */
#include "wire_test.h"

#include "wire/result.h"

static void assert_packed(const char *result, const char *output, const char *packed)
{
    struct str got = wire_result_pack(str_from(result), str_from(output), &test_arena);
    struct str result_again, output_again;

    assert_text(got, packed);
    wire_result_unpack(got, &result_again, &output_again);
    assert_text(result_again, str_is(str_from(result), "null") ? "" : result);
    assert_text(output_again, output);
}

static void every_form_comes_back(void **state)
{
    (void)state;
    assert_packed("", "", "");
    assert_packed("{\"sent\":1}", "", "{\"sent\":1}");
    assert_packed("12", "", "12");
    assert_packed("\"+1:2\"", "", "\"+1:2\"");
    assert_packed("", "sent 1 mail\n", ">sent 1 mail\n");
    assert_packed("", ">", ">>");
    assert_packed("", "{}", ">{}");
    assert_packed("", "+1:2", ">+1:2");
    assert_packed("{\"sent\":1}", "sent\n", "+10:{\"sent\":1}sent\n");
    assert_packed("1", "2", "+1:12");
}

static void a_result_of_null_is_none(void **state)
{
    (void)state;
    assert_packed("null", "", "");
    assert_packed("null", "x", ">x");
}

static void what_nobody_packed_is_shown_as_output(void **state)
{
    (void)state;
    const char *const odd[] = {"the end", "{\"a\":", "{} x",  "+",    "+:",    "+3",
                               "+3:",     "+9:{}",   "+1:{}", "+0:x", "+-1:x", "+99999999999999999999:{}",
                               "-",       "nul"};

    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        struct str result, output;

        wire_result_unpack(str_from(odd[i]), &result, &output);
        assert_text(result, "");
        assert_text(output, odd[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_comes_back),
        cmocka_unit_test(a_result_of_null_is_none),
        cmocka_unit_test(what_nobody_packed_is_shown_as_output),
    };
    WIRE_MAIN(tests);
}
