#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "rig.h"

/* Longer than any test takes. */
#define LONG_MS 60000

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
    rig_stop(&rig, 0);
    return 0;
}

static void idle_connections_close(void **state)
{
    int fresh = client_open(&rig);
    int used = client_open(&rig);

    (void)state;
    client_expect(used, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    RIG_WAIT_FIGURE(&rig, connections_open, 2);
    rig_stop(&rig, LONG_MS);
    assert_int_equal(rig.left_over, 0);
    assert_true(client_is_closed(fresh));
    assert_true(client_is_closed(used));
    (void)close(fresh);
    (void)close(used);
}

static void *stop_slowly(void *nothing)
{
    rig_stop(&rig, LONG_MS);
    return nothing;
}

/* Many, so that some of them stand in the queue when the door closes. */
#define NEWCOMERS 100

static void who_came_in_before_the_door_closed_is_answered(void **state)
{
    struct net_config config = rig_config();
    int fds[NEWCOMERS];
    pthread_t thread;

    (void)state;
    config.fresh_ms = LONG_MS;
    rig_restart(&rig, &config);
    for (size_t i = 0; i < NEWCOMERS; i++) {
        fds[i] = client_open(&rig);
    }
    net_server_stop_accepting(rig.server);
    assert_int_equal(pthread_create(&thread, NULL, stop_slowly, NULL), 0);
    for (size_t i = 0; i < NEWCOMERS; i++) {
        client_expect(fds[i], "GET /later HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
        assert_true(client_is_closed(fds[i]));
        (void)close(fds[i]);
    }
    (void)pthread_join(thread, NULL);
    assert_int_equal(rig.left_over, 0);
}

static void who_is_sent_away_is_answered_first(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_expect(fd, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    net_server_send_away(rig.server);
    client_expect(fd, "GET /later HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    assert_true(client_is_closed(fd));
    (void)close(fd);
    fd = client_open(&rig);
    client_expect(fd, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    (void)close(fd);
}

static void a_request_that_is_given_back_is_handled_once_more(void **state)
{
    int fd = client_open(&rig);
    struct net_request *request;

    (void)state;
    client_send(fd, "POST /hold HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody");
    request = rig_take_request();
    assert_true(net_again(request));
    request = rig_take_request(); /* the shelf has it again */
    assert_true(str_is(net_request_body(request), "body"));
    assert_int_equal(rig_count(&rig.handled), 2);
    rig_answer(request, 200, "at last");
    client_expect(fd, "", 200, "at last");
    (void)close(fd);
    rig_wait(&rig.done, 1);
}

static void a_client_that_went_meanwhile_is_heard_of_by_who_handles_it_next(void **state)
{
    int fd = client_open(&rig);
    struct net_request *request;

    (void)state;
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    request = rig_take_request();
    (void)close(fd);
    rig_wait(&rig.gone, 1);
    assert_true(net_again(request));
    request = rig_take_request();
    rig_wait(&rig.gone, 2);
    rig_answer(request, 200, "for nobody");
    rig_wait(&rig.done, 1);
}

static void a_request_that_outlived_the_server_cannot_be_given_back(void **state)
{
    int fd = client_open(&rig);
    struct net_request *request;

    (void)state;
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    request = rig_take_request();
    rig_stop(&rig, 0);
    assert_false(net_again(request));
    rig_answer(request, 200, "too late");
    assert_int_equal(rig_count(&rig.done), 1);
    (void)close(fd);
}

static void nobody_is_let_in_any_more(void **state)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(net_server_port(rig.server))};
    int inside = client_open(&rig);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)state;
    client_expect(inside, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    net_server_stop_accepting(rig.server);
    net_server_stop_accepting(rig.server);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), -1);
    assert_int_equal(errno, ECONNREFUSED);
    client_expect(inside, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    (void)close(fd);
    (void)close(inside);
}

static void answers_within_the_grace_period_go_out(void **state)
{
    int fd = client_open(&rig);
    struct net_request *request;
    struct reply reply;
    pthread_t thread;

    (void)state;
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    request = rig_take_request();
    assert_int_equal(pthread_create(&thread, NULL, stop_slowly, NULL), 0);
    rig_answer(request, 200, "just in time");
    client_read(fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(buf_text(&reply.body), "just in time");
    reply_done(&reply);
    assert_true(client_is_closed(fd));
    (void)pthread_join(thread, NULL);
    assert_int_equal(rig.left_over, 0);
    assert_int_equal(rig_count(&rig.done), 1);
    (void)close(fd);
}

static void who_waits_too_long_is_told_503(void **state)
{
    struct net_request *requests[3];
    int fds[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        fds[i] = client_open(&rig);
        client_send(fds[i], "POST /hold?a=b HTTP/1.1\r\nHost: h\r\nX: y\r\nContent-Length: 4\r\n\r\nbody");
        requests[i] = rig_take_request();
    }
    RIG_WAIT_FIGURE(&rig, requests_waiting, 3);
    rig_stop(&rig, 0);
    assert_int_equal(rig.left_over, 3);
    for (int i = 0; i < 3; i++) {
        client_expect(fds[i], "", 503, "the server is stopping\n");
        assert_true(client_is_closed(fds[i]));
        (void)close(fds[i]);
    }
    /* The requests are still whole, and still to be answered. */
    for (size_t i = 0; i < 3; i++) {
        char text[NET_ADDRESS_TEXT_MAX];
        struct str value;

        assert_true(str_is(net_request_body(requests[i]), "body"));
        assert_int_equal(net_request_header(requests[i], STR("x"), &value), 1);
        assert_int_equal(net_request_param(requests[i], STR("a"), &value), 1);
        assert_true(str_starts_with(net_request_peer(requests[i], text), STR("127.0.0.1")));
        assert_int_equal(rig_count(&rig.done), i);
        rig_answer(requests[i], 200, "too late");
        assert_int_equal(rig_count(&rig.done), i + 1);
    }
}

static void an_orphan_may_be_answered_with_a_stream(void **state)
{
    struct net_answer answer = {.status = 200};
    struct net_request *request;
    int fd = client_open(&rig);

    (void)state;
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    request = rig_take_request();
    rig_stop(&rig, 0);
    assert_int_equal(rig.left_over, 1);
    assert_null(net_answer_stream(request, &answer, &rig.stream_config));
    assert_int_equal(rig_count(&rig.done), 1);
    (void)close(fd);
}

static void half_a_request_does_not_hold_up_the_stop(void **state)
{
    int head = client_open(&rig);
    int body = client_open(&rig);

    (void)state;
    client_send(head, "GET /echo HTTP/1.1\r\nHo");
    client_send(body, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
    RIG_WAIT_FIGURE(&rig, bodies_bytes, 3);
    rig_stop(&rig, 0);
    assert_int_equal(rig.left_over, 0);
    assert_true(client_is_closed(head));
    assert_true(client_is_closed(body));
    (void)close(head);
    (void)close(body);
}

static void streams_end_with_the_server(void **state)
{
    SCOPE(buf_done) struct buf seen;
    struct net_stream *stream;
    int fd = client_open(&rig);

    (void)state;
    buf_init(&seen, 10000);
    client_send(fd, "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    stream = rig_take_stream();
    client_read_until(fd, &seen, ": hello\n\n");
    rig_stop(&rig, LONG_MS);
    assert_int_equal(rig.left_over, 0);
    assert_int_equal(rig_count(&rig.ended), 1);
    assert_int_equal(rig.end, NET_STREAM_STOPPED);
    assert_int_equal(net_stream_push(stream, STR("more")), NET_PUSH_CLOSED);
    net_stream_close(stream);
    client_read_all(fd, &seen);
    assert_true(str_ends_with(buf_str(&seen), STR("\r\n0\r\n\r\n"))); /* a proper end */
    (void)close(fd);
}

static void *ask_until_the_end(void *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(uintptr_t)port)};

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (;;) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        char bytes[1000];

        if (connect(fd, (struct sockaddr *)&at, sizeof at) != 0) {
            (void)close(fd);
            return NULL;
        }
        do {
            client_send(fd, "GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
        } while (recv(fd, bytes, sizeof bytes, 0) > 0);
        (void)close(fd);
    }
}

static void a_stop_in_the_middle_of_everything_is_clean(void **state)
{
    for (int round = 0; round < 5; round++) {
        struct net_config config = rig_config();
        pthread_t threads[6];
        uint16_t port;

        (void)state;
        rig_stop(&rig, 0);
        rig_start(&rig, &config);
        port = net_server_port(rig.server);
        for (size_t i = 0; i < 6; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, ask_until_the_end, (void *)(uintptr_t)port), 0);
        }
        rig_wait(&rig.handled, 200);
        rig_stop(&rig, LONG_MS);
        for (size_t i = 0; i < 6; i++) {
            (void)pthread_join(threads[i], NULL);
        }
        assert_int_equal(rig.left_over, 0);
        assert_int_equal(rig_count(&rig.done), rig_count(&rig.handled));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(idle_connections_close, begin, end),
        cmocka_unit_test_setup_teardown(nobody_is_let_in_any_more, begin, end),
        cmocka_unit_test_setup_teardown(who_came_in_before_the_door_closed_is_answered, begin, end),
        cmocka_unit_test_setup_teardown(who_is_sent_away_is_answered_first, begin, end),
        cmocka_unit_test_setup_teardown(a_request_that_is_given_back_is_handled_once_more, begin, end),
        cmocka_unit_test_setup_teardown(a_client_that_went_meanwhile_is_heard_of_by_who_handles_it_next, begin, end),
        cmocka_unit_test_setup_teardown(a_request_that_outlived_the_server_cannot_be_given_back, begin, end),
        cmocka_unit_test_setup_teardown(answers_within_the_grace_period_go_out, begin, end),
        cmocka_unit_test_setup_teardown(who_waits_too_long_is_told_503, begin, end),
        cmocka_unit_test_setup_teardown(an_orphan_may_be_answered_with_a_stream, begin, end),
        cmocka_unit_test_setup_teardown(half_a_request_does_not_hold_up_the_stop, begin, end),
        cmocka_unit_test_setup_teardown(streams_end_with_the_server, begin, end),
        cmocka_unit_test_setup_teardown(a_stop_in_the_middle_of_everything_is_clean, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
