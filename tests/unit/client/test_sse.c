#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "client/sse.h"

/* What a taker saw, one event after the other: "kind|id|data;" */
struct seen {
    struct buf text;
    int left; /* events until it ends the stream; -1: never */
};

static bool take(void *context, const struct sse_event *event)
{
    struct seen *seen = context;

    buf_append_str(&seen->text, event->kind);
    buf_append_char(&seen->text, '|');
    buf_append_str(&seen->text, event->id);
    buf_append_char(&seen->text, '|');
    buf_append_str(&seen->text, event->data);
    buf_append_char(&seen->text, ';');
    return seen->left < 0 || --seen->left > 0;
}

static const char stream[] = ": comment\nretry: 250\n\nid: 1-1\nevent: job.created\ndata: {\"a\":1}\n\n"
                             "data:one\r\ndata: two\r\n\r\nid: 1-2\n\ndata\r\rdata: last\n";

static const char wanted[] = "job.created|1-1|{\"a\":1};|1-1|one\ntwo;|1-2|;";

static void events_are_the_same_however_the_bytes_are_cut(void **state)
{
    (void)state;
    for (size_t cut = 1; cut <= sizeof stream; cut++) {
        struct seen seen = {.left = -1};
        SCOPE(sse_done) struct sse sse;

        buf_init(&seen.text, 4096);
        sse_init(&sse, take, &seen);
        for (size_t at = 0; at < sizeof stream - 1; at += cut) {
            size_t len = sizeof stream - 1 - at < cut ? sizeof stream - 1 - at : cut;

            assert_true(sse_feed(&sse, (struct str){stream + at, len}));
        }
        assert_string_equal(buf_text(&seen.text), wanted);
        assert_string_equal(sse.id, "1-2");
        assert_int_equal(sse.retry_ms, 250);
        buf_done(&seen.text);
    }
}

static void the_taker_ends_the_stream(void **state)
{
    (void)state;
    struct seen seen = {.left = 1};
    SCOPE(sse_done) struct sse sse;

    buf_init(&seen.text, 4096);
    sse_init(&sse, take, &seen);
    assert_false(sse_feed(&sse, str_from(stream)));
    assert_string_equal(buf_text(&seen.text), "job.created|1-1|{\"a\":1};");
    buf_done(&seen.text);
}

static void a_new_connection_forgets_what_was_not_whole(void **state)
{
    (void)state;
    struct seen seen = {.left = -1};
    SCOPE(sse_done) struct sse sse;

    buf_init(&seen.text, 4096);
    sse_init(&sse, take, &seen);
    assert_true(sse_feed(&sse, STR("id: 7\ndata: half")));
    sse_restart(&sse);
    assert_true(sse_feed(&sse, STR("data: whole\n\n")));
    assert_string_equal(buf_text(&seen.text), "|7|whole;");
    buf_done(&seen.text);
}

static void an_endless_event_is_an_error(void **state)
{
    (void)state;
    struct seen seen = {.left = -1};
    SCOPE(sse_done) struct sse sse;
    bool goes_on = true;

    buf_init(&seen.text, 4096);
    sse_init(&sse, take, &seen);
    for (size_t i = 0; goes_on && i <= SSE_EVENT_BYTES_MAX / 10 + 1; i++) {
        goes_on = sse_feed(&sse, STR("xxxxxxxxxx"));
    }
    assert_false(goes_on);
    buf_done(&seen.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_the_same_however_the_bytes_are_cut),
        cmocka_unit_test(the_taker_ends_the_stream),
        cmocka_unit_test(a_new_connection_forgets_what_was_not_whole),
        cmocka_unit_test(an_endless_event_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
