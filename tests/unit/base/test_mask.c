#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"

static void assert_masked(const char *text, const char *wanted)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 4096);
    mask_append(&out, str_from(text));
    assert_string_equal(buf_text(&out), wanted);
}

static void what_has_no_password_stays_as_it_is(void **state)
{
    (void)state;
    static const char *const plain[] = {"",
                                        "/var/lib/belfry/belfry.db",
                                        "postgres://db/belfry",
                                        "postgres://me@db:5432/belfry",
                                        "http://127.0.0.1:7600",
                                        "http://[::1]:7600/x",
                                        "host=db dbname=belfry",
                                        "://"};

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        assert_masked(plain[i], plain[i]);
    }
}

static void assert_host(const char *url, const char *wanted)
{
    SCOPE(buf_done) struct buf out;

    buf_init(&out, 4096);
    mask_append_host(&out, str_from(url));
    assert_string_equal(buf_text(&out), wanted);
}

static void of_a_url_only_the_host_is_left(void **state)
{
    (void)state;
    assert_host("https://hooks.example.com/services/T0/B1/secret", "https://hooks.example.com");
    assert_host("http://me:pass@10.0.0.7:8080?token=x", "http://10.0.0.7:8080");
    assert_host("http://me:p/a@ss@host/x", "http://host");
    assert_host("https://host/x@y", "https://y"); /* rather too much is hidden */
    assert_host("http://host#x", "http://host");
    assert_host("http://", "http://");
    assert_host("secret", "***");
}

static void the_password_of_a_url_is_hidden(void **state)
{
    (void)state;
    assert_masked("postgres://me:pass-word@db/belfry", "postgres://me:***@db/belfry");
    assert_masked("postgres://:x@/belfry?host=/run", "postgres://:***@/belfry?host=/run");
    assert_masked("postgres://me:@db", "postgres://me:***@db");
    assert_masked("http://a:b@[::1]:7600", "http://a:***@[::1]:7600");
}

static void one_that_should_have_been_escaped_is_hidden_too(void **state)
{
    (void)state;
    assert_masked("postgres://me:p@ss@db/belfry", "postgres://me:***@db/belfry");
    assert_masked("postgres://me:p/a?b#c@db/belfry", "postgres://me:***@db/belfry");
    assert_masked("postgres://me:a:b@db", "postgres://me:***@db");
}

static void one_among_the_parameters_is_hidden(void **state)
{
    (void)state;
    assert_masked("postgres://db/b?password=x&sslpassword=y&a=b", "postgres://db/b?password=***&sslpassword=***&a=b");
    assert_masked("postgres://me:x@db/b?password=y", "postgres://me:***@db/b?password=***");
    assert_masked("host=db password=x user=me", "host=db password=*** user=me");
    assert_masked("host=db password='x y' user=me", "host=db password=***");
    assert_masked("password=", "password=***");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_password_stays_as_it_is),
        cmocka_unit_test(of_a_url_only_the_host_is_left),
        cmocka_unit_test(the_password_of_a_url_is_hidden),
        cmocka_unit_test(one_that_should_have_been_escaped_is_hidden_too),
        cmocka_unit_test(one_among_the_parameters_is_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
