#include "folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/home.h"

static unsigned mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 0777U;
}

static void a_folder_is_made_with_those_above_it_for_us_alone(void **state)
{
    (void)state;
    struct error error;

    assert_int_equal(home_open(path_of("a/b/data"), &error), ERR_OK);
    assert_int_equal(mode_of(path_of("a/b/data")), 0700);
    assert_int_equal(home_open(path_of("a/b/data"), &error), ERR_OK);
    assert_int_equal(home_open(path_of("a/b/other/"), &error), ERR_OK);
}

static void a_folder_that_is_none_or_everybody_s_is_refused(void **state)
{
    (void)state;
    struct error error;

    write_file("file", "");
    assert_int_not_equal(home_open(path_of("file"), &error), ERR_OK);
    assert_int_not_equal(home_open(path_of("file/below"), &error), ERR_OK);
    assert_int_not_equal(home_open("", &error), ERR_OK);
    assert_int_equal(mkdir(path_of("open"), 0700), 0);
    assert_int_equal(chmod(path_of("open"), 0777), 0);
    assert_int_equal(home_open(path_of("open"), &error), ERR_FORBIDDEN);
    assert_non_null(strstr(error.text, "chmod 700"));
}

static void a_token_is_made_once_and_is_for_us_alone(void **state)
{
    (void)state;
    char first[HOME_TOKEN_BYTES_MAX];
    char again[HOME_TOKEN_BYTES_MAX];
    struct error error;
    mode_t before = umask(0);

    assert_int_equal(home_token(path_of("token"), first, &error), ERR_OK);
    (void)umask(before);
    assert_int_equal(mode_of(path_of("token")), 0600);
    assert_int_equal(strncmp(first, "bf_", 3), 0);
    assert_int_equal(strlen(first), 3 + 43); /* 256 bits, six for each character */
    assert_int_equal(strspn(first + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), 43);
    assert_int_equal(home_token(path_of("token"), again, &error), ERR_OK);
    assert_string_equal(first, again);
    assert_int_equal(home_token(path_of("other"), again, &error), ERR_OK);
    assert_string_not_equal(first, again);
}

static void what_a_killed_start_left_behind_does_not_matter(void **state)
{
    (void)state;
    char token[HOME_TOKEN_BYTES_MAX];
    struct error error;

    write_file("token.new", "bf_ha");
    assert_int_equal(home_token(path_of("token"), token, &error), ERR_OK);
    assert_int_equal(strlen(token), 3 + 43);
    assert_int_not_equal(access(path_of("token.new"), F_OK), 0);
}

static void a_token_that_others_can_read_is_refused(void **state)
{
    (void)state;
    const unsigned modes[] = {0640, 0604, 0620, 0660, 0666};
    char token[HOME_TOKEN_BYTES_MAX];
    struct error error;

    write_file("token", "bf_secret\n");
    assert_int_equal(home_token(path_of("token"), token, &error), ERR_OK);
    assert_string_equal(token, "bf_secret");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(path_of("token"), modes[i]), 0);
        assert_int_equal(home_token(path_of("token"), token, &error), ERR_FORBIDDEN);
        assert_non_null(strstr(error.text, "chmod 600"));
        assert_null(strstr(error.text, "bf_secret"));
    }
}

static void a_file_without_a_token_is_refused(void **state)
{
    (void)state;
    char token[HOME_TOKEN_BYTES_MAX];
    char large[HOME_TOKEN_BYTES_MAX + 2];
    struct error error;
    const char *const wrong[] = {"", "\n", "two words", "tab\there", "line\nline"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_file("token", wrong[i]);
        assert_int_equal(home_token(path_of("token"), token, &error), ERR_INVALID);
    }
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    write_file("token", large);
    assert_int_equal(home_token(path_of("token"), token, &error), ERR_INVALID);
    assert_int_equal(home_token(path_of(""), token, &error), ERR_INVALID);
    assert_int_equal(home_token_read(path_of("nowhere"), token, &error), ERR_NOT_FOUND);
}

/* What the file says, without its newline. */
static const char *address_now(void)
{
    static char text[HOME_LINE_BYTES_MAX];
    FILE *file = fopen(path_of("address"), "r");

    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_int_equal(fclose(file), 0);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void the_address_is_there_until_its_server_takes_it_away(void **state)
{
    (void)state;
    struct error error;

    assert_int_equal(home_address_write(path_of(""), "http://127.0.0.1:1", &error), ERR_OK);
    assert_string_equal(address_now(), "http://127.0.0.1:1");
    assert_int_equal(mode_of(path_of("address")), 0600);
    assert_int_equal(home_address_write(path_of(""), "http://127.0.0.1:2", &error), ERR_OK);
    home_address_remove(path_of(""), "http://127.0.0.1:1"); /* the first one's end is not the second one's */
    assert_string_equal(address_now(), "http://127.0.0.1:2");
    home_address_remove(path_of(""), "http://127.0.0.1:2");
    assert_int_not_equal(access(path_of("address"), F_OK), 0);
    home_address_remove(path_of(""), "http://127.0.0.1:2");
    assert_int_equal(home_address_write(path_of("nowhere"), "http://127.0.0.1:2", &error), ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_folder_is_made_with_those_above_it_for_us_alone),
        IN_FOLDER(a_folder_that_is_none_or_everybody_s_is_refused),
        IN_FOLDER(a_token_is_made_once_and_is_for_us_alone),
        IN_FOLDER(what_a_killed_start_left_behind_does_not_matter),
        IN_FOLDER(a_token_that_others_can_read_is_refused),
        IN_FOLDER(a_file_without_a_token_is_refused),
        IN_FOLDER(the_address_is_there_until_its_server_takes_it_away),
    };

    return cmocka_run_group_tests_name("server/home", tests, NULL, NULL);
}
