#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <netinet/in.h>
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

static void a_request_is_answered(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_expect(fd, "GET /echo?x=1 HTTP/1.1\r\nHost: h\r\n\r\n", 200, "GET /echo ");
    (void)close(fd);
}

static void the_body_comes_in_one_piece(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_send(fd, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n01234");
    client_expect(fd, "56789", 200, "POST /echo 0123456789");
    client_expect(fd,
                  "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: t\r\n\r\n",
                  200, "POST /echo abcdefg");
    (void)close(fd);
}

static void the_connection_stays_for_the_next_request(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    for (int i = 0; i < 100; i++) {
        client_expect(fd, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, "GET /echo ");
        client_expect(fd, "POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", 200, "POST /later hi");
    }
    assert_int_equal(rig_figures(&rig).connections_total, 1);
    assert_int_equal(rig_figures(&rig).requests_total, 200);
    assert_int_equal(rig_figures(&rig).bytes_in, 200);
    (void)close(fd);
    rig_wait(&rig.done, 200);
}

static void pipelined_requests_are_answered_in_their_order(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_send(fd, "GET /later HTTP/1.1\r\nHost: h\r\n\r\nGET /echo HTTP/1.1\r\nHost: h\r\n\r\n"
                    "POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nxGET /a HTTP/1.1\r\nHost: h\r\n\r\n");
    client_expect(fd, "", 200, "GET /later ");
    client_expect(fd, "", 200, "GET /echo ");
    client_expect(fd, "", 200, "POST /later x");
    client_expect(fd, "", 200, "GET /a ");
    (void)close(fd);
}

static void head_has_the_length_and_no_body(void **state)
{
    int fd = client_open(&rig);
    struct reply reply;

    (void)state;
    client_send(fd, "HEAD /echo HTTP/1.1\r\nHost: h\r\n\r\nGET /echo HTTP/1.1\r\nHost: h\r\n\r\n");
    client_read(fd, &reply); /* reads the head of the second answer as the body of the first */
    assert_non_null(strstr(buf_text(&reply.head), "Content-Length: 11\r\n"));
    assert_string_equal(buf_text(&reply.body), "HTTP/1.1 20");
    reply_done(&reply);
    (void)close(fd);
}

static void headers_of_answers_are_sent(void **state)
{
    int fd = client_open(&rig);
    struct reply reply;

    (void)state;
    client_send(fd, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n");
    client_read(fd, &reply);
    assert_non_null(strstr(buf_text(&reply.head), "\r\nContent-Type: text/plain\r\n"));
    assert_non_null(strstr(buf_text(&reply.head), "\r\nX-Echo: yes\r\n"));
    assert_non_null(strstr(buf_text(&reply.head), "\r\nDate: "));
    reply_done(&reply);
    (void)close(fd);
}

static void expect_100_continue_is_answered(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_expect(fd, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n", 100, "");
    client_expect(fd, "hi", 200, "POST /echo hi");
    (void)close(fd);
}

static void a_late_answer_comes_from_another_thread(void **state)
{
    int fd = client_open(&rig);
    struct net_request *request;

    (void)state;
    client_send(fd, "GET /hold?a=1&b=%C3%A4&a=2 HTTP/1.1\r\nHost: h\r\nX-Name:  value \r\nx-name: second\r\n\r\n");
    request = rig_take_request();
    RIG_WAIT_FIGURE(&rig, requests_waiting, 1);
    {
        char text[NET_ADDRESS_TEXT_MAX];
        struct str value = STR("untouched");

        assert_int_equal(net_request_method(request), NET_METHOD_GET);
        assert_int_equal(net_request_param(request, STR("a"), &value), 2);
        assert_true(str_is(value, "1"));
        assert_int_equal(net_request_param(request, STR("b"), &value), 1);
        assert_true(str_is(value, "\xc3\xa4"));
        assert_int_equal(net_request_param(request, STR("c"), &value), 0);
        assert_true(str_is(value, "\xc3\xa4"));
        assert_int_equal(net_request_header(request, STR("X-NAME"), &value), 2);
        assert_true(str_is(value, "value"));
        assert_true(str_starts_with(net_request_peer(request, text), STR("127.0.0.1:")));
        assert_int_equal(net_request_peer_bytes(request).len, 4);
        assert_non_null(arena_strdup(net_request_arena(request), "mine"));
    }
    rig_answer(request, 202, "at last");
    client_expect(fd, "", 202, "at last");
    RIG_WAIT_FIGURE(&rig, requests_waiting, 0);
    assert_int_equal(rig_count(&rig.gone), 0);
    (void)close(fd);
}

static void early_checks_spare_the_body(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    /* The body is never sent: the answer comes all the same, and the connection closes. */
    client_expect(fd, "POST /echo HTTP/1.1\r\nHost: h\r\nAuthorization: no\r\nContent-Length: 500\r\n\r\n", 401,
                  "who are you\n");
    assert_true(client_is_closed(fd));
    (void)close(fd);
    assert_int_equal(rig_count(&rig.handled), 0);
    assert_int_equal(rig_count(&rig.done), 0);
}

static void early_checks_without_a_body_keep_the_connection(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_expect(fd, "GET /echo HTTP/1.1\r\nHost: h\r\nAuthorization: no\r\n\r\n", 401, NULL);
    client_expect(fd, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, "GET /echo ");
    (void)close(fd);
}

static void http_1_0_closes(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_expect(fd, "GET /later HTTP/1.0\r\n\r\n", 200, "GET /later ");
    assert_true(client_is_closed(fd));
    (void)close(fd);
}

static void answer_badly(void *context, struct net_request *request)
{
    struct net_answer answer = {.status = 200, .header_count = 1};

    (void)context;
    if (str_is(net_request_path(request), "/header")) {
        answer.headers[0] = (struct net_header){"Location", "/a\r\nSet-Cookie: x"};
        buf_init(&answer.body, 100);
        buf_append_text(&answer.body, "secret");
    } else {
        answer.header_count = 0;
        buf_init(&answer.body, 5);
        buf_append_text(&answer.body, "too long");
    }
    net_answer(request, &answer);
}

static void answers_that_cannot_be_sent_become_500(void **state)
{
    struct net_config config = rig_config();
    int fd;

    (void)state;
    rig_stop(&rig, 0);
    config.handle = answer_badly;
    config.gone = NULL;
    config.done = NULL;
    rig_start(&rig, &config);
    fd = client_open(&rig);
    client_expect(fd, "GET /header HTTP/1.1\r\nHost: h\r\n\r\n", 500, "");
    client_expect(fd, "GET /body HTTP/1.1\r\nHost: h\r\n\r\n", 500, "");
    (void)close(fd);
}

static void static_answer(void *context, struct net_request *request)
{
    struct net_answer answer = {.status = 200, .content_type = "text/html"};

    (void)context;
    net_answer_static(request, &answer, STR("<p>hello"));
}

static void static_bodies_are_sent_as_they_are(void **state)
{
    struct net_config config = rig_config();
    int fd;

    (void)state;
    rig_stop(&rig, 0);
    config.handle = static_answer;
    config.done = NULL;
    rig_start(&rig, &config);
    fd = client_open(&rig);
    client_expect(fd, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 200, "<p>hello");
    client_expect(fd, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 200, "<p>hello");
    assert_int_equal(rig_figures(&rig).bytes_out, 16);
    (void)close(fd);
}

static void ipv6_works(void **state)
{
    struct net_config config = rig_config();
    struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    char text[NET_ADDRESS_TEXT_MAX];
    struct net_request *request;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)state;
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0) {
        (void)close(fd);
        skip(); /* a machine without IPv6 */
    }
    (void)close(fd);
    rig_stop(&rig, 0);
    config.address = "::";
    rig_start(&rig, &config);
    fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    at.sin6_port = htons(net_server_port(rig.server));
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    request = rig_take_request();
    assert_true(str_starts_with(net_request_peer(request, text), STR("[::1]:")));
    rig_answer(request, 200, "");
    client_expect(fd, "", 200, "");
    (void)close(fd);
    fd = client_open(&rig); /* and IPv4 on the same port */
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    request = rig_take_request();
    assert_true(str_starts_with(net_request_peer(request, text), STR("127.0.0.1:")));
    rig_answer(request, 200, "");
    client_expect(fd, "", 200, "");
    (void)close(fd);
}

static void an_address_in_use_is_an_error(void **state)
{
    struct net_config config = rig_config();
    struct net_server *server = NULL;
    struct error error;

    (void)state;
    config.port = net_server_port(rig.server);
    assert_int_equal(net_server_start(&config, &server, &error), ERR_IO);
    assert_non_null(strstr(error.text, "cannot listen at 127.0.0.1"));
    config.address = "localhost";
    assert_int_equal(net_server_start(&config, &server, &error), ERR_INVALID);
    config.address = "127.0.0.1";
    config.threads = 0;
    assert_int_equal(net_server_start(&config, &server, &error), ERR_INVALID);
    assert_null(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_request_is_answered, begin, end),
        cmocka_unit_test_setup_teardown(the_body_comes_in_one_piece, begin, end),
        cmocka_unit_test_setup_teardown(the_connection_stays_for_the_next_request, begin, end),
        cmocka_unit_test_setup_teardown(pipelined_requests_are_answered_in_their_order, begin, end),
        cmocka_unit_test_setup_teardown(head_has_the_length_and_no_body, begin, end),
        cmocka_unit_test_setup_teardown(headers_of_answers_are_sent, begin, end),
        cmocka_unit_test_setup_teardown(expect_100_continue_is_answered, begin, end),
        cmocka_unit_test_setup_teardown(a_late_answer_comes_from_another_thread, begin, end),
        cmocka_unit_test_setup_teardown(early_checks_spare_the_body, begin, end),
        cmocka_unit_test_setup_teardown(early_checks_without_a_body_keep_the_connection, begin, end),
        cmocka_unit_test_setup_teardown(http_1_0_closes, begin, end),
        cmocka_unit_test_setup_teardown(answers_that_cannot_be_sent_become_500, begin, end),
        cmocka_unit_test_setup_teardown(static_bodies_are_sent_as_they_are, begin, end),
        cmocka_unit_test_setup_teardown(ipv6_works, begin, end),
        cmocka_unit_test_setup_teardown(an_address_in_use_is_an_error, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
