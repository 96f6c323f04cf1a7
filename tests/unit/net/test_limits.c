#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "rig.h"

static struct rig rig;

static int begin(void **state)
{
    struct net_config config = rig_config();

    (void)state;
    rig_start(&rig, &config);
    return 0;
}

static int end(void **state)
{
    (void)state;
    rig_stop(&rig, 10000);
    assert_int_equal(rig.left_over, 0);
    return 0;
}

/* One request on a connection of its own, which closes behind the answer. */
static void assert_refused(const char *request, int status)
{
    int fd = client_open(&rig);

    client_expect(fd, request, status, NULL);
    assert_true(client_is_closed(fd));
    (void)close(fd);
}

/* ---- bodies ---- */

static void a_body_of_the_maximum_is_taken(void **state)
{
    SCOPE(buf_done) struct buf request;
    int fd = client_open(&rig);

    (void)state;
    buf_init(&request, 10000);
    buf_printf(&request, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", RIG_BODY_BYTES_MAX);
    client_add_many(&request, "a", RIG_BODY_BYTES_MAX);
    client_expect(fd, buf_text(&request), 200, NULL);
    (void)close(fd);
}

static void a_larger_body_is_refused_before_it_is_sent(void **state)
{
    (void)state;
    assert_refused("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n", 413);
    assert_refused("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9223372036854775807\r\n\r\n", 413);
    assert_refused("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n", 413);
    assert_int_equal(rig_count(&rig.handled), 0);
}

static void a_chunked_body_is_refused_in_the_middle(void **state)
{
    SCOPE(buf_done) struct buf request;

    (void)state;
    buf_init(&request, 10000);
    buf_append_text(&request, "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    client_add_many(&request, "64\r\n", 1);
    client_add_many(&request, "a", 100);
    client_add_many(&request, "\r\nfff\r\n", 1);
    client_add_many(&request, "a", 1000); /* and no end in sight */
    assert_refused(buf_text(&request), 413);
    assert_int_equal(rig_count(&rig.handled), 0);
    RIG_WAIT_FIGURE(&rig, bodies_bytes, 0);
}

/* Who sends it all before reading must find the answer and not a reset. */
static void a_client_that_sends_on_still_reads_the_refusal(void **state)
{
    static const char *const heads[] = {
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4194304\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n400000\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nAuthorization: no\r\nContent-Length: 4194304\r\n\r\n",
    };
    static const int statuses[] = {413, 413, 401};
    SCOPE(buf_done) struct buf body;

    (void)state;
    buf_init(&body, 4UL * 1024 * 1024);
    client_add_many(&body, "0123456789abcdef", 256UL * 1024);
    for (size_t i = 0; i < 3; i++) {
        int fd = client_open(&rig);
        struct reply reply;

        client_send(fd, heads[i]);
        for (size_t at = 0; at < body.len;) {
            ssize_t sent = send(fd, body.data + at, body.len - at, MSG_NOSIGNAL);

            assert_true(sent > 0);
            at += (size_t)sent;
        }
        client_read(fd, &reply);
        assert_int_equal(reply.status, statuses[i]);
        reply_done(&reply);
        assert_true(client_is_closed(fd));
        (void)close(fd);
    }
}

static void a_route_may_allow_more(void **state)
{
    SCOPE(buf_done) struct buf request;
    int fd = client_open(&rig);
    struct reply reply;

    (void)state;
    buf_init(&request, 2UL * 1024 * 1024);
    buf_printf(&request, "POST /large HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", RIG_LARGE_BYTES_MAX);
    client_add_many(&request, "0123456789abcdef", RIG_LARGE_BYTES_MAX / 16);
    client_send_bytes(fd, request.data, request.len);
    client_read(fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.body.len, RIG_LARGE_BYTES_MAX + strlen("POST /large "));
    assert_true(str_ends_with(buf_str(&reply.body), STR("0123456789abcdef")));
    reply_done(&reply);
    /* And the next one has the usual maximum. */
    client_expect(fd, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n", 413, NULL);
    (void)close(fd);
    RIG_WAIT_FIGURE(&rig, bodies_bytes, 0);
}

static void all_bodies_together_have_a_maximum(void **state)
{
    struct net_config config = rig_config();
    int first;
    int second;

    (void)state;
    config.bodies_bytes_max = 1500;
    rig_restart(&rig, &config);
    first = client_open(&rig);
    client_send(first, "POST /hold HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
    for (int i = 0; i < 100; i++) {
        client_send(first, "0123456789");
    }
    RIG_WAIT_FIGURE(&rig, bodies_bytes, 1000);
    second = client_open(&rig);
    client_expect(second, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 501\r\n\r\n", 503, NULL);
    (void)close(second);
    rig_answer(rig_take_request(), 200, "");
    client_expect(first, "", 200, NULL);
    RIG_WAIT_FIGURE(&rig, bodies_bytes, 0);
    client_expect(first, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok", 200, NULL);
    (void)close(first);
}

/* ---- headers ---- */

static void long_headers_are_refused(void **state)
{
    SCOPE(buf_done) struct buf request;

    (void)state;
    buf_init(&request, 100000);
    buf_append_text(&request, "GET /echo HTTP/1.1\r\nHost: h\r\nX: ");
    client_add_many(&request, "a", 8192);
    buf_append_text(&request, "\r\n\r\n");
    assert_refused(buf_text(&request), 431);
    buf_reset(&request);
    buf_append_text(&request, "GET /echo HTTP/1.1\r\nHost: h\r\nX: "); /* never ends */
    client_add_many(&request, "a", 50000);
    assert_refused(buf_text(&request), 431);
    assert_int_equal(rig_count(&rig.handled), 0);
}

static void many_headers_are_refused(void **state)
{
    SCOPE(buf_done) struct buf request;

    (void)state;
    buf_init(&request, 100000);
    buf_append_text(&request, "GET /echo HTTP/1.1\r\nHost: h\r\n");
    client_add_many(&request, "a:b\r\n", NET_HEADERS_MAX);
    buf_append_text(&request, "\r\n");
    assert_refused(buf_text(&request), 431);
}

static void long_paths_are_refused(void **state)
{
    SCOPE(buf_done) struct buf request;
    int fd = client_open(&rig);
    struct reply reply;

    (void)state;
    buf_init(&request, 100000);
    buf_append_text(&request, "GET /echo?");
    client_add_many(&request, "a", 50000);
    client_send(fd, buf_text(&request));
    client_read(fd, &reply);
    assert_true(reply.status == 414 || reply.status == 431);
    reply_done(&reply);
    (void)close(fd);
}

/* ---- connections ---- */

static void too_many_connections_are_told_so(void **state)
{
    struct net_config config = rig_config();
    int fds[3];

    (void)state;
    config.connections_max = 2;
    rig_restart(&rig, &config);
    fds[0] = client_open(&rig);
    fds[1] = client_open(&rig);
    RIG_WAIT_FIGURE(&rig, connections_open, 2);
    fds[2] = client_open(&rig);
    client_expect(fds[2], "", 503, "too many connections\n");
    (void)close(fds[2]);
    (void)close(fds[1]);
    RIG_WAIT_FIGURE(&rig, connections_open, 1);
    fds[1] = client_open(&rig);
    client_expect(fds[1], "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    assert_int_equal(rig_figures(&rig).connections_refused, 1);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

static void one_address_has_a_maximum_of_its_own(void **state)
{
    struct net_config config = rig_config();
    int fds[4];

    (void)state;
    config.connections_per_address_max = 3;
    rig_restart(&rig, &config);
    for (int i = 0; i < 3; i++) {
        fds[i] = client_open(&rig);
        client_expect(fds[i], "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    }
    fds[3] = client_open(&rig);
    client_expect(fds[3], "", 503, NULL);
    for (int i = 0; i < 4; i++) {
        (void)close(fds[i]);
    }
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    fds[0] = client_open(&rig);
    client_expect(fds[0], "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    (void)close(fds[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_body_of_the_maximum_is_taken, begin, end),
        cmocka_unit_test_setup_teardown(a_larger_body_is_refused_before_it_is_sent, begin, end),
        cmocka_unit_test_setup_teardown(a_chunked_body_is_refused_in_the_middle, begin, end),
        cmocka_unit_test_setup_teardown(a_client_that_sends_on_still_reads_the_refusal, begin, end),
        cmocka_unit_test_setup_teardown(a_route_may_allow_more, begin, end),
        cmocka_unit_test_setup_teardown(all_bodies_together_have_a_maximum, begin, end),
        cmocka_unit_test_setup_teardown(long_headers_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(many_headers_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(long_paths_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(too_many_connections_are_told_so, begin, end),
        cmocka_unit_test_setup_teardown(one_address_has_a_maximum_of_its_own, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
