#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/progress.h"

#define TRIGGER UINT64_C(77)

static struct progress *progress;
static struct arena arena;

static int begin(void **state)
{
    (void)state;
    progress = progress_new(1);
    arena_init(&arena, 4096, 1 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    progress_free(progress);
    arena_done(&arena);
    return 0;
}

static void say(uint64_t trigger, uint32_t number, double percent, const char *note)
{
    progress_put(progress, trigger, number,
                 &(struct wire_progress){.percent = percent, .note = str_from(note), .at_ms = 5});
}

static bool is_known(uint64_t trigger, uint32_t number)
{
    struct wire_progress said;

    return progress_find(progress, trigger, number, &arena, &said);
}

static void what_was_said_last_is_found(void **state)
{
    struct wire_progress said;

    (void)state;
    assert_false(is_known(TRIGGER, 1));
    say(TRIGGER, 1, 10, "one");
    say(TRIGGER, 1, 40, "page 4 of 10");
    assert_true(progress_find(progress, TRIGGER, 1, &arena, &said));
    assert_true(said.percent == 40.0);
    assert_true(str_is(said.note, "page 4 of 10"));
    assert_int_equal(said.at_ms, 5);
    assert_int_equal(progress_count(progress), 1);
}

static void an_older_attempt_says_nothing_more(void **state)
{
    (void)state;
    say(TRIGGER, 2, 10, "two");
    say(TRIGGER, 1, 99, "one");
    assert_true(is_known(TRIGGER, 2));
    assert_false(is_known(TRIGGER, 1));
    say(TRIGGER, 3, 1, "three");
    assert_false(is_known(TRIGGER, 2));
    assert_true(is_known(TRIGGER, 3));
}

static void a_long_note_is_cut_between_two_characters(void **state)
{
    char note[PROGRESS_NOTE_BYTES_MAX + 2];
    struct wire_progress said;

    (void)state;
    memset(note, 'x', sizeof note);
    memcpy(note + PROGRESS_NOTE_BYTES_MAX - 1, "\xc3\xa9", 3); /* its second byte would be one too many */
    say(TRIGGER, 1, -1, note);
    assert_true(progress_find(progress, TRIGGER, 1, &arena, &said));
    assert_int_equal(said.note.len, PROGRESS_NOTE_BYTES_MAX - 1);
}

static void the_longest_silent_one_goes_when_there_are_too_many(void **state)
{
    (void)state;
    for (uint64_t trigger = 1; trigger <= PROGRESS_MAX; trigger++) {
        say(trigger, 1, 1, "");
    }
    say(1, 1, 2, "");
    say(PROGRESS_MAX + 1, 1, 1, "");
    assert_int_equal(progress_count(progress), PROGRESS_MAX);
    assert_true(is_known(1, 1));
    assert_false(is_known(2, 1));
    assert_true(is_known(PROGRESS_MAX + 1, 1));
}

static void commit_trigger(enum trigger_state state, uint32_t attempts)
{
    struct batch batch;

    batch_init(&batch, 1);
    batch_add(&batch, OP_TRIGGER_UPDATE)->trigger =
        (struct trigger_row){.id = TRIGGER, .state = state, .attempts = attempts};
    progress_committed(progress, &batch);
    batch_done(&batch);
}

static void what_has_ended_is_forgotten(void **state)
{
    (void)state;
    say(TRIGGER, 2, 10, "");
    commit_trigger(TRIGGER_PENDING, 1); /* the attempt before */
    assert_true(is_known(TRIGGER, 2));
    commit_trigger(TRIGGER_PENDING, 2);
    assert_false(is_known(TRIGGER, 2));
    say(TRIGGER, 3, 10, "");
    commit_trigger(TRIGGER_CANCELLED, 2);
    assert_int_equal(progress_count(progress), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_said_last_is_found, begin, end),
        cmocka_unit_test_setup_teardown(an_older_attempt_says_nothing_more, begin, end),
        cmocka_unit_test_setup_teardown(a_long_note_is_cut_between_two_characters, begin, end),
        cmocka_unit_test_setup_teardown(the_longest_silent_one_goes_when_there_are_too_many, begin, end),
        cmocka_unit_test_setup_teardown(what_has_ended_is_forgotten, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
