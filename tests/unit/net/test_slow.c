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

static void start_impatient(void)
{
    struct net_config config = rig_config();

    config.first_request_ms = 200;
    config.idle_ms = 200;
    config.transfer_ms = 200;
    rig_restart(&rig, &config);
}

/* Sends the text again and again until the server has had enough. */
static void send_forever(int fd, const char *text)
{
    while (send(fd, text, strlen(text), MSG_NOSIGNAL) > 0) {
        (void)usleep(10000);
    }
}

static void who_says_nothing_is_cut_off(void **state)
{
    int fd;

    (void)state;
    start_impatient();
    fd = client_open(&rig);
    assert_true(client_is_closed(fd));
    (void)close(fd);
    fd = client_open(&rig);
    client_expect(fd, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, NULL);
    assert_true(client_is_closed(fd)); /* idle */
    (void)close(fd);
    assert_int_equal(rig_figures(&rig).timeouts, 0);
}

static void who_trickles_headers_is_cut_off(void **state)
{
    SCOPE(buf_done) struct buf answer;
    int fd;

    (void)state;
    start_impatient();
    fd = client_open(&rig);
    client_send(fd, "GET /echo HTTP/1.1\r\nHost: h\r\n");
    send_forever(fd, "X: y\r\n");
    buf_init(&answer, 1000);
    client_read_all(fd, &answer);
    assert_true(str_starts_with(buf_str(&answer), STR("HTTP/1.1 408")));
    (void)close(fd);
    assert_int_equal(rig_figures(&rig).timeouts, 1);
}

static void who_trickles_a_body_is_cut_off(void **state)
{
    SCOPE(buf_done) struct buf answer;
    int fd;

    (void)state;
    start_impatient();
    fd = client_open(&rig);
    client_send(fd, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
    send_forever(fd, "x");
    buf_init(&answer, 1000);
    client_read_all(fd, &answer);
    assert_true(str_starts_with(buf_str(&answer), STR("HTTP/1.1 408")));
    (void)close(fd);
    RIG_WAIT_FIGURE(&rig, bodies_bytes, 0);
    assert_int_equal(rig_count(&rig.handled), 0);
}

static void answer_hugely(void *context, struct net_request *request)
{
    struct net_answer answer = {.status = 200};

    (void)context;
    buf_init(&answer.body, 32UL * 1024 * 1024);
    client_add_many(&answer.body, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 512UL * 1024);
    net_answer(request, &answer);
}

static void who_does_not_read_is_cut_off(void **state)
{
    struct net_config config = rig_config();
    int fd;

    (void)state;
    config.handle = answer_hugely;
    config.done = NULL;
    config.transfer_ms = 200;
    config.transfer_bytes_per_s_min = 1UL << 30;
    rig_restart(&rig, &config);
    fd = client_open(&rig);
    client_send(fd, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
    RIG_WAIT_FIGURE(&rig, timeouts, 1);
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    (void)close(fd);
}

static void who_waits_for_an_answer_is_not_slow(void **state)
{
    int waiting;
    int other;

    (void)state;
    start_impatient();
    waiting = client_open(&rig);
    client_send(waiting, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    RIG_WAIT_FIGURE(&rig, requests_waiting, 1);
    for (int i = 0; i < 3; i++) { /* three others come, do nothing and are cut off meanwhile */
        other = client_open(&rig);
        assert_true(client_is_closed(other));
        (void)close(other);
    }
    rig_answer(rig_take_request(), 200, "still here");
    client_expect(waiting, "", 200, "still here");
    (void)close(waiting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_says_nothing_is_cut_off, begin, end),
        cmocka_unit_test_setup_teardown(who_trickles_headers_is_cut_off, begin, end),
        cmocka_unit_test_setup_teardown(who_trickles_a_body_is_cut_off, begin, end),
        cmocka_unit_test_setup_teardown(who_does_not_read_is_cut_off, begin, end),
        cmocka_unit_test_setup_teardown(who_waits_for_an_answer_is_not_slow, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
