#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "../seed.h"

/* A log into memory, with a clock that stands still. */
struct fixture {
    int fd;
    struct chrono chrono;
    char text[1024 * 1024];
    struct str written; /* what of text is filled */
};

static int start(void **state)
{
    struct fixture *f = mem_zalloc(sizeof *f);

    f->fd = memfd_create("log", 0);
    f->chrono = chrono_fake(INT64_C(1775638800007), 0); /* 2026-04-08T09:00:00.007Z */
    *state = f;
    return f->fd < 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    (void)close(f->fd);
    mem_free(f);
    return 0;
}

static void begin(struct fixture *f, enum log_level level, bool is_json)
{
    const struct log_config config = {.fd = f->fd, .level = level, .is_json = is_json, .chrono = &f->chrono};

    assert_int_equal(ftruncate(f->fd, 0), 0);
    assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
    log_setup(&config);
}

static const char *written(struct fixture *f)
{
    ssize_t len = pread(f->fd, f->text, sizeof f->text - 1, 0);

    assert_true(len >= 0);
    f->text[len] = '\0';
    f->written = (struct str){f->text, (size_t)len};
    return f->text;
}

static size_t count_lines(struct str text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n';
    }
    return lines;
}

static void write_one_of_each_kind(void)
{
    log_info("attempt.finished", KEY_STR("job", "nightly"), KEY_SLICE("tenant", STR("acme")),
             KEY_INT("delta_ms", INT64_MIN), KEY_UINT("count", UINT64_MAX), KEY_BOOL("late", true),
             KEY_STR("error", NULL), KEY_STR("note", "two words"));
}

static void people_read_logfmt(void **state)
{
    struct fixture *f = *state;

    begin(f, LOG_LEVEL_INFO, false);
    write_one_of_each_kind();
    assert_string_equal(written(f),
                        "ts=2026-04-08T09:00:00.007Z level=info event=attempt.finished job=nightly tenant=acme "
                        "delta_ms=-9223372036854775808 count=18446744073709551615 late=true error=null "
                        "note=\"two words\"\n");
}

static void programs_read_json(void **state)
{
    struct fixture *f = *state;

    begin(f, LOG_LEVEL_INFO, true);
    write_one_of_each_kind();
    assert_string_equal(written(f),
                        "{\"ts\":\"2026-04-08T09:00:00.007Z\",\"level\":\"info\",\"event\":\"attempt.finished\","
                        "\"job\":\"nightly\",\"tenant\":\"acme\",\"delta_ms\":-9223372036854775808,"
                        "\"count\":18446744073709551615,\"late\":true,\"error\":null,\"note\":\"two words\"}\n");
}

static void an_event_may_stand_alone(void **state)
{
    struct fixture *f = *state;

    begin(f, LOG_LEVEL_DEBUG, false);
    log_warn("disk.full");
    assert_string_equal(written(f), "ts=2026-04-08T09:00:00.007Z level=warn event=disk.full\n");
}

static void what_lies_below_the_level_is_not_written(void **state)
{
    struct fixture *f = *state;

    begin(f, LOG_LEVEL_WARN, false);
    log_debug("a");
    log_info("b");
    log_warn("c");
    log_error("d");
    assert_string_equal(written(f), "ts=2026-04-08T09:00:00.007Z level=warn event=c\n"
                                    "ts=2026-04-08T09:00:00.007Z level=error event=d\n");
}

static void levels_have_names(void **state)
{
    (void)state;
    enum log_level level = LOG_LEVEL_INFO;

    assert_true(log_level_from(STR("debug"), &level));
    assert_int_equal(level, LOG_LEVEL_DEBUG);
    assert_true(log_level_from(STR("error"), &level));
    assert_int_equal(level, LOG_LEVEL_ERROR);
    assert_false(log_level_from(STR("loud"), &level));
    assert_int_equal(level, LOG_LEVEL_ERROR);
}

static void check_value(struct fixture *f, struct str value, const char *shown)
{
    static const char head[] = "ts=2026-04-08T09:00:00.007Z level=info event=e v=";

    begin(f, LOG_LEVEL_INFO, false);
    log_info("e", KEY_SLICE("v", value));
    assert_true(str_starts_with(str_from(written(f)), str_from(head)));
    assert_true(str_ends_with(f->written, STR("\n")));
    f->text[f->written.len - 1] = '\0';
    assert_string_equal(f->text + strlen(head), shown);
}

static void values_cannot_break_out(void **state)
{
    struct fixture *f = *state;

    check_value(f, STR("a\nlevel=error event=forged"), "\"a\\nlevel=error event=forged\"");
    check_value(f, STR("\033[31m"), "\"\\u001b[31m\"");
    check_value(f, STR("x y=z"), "\"x y=z\"");
    check_value(f, STR("x=y"), "\"x=y\"");
    check_value(f, STR("\""), "\"\\\"\"");
    check_value(f, STR("a\\"), "\"a\\\\\"");
    check_value(f, STR("\xe2\x80\xa8"), "\"\\u2028\"");
    check_value(f, STR("\xc2\x9b"), "\"\\u009b\"");
    check_value(f, STR("a\0b"), "\"a\\u0000b\"");
    check_value(f, STR("\xff"), "\"\xef\xbf\xbd\"");
    check_value(f, STR(""), "\"\"");
    check_value(f, STR("https://a.b:80/c_d-e@f,g+h"), "https://a.b:80/c_d-e@f,g+h");
}

static void times_before_1970_are_times_too(void **state)
{
    struct fixture *f = *state;

    f->chrono = chrono_fake(-1, 0);
    begin(f, LOG_LEVEL_INFO, false);
    log_info("e");
    assert_string_equal(written(f), "ts=1969-12-31T23:59:59.999Z level=info event=e\n");
}

/* The length grows by one each time, so that the cut falls everywhere once. */
static void long_records_are_cut_and_stay_well_formed(void **state)
{
    struct fixture *f = *state;
    char value[LOG_LINE_BYTES_MAX + 1];

    memset(value, 'x', sizeof value);
    for (size_t len = LOG_LINE_BYTES_MAX - 400; len <= sizeof value; len++) {
        SCOPE(jr_done) struct jr_doc doc = {0};
        begin(f, LOG_LEVEL_INFO, true);
        log_info("e", KEY_SLICE("v", str_from_bytes(value, len)), KEY_INT("n", 12345), KEY_STR("s", "\033\033\033"));
        (void)written(f);
        assert_in_range(f->written.len, 1, LOG_LINE_BYTES_MAX);
        assert_int_equal(count_lines(f->written), 1);
        assert_int_equal(jr_parse(f->written, NULL, &doc, NULL), ERR_OK);
        /* All three are there whole, or the mark is. */
        if (len < LOG_LINE_BYTES_MAX - 300) {
            assert_false(jr_has(jr_root(&doc), "cut"));
        }
        if (len > LOG_LINE_BYTES_MAX) {
            assert_true(jr_has(jr_root(&doc), "cut"));
        }
        if (!jr_has(jr_root(&doc), "cut")) {
            assert_true(str_ends_with(f->written, STR("\"n\":12345,\"s\":\"\\u001b\\u001b\\u001b\"}\n")));
        }
    }
}

static void long_lines_for_people_are_cut_as_well(void **state)
{
    struct fixture *f = *state;
    char value[2 * LOG_LINE_BYTES_MAX];

    memset(value, ' ', sizeof value);
    begin(f, LOG_LEVEL_INFO, false);
    log_info("e", KEY_SLICE("v", str_from_bytes(value, sizeof value)), KEY_INT("n", 1));
    (void)written(f);
    assert_in_range(f->written.len, LOG_LINE_BYTES_MAX - 16, LOG_LINE_BYTES_MAX);
    assert_true(str_ends_with(f->written, STR(" \" cut=true\n")));
}

static void random_values_make_one_line_each(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    seed_rng(&rng);

    for (int i = 0; i < 2000; i++) {
        SCOPE(jr_done) struct jr_doc doc = {0};
        char a[600], b[6000];
        size_t a_len = rng_below(&rng, sizeof a), b_len = rng_below(&rng, sizeof b);
        bool is_json = rng_chance(&rng, 1, 2);
        for (size_t j = 0; j < a_len; j++) {
            a[j] = (char)(rng_chance(&rng, 1, 2) ? rng_below(&rng, 0x30) : rng_next(&rng));
        }
        for (size_t j = 0; j < b_len; j++) {
            b[j] = (char)(1 + rng_below(&rng, 255));
        }
        for (size_t j = 0; j < a_len; j++) {
            a[j] = a[j] == '\0' ? '\n' : a[j]; /* U+0000 is written, but our reader refuses it */
        }
        begin(f, LOG_LEVEL_INFO, is_json);
        log_error("e", KEY_SLICE("a", str_from_bytes(a, a_len)), KEY_SLICE("b", str_from_bytes(b, b_len)));
        (void)written(f);
        assert_int_equal(count_lines(f->written), 1);
        assert_in_range(f->written.len, 1, LOG_LINE_BYTES_MAX);
        assert_true(str_utf8_valid(f->written, NULL));
        if (is_json) {
            assert_int_equal(jr_parse(f->written, NULL, &doc, NULL), ERR_OK);
        }
    }
}

static void *write_many(void *unused)
{
    char value[300];

    memset(value, 'x', sizeof value);
    for (int i = 0; i < 200; i++) {
        log_info("e", KEY_SLICE("v", str_from_bytes(value, sizeof value)));
    }
    return unused;
}

static void threads_do_not_mix_their_lines(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[4];
    size_t line_len;

    begin(f, LOG_LEVEL_INFO, false);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, NULL), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    (void)written(f);
    line_len = str_find_char(f->written, '\n') + 1;
    assert_int_equal(f->written.len, 800 * line_len);
    for (size_t i = 1; i < 800; i++) {
        assert_memory_equal(f->text, f->text + i * line_len, line_len);
    }
}

static void a_log_that_cannot_be_written_stops_nobody(void **state)
{
    struct fixture *f = *state;
    int full = open("/dev/full", O_WRONLY);
    const struct log_config config = {.fd = full, .level = LOG_LEVEL_INFO, .chrono = &f->chrono};
    uint64_t before = log_dropped();

    assert_true(full >= 0);
    log_setup(&config);
    errno = EDOM;
    log_info("e");
    assert_int_equal(errno, EDOM); /* logging leaves no trace in errno */
    assert_int_equal(log_dropped(), before + 1);
    (void)close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(people_read_logfmt, start, stop),
        cmocka_unit_test_setup_teardown(programs_read_json, start, stop),
        cmocka_unit_test_setup_teardown(an_event_may_stand_alone, start, stop),
        cmocka_unit_test_setup_teardown(what_lies_below_the_level_is_not_written, start, stop),
        cmocka_unit_test(levels_have_names),
        cmocka_unit_test_setup_teardown(values_cannot_break_out, start, stop),
        cmocka_unit_test_setup_teardown(times_before_1970_are_times_too, start, stop),
        cmocka_unit_test_setup_teardown(long_records_are_cut_and_stay_well_formed, start, stop),
        cmocka_unit_test_setup_teardown(long_lines_for_people_are_cut_as_well, start, stop),
        cmocka_unit_test_setup_teardown(random_values_make_one_line_each, start, stop),
        cmocka_unit_test_setup_teardown(threads_do_not_mix_their_lines, start, stop),
        cmocka_unit_test_setup_teardown(a_log_that_cannot_be_written_stops_nobody, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
