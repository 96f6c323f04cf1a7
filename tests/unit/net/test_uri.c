#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/net.h"
#include "net/uri.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, 4096, 1024UL * 1024);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static struct net_uri read_well(const char *target)
{
    struct net_uri uri;
    struct error error;

    if (net_uri_read(str_from(target), &arena, &uri, &error) != ERR_OK) {
        fail_msg("%s: %s", target, error.text);
    }
    return uri;
}

static void assert_refused(const char *target)
{
    struct net_uri uri;

    if (net_uri_read(str_from(target), &arena, &uri, NULL) != ERR_INVALID) {
        fail_msg("%s was read", target);
    }
}

#define ASSERT_STR(slice, text) assert_true(str_is(slice, text))

static void a_plain_path_is_itself(void **state)
{
    struct net_uri uri = read_well("/v1/jobs/nightly");

    (void)state;
    ASSERT_STR(uri.path, "/v1/jobs/nightly");
    assert_int_equal(uri.segment_count, 3);
    ASSERT_STR(uri.segments[0], "v1");
    ASSERT_STR(uri.segments[2], "nightly");
    ASSERT_STR(uri.query, "");
    assert_int_equal(uri.param_count, 0);
}

static void the_root_is_one_empty_segment(void **state)
{
    struct net_uri uri = read_well("/");

    (void)state;
    ASSERT_STR(uri.path, "/");
    assert_int_equal(uri.segment_count, 1);
    ASSERT_STR(uri.segments[0], "");
}

static void empty_segments_stay(void **state)
{
    struct net_uri uri = read_well("/a//b/");

    (void)state;
    assert_int_equal(uri.segment_count, 4);
    ASSERT_STR(uri.segments[1], "");
    ASSERT_STR(uri.segments[3], "");
}

static void escapes_are_decoded(void **state)
{
    struct net_uri uri = read_well("/%41b%63/gr%C3%bcn/a+b");

    (void)state;
    ASSERT_STR(uri.path, "/Abc/gr\xc3\xbcn/a+b");
    ASSERT_STR(uri.segments[0], "Abc");
    ASSERT_STR(uri.segments[2], "a+b"); /* a plus is a plus in a path */
}

static void an_escaped_slash_separates_nothing(void **state)
{
    struct net_uri uri = read_well("/a%2Fb/c%3Fd%23");

    (void)state;
    assert_int_equal(uri.segment_count, 2);
    ASSERT_STR(uri.segments[0], "a/b");
    ASSERT_STR(uri.segments[1], "c?d#");
}

static void decoding_happens_once(void **state)
{
    struct net_uri uri = read_well("/%2541?a=%2525");

    (void)state;
    ASSERT_STR(uri.segments[0], "%41");
    ASSERT_STR(uri.params[0].value, "%25");
}

static void bad_escapes_are_refused(void **state)
{
    static const char *const bad[] = {"/%",      "/%4",     "/a%4/b", "/%zz", "/%00",    "/a%0",
                                      "/?a=%",   "/?%=1",   "/% 1",   "/%ff", "/%c3",    "/%c3/%bc",
                                      "/?a=%c3", "/%c0%af", "/%-1",   "/%+1", "/%u0041", "/%ed%a0%80"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(bad[i]);
    }
}

static void dots_are_refused_however_they_are_written(void **state)
{
    static const char *const bad[] = {"/.", "/..", "/a/../b", "/a/./b", "/%2e", "/.%2E/x", "/%2e%2e"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(bad[i]);
    }
    ASSERT_STR(read_well("/...").segments[0], "...");
    ASSERT_STR(read_well("/.well-known").segments[0], ".well-known");
}

static void what_has_to_be_escaped_is_refused(void **state)
{
    static const char *const bad[] = {"",      "*",     "v1",           "http://h/", "/a b",  "/a#b",
                                      "/a\\b", "/\x7f", "/gr\xc3\xbcn", "/a\tb",     "/?a b", "/?\x01"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(bad[i]);
    }
}

static void a_query_has_names_and_values(void **state)
{
    struct net_uri uri = read_well("/x?a=1&b=two+words&c%3D=%26&d&e=&&f=g=h?i&a=2");

    (void)state;
    ASSERT_STR(uri.path, "/x");
    assert_int_equal(uri.param_count, 7);
    ASSERT_STR(uri.params[0].name, "a");
    ASSERT_STR(uri.params[0].value, "1");
    ASSERT_STR(uri.params[1].value, "two words");
    ASSERT_STR(uri.params[2].name, "c=");
    ASSERT_STR(uri.params[2].value, "&");
    ASSERT_STR(uri.params[3].name, "d");
    ASSERT_STR(uri.params[3].value, "");
    ASSERT_STR(uri.params[4].name, "e");
    ASSERT_STR(uri.params[4].value, "");
    ASSERT_STR(uri.params[5].name, "f");
    ASSERT_STR(uri.params[5].value, "g=h?i");
    ASSERT_STR(uri.params[6].name, "a");
    assert_true(str_starts_with(uri.query, STR("a=1&b=two+words&")));
}

static void repeat(struct buf *buf, const char *first, const char *piece, size_t count)
{
    buf_init(buf, 100000);
    buf_append_text(buf, first);
    for (size_t i = 0; i < count; i++) {
        buf_append_text(buf, piece);
    }
}

static void everything_has_a_maximum(void **state)
{
    SCOPE(buf_done) struct buf segments;
    SCOPE(buf_done) struct buf params;
    SCOPE(buf_done) struct buf bytes;

    (void)state;
    repeat(&segments, "/", "a/", NET_SEGMENTS_MAX - 1);
    assert_int_equal(read_well(buf_text(&segments)).segment_count, NET_SEGMENTS_MAX);
    buf_append_text(&segments, "/");
    assert_refused(buf_text(&segments));

    repeat(&params, "/?a", "&a", NET_PARAMS_MAX - 1);
    assert_int_equal(read_well(buf_text(&params)).param_count, NET_PARAMS_MAX);
    buf_append_text(&params, "&");
    assert_refused(buf_text(&params));

    repeat(&bytes, "/", "a", NET_URI_BYTES_MAX - 1);
    assert_int_equal(read_well(buf_text(&bytes)).path.len, NET_URI_BYTES_MAX);
    buf_append_text(&bytes, "a");
    assert_refused(buf_text(&bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_plain_path_is_itself, begin, end),
        cmocka_unit_test_setup_teardown(the_root_is_one_empty_segment, begin, end),
        cmocka_unit_test_setup_teardown(empty_segments_stay, begin, end),
        cmocka_unit_test_setup_teardown(escapes_are_decoded, begin, end),
        cmocka_unit_test_setup_teardown(an_escaped_slash_separates_nothing, begin, end),
        cmocka_unit_test_setup_teardown(decoding_happens_once, begin, end),
        cmocka_unit_test_setup_teardown(bad_escapes_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(dots_are_refused_however_they_are_written, begin, end),
        cmocka_unit_test_setup_teardown(what_has_to_be_escaped_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_query_has_names_and_values, begin, end),
        cmocka_unit_test_setup_teardown(everything_has_a_maximum, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
