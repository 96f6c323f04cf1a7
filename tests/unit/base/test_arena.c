#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdalign.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "../seed.h"

static void an_unused_arena_costs_nothing(void **state)
{
    (void)state;
    struct arena arena;

    arena_init(&arena, 1024, 4096);
    assert_null(arena.first);
    arena_reset(&arena);
    assert_true(arena_valid(&arena));
    arena_done(&arena);
}

static void texts_are_copied(void **state)
{
    (void)state;
    SCOPE(arena_done) struct arena arena;
    arena_init(&arena, 64, 4096);

    assert_string_equal(arena_strdup(&arena, "belfry"), "belfry");
    assert_string_equal(arena_strdup_str(&arena, (struct str){"belfry", 4}), "belf");
    assert_string_equal(arena_strdup_str(&arena, (struct str){0}), "");
    assert_string_equal(arena_printf(&arena, "%s-%d", "job", 7), "job-7");
    assert_int_equal(strlen(arena_printf(&arena, "%1000d", 7)), 1000);
    assert_true(arena_valid(&arena));
}

static void memory_is_aligned_for_what_is_asked(void **state)
{
    (void)state;
    SCOPE(arena_done) struct arena arena;
    arena_init(&arena, 256, 100000);

    for (size_t i = 0; i < 200; i++) {
        (void)arena_strdup_str(&arena, (struct str){"abcdefgh", i % 8});
        assert_int_equal((uintptr_t)arena_alloc(&arena, 1 + i % 40) % alignof(max_align_t), 0);
        (void)arena_strdup(&arena, "");
        assert_int_equal((uintptr_t)arena_alloc_aligned(&arena, 3, 4) % 4, 0);
    }
}

static void zalloc_gives_zeroes_even_where_something_was(void **state)
{
    (void)state;
    SCOPE(arena_done) struct arena arena;
    unsigned char *bytes;
    arena_init(&arena, 256, 1000);

    memset(arena_alloc(&arena, 200), 0xff, 200);
    arena_reset(&arena);
    bytes = arena_zalloc(&arena, 200);
    for (size_t i = 0; i < 200; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

static void reset_keeps_the_first_block(void **state)
{
    (void)state;
    SCOPE(arena_done) struct arena arena;
    void *first;
    arena_init(&arena, 128, 100000);

    first = arena_alloc(&arena, 100);
    (void)arena_alloc(&arena, 5000);
    for (int i = 0; i < 100; i++) {
        (void)arena_alloc(&arena, 100);
    }
    arena_reset(&arena);
    assert_int_equal(arena.used_bytes, 0);
    assert_ptr_equal(arena_alloc(&arena, 100), first);
    assert_true(arena_valid(&arena));
}

static void the_maximum_is_kept(void **state)
{
    (void)state;
    SCOPE(arena_done) struct arena arena;
    arena_init(&arena, 64, 1000);

    assert_null(arena_try_alloc(&arena, 1001));
    assert_null(arena_try_alloc(&arena, SIZE_MAX));
    assert_non_null(arena_try_alloc(&arena, 1000));
    assert_null(arena_try_alloc(&arena, 1));
    assert_non_null(arena_try_alloc(&arena, 0));
    arena_reset(&arena);
    assert_non_null(arena_try_alloc(&arena, 1000));
    assert_true(arena_valid(&arena));
}

static void pass_the_maximum(struct arena *arena)
{
    (void)arena_alloc(arena, 1001);
}

static void overflow_the_product(struct arena *arena)
{
    volatile size_t count = SIZE_MAX / 8 + 2; /* times 8 is 8 */

    (void)arena_alloc_array(arena, count, 8);
}

static int exit_code_of(void (*misuse)(struct arena *))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct arena arena;
        (void)close(STDERR_FILENO);
        arena_init(&arena, 64, 1000);
        misuse(&arena);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void passing_the_maximum_unasked_ends_the_process(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of(pass_the_maximum), MEM_EXIT_CODE);
    assert_int_equal(exit_code_of(overflow_the_product), MEM_EXIT_CODE);
}

/* The reference: every piece remembers what was written into it. If two ever overlapped, one would have lost it. */
struct piece {
    unsigned char *bytes;
    size_t len;
    unsigned char mark;
};

#define PIECES_MAX 300

static void check_pieces(const struct piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < pieces[i].len; j++) {
            assert_int_equal(pieces[i].bytes[j], pieces[i].mark);
        }
    }
}

static bool take_piece(struct rng *rng, struct arena *arena, struct piece *piece)
{
    piece->len = rng_below(rng, rng_chance(rng, 1, 10) ? 2000 : 60);
    piece->mark = (unsigned char)rng_next(rng);
    if (rng_chance(rng, 1, 3) && arena->used_bytes + piece->len + alignof(max_align_t) < arena->max_bytes) {
        piece->bytes = arena_alloc_aligned(arena, piece->len, (size_t)1 << rng_below(rng, 5));
    } else {
        piece->bytes = arena_try_alloc(arena, piece->len);
    }
    if (piece->bytes == NULL) {
        return false;
    }
    memset(piece->bytes, piece->mark, piece->len);
    return true;
}

static void pieces_never_overlap(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int round = 0; round < 40; round++) {
        SCOPE(arena_done) struct arena arena;
        struct piece pieces[PIECES_MAX];
        size_t count = 0, asked = 0;
        arena_init(&arena, 1 + rng_below(&rng, 1000), 20000);
        for (int i = 0; i < 500; i++) {
            bool taken = count < PIECES_MAX && take_piece(&rng, &arena, &pieces[count]);
            asked += taken ? pieces[count].len : 0;
            count += taken;
            assert_true(arena_valid(&arena));
            assert_in_range(arena.used_bytes, asked, 20000);
            if (!taken || rng_chance(&rng, 1, 100)) {
                check_pieces(pieces, count);
                arena_reset(&arena);
                count = 0;
                asked = 0;
            }
        }
        check_pieces(pieces, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unused_arena_costs_nothing),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(memory_is_aligned_for_what_is_asked),
        cmocka_unit_test(zalloc_gives_zeroes_even_where_something_was),
        cmocka_unit_test(reset_keeps_the_first_block),
        cmocka_unit_test(the_maximum_is_kept),
        cmocka_unit_test(passing_the_maximum_unasked_ends_the_process),
        cmocka_unit_test(pieces_never_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
