#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "cli/crontab.h"

static enum crontab_kind kind_of(struct crontab *crontab, const char *line)
{
    enum crontab_kind kind = CRONTAB_NOTHING;
    struct error error;

    assert_int_equal(crontab_line(crontab, str_from(line), &kind, &error), ERR_OK);
    return kind;
}

static void lines_are_told_apart(void **state)
{
    (void)state;
    SCOPE_FREE struct crontab *crontab = mem_alloc(sizeof *crontab);

    crontab_init(crontab, false);
    assert_int_equal(kind_of(crontab, ""), CRONTAB_NOTHING);
    assert_int_equal(kind_of(crontab, " \t "), CRONTAB_NOTHING);
    assert_int_equal(kind_of(crontab, "  # 0 9 * * * x"), CRONTAB_NOTHING);
    assert_int_equal(kind_of(crontab, "A=b"), CRONTAB_VARIABLE);
    assert_int_equal(kind_of(crontab, "0 9 * * * A=b x"), CRONTAB_ENTRY);
    assert_int_equal(kind_of(crontab, "@daily x=1"), CRONTAB_ENTRY);
}

static void variables_lose_their_quotes_and_the_last_one_counts(void **state)
{
    (void)state;
    SCOPE_FREE struct crontab *crontab = mem_alloc(sizeof *crontab);

    crontab_init(crontab, false);
    (void)kind_of(crontab, "A = \"b c\" ");
    (void)kind_of(crontab, "\"Q\"='x'");
    (void)kind_of(crontab, "EMPTY=");
    assert_string_equal(crontab_value(crontab, "A"), "b c");
    assert_string_equal(crontab_value(crontab, "Q"), "x");
    assert_string_equal(crontab_value(crontab, "EMPTY"), "");
    assert_null(crontab_value(crontab, "B"));
    (void)kind_of(crontab, "A=2");
    assert_string_equal(crontab_value(crontab, "A"), "2");
    assert_int_equal(crontab->variable_count, 3);
}

static void a_percent_sign_ends_the_command(void **state)
{
    (void)state;
    SCOPE_FREE struct crontab *crontab = mem_alloc(sizeof *crontab);

    crontab_init(crontab, false);
    (void)kind_of(crontab, "5\t4 * * *  mail \\%d %one%two \\% three");
    assert_string_equal(crontab->expr, "5 4 * * *");
    assert_string_equal(crontab->command, "mail %d ");
    assert_true(crontab->has_input);
    assert_string_equal(crontab->input, "one\ntwo % three\n");
    (void)kind_of(crontab, "5 4 * * * echo \\n");
    assert_string_equal(crontab->command, "echo \\n");
    assert_false(crontab->has_input);
}

static void system_files_have_users(void **state)
{
    (void)state;
    SCOPE_FREE struct crontab *crontab = mem_alloc(sizeof *crontab);
    enum crontab_kind kind;
    struct error error;

    crontab_init(crontab, true);
    (void)kind_of(crontab, "@hourly www-data /bin/true x");
    assert_string_equal(crontab->user, "www-data");
    assert_string_equal(crontab->command, "/bin/true x");
    assert_int_equal(crontab_line(crontab, STR("@hourly /bin/true"), &kind, &error), ERR_INVALID);
    assert_non_null(strstr(error.text, "user"));
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    SCOPE_FREE struct crontab *crontab = mem_alloc(sizeof *crontab);
    const char *lines[] = {"@reboot x",    "@REBOOT x",    "0 9 * *",      "0 9 * * *",
                           "61 * * * * x", "@sometimes x", "* * * * MOX x"};
    enum crontab_kind kind = CRONTAB_NOTHING;
    struct error error;

    crontab_init(crontab, false);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_not_equal(crontab_line(crontab, str_from(lines[i]), &kind, &error), ERR_OK);
        assert_int_equal(kind, CRONTAB_NOTHING);
    }
}

static void a_line_is_bounded(void **state)
{
    (void)state;
    SCOPE_FREE struct crontab *crontab = mem_alloc(sizeof *crontab);
    char line[2 * CRONTAB_LINE_BYTES_MAX];
    enum crontab_kind kind;
    struct error error;

    crontab_init(crontab, false);
    memset(line, 'x', sizeof line);
    memcpy(line, "* * * * * ", 10);
    assert_int_equal(crontab_line(crontab, (struct str){line, sizeof line}, &kind, &error), ERR_TOO_LARGE);
    assert_int_equal(crontab_line(crontab, (struct str){line, CRONTAB_LINE_BYTES_MAX - 2}, &kind, &error), ERR_OK);
    memset(line + 10, '%', CRONTAB_LINE_BYTES_MAX - 12);
    line[10] = 'x';
    assert_int_equal(crontab_line(crontab, (struct str){line, CRONTAB_LINE_BYTES_MAX - 2}, &kind, &error), ERR_OK);
}

static void names_come_from_the_program(void **state)
{
    (void)state;
    SCOPE_FREE struct crontab *crontab = mem_alloc(sizeof *crontab);
    const struct {
        const char *line;
        const char *slug;
    } cases[] = {
        {"@daily /usr/local/bin/backup.sh --all", "backup.sh"},
        {"@daily cd /srv/x && ./run it", "run"},
        {"@daily nice -n 19 ionice /bin/a_b", "19"},
        {"@daily A=b env C=d python3 x.py", "python3"},
        {"@daily { true; }", "true"},
        {"@daily /", "job"},
        {"@daily job_x", "job"},
    };
    char slug[CRONTAB_SLUG_BYTES];

    crontab_init(crontab, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)kind_of(crontab, cases[i].line);
        assert_string_equal(crontab_slug(crontab, slug), cases[i].slug);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_told_apart),
        cmocka_unit_test(variables_lose_their_quotes_and_the_last_one_counts),
        cmocka_unit_test(a_percent_sign_ends_the_command),
        cmocka_unit_test(system_files_have_users),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(a_line_is_bounded),
        cmocka_unit_test(names_come_from_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
