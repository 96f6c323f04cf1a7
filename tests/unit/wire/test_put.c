/* The words that every answer is made of. */
#include "wire_test.h"

#include "model/record.h"

static void words_have_the_form_of_the_contract(void **state)
{
    (void)state;
    struct jw *jw = test_open();

    jw_begin_object(jw);
    wire_put_instant(jw, "instant", utc_ms("2026-04-08T09:00:00.25Z"));
    wire_put_duration(jw, "duration", 90 * MINUTE_MS);
    wire_put_id(jw, "job", ID_JOB, JOB);
    wire_put_id(jw, "trigger", ID_TRIGGER, TRIGGER);
    wire_put_attempt_id(jw, "attempt", TRIGGER, 12);
    wire_put_text(jw, "text", STR("a \"b\""));
    wire_put_int(jw, "int", -7);
    wire_put_bool(jw, "bool", true);
    wire_put_name(jw, "name", STR("report"), JOB);
    jw_end_object(jw);
    assert_json(test_close(),
                "{'instant':'2026-04-08T09:00:00.250Z','duration':'1h30m','job':'job_06c4q0wm8g000',"
                "'trigger':'trg_06c4q0wm8g001','attempt':'att_06c4q0wm8g001_12','text':'a \\'b\\'','int':-7,"
                "'bool':true,'name':'report'}");
}

static void what_is_not_there_is_null(void **state)
{
    (void)state;
    struct jw *jw = test_open();

    jw_begin_object(jw);
    wire_put_instant(jw, "instant", TIME_NONE);
    wire_put_id(jw, "id", ID_TRIGGER, ID_NONE);
    wire_put_text(jw, "text", STR(""));
    wire_put_word(jw, "word", NULL);
    wire_put_null(jw, "null");
    jw_end_object(jw);
    assert_json(test_close(), "{'instant':null,'id':null,'text':null,'word':null,'null':null}");
}

static void the_id_stands_for_a_name_that_was_not_given(void **state)
{
    (void)state;
    struct jw *jw = test_open();

    jw_begin_object(jw);
    wire_put_name(jw, "name", STR(""), JOB);
    jw_end_object(jw);
    assert_json(test_close(), "{'name':'job_06c4q0wm8g000'}");
}

static void a_list_says_where_the_next_page_begins(void **state)
{
    (void)state;
    struct jw *jw = test_open();

    wire_list_begin(jw);
    jw_int(jw, 1);
    jw_int(jw, 2);
    wire_list_end(jw, "1i-5-abcd");
    assert_json(test_close(), "{'items':[1,2],'next':'1i-5-abcd'}");
    jw = test_open();
    wire_list_begin(jw);
    wire_list_end(jw, NULL);
    assert_json(test_close(), "{'items':[],'next':null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_have_the_form_of_the_contract),
        cmocka_unit_test(what_is_not_there_is_null),
        cmocka_unit_test(the_id_stands_for_a_name_that_was_not_given),
        cmocka_unit_test(a_list_says_where_the_next_page_begins),
    };
    WIRE_MAIN(tests);
}
