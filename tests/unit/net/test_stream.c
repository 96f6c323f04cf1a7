#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
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

static int open_stream(struct net_stream **ret_stream)
{
    int fd = client_open(&rig);

    client_send(fd, "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    *ret_stream = rig_take_stream();
    return fd;
}

static void what_is_pushed_arrives(void **state)
{
    SCOPE(buf_done) struct buf seen;
    struct net_stream *stream;
    int fd = open_stream(&stream);

    (void)state;
    buf_init(&seen, 10000);
    client_read_until(fd, &seen, ": hello\n\n");
    assert_non_null(strstr(buf_text(&seen), "Content-Type: text/event-stream\r\n"));
    assert_int_equal(net_stream_push(stream, STR("data: 1\n\n")), NET_PUSH_TAKEN);
    client_read_until(fd, &seen, "data: 1\n\n");
    assert_int_equal(net_stream_push(stream, STR("data: 2\n\n")), NET_PUSH_TAKEN);
    assert_int_equal(net_stream_push(stream, STR("data: 3\n\n")), NET_PUSH_TAKEN);
    client_read_until(fd, &seen, "data: 3\n\n");
    RIG_WAIT_FIGURE(&rig, streams_open, 1);
    net_stream_close(stream);
    client_read_until(fd, &seen, "\r\n0\r\n\r\n");
    RIG_WAIT_FIGURE(&rig, streams_open, 0);
    assert_int_equal(rig_count(&rig.ended), 0); /* we closed it ourselves */
    rig_wait(&rig.done, 1);
    client_expect(fd, "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", 200, "GET /echo ");
    (void)close(fd);
}

static void a_stream_for_http_1_0_ends_with_the_connection(void **state)
{
    SCOPE(buf_done) struct buf seen;
    struct net_stream *stream;
    int fd = client_open(&rig);

    (void)state;
    client_send(fd, "GET /stream HTTP/1.0\r\n\r\n");
    stream = rig_take_stream();
    assert_int_equal(net_stream_push(stream, STR("last")), NET_PUSH_TAKEN);
    net_stream_close(stream);
    buf_init(&seen, 10000);
    client_read_all(fd, &seen);
    assert_true(str_ends_with(buf_str(&seen), STR("\r\n\r\n: hello\n\nlast")));
    (void)close(fd);
}

static void a_reader_that_goes_is_noticed(void **state)
{
    struct net_stream *stream;
    int fd = open_stream(&stream);

    (void)state;
    (void)close(fd);
    rig_wait(&rig.ended, 1);
    assert_int_equal(rig.end, NET_STREAM_GONE);
    assert_int_equal(net_stream_push(stream, STR("x")), NET_PUSH_CLOSED);
    net_stream_close(stream);
    rig_wait(&rig.done, 1);
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    assert_int_equal(rig_count(&rig.gone), 0); /* gone() is for those who wait for an answer */
}

static void a_slow_reader_is_cut_off(void **state)
{
    static char block[4096];
    struct net_stream *stream;
    int fd = open_stream(&stream);
    enum net_push result = NET_PUSH_TAKEN;

    (void)state;
    memset(block, 'x', sizeof block);
    /* It reads nothing: the sockets fill up, then the buffer. */
    for (int i = 0; i < 1000000 && result == NET_PUSH_TAKEN; i++) {
        result = net_stream_push(stream, str_from_bytes(block, sizeof block));
        assert_true(net_stream_waiting(stream) <= rig.stream_config.buffer_bytes_max);
    }
    assert_int_equal(result, NET_PUSH_CLOSED);
    rig_wait(&rig.ended, 1);
    assert_int_equal(rig.end, NET_STREAM_OVERFLOWED);
    assert_int_equal(rig_figures(&rig).streams_overflowed, 1);
    net_stream_close(stream);
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    (void)close(fd);
}

static void a_patient_owner_is_told_that_the_buffer_is_full(void **state)
{
    static char block[4096];
    SCOPE(buf_done) struct buf seen;
    struct net_stream *stream;
    uint64_t sent = strlen(": hello\n\n");
    int fd;

    (void)state;
    rig.stream_config.closes_when_full = false;
    fd = open_stream(&stream);
    memset(block, 'x', sizeof block);
    for (int full = 0, i = 0; full < 1000 && i < 1000000; i++) {
        enum net_push result = net_stream_push(stream, str_from_bytes(block, sizeof block));

        assert_int_not_equal(result, NET_PUSH_CLOSED);
        sent += result == NET_PUSH_TAKEN ? sizeof block : 0;
        full += result == NET_PUSH_FULL;
    }
    buf_init(&seen, 64UL * 1024 * 1024);
    while (net_stream_waiting(stream) > 0) {
        char bytes[65536];

        assert_true(recv(fd, bytes, sizeof bytes, 0) > 0);
    }
    assert_int_equal(net_stream_push(stream, STR("gap")), NET_PUSH_TAKEN);
    net_stream_close(stream);
    client_read_until(fd, &seen, "gap");
    client_read_until(fd, &seen, "\r\n0\r\n\r\n");
    (void)close(fd);
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    assert_int_equal(rig_figures(&rig).bytes_out, sent + strlen("gap"));
    assert_int_equal(rig_figures(&rig).streams_overflowed, 0);
}

static void a_head_request_has_no_stream(void **state)
{
    int fd = client_open(&rig);
    struct reply reply;

    (void)state;
    client_send(fd, "HEAD /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    client_read(fd, &reply);
    assert_int_equal(reply.status, 200);
    reply_done(&reply);
    (void)close(fd);
    rig_wait(&rig.done, 1);
}

static void streams_have_a_maximum(void **state)
{
    struct net_config config = rig_config();
    struct net_stream *stream;
    int first;
    int second;

    (void)state;
    rig_stop(&rig, 0);
    config.streams_max = 1;
    rig_start(&rig, &config);
    first = open_stream(&stream);
    second = client_open(&rig);
    client_expect(second, "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n", 503, NULL);
    net_stream_close(stream);
    RIG_WAIT_FIGURE(&rig, streams_open, 0);
    client_send(second, "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    net_stream_close(rig_take_stream());
    (void)close(first);
    (void)close(second);
}

/* One thread pushes, another reads a while and goes. */
static void *read_and_go(void *nothing)
{
    for (int i = 0; i < 30; i++) {
        int fd = client_open(&rig);
        char bytes[1000];

        client_send(fd, "GET /stream HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        for (int n = 0; n <= i % 5; n++) {
            (void)!recv(fd, bytes, sizeof bytes, 0);
        }
        (void)close(fd);
    }
    return nothing;
}

static void *push_and_close(void *nothing)
{
    for (int i = 0; i < 30; i++) {
        struct net_stream *stream = rig_take_stream();

        for (int n = 0; n < 1000000 && net_stream_push(stream, STR("data: tick\n\n")) == NET_PUSH_TAKEN; n++) {
            if (n % 100 == 99 && i % 3 == 0) {
                break;
            }
        }
        net_stream_close(stream);
    }
    return nothing;
}

static void pushes_and_goodbyes_may_cross(void **state)
{
    pthread_t threads[8];

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, i % 2 == 0 ? read_and_go : push_and_close, NULL), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    RIG_WAIT_FIGURE(&rig, streams_open, 0);
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    rig_wait(&rig.done, 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_pushed_arrives, begin, end),
        cmocka_unit_test_setup_teardown(a_stream_for_http_1_0_ends_with_the_connection, begin, end),
        cmocka_unit_test_setup_teardown(a_reader_that_goes_is_noticed, begin, end),
        cmocka_unit_test_setup_teardown(a_slow_reader_is_cut_off, begin, end),
        cmocka_unit_test_setup_teardown(a_patient_owner_is_told_that_the_buffer_is_full, begin, end),
        cmocka_unit_test_setup_teardown(a_head_request_has_no_stream, begin, end),
        cmocka_unit_test_setup_teardown(streams_have_a_maximum, begin, end),
        cmocka_unit_test_setup_teardown(pushes_and_goodbyes_may_cross, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
