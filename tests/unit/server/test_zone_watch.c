#include "folder.h"

#include <string.h>
#include <unistd.h>

#include "server/zone_watch.h"

static void a_folder_that_stays_is_not_changed(void **state)
{
    (void)state;
    char version[ZONE_WATCH_TEXT_BYTES];

    write_file("tzdata.zi", "# version 2026a\nR x\n");
    struct zone_watch *watch = zone_watch_new(path_of(""));
    assert_string_equal(zone_watch_version(watch), "2026a");
    assert_false(zone_watch_changed(watch, version));
    assert_string_equal(version, "2026a");
    zone_watch_free(watch);
}

static void another_version_is_noticed_once(void **state)
{
    (void)state;
    char version[ZONE_WATCH_TEXT_BYTES];

    write_file("tzdata.zi", "# version 2026a\n");
    struct zone_watch *watch = zone_watch_new(path_of(""));
    write_file("tzdata.zi", "# version 2026bc\n");
    assert_true(zone_watch_changed(watch, version));
    assert_string_equal(version, "2026bc");
    assert_false(zone_watch_changed(watch, version));
    assert_int_equal(unlink(path_of("tzdata.zi")), 0);
    assert_true(zone_watch_changed(watch, version));
    assert_string_equal(version, "unknown");
    zone_watch_free(watch);
}

static void other_files_can_name_the_version(void **state)
{
    (void)state;
    write_file("+VERSION", "2025c\n");
    struct zone_watch *watch = zone_watch_new(path_of(""));
    assert_string_equal(zone_watch_version(watch), "2025c");
    zone_watch_free(watch);
}

static void a_folder_that_is_not_there_has_no_version(void **state)
{
    (void)state;
    char version[ZONE_WATCH_TEXT_BYTES];
    struct zone_watch *watch = zone_watch_new(path_of("nowhere"));

    assert_string_equal(zone_watch_version(watch), "unknown");
    assert_false(zone_watch_changed(watch, version));
    zone_watch_free(watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_folder_that_stays_is_not_changed),
        IN_FOLDER(another_version_is_noticed_once),
        IN_FOLDER(other_files_can_name_the_version),
        IN_FOLDER(a_folder_that_is_not_there_has_no_version),
    };

    return cmocka_run_group_tests_name("server/zone_watch", tests, NULL, NULL);
}
