#include "../calendar/calendar_test.h"

#include "model/job_words.h"

static void overlap_policies_are_read_as_they_are_written(void **state)
{
    (void)state;
    static const char *const words[] = {"skip", "queue", "collapse", "allow"};
    const enum job_overlap values[] = {OVERLAP_SKIP, OVERLAP_QUEUE, OVERLAP_COLLAPSE, OVERLAP_ALLOW};

    for (size_t i = 0; i < COUNT_OF(values); i++) {
        enum job_overlap overlap = values[(i + 1) % COUNT_OF(values)];

        assert_string_equal(job_overlap_text(values[i]), words[i]);
        assert_int_equal(job_overlap_parse(str_from(words[i]), &overlap, NULL), ERR_OK);
        assert_int_equal(overlap, values[i]);
    }
}

static void misfire_policies_are_read_as_they_are_written(void **state)
{
    (void)state;
    static const char *const words[] = {"fire_latest", "fire_now", "skip", "backfill"};
    const enum job_misfire values[] = {MISFIRE_FIRE_LATEST, MISFIRE_FIRE_NOW, MISFIRE_SKIP, MISFIRE_BACKFILL};

    for (size_t i = 0; i < COUNT_OF(values); i++) {
        enum job_misfire misfire = values[(i + 1) % COUNT_OF(values)];

        assert_string_equal(job_misfire_text(values[i]), words[i]);
        assert_int_equal(job_misfire_parse(str_from(words[i]), &misfire, NULL), ERR_OK);
        assert_int_equal(misfire, values[i]);
    }
}

static void edges_are_read_as_they_are_written(void **state)
{
    (void)state;
    static const char *const words[] = {"success", "failure", "done"};
    const enum job_edge values[] = {EDGE_SUCCESS, EDGE_FAILURE, EDGE_DONE};

    for (size_t i = 0; i < COUNT_OF(values); i++) {
        enum job_edge edge = values[(i + 1) % COUNT_OF(values)];

        assert_string_equal(job_edge_text(values[i]), words[i]);
        assert_int_equal(job_edge_parse(str_from(words[i]), &edge, NULL), ERR_OK);
        assert_int_equal(edge, values[i]);
    }
}

static void another_word_is_refused_with_those_there_are(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "Skip", "skip ", "ski", "fire", "fire-now", "successful", "any"};

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct str word = str_from(wrong[i]);
        struct error error = {0};
        enum job_overlap overlap = OVERLAP_ALLOW;
        enum job_misfire misfire = MISFIRE_BACKFILL;
        enum job_edge edge = EDGE_DONE;

        assert_int_equal(job_overlap_parse(word, &overlap, &error), ERR_INVALID);
        assert_contains(error.text, "skip, queue, collapse and allow");
        assert_int_equal(job_misfire_parse(word, &misfire, &error), ERR_INVALID);
        assert_contains(error.text, "fire_latest, fire_now, skip and backfill");
        assert_int_equal(job_edge_parse(word, &edge, &error), ERR_INVALID);
        assert_contains(error.text, "success, failure and done");
        assert_int_equal(overlap, OVERLAP_ALLOW);
        assert_int_equal(misfire, MISFIRE_BACKFILL);
        assert_int_equal(edge, EDGE_DONE);
        assert_int_equal(job_overlap_parse(word, &overlap, NULL), ERR_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlap_policies_are_read_as_they_are_written),
        cmocka_unit_test(misfire_policies_are_read_as_they_are_written),
        cmocka_unit_test(edges_are_read_as_they_are_written),
        cmocka_unit_test(another_word_is_refused_with_those_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
