#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../seed.h"
#include "base/mem.h"
#include "base/rng.h"
#include "rig.h"

#define MANY 1000

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

/* Both ends of every connection are this process's. */
static void allow_descriptors(void)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(limit.rlim_cur > 2UL * MANY + 100);
}

static void a_client_that_goes_is_noticed(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    rig_wait(&rig.handled, 1);
    (void)close(fd);
    rig_wait(&rig.gone, 1);
    assert_int_equal(rig_count(&rig.done), 0);
    rig_answer(rig_take_request(), 200, "to nobody");
    rig_wait(&rig.done, 1);
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    assert_int_equal(rig_figures(&rig).requests_gone, 1);
}

static void a_reset_is_noticed(void **state)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};
    int fd = client_open(&rig);

    (void)state;
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    rig_wait(&rig.handled, 1);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard), 0);
    (void)close(fd);
    rig_wait(&rig.gone, 1);
    rig_answer(rig_take_request(), 200, "to nobody");
    rig_wait(&rig.done, 1);
}

static void a_half_closed_client_is_gone_and_gets_its_answer(void **state)
{
    int fd = client_open(&rig);

    (void)state;
    client_send(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    rig_wait(&rig.handled, 1);
    (void)shutdown(fd, SHUT_WR);
    rig_wait(&rig.gone, 1);
    rig_answer(rig_take_request(), 200, "for half an ear");
    client_expect(fd, "", 200, "for half an ear");
    assert_true(client_is_closed(fd));
    (void)close(fd);
}

/* The end comes in one packet with the request, or right behind it: it must not be overlooked. */
static void clients_that_ask_and_leave_do_not_linger(void **state)
{
    static const char *const requests[] = {
        "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHo",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc",
    };
    int fds[300];

    (void)state;
    for (size_t i = 0; i < 300; i++) {
        fds[i] = client_open(&rig);
        client_send(fds[i], requests[i % 3]);
        (void)shutdown(fds[i], SHUT_WR);
    }
    for (size_t i = 0; i < 300; i++) {
        while (!client_is_closed(fds[i])) {
        }
        (void)close(fds[i]);
    }
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    assert_int_equal(rig_figures(&rig).timeouts, 0);
}

static void a_thousand_clients_are_cut_and_all_are_noticed(void **state)
{
    static int fds[MANY];

    (void)state;
    allow_descriptors();
    for (size_t i = 0; i < MANY; i++) {
        fds[i] = client_open(&rig);
        client_send(fds[i], "POST /hold HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
    }
    RIG_WAIT_FIGURE(&rig, requests_waiting, MANY);
    assert_int_equal(rig_count(&rig.gone), 0);
    for (size_t i = 0; i < MANY; i++) {
        (void)close(fds[i]);
    }
    rig_wait(&rig.gone, MANY);
    assert_int_equal(rig_count(&rig.done), 0);
    rig_answer_all();
    rig_wait(&rig.done, MANY);
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    RIG_WAIT_FIGURE(&rig, requests_waiting, 0);
    RIG_WAIT_FIGURE(&rig, bodies_bytes, 0);
    assert_int_equal(rig_count(&rig.gone), MANY); /* each once */
}

/* Clients come, ask, and stay or go at any moment, while others answer. */
static void *rush(void *seed)
{
    static const char *const requests[] = {
        "GET /later HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc",
        "POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET /later HTTP/1.1\r\nHost: h\r\n\r\n",
    };
    struct rng rng;

    rng_init(&rng, (uint64_t)(uintptr_t)seed);
    for (int i = 0; i < 150; i++) {
        int fd = client_open(&rig);

        for (uint64_t n = rng_below(&rng, 3); n > 0; n--) {
            client_send(fd, requests[rng_below(&rng, 5)]);
            if (rng_chance(&rng, 1, 3)) {
                (void)usleep((useconds_t)rng_below(&rng, 2000));
            }
        }
        if (rng_chance(&rng, 1, 4)) {
            (void)shutdown(fd, SHUT_WR);
            (void)usleep((useconds_t)rng_below(&rng, 2000));
        }
        (void)close(fd);
        rig_answer_all();
    }
    return NULL;
}

static void answers_and_goodbyes_may_cross(void **state)
{
    pthread_t threads[8];
    struct rng rng;

    (void)state;
    seed_rng(&rng);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, rush, (void *)(uintptr_t)rng_next(&rng)), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < 60000 && rig_figures(&rig).connections_open > 0; i++) {
        rig_answer_all();
        (void)usleep(1000);
    }
    RIG_WAIT_FIGURE(&rig, connections_open, 0);
    RIG_WAIT_FIGURE(&rig, requests_waiting, 0);
    assert_int_equal(rig_count(&rig.done), rig_count(&rig.handled));
    assert_int_equal(rig_figures(&rig).bodies_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_client_that_goes_is_noticed, begin, end),
        cmocka_unit_test_setup_teardown(a_reset_is_noticed, begin, end),
        cmocka_unit_test_setup_teardown(a_half_closed_client_is_gone_and_gets_its_answer, begin, end),
        cmocka_unit_test_setup_teardown(clients_that_ask_and_leave_do_not_linger, begin, end),
        cmocka_unit_test_setup_teardown(a_thousand_clients_are_cut_and_all_are_noticed, begin, end),
        cmocka_unit_test_setup_teardown(answers_and_goodbyes_may_cross, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
