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

static void what_is_not_http_is_refused(void **state)
{
    static const char *const bad[] = {
        "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n",
        "GET\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost h\r\n\r\n",
        "GET /echo HTTP/1.1\r\n\r\n",
        "GET /echo HTTP/3.7\r\nHost: h\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /echo FTP/1.1\r\nHost: h\r\n\r\n",
        "\r\n\r\n\r\nHELO me\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5x\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: h\r\nX : y\r\n\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        SCOPE(buf_done) struct buf answer;
        int fd = client_open(&rig);

        buf_init(&answer, 10000);
        client_send(fd, bad[i]);
        (void)shutdown(fd, SHUT_WR);
        client_read_all(fd, &answer); /* 400, 505, or nothing at all: libmicrohttpd chooses */
        assert_false(str_starts_with(buf_str(&answer), STR("HTTP/1.1 2")));
        (void)close(fd);
    }
    assert_int_equal(rig_count(&rig.handled), 0);
}

static void ambiguous_framing_is_refused(void **state)
{
    (void)state;
    assert_refused("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400);
    assert_refused("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400);
    assert_refused("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501);
    assert_refused("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501);
    assert_refused("POST /echo HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", 400);
    assert_refused("GET /echo HTTP/1.1\r\n\r\n", 400);
    assert_refused("GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400);
    assert_refused("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400);
    assert_int_equal(rig_count(&rig.handled), 0);
}

static void bad_paths_are_refused_and_the_connection_stays(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_expect(fd, "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
    client_expect(fd, "GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
    client_expect(fd, "GET /a/../b HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
    client_expect(fd, "GET /?a=%f HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
    client_expect(fd, "GET http://h/echo HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
    client_expect(fd, "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
    client_expect(fd, "GET /%65cho HTTP/1.1\r\nHost: h\r\n\r\n", 200, "GET /echo ");
    (void)close(fd);
    assert_int_equal(rig_figures(&rig).requests_refused, 6);
}

static void refuse_in_json(void *context, struct net_request *request, int status, const char *detail)
{
    struct net_answer answer = {.status = status, .content_type = "application/problem+json"};

    (void)context;
    buf_init(&answer.body, 1000);
    buf_printf(&answer.body, "{\"status\":%d,\"detail\":\"%s\"}", status, detail);
    net_answer(request, &answer);
}

static void refusals_look_as_the_owner_wants(void **state)
{
    struct net_config config = rig_config();
    SCOPE(buf_done) struct buf request;
    int fd;

    (void)state;
    config.refuse = refuse_in_json;
    rig_restart(&rig, &config);
    fd = client_open(&rig);
    client_expect(fd, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n", 413,
                  "{\"status\":413,\"detail\":\"the body has 1001 bytes; at most 1000 are allowed\"}");
    (void)close(fd);
    fd = client_open(&rig);
    buf_init(&request, 10000);
    buf_append_text(&request, "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n");
    client_add_many(&request, "a", 1001);
    client_expect(fd, buf_text(&request), 413,
                  "{\"status\":413,\"detail\":\"the body has more than the 1000 bytes that are allowed\"}");
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_not_http_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(ambiguous_framing_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(bad_paths_are_refused_and_the_connection_stays, begin, end),
        cmocka_unit_test_setup_teardown(refusals_look_as_the_owner_wants, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
