#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "net/router.h"

enum { LIST, CREATE, BATCH, SHOW, CHANGE, TRIGGERS, ASSET, ROOT };

static const struct net_route table[] = {
    {NET_METHOD_GET, "/", ROOT},
    {NET_METHOD_GET, "/v1/jobs", LIST},
    {NET_METHOD_POST, "/v1/jobs", CREATE},
    {NET_METHOD_POST, "/v1/jobs/batch", BATCH},
    {NET_METHOD_GET, "/v1/jobs/{id}", SHOW},
    {NET_METHOD_PATCH, "/v1/jobs/{id}", CHANGE},
    {NET_METHOD_GET, "/v1/{tenant}/jobs/{id}/triggers", TRIGGERS},
    {NET_METHOD_GET, "/assets/{path...}", ASSET},
};
static const struct net_routes routes = {table, sizeof table / sizeof table[0]};

static enum net_route_result find(enum net_method method, const char *path, struct net_match *match)
{
    struct str segments[NET_SEGMENTS_MAX];
    struct str rest = str_from(path + 1);
    size_t count = 0;
    bool done = false;

    while (str_split(&rest, '/', &done, &segments[count])) {
        count++;
    }
    return net_route_find(&routes, method, segments, count, match);
}

static void assert_finds(enum net_method method, const char *path, int id)
{
    struct net_match match;

    assert_int_equal(find(method, path, &match), NET_ROUTE_FOUND);
    assert_int_equal(match.route->id, id);
}

static void assert_finds_nothing(enum net_method method, const char *path)
{
    struct net_match match;

    assert_int_equal(find(method, path, &match), NET_ROUTE_NO_PATH);
}

static void the_table_is_well_formed(void **state)
{
    (void)state;
    assert_true(net_routes_valid(&routes));
}

static void malformed_patterns_are_noticed(void **state)
{
    static const char *const bad[] = {
        "v1", "/a{b}", "/{rest...}/x", "/{}", "/{a}/{b}/{c}/{d}/{e}", "/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct net_route one = {NET_METHOD_GET, bad[i], 0};

        assert_false(net_routes_valid(&(struct net_routes){&one, 1}));
    }
    assert_false(net_routes_valid(&(struct net_routes){&(struct net_route){NET_METHOD_OTHER, "/", 0}, 1}));
}

static void the_method_chooses_among_equal_paths(void **state)
{
    (void)state;
    assert_finds(NET_METHOD_GET, "/v1/jobs", LIST);
    assert_finds(NET_METHOD_POST, "/v1/jobs", CREATE);
    assert_finds(NET_METHOD_GET, "/", ROOT);
}

static void the_first_that_fits_wins(void **state)
{
    (void)state;
    assert_finds(NET_METHOD_POST, "/v1/jobs/batch", BATCH);
    assert_finds(NET_METHOD_GET, "/v1/jobs/batch", SHOW); /* a job of that name */
}

static void placeholders_take_whole_segments(void **state)
{
    struct net_match match;

    (void)state;
    assert_int_equal(find(NET_METHOD_GET, "/v1/acme/jobs/nightly/triggers", &match), NET_ROUTE_FOUND);
    assert_int_equal(match.route->id, TRIGGERS);
    assert_int_equal(match.param_count, 2);
    assert_true(str_is(match.params[0], "acme"));
    assert_true(str_is(match.params[1], "nightly"));
}

static void the_rest_takes_everything(void **state)
{
    struct net_match match;

    (void)state;
    assert_int_equal(find(NET_METHOD_GET, "/assets/js/app.js", &match), NET_ROUTE_FOUND);
    assert_int_equal(match.rest_from, 1);
    assert_finds(NET_METHOD_GET, "/assets/", ASSET);
    assert_finds_nothing(NET_METHOD_GET, "/assets");
}

static void near_misses_are_not_found(void **state)
{
    static const char *const paths[] = {"/v1",          "/v1/",     "/v1/jobs/", "/v1/jobs//",
                                        "/v1/jobs/a/b", "/V1/jobs", "/v2/jobs"};

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_finds_nothing(NET_METHOD_GET, paths[i]);
    }
}

static void head_is_get(void **state)
{
    (void)state;
    assert_finds(NET_METHOD_HEAD, "/v1/jobs", LIST);
    assert_finds_nothing(NET_METHOD_HEAD, "/v1/nothing");
}

static void another_method_yields_the_allowed_ones(void **state)
{
    struct net_match match;
    char text[NET_ALLOW_TEXT_MAX];

    (void)state;
    assert_int_equal(find(NET_METHOD_DELETE, "/v1/jobs/batch", &match), NET_ROUTE_NO_METHOD);
    assert_string_equal(net_allow_text(match.allowed, text), "GET, HEAD, POST, PATCH");
    assert_int_equal(find(NET_METHOD_OPTIONS, "/", &match), NET_ROUTE_NO_METHOD);
    assert_string_equal(net_allow_text(match.allowed, text), "GET, HEAD");
    assert_int_equal(find(NET_METHOD_OTHER, "/v1/jobs", &match), NET_ROUTE_NO_METHOD);
    assert_string_equal(net_allow_text(match.allowed, text), "GET, HEAD, POST");
    assert_string_equal(net_allow_text(UINT32_MAX, text), "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
}

static void methods_have_names(void **state)
{
    (void)state;
    for (int i = NET_METHOD_GET; i < NET_METHOD_OTHER; i++) {
        assert_int_equal(net_method_from(str_from(net_method_name((enum net_method)i))), i);
    }
    assert_int_equal(net_method_from(STR("get")), NET_METHOD_OTHER);
    assert_int_equal(net_method_from(STR("")), NET_METHOD_OTHER);
    assert_string_equal(net_method_name(NET_METHOD_OTHER), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_well_formed),
        cmocka_unit_test(malformed_patterns_are_noticed),
        cmocka_unit_test(the_method_chooses_among_equal_paths),
        cmocka_unit_test(the_first_that_fits_wins),
        cmocka_unit_test(placeholders_take_whole_segments),
        cmocka_unit_test(the_rest_takes_everything),
        cmocka_unit_test(near_misses_are_not_found),
        cmocka_unit_test(head_is_get),
        cmocka_unit_test(another_method_yields_the_allowed_ones),
        cmocka_unit_test(methods_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
