#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "folder.h"
#include "server/lineage.h"

#define HERE "postgresql://db/belfry"

static struct lineage lineage(const char *system, uint32_t timeline, uint64_t batch, const char *place)
{
    struct lineage made = {.is_known = true, .timeline = timeline, .epoch = 7, .batch = batch, .id_high_ms = 1234};

    (void)snprintf(made.system, sizeof made.system, "%s", system);
    (void)snprintf(made.place, sizeof made.place, "%s", place);
    return made;
}

static void want(struct lineage seen, struct lineage now, enum lineage_step step)
{
    assert_int_equal(lineage_compare(&seen, &now), step);
}

static void a_store_that_went_on_is_the_same(void **state)
{
    (void)state;
    want(lineage("71", 1, 100, HERE), lineage("71", 1, 100, HERE), LINEAGE_SAME);
    want(lineage("71", 1, 100, HERE), lineage("71", 1, 250, HERE), LINEAGE_SAME);
    want((struct lineage){.is_known = false}, lineage("71", 1, 5, HERE), LINEAGE_SAME);
}

static void a_failover_that_lost_nothing_is_told_from_one_that_did(void **state)
{
    struct lineage seen = lineage("71", 1, 100, HERE), now = lineage("71", 2, 97, HERE);

    (void)state;
    want(seen, lineage("71", 2, 100, HERE), LINEAGE_MOVED);
    want(seen, now, LINEAGE_BEHIND);
    assert_int_equal(lineage_lost(&seen, &now), 3);
    assert_int_equal(lineage_lost(&now, &seen), 0);
}

static void a_copy_that_was_put_in_its_place_is_behind(void **state)
{
    (void)state;
    want(lineage("71", 1, 100, HERE), lineage("99", 1, 40, HERE), LINEAGE_BEHIND);
    want(lineage("71", 3, 100, HERE), lineage("71", 1, 40, "postgresql://other/belfry"), LINEAGE_BEHIND);
}

static void a_new_store_and_another_one_are_not_compared(void **state)
{
    (void)state;
    want(lineage("71", 1, 100, HERE), lineage("71", 1, 0, HERE), LINEAGE_SAME);
    want(lineage("71", 1, 100, HERE), lineage("99", 1, 40, "postgresql://other/belfry"), LINEAGE_SAME);
}

static void what_is_written_is_read(void **state)
{
    struct lineage wrote = lineage("7123456789012345678", 4, UINT64_MAX, "postgresql://a b,c:5432/belfry");
    struct error error;

    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *path = path_of("seen");

        assert_int_equal(lineage_write(&wrote, path, &error), ERR_OK);
        struct lineage read = lineage_read(path);

        assert_true(read.is_known);
        assert_string_equal(read.system, wrote.system);
        assert_int_equal(read.timeline, 4);
        assert_int_equal(read.epoch, 7);
        assert_true(read.batch == UINT64_MAX);
        assert_int_equal(read.id_high_ms, 1234);
        assert_string_equal(read.place, wrote.place);
        wrote.system[0] = '\0'; /* one that does not say */
    }
}

static void what_is_no_such_file_is_not_known(void **state)
{
    static const char *const lines[] = {"", "x", "1 2 3", "71 1 one 2 3 place"};

    (void)state;
    assert_false(lineage_read(path_of("missing")).is_known);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        write_file("broken", lines[i]);
        assert_false(lineage_read(path_of("broken")).is_known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_that_went_on_is_the_same),
        cmocka_unit_test(a_failover_that_lost_nothing_is_told_from_one_that_did),
        cmocka_unit_test(a_copy_that_was_put_in_its_place_is_behind),
        cmocka_unit_test(a_new_store_and_another_one_are_not_compared),
        IN_FOLDER(what_is_written_is_read),
        IN_FOLDER(what_is_no_such_file_is_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
