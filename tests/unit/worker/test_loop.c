#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/epoll.h>
#include <unistd.h>

#include "worker/loop.h"

struct counter {
    struct loop *loop;
    struct loop_source *other; /* removed by the first event */
    struct loop_timer timer;
    int fd;
    int events, times;
};

static void count_event(void *owner, uint32_t events)
{
    struct counter *counter = owner;

    assert_true((events & EPOLLIN) != 0);
    counter->events++;
    loop_remove(counter->loop, counter->other);
    counter->other = NULL;
}

static void count_time(void *owner)
{
    struct counter *counter = owner;

    counter->times++;
}

static void set_again(void *owner)
{
    struct counter *counter = owner;

    counter->times++;
    loop_timer_set(counter->loop, &counter->timer, 0);
}

static void a_source_that_was_removed_is_not_called_for_an_event_at_hand(void **state)
{
    struct loop loop;
    struct counter a = {.loop = &loop}, b = {.loop = &loop};
    int fds[2];

    (void)state;
    assert_int_equal(loop_init(&loop, NULL), ERR_OK);
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    int again = dup(fds[0]);

    b.other = loop_add(&loop, fds[0], EPOLLIN, count_event, &a);
    a.other = loop_add(&loop, again, EPOLLIN, count_event, &b);
    loop_turn(&loop, 1000);
    assert_int_equal(a.events + b.events, 1); /* both were ready; the first took the other away */
    loop_done(&loop);
    (void)close(fds[0]);
    (void)close(fds[1]);
    (void)close(again);
}

static void timers_are_called_once_in_order_and_not_when_cleared(void **state)
{
    struct loop loop;
    struct counter a = {.loop = &loop}, b = {.loop = &loop}, c = {.loop = &loop};

    (void)state;
    assert_int_equal(loop_init(&loop, NULL), ERR_OK);
    loop_timer_init(&a.timer, count_time, &a);
    loop_timer_init(&b.timer, count_time, &b);
    loop_timer_init(&c.timer, count_time, &c);
    loop_timer_set(&loop, &a.timer, 0);
    loop_timer_set(&loop, &b.timer, 1000000);
    loop_timer_set(&loop, &c.timer, 0);
    loop_timer_clear(&loop, &c.timer);
    loop_turn(&loop, -1);
    loop_turn(&loop, 0);
    assert_int_equal(a.times, 1);
    assert_int_equal(b.times, 0);
    assert_int_equal(c.times, 0);
    assert_false(loop_timer_is_set(&a.timer));
    assert_true(loop_timer_is_set(&b.timer));
    loop_timer_clear(&loop, &b.timer);
    loop_done(&loop);
}

static void a_timer_that_sets_itself_does_not_hold_up_the_turn(void **state)
{
    struct loop loop;
    struct counter a = {.loop = &loop};

    (void)state;
    assert_int_equal(loop_init(&loop, NULL), ERR_OK);
    loop_timer_init(&a.timer, set_again, &a);
    loop_timer_set(&loop, &a.timer, 0);
    loop_turn(&loop, -1);
    assert_int_equal(a.times, 1);
    loop_turn(&loop, -1);
    assert_int_equal(a.times, 2);
    loop_timer_clear(&loop, &a.timer);
    loop_done(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_that_was_removed_is_not_called_for_an_event_at_hand),
        cmocka_unit_test(timers_are_called_once_in_order_and_not_when_cleared),
        cmocka_unit_test(a_timer_that_sets_itself_does_not_hold_up_the_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
