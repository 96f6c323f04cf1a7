#include "folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "server/archive_file.h"
#include "server/gzip.h"

#define NAME "a.ndjson.gz"

static enum err append(struct archive_file *file, const char *text, struct error *error)
{
    SCOPE(buf_done) struct buf member;

    buf_init(&member, 100000);
    gzip_append(&member, str_from(text));
    return archive_file_append(file, path_of(""), NAME, buf_str(&member), error);
}

static void append_well(struct archive_file *file, const char *text)
{
    struct error error;

    assert_int_equal(append(file, text, &error), ERR_OK);
}

/* Unpacks the whole file, as zcat does. */
static void assert_reads(const char *text)
{
    char found[1000] = "";
    gzFile file = gzopen(path_of(NAME), "rb");

    assert_non_null(file);
    int len = gzread(file, found, sizeof found - 1);

    assert_true(len >= 0);
    assert_int_equal(gzclose(file), Z_OK);
    assert_string_equal(found, text);
}

static off_t size_of(const char *name)
{
    struct stat facts;

    assert_int_equal(stat(path_of(name), &facts), 0);
    return facts.st_size;
}

static void members_follow_each_other(void **state)
{
    (void)state;
    struct archive_file file = {.path = ""}, later = {.path = ""};

    append_well(&file, "one\n");
    append_well(&file, "two\n");
    append_well(&later, "three\n"); /* by the next process */
    append_well(&later, "four\n");
    assert_reads("one\ntwo\nthree\nfour\n");
}

static void what_a_crash_tore_is_cut_off(void **state)
{
    (void)state;
    struct archive_file file = {.path = ""};

    append_well(&file, "one\n");
    off_t first = size_of(NAME);

    append_well(&file, "two\n");
    off_t second = size_of(NAME);

    for (off_t len = first; len < second; len++) {
        struct archive_file next = {.path = ""};

        assert_int_equal(truncate(path_of(NAME), len), 0);
        append_well(&next, "two\n");
        assert_reads("one\ntwo\n");
        assert_int_equal(size_of(NAME), second);
    }
}

static void blocks_that_never_reached_the_disk_are_cut_off(void **state)
{
    (void)state;
    struct archive_file file = {.path = ""}, next = {.path = ""};

    append_well(&file, "one\n");
    off_t first = size_of(NAME);

    assert_int_equal(truncate(path_of(NAME), first + 5000), 0); /* zeros */
    append_well(&next, "two\n");
    assert_reads("one\ntwo\n");
    off_t second = size_of(NAME);

    assert_int_equal(truncate(path_of(NAME), second - 6), 0); /* as long as it should be, with zeros at its end */
    assert_int_equal(truncate(path_of(NAME), second), 0);
    next.path[0] = '\0';
    append_well(&next, "three\n");
    assert_reads("one\nthree\n");
}

static void somebody_elses_file_is_refused_and_left_alone(void **state)
{
    (void)state;
    struct archive_file file = {.path = ""};
    struct error error;

    write_file(NAME, "these are my notes\n");
    assert_int_equal(append(&file, "one\n", &error), ERR_CONFLICT);
    assert_non_null(strstr(error.text, "move it away"));
    assert_int_equal(size_of(NAME), strlen("these are my notes\n"));
    assert_int_equal(remove(path_of(NAME)), 0);
    append_well(&file, "one\n");
    assert_reads("one\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(members_follow_each_other),
        IN_FOLDER(what_a_crash_tore_is_cut_off),
        IN_FOLDER(blocks_that_never_reached_the_disk_are_cut_off),
        IN_FOLDER(somebody_elses_file_is_refused_and_left_alone),
    };

    return cmocka_run_group_tests_name("server/archive_file", tests, NULL, NULL);
}
