#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/id.h"
#include "../seed.h"

#define NOW (ID_EPOCH_MS + 70000000000)
#define LAST_MS (ID_EPOCH_MS + (INT64_C(1) << 41) - 1)

/* ---- giving ---- */

static void an_id_says_when_and_where_it_was_given(void **state)
{
    (void)state;
    struct id_gen gen;
    uint64_t id;
    id_gen_init(&gen, 3, 0);

    id = id_gen_next(&gen, NOW);
    assert_true(id == (UINT64_C(70000000000) << 22 | 3 << 12));
    assert_true(id_time_ms(id) == NOW);
    assert_int_equal(id_shard(id), 3);
    assert_int_equal(id_seq(id), 0);
    assert_int_equal(id_seq(id_gen_next(&gen, NOW)), 1);
    id = id_gen_next(&gen, NOW + 5);
    assert_true(id_time_ms(id) == NOW + 5);
    assert_int_equal(id_seq(id), 0);
}

static void a_full_millisecond_borrows_from_the_next(void **state)
{
    (void)state;
    struct id_gen gen;
    uint64_t id = 0, last = 0;
    id_gen_init(&gen, 0, 0);

    for (int i = 0; i < 4096; i++) {
        id = id_gen_next(&gen, NOW);
        assert_true(id > last && id_time_ms(id) == NOW);
        last = id;
    }
    id = id_gen_next(&gen, NOW);
    assert_true(id_time_ms(id) == NOW + 1 && id_seq(id) == 0);
    id = id_gen_next(&gen, NOW + 1); /* the clock catches up with what was borrowed */
    assert_true(id_time_ms(id) == NOW + 1 && id_seq(id) == 1);
}

static void a_clock_set_back_gives_no_id_twice(void **state)
{
    (void)state;
    struct id_gen gen;
    uint64_t last;
    id_gen_init(&gen, 0, 0);

    last = id_gen_next(&gen, NOW);
    assert_true(id_gen_next(&gen, NOW - 3600000) == last + 1);
    assert_true(id_gen_next(&gen, 0) == last + 2);
    assert_true(id_gen_next(&gen, INT64_MIN) == last + 3);
}

static void a_clock_beyond_all_ids_is_not_believed(void **state)
{
    (void)state;
    struct id_gen gen;
    uint64_t last;
    id_gen_init(&gen, 0, 0);

    last = id_gen_next(&gen, NOW);
    assert_true(id_gen_next(&gen, LAST_MS + 1) == last + 1);
    assert_true(id_gen_next(&gen, INT64_MAX) == last + 2);
    assert_true(id_time_ms(id_gen_next(&gen, NOW + 1)) == NOW + 1);
    assert_true(id_time_ms(id_gen_next(&gen, LAST_MS)) == LAST_MS);
    assert_true(id_gen_next(&gen, LAST_MS) <= INT64_MAX); /* fits a signed column */
}

static void a_new_owner_starts_behind_the_high_water_mark(void **state)
{
    (void)state;
    struct id_gen old, new;
    uint64_t last = 0;
    id_gen_init(&old, 1, 0);
    for (int i = 0; i < 10000; i++) {
        last = id_gen_next(&old, NOW);
    }

    assert_true(id_gen_high_ms(&old) > id_time_ms(last));
    id_gen_init(&new, 1, id_gen_high_ms(&old));
    assert_true(id_gen_next(&new, NOW) > last);
    assert_true(id_time_ms(id_gen_next(&new, NOW + 1000)) == NOW + 1000);
}

static void none_is_never_given(void **state)
{
    (void)state;
    struct id_gen gen;
    id_gen_init(&gen, 0, 0);

    assert_true(id_gen_next(&gen, ID_EPOCH_MS) != ID_NONE);
}

static void ids_only_rise_whatever_the_clock_does(void **state)
{
    (void)state;
    int64_t now = NOW, high = 0;
    uint64_t last = 0;
    struct id_gen gen;
    struct rng rng;
    seed_rng(&rng);
    id_gen_init(&gen, 1023, 0);

    for (int i = 0; i < 100000; i++) {
        uint64_t id;
        if (rng_chance(&rng, 1, 100)) {
            now += rng_between(&rng, -20, 30);
        }
        id = id_gen_next(&gen, now);
        assert_true(id > last && id_time_ms(id) >= now && id_shard(id) == 1023);
        assert_true(id_gen_high_ms(&gen) > id_time_ms(id) && id_gen_high_ms(&gen) >= high);
        high = id_gen_high_ms(&gen);
        last = id;
        if (rng_chance(&rng, 1, 1000)) {
            id_gen_init(&gen, 1023, high); /* a takeover */
        }
    }
}

/* ---- text ---- */

static void check_text(uint64_t id, const char *text)
{
    char out[ID_TEXT_BYTES];
    uint64_t back = 0;

    id_format(ID_JOB, id, out);
    assert_string_equal(out, text);
    assert_int_equal(id_parse(ID_JOB, str_from(out), &back, NULL), ERR_OK);
    assert_true(back == id);
}

static void ids_are_written_in_base_32(void **state)
{
    (void)state;
    char out[ID_TEXT_BYTES];

    check_text(1, "job_0000000000001");
    check_text(31, "job_000000000000z");
    check_text(32, "job_0000000000010");
    check_text(UINT64_C(293601280000012293), "job_084rmsw000c05");
    check_text(INT64_MAX, "job_7zzzzzzzzzzzz");
    id_format(ID_TRIGGER, 1, out);
    assert_string_equal(out, "trg_0000000000001");
}

static void attempts_carry_their_number(void **state)
{
    (void)state;
    char out[ID_TEXT_BYTES];
    uint64_t trigger = 0;
    uint32_t number = 0;

    id_format_attempt(INT64_MAX, UINT32_MAX, out);
    assert_string_equal(out, "att_7zzzzzzzzzzzz_4294967295");
    assert_int_equal(strlen(out) + 1, ID_TEXT_BYTES);
    assert_int_equal(id_parse_attempt(str_from(out), &trigger, &number, NULL), ERR_OK);
    assert_true(trigger == INT64_MAX && number == UINT32_MAX);
    id_format_attempt(7, 1, out);
    assert_string_equal(out, "att_0000000000007_1");
}

static void either_case_and_lookalikes_are_read(void **state)
{
    (void)state;
    uint64_t upper = 0, lower = 0, lookalike = 0, digits = 0;

    assert_int_equal(id_parse(ID_JOB, STR("job_084RMSW000C05"), &upper, NULL), ERR_OK);
    assert_int_equal(id_parse(ID_JOB, STR("job_084rmsw000c05"), &lower, NULL), ERR_OK);
    assert_true(upper == lower);
    assert_int_equal(id_parse(ID_JOB, STR("job_0oOiIlL000001"), &lookalike, NULL), ERR_OK);
    assert_int_equal(id_parse(ID_JOB, STR("job_0001111000001"), &digits, NULL), ERR_OK);
    assert_true(lookalike == digits);
}

static void text_that_is_no_id_is_refused(void **state)
{
    (void)state;
    const struct {
        struct str text;
        int position;
    } bad[] = {
        {STR(""), 1},
        {STR("job_"), 1},
        {STR("job_000000000001"), 1},   /* 12 */
        {STR("job_00000000000001"), 1}, /* 14 */
        {STR("trg_0000000000001"), 1},
        {STR("JOB_0000000000001"), 1},
        {STR("job-0000000000001"), 1},
        {STR("job_000000000000u"), 17},
        {STR("job_000000000000U"), 17},
        {STR("job_00000 0000001"), 10},
        {STR("job_-000000000001"), 5},
        {STR("job_000000000000\0"), 17},
        {STR("job_00000000000\xc3\xa9"), 16},
        {STR("job_8000000000000"), 5}, /* 2^63 */
        {STR("job_zzzzzzzzzzzzz"), 5},
        {STR("job_0000000000000"), 5}, /* none */
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t id = 77;
        struct error error;
        assert_int_equal(id_parse(ID_JOB, bad[i].text, &id, &error), ERR_INVALID);
        assert_int_equal(error.position, bad[i].position);
        assert_int_equal(id, 77);
    }
}

static void text_that_is_no_attempt_is_refused(void **state)
{
    (void)state;
    const struct {
        struct str text;
        int position;
    } bad[] = {
        {STR(""), 1},
        {STR("att_0000000000001"), 1},
        {STR("att_0000000000001_"), 1},
        {STR("att_0000000000001-1"), 1},
        {STR("att_0000000000001_0"), 1},
        {STR("att_0000000000001_01"), 1}, /* one attempt, one text */
        {STR("att_0000000000001_1 "), 20},
        {STR("att_0000000000001_+1"), 19},
        {STR("att_0000000000001_-1"), 19},
        {STR("att_0000000000001_1x"), 20},
        {STR("att_0000000000001_4294967296"), 19},
        {STR("att_0000000000001_99999999999999999999"), 19},
        {STR("att_8000000000000_1"), 5},
        {STR("att_0000000000000_1"), 5},
        {STR("trg_0000000000001_1"), 1},
        {STR("att_000000000000u_1"), 17},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t trigger = 77;
        uint32_t number = 78;
        struct error error;
        assert_int_equal(id_parse_attempt(bad[i].text, &trigger, &number, &error), ERR_INVALID);
        assert_int_equal(error.position, bad[i].position);
        assert_true(trigger == 77 && number == 78);
        assert_int_equal(id_parse_attempt(bad[i].text, &trigger, &number, NULL), ERR_INVALID);
    }
}

static void texts_sort_as_the_ids_do(void **state)
{
    (void)state;
    struct rng rng;
    seed_rng(&rng);

    for (int i = 0; i < 10000; i++) {
        uint64_t a = 1 + rng_below(&rng, INT64_MAX),
                 b = rng_chance(&rng, 1, 2) ? a + 1 : 1 + rng_below(&rng, INT64_MAX);
        char text_a[ID_TEXT_BYTES], text_b[ID_TEXT_BYTES];
        uint64_t back = 0;
        id_format(ID_TRIGGER, a, text_a);
        id_format(ID_TRIGGER, b, text_b);
        if (a <= INT64_MAX && b <= INT64_MAX) {
            assert_int_equal((strcmp(text_a, text_b) < 0), (a < b));
        }
        assert_int_equal(id_parse(ID_TRIGGER, str_from(text_a), &back, NULL), ERR_OK);
        assert_true(back == a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_says_when_and_where_it_was_given),
        cmocka_unit_test(a_full_millisecond_borrows_from_the_next),
        cmocka_unit_test(a_clock_set_back_gives_no_id_twice),
        cmocka_unit_test(a_clock_beyond_all_ids_is_not_believed),
        cmocka_unit_test(a_new_owner_starts_behind_the_high_water_mark),
        cmocka_unit_test(none_is_never_given),
        cmocka_unit_test(ids_only_rise_whatever_the_clock_does),
        cmocka_unit_test(ids_are_written_in_base_32),
        cmocka_unit_test(attempts_carry_their_number),
        cmocka_unit_test(either_case_and_lookalikes_are_read),
        cmocka_unit_test(text_that_is_no_id_is_refused),
        cmocka_unit_test(text_that_is_no_attempt_is_refused),
        cmocka_unit_test(texts_sort_as_the_ids_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
