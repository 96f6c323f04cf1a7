#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "client/carrier.h"

#define CONNECTIONS_MAX 64
#define REQUEST_BYTES 4096
#define MANY 40

/* ---- a server that does what the path says ---- */

/* /ok answers with the request's head; /cut ends the connection; /silent says nothing until the client goes; /stream
 * says "one" and then nothing. Connections are kept. */
struct rig {
    int listener;
    uint16_t port;
    pthread_t thread, connections[CONNECTIONS_MAX];
    int sockets[CONNECTIONS_MAX];
    size_t connection_count;
    atomic_int cuts; /* requests for /cut */
    struct carrier *carrier;
};

struct connection {
    struct rig *rig;
    int socket;
};

static void say(int sock, const char *text)
{
    (void)send(sock, text, strlen(text), MSG_NOSIGNAL);
}

static bool read_request(int sock, char request[REQUEST_BYTES])
{
    size_t len = 0;

    for (;;) {
        ssize_t got = recv(sock, request + len, REQUEST_BYTES - 1 - len, 0);

        if (got <= 0) {
            return false;
        }
        len += (size_t)got;
        request[len] = '\0';
        const char *end = strstr(request, "\r\n\r\n");
        const char *body = strstr(request, "Content-Length: ");
        unsigned long body_len = body != NULL ? strtoul(body + strlen("Content-Length: "), NULL, 10) : 0;

        if (end != NULL && len >= (size_t)(end + 4 - request) + body_len) {
            return true;
        }
    }
}

/* Until the client has gone. */
static void wait_for_end(int sock)
{
    char byte;

    while (recv(sock, &byte, 1, 0) > 0) {
    }
}

static bool answer(struct connection *connection, const char *request)
{
    int sock = connection->socket;
    char head[256];

    if (strstr(request, " /cut ") != NULL) {
        atomic_fetch_add(&connection->rig->cuts, 1);
        return false;
    }
    if (strstr(request, " /silent ") != NULL) {
        wait_for_end(sock);
        return false;
    }
    if (strstr(request, " /stream ") != NULL) {
        say(sock,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
        wait_for_end(sock);
        return false;
    }
    (void)snprintf(head, sizeof head, "HTTP/1.1 202 Accepted\r\nETag: \"7\"\r\nContent-Length: %zu\r\n\r\n",
                   strlen(request));
    say(sock, head);
    say(sock, request);
    return true;
}

static void *serve(void *context)
{
    struct connection *connection = context;
    char request[REQUEST_BYTES];

    while (read_request(connection->socket, request) && answer(connection, request)) {
    }
    (void)shutdown(connection->socket, SHUT_RDWR);
    mem_free(connection);
    return NULL;
}

static void *accept_all(void *context)
{
    struct rig *rig = context;
    int sock;

    while (rig->connection_count < CONNECTIONS_MAX && (sock = accept(rig->listener, NULL, NULL)) >= 0) {
        struct connection *connection = mem_alloc(sizeof *connection);

        *connection = (struct connection){rig, sock};
        rig->sockets[rig->connection_count] = sock;
        assert_int_equal(pthread_create(&rig->connections[rig->connection_count], NULL, serve, connection), 0);
        rig->connection_count++;
    }
    return NULL;
}

static int set_up(void **state)
{
    struct rig *rig = mem_zalloc(sizeof *rig);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof place;

    rig->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(rig->listener, (struct sockaddr *)&place, size), 0);
    assert_int_equal(listen(rig->listener, CONNECTIONS_MAX), 0);
    assert_int_equal(getsockname(rig->listener, (struct sockaddr *)&place, &size), 0);
    rig->port = ntohs(place.sin_port);
    assert_int_equal(pthread_create(&rig->thread, NULL, accept_all, rig), 0);
    rig->carrier = carrier_new();
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;

    carrier_free(rig->carrier);
    (void)shutdown(rig->listener, SHUT_RDWR);
    (void)pthread_join(rig->thread, NULL);
    for (size_t i = 0; i < rig->connection_count; i++) {
        (void)shutdown(rig->sockets[i], SHUT_RDWR);
        (void)pthread_join(rig->connections[i], NULL);
        (void)close(rig->sockets[i]);
    }
    (void)close(rig->listener);
    mem_free(rig);
    return 0;
}

/* ---- a call, and who waits for it ---- */

static const char *const wanted[] = {"ETag", "Location"};

struct waiter {
    struct carrier_call call;
    char url[128];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct buf body;
    int done; /* times */
    enum err err;
    bool refuses;          /* what it is told */
    struct carrier *again; /* send it once more from done() */
};

static bool took(struct carrier_call *call, struct str bytes)
{
    struct waiter *waiter = CONTAINER_OF(call, struct waiter, call);

    (void)pthread_mutex_lock(&waiter->lock);
    buf_append_str(&waiter->body, bytes);
    (void)pthread_cond_broadcast(&waiter->changed);
    (void)pthread_mutex_unlock(&waiter->lock);
    return !waiter->refuses;
}

static void done(struct carrier_call *call, enum err err, const struct error *error)
{
    struct waiter *waiter = CONTAINER_OF(call, struct waiter, call);
    struct carrier *again = waiter->again;

    assert_true(err == ERR_OK || error->text[0] != '\0');
    if (again != NULL) {
        waiter->again = NULL;
        carrier_send(again, call);
        return;
    }
    (void)pthread_mutex_lock(&waiter->lock);
    waiter->done++;
    waiter->err = err;
    (void)pthread_cond_broadcast(&waiter->changed);
    (void)pthread_mutex_unlock(&waiter->lock);
}

static void waiter_init(struct waiter *waiter, const struct rig *rig, const char *method, const char *path)
{
    *waiter = (struct waiter){.call = {.method = method, .timeout_ms = 60000, .took = took, .done = done}};
    (void)snprintf(waiter->url, sizeof waiter->url, "http://127.0.0.1:%u%s", rig->port, path);
    waiter->call.url = waiter->url;
    waiter->call.wanted = wanted;
    waiter->call.wanted_count = 2;
    (void)pthread_mutex_init(&waiter->lock, NULL);
    (void)pthread_cond_init(&waiter->changed, NULL);
    buf_init(&waiter->body, 65536);
}

static void waiter_done(struct waiter *waiter)
{
    buf_done(&waiter->body);
    (void)pthread_cond_destroy(&waiter->changed);
    (void)pthread_mutex_destroy(&waiter->lock);
}

/* Until it is done, or so many bytes have come. */
static void wait_for(struct waiter *waiter, size_t len)
{
    (void)pthread_mutex_lock(&waiter->lock);
    while (waiter->done == 0 && waiter->body.len < len) {
        (void)pthread_cond_wait(&waiter->changed, &waiter->lock);
    }
    (void)pthread_mutex_unlock(&waiter->lock);
}

static void run(struct rig *rig, struct waiter *waiter)
{
    carrier_send(rig->carrier, &waiter->call);
    wait_for(waiter, SIZE_MAX);
}

/* ---- tests ---- */

static void an_answer_comes_with_its_status_the_wanted_headers_and_the_body(void **state)
{
    struct waiter waiter;

    waiter_init(&waiter, *state, "PATCH", "/ok");
    waiter.call.body = STR("{\"a\":1}");
    waiter.call.headers[0] = (struct carrier_header){"Idempotency-Key", STR("k 1")};
    waiter.call.header_count = 1;
    run(*state, &waiter);
    assert_int_equal(waiter.err, ERR_OK);
    assert_int_equal(waiter.call.status, 202);
    assert_string_equal(waiter.call.values[0], "\"7\"");
    assert_string_equal(waiter.call.values[1], "");
    assert_non_null(strstr(buf_text(&waiter.body), "PATCH /ok HTTP/1.1\r\n"));
    assert_non_null(strstr(buf_text(&waiter.body), "Idempotency-Key: k 1\r\n"));
    assert_non_null(strstr(buf_text(&waiter.body), "\r\n\r\n{\"a\":1}"));
    waiter_done(&waiter);
}

static void where_nobody_listens_nothing_was_sent(void **state)
{
    struct rig *rig = *state;
    struct waiter waiter;

    (void)shutdown(rig->listener, SHUT_RDWR);
    waiter_init(&waiter, rig, "POST", "/ok");
    run(rig, &waiter);
    assert_int_equal(waiter.err, ERR_IO);
    assert_int_equal(waiter.call.status, 0);
    assert_false(waiter.call.was_sent);
    waiter_done(&waiter);
}

static void what_is_cut_off_without_an_answer_may_have_arrived(void **state)
{
    struct waiter waiter;

    waiter_init(&waiter, *state, "POST", "/cut");
    waiter.call.body = STR("{}");
    run(*state, &waiter);
    assert_int_equal(waiter.err, ERR_IO);
    assert_true(waiter.call.was_sent);
    waiter_done(&waiter);
}

static void what_is_lost_on_a_connection_that_was_kept_is_not_sent_again(void **state)
{
    struct rig *rig = *state;
    struct waiter first, second;

    waiter_init(&first, rig, "POST", "/ok");
    first.call.body = STR("{}");
    run(rig, &first);
    assert_int_equal(first.err, ERR_OK);
    waiter_init(&second, rig, "POST", "/cut");
    second.call.body = STR("{}");
    run(rig, &second);
    assert_int_equal(second.err, ERR_IO);
    assert_true(second.call.was_sent);
    assert_int_equal(atomic_load(&rig->cuts), 1);
    waiter_done(&first);
    waiter_done(&second);
}

static void a_call_that_nobody_wants_any_more_ends_at_once(void **state)
{
    struct rig *rig = *state;
    struct waiter waiter;

    waiter_init(&waiter, rig, "GET", "/stream");
    carrier_send(rig->carrier, &waiter.call);
    wait_for(&waiter, 3); /* so it is under way */
    carrier_cancel(rig->carrier, &waiter.call);
    wait_for(&waiter, SIZE_MAX);
    assert_int_equal(waiter.err, ERR_REQUEST_TIMEOUT);
    waiter_done(&waiter);
}

static void a_call_that_was_cancelled_before_it_was_sent_ends_at_once(void **state)
{
    for (int i = 0; i < MANY; i++) {
        struct rig *rig = *state;
        struct waiter waiter;

        waiter_init(&waiter, rig, "GET", "/silent");
        waiter.call.is_cancelled = true;
        run(rig, &waiter);
        assert_int_equal(waiter.err, ERR_REQUEST_TIMEOUT);
        waiter_done(&waiter);
    }
}

static void pieces_come_as_they_come_and_who_refuses_one_ends_the_call(void **state)
{
    struct waiter waiter;

    waiter_init(&waiter, *state, "GET", "/stream");
    waiter.call.timeout_ms = 0;
    waiter.refuses = true;
    run(*state, &waiter);
    assert_int_equal(waiter.err, ERR_IO);
    assert_int_equal(waiter.call.status, 200);
    assert_string_equal(buf_text(&waiter.body), "one");
    waiter_done(&waiter);
}

static void a_call_may_be_sent_again_when_it_is_done(void **state)
{
    struct rig *rig = *state;
    struct waiter waiter;

    waiter_init(&waiter, rig, "GET", "/cut");
    waiter.again = rig->carrier;
    run(rig, &waiter);
    assert_int_equal(waiter.done, 1);
    assert_int_equal(atomic_load(&rig->cuts), 2);
    waiter_done(&waiter);
}

static void many_are_carried_at_once_and_each_is_done_once(void **state)
{
    static struct waiter waiters[MANY];
    struct rig *rig = *state;

    for (size_t i = 0; i < MANY; i++) {
        waiter_init(&waiters[i], rig, "GET", "/ok");
        carrier_send(rig->carrier, &waiters[i].call);
    }
    for (size_t i = 0; i < MANY; i++) {
        wait_for(&waiters[i], SIZE_MAX);
    }
    carrier_stop(rig->carrier);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(waiters[i].err, ERR_OK);
        assert_int_equal(waiters[i].done, 1);
        waiter_done(&waiters[i]);
    }
}

static void a_stop_ends_what_is_under_way_and_what_comes_later(void **state)
{
    struct rig *rig = *state;
    struct waiter before, after;

    waiter_init(&before, rig, "GET", "/stream");
    carrier_send(rig->carrier, &before.call);
    wait_for(&before, 3);
    carrier_stop(rig->carrier);
    assert_int_equal(before.done, 1);
    assert_int_equal(before.err, ERR_DRAINING);
    waiter_init(&after, rig, "GET", "/ok");
    carrier_send(rig->carrier, &after.call);
    assert_int_equal(after.done, 1);
    assert_int_equal(after.err, ERR_DRAINING);
    assert_false(after.call.was_sent);
    waiter_done(&before);
    waiter_done(&after);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_answer_comes_with_its_status_the_wanted_headers_and_the_body),
        TEST(where_nobody_listens_nothing_was_sent),
        TEST(what_is_cut_off_without_an_answer_may_have_arrived),
        TEST(what_is_lost_on_a_connection_that_was_kept_is_not_sent_again),
        TEST(a_call_that_nobody_wants_any_more_ends_at_once),
        TEST(a_call_that_was_cancelled_before_it_was_sent_ends_at_once),
        TEST(pieces_come_as_they_come_and_who_refuses_one_ends_the_call),
        TEST(a_call_may_be_sent_again_when_it_is_done),
        TEST(many_are_carried_at_once_and_each_is_done_once),
        TEST(a_stop_ends_what_is_under_way_and_what_comes_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
