#include "folder.h"

#include <string.h>
#include <sys/stat.h>

#include "server/own_id.h"

static void an_id_that_was_written_is_read(void **state)
{
    char id[OWN_ID_BYTES_MAX] = "before";
    struct error error;
    struct stat st;

    (void)state;
    own_id_read(path_of("store"), id);
    assert_string_equal(id, "");
    assert_int_equal(own_id_write(path_of("store"), "w-1", &error), ERR_OK);
    assert_int_equal(own_id_write(path_of("store"), "w-2", &error), ERR_OK);
    own_id_read(path_of("store"), id);
    assert_string_equal(id, "w-2");
    assert_int_equal(stat(path_of("store.worker"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void what_could_be_none_is_none(void **state)
{
    char id[OWN_ID_BYTES_MAX];
    char longer[OWN_ID_BYTES_MAX + 1];

    (void)state;
    memset(longer, 'w', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    for (const char *const *text = (const char *const[]){"", "\n", "two words", "a\x01", longer, NULL}; *text != NULL;
         text++) {
        write_file("store.worker", *text);
        own_id_read(path_of("store"), id);
        assert_string_equal(id, "");
    }
}

static void a_folder_that_is_not_there_is_said(void **state)
{
    struct error error;

    (void)state;
    assert_int_not_equal(own_id_write(path_of("nowhere/store"), "w-1", &error), ERR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(an_id_that_was_written_is_read),
        IN_FOLDER(what_could_be_none_is_none),
        IN_FOLDER(a_folder_that_is_not_there_is_said),
    };

    return cmocka_run_group_tests_name("server/own_id", tests, NULL, NULL);
}
