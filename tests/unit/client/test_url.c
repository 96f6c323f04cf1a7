#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "client/url.h"

static void everything_that_is_not_plain_is_escaped(void **state)
{
    (void)state;
    SCOPE(url_done) struct url url;

    url_init(&url);
    url_path(&url, "/v1/jobs");
    url_segment(&url, STR("a/b c:\xc3\xbc%"));
    url_path(&url, "/run");
    url_query(&url, "tenant", STR("a&b=c"));
    url_query(&url, "left_out", (struct str){0});
    url_query(&url, "empty", STR(""));
    url_query_int(&url, "limit", 50);
    assert_string_equal(buf_text(&url.text), "/v1/jobs/a%2Fb%20c%3A%C3%BC%25/run?tenant=a%26b%3Dc&empty=&limit=50");
}

static void unreserved_characters_stay(void **state)
{
    (void)state;
    SCOPE(url_done) struct url url;

    url_init(&url);
    url_segment(&url, STR("aZ09-._~"));
    assert_string_equal(buf_text(&url.text), "/aZ09-._~");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_is_not_plain_is_escaped),
        cmocka_unit_test(unreserved_characters_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
