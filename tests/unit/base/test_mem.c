#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

static void memory_is_there_even_for_nothing(void **state)
{
    (void)state;
    SCOPE_FREE void *nothing = mem_alloc(0);
    SCOPE_FREE void *zeroed_nothing = mem_zalloc(0);
    SCOPE_FREE void *no_elements = mem_alloc_array(0, 8);

    assert_non_null(nothing);
    assert_non_null(zeroed_nothing);
    assert_non_null(no_elements);
    mem_free(NULL);
}

static void zalloc_gives_zeroes(void **state)
{
    (void)state;
    SCOPE_FREE unsigned char *bytes = mem_zalloc(1000);

    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

static void realloc_keeps_what_was_there(void **state)
{
    (void)state;
    int *numbers = mem_realloc_array(NULL, 4, sizeof *numbers);

    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
    }
    numbers = mem_realloc_array(numbers, 4000, sizeof *numbers);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(numbers[i], i);
    }
    mem_free(numbers);
}

static void copies_end_in_nul(void **state)
{
    (void)state;
    SCOPE_FREE char *whole = mem_strdup("belfry");
    SCOPE_FREE char *part = mem_strndup("belfry", 4);
    SCOPE_FREE char *bytes = mem_dup("a\0b", 3);

    assert_string_equal(whole, "belfry");
    assert_string_equal(part, "belf");
    assert_memory_equal(bytes, "a\0b", 3);
    assert_null(mem_strdup(NULL));
}

static int times_done;

static void count_done(const volatile int *value)
{
    times_done += *value;
}

static void leave_early(bool early)
{
    SCOPE(count_done) volatile int value = 1; /* or the store below looks useless */

    if (early) {
        return;
    }
    value = 10;
}

static void a_scope_ends_its_variables_on_every_way_out(void **state)
{
    (void)state;
    times_done = 0;
    leave_early(true);
    assert_int_equal(times_done, 1);
    leave_early(false);
    assert_int_equal(times_done, 11);
}

static void ask_for_too_much(void)
{
    volatile size_t count = SIZE_MAX / 8 + 2; /* times 8 is 8; volatile, or the compiler sees through it */

    mem_free(mem_realloc_array(NULL, count, 8));
}

/* In a child, since there is nothing left to look at afterwards. */
static void running_out_ends_the_process_and_says_so(void **state)
{
    (void)state;
    char text[200] = {0};
    int ends[2], status;
    ssize_t len;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        ask_for_too_much();
        _exit(0);
    }
    (void)close(ends[1]);
    len = read(ends[0], text, sizeof text - 1);
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), MEM_EXIT_CODE);
    assert_true(len > 0);
    assert_non_null(strstr(text, "belfry: out of memory: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_there_even_for_nothing),
        cmocka_unit_test(zalloc_gives_zeroes),
        cmocka_unit_test(realloc_keeps_what_was_there),
        cmocka_unit_test(copies_end_in_nul),
        cmocka_unit_test(a_scope_ends_its_variables_on_every_way_out),
        cmocka_unit_test(running_out_ends_the_process_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
