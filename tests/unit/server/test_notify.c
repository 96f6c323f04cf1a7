#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/notify.h"

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void messages_arrive_at_the_socket_that_is_named(void **state)
{
    (void)state;
    char text[64] = "";
    int fd = listen_at(path_of("notify"));

    assert_int_equal(setenv("NOTIFY_SOCKET", path_of("notify"), 1), 0);
    assert_true(notify_send("READY=1"));
    assert_int_equal(recv(fd, text, sizeof text - 1, MSG_DONTWAIT), 7);
    assert_string_equal(text, "READY=1");
    (void)close(fd);
}

static void without_a_socket_nothing_happens_and_a_wrong_one_is_told(void **state)
{
    (void)state;
    assert_int_equal(unsetenv("NOTIFY_SOCKET"), 0);
    assert_true(notify_send("READY=1"));
    assert_int_equal(setenv("NOTIFY_SOCKET", "", 1), 0);
    assert_true(notify_send("READY=1"));
    assert_int_equal(setenv("NOTIFY_SOCKET", "relative", 1), 0);
    assert_false(notify_send("READY=1"));
    assert_int_equal(setenv("NOTIFY_SOCKET", path_of("nobody"), 1), 0);
    assert_false(notify_send("READY=1"));
    assert_int_equal(unsetenv("NOTIFY_SOCKET"), 0);
}

static void the_watchdog_is_fed_at_half_of_its_time(void **state)
{
    (void)state;
    char pid[32];

    assert_int_equal(unsetenv("WATCHDOG_USEC"), 0);
    assert_int_equal(unsetenv("WATCHDOG_PID"), 0);
    assert_int_equal(notify_watchdog_ms(), 0);
    assert_int_equal(setenv("WATCHDOG_USEC", "30000000", 1), 0);
    assert_int_equal(notify_watchdog_ms(), 15000);
    assert_int_equal(setenv("WATCHDOG_PID", "1", 1), 0); /* another process is watched */
    assert_int_equal(notify_watchdog_ms(), 0);
    (void)snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_int_equal(setenv("WATCHDOG_PID", pid, 1), 0);
    assert_int_equal(notify_watchdog_ms(), 15000);
    assert_int_equal(setenv("WATCHDOG_USEC", "soon", 1), 0);
    assert_int_equal(notify_watchdog_ms(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(messages_arrive_at_the_socket_that_is_named),
        IN_FOLDER(without_a_socket_nothing_happens_and_a_wrong_one_is_told),
        cmocka_unit_test(the_watchdog_is_fed_at_half_of_its_time),
    };

    return cmocka_run_group_tests_name("server/notify", tests, NULL, NULL);
}
