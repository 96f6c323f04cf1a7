/* clock_step: a wall clock that a test steps while the program runs. Goes into it by LD_PRELOAD.
 *
 * BELFRY_TEST_CLOCK names a file that holds an int64_t: how many milliseconds the wall clock is ahead of the real one.
 * It is mapped, so what a test writes there holds at once. Monotonic clocks are the kernel's own.
 *
 * Never: anything but clocks. Without the file all of them are right.
 * See:   tests/server/stepped.py
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MS_PER_S 1000
#define NS_PER_MS 1000000
#define NS_PER_US 1000
#define NS_PER_S 1000000000

static const volatile int64_t *ahead_ms;

__attribute__((constructor)) static void find_clock(void)
{
    const char *path = getenv("BELFRY_TEST_CLOCK");
    int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0) {
        return;
    }
    void *mapped = mmap(NULL, sizeof *ahead_ms, PROT_READ, MAP_SHARED, fd, 0);

    (void)close(fd);
    if (mapped != MAP_FAILED) {
        ahead_ms = mapped;
    }
}

static void step(struct timespec *now)
{
    int64_t by_ms = ahead_ms != NULL ? *ahead_ms : 0;

    now->tv_sec += by_ms / MS_PER_S;
    now->tv_nsec += by_ms % MS_PER_S * NS_PER_MS;
    if (now->tv_nsec >= NS_PER_S) {
        now->tv_sec++;
        now->tv_nsec -= NS_PER_S;
    } else if (now->tv_nsec < 0) {
        now->tv_sec--;
        now->tv_nsec += NS_PER_S;
    }
}

/* Parameters have our names, and not the reserved ones of the C library's headers.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

int clock_gettime(clockid_t id, struct timespec *ret_now)
{
    long failed = syscall(SYS_clock_gettime, id, ret_now);

    if (failed == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        step(ret_now);
    }
    return (int)failed;
}

int gettimeofday(struct timeval *restrict ret_now, void *restrict zone)
{
    struct timespec now;

    (void)zone; /* nobody asks any more */
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return -1;
    }
    *ret_now = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / NS_PER_US};
    return 0;
}

time_t time(time_t *ret_now)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
        return -1;
    }
    if (ret_now != NULL) {
        *ret_now = now.tv_sec;
    }
    return now.tv_sec;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
