#include "calendar_test.h"

#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calendar/zone_suggest.h"

/* The smallest zone file there is: version 1, one type, called X. */
static const uint8_t tiny_file[] = {'T', 'Z', 'i', 'f', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   0, 0, 0,
                                    0,   0,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   0, 0, 0,
                                    0,   0,   0,   1,   0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 'X', 0};

/* A folder of our own for files that no tzdata has. */
static char folder[] = P_tmpdir "/belfry-zones-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) != NULL ? open_zones(state) : -1;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)close_zones(state);
    return nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void path_in_folder(const char *name, char path[512])
{
    (void)snprintf(path, 512, "%s/%s", folder, name);
}

static void write_file(const char *name, const void *bytes, size_t len)
{
    char path[512];

    path_in_folder(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void make_subfolder(const char *name)
{
    char path[512];

    path_in_folder(name, path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void utc_is_built_in_and_works_without_tzdata(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new("/nonexistent");
    const struct zone *zone = NULL;

    assert_int_equal(zone_cache_get(cache, STR("UTC"), &zone, NULL), ERR_OK);
    assert_string_equal(zone->name, "UTC");
    assert_int_equal(zone->count, 1);
    assert_int_equal(zone->segments[0].offset_s, 0);
    assert_string_equal(zone->segments[0].abbr, "UTC");
    zone_cache_free(cache);
}

static void without_tzdata_the_error_says_what_to_install(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new("/nonexistent");
    const struct zone *zone = NULL;
    struct error error = {0};

    assert_int_equal(zone_cache_get(cache, STR("Europe/Paris"), &zone, &error), ERR_UNKNOWN_ZONE);
    assert_contains(error.text, "Europe/Paris");
    assert_contains(error.text, "/nonexistent");
    assert_contains(error.text, "install tzdata");
    assert_null(zone);
    zone_cache_free(cache);
}

static void nothing_can_be_freed(void **state)
{
    (void)state;
    zone_cache_free(NULL);
}

static void a_zone_of_the_system_has_its_rules(void **state)
{
    (void)state;
    const struct zone *paris = zone_of("Europe/Paris");

    assert_string_equal(paris->name, "Europe/Paris");
    assert_same_instant(zone_to_local(paris, utc_s("2026-07-01T12:00:00Z")), local_s("2026-07-01T14:00:00"));
    assert_same_instant(zone_to_local(paris, utc_s("2026-01-01T12:00:00Z")), local_s("2026-01-01T13:00:00"));
    assert_same_instant(zone_to_local(paris, utc_s("2200-07-01T12:00:00Z")), local_s("2200-07-01T14:00:00"));
    assert_same_instant(zone_to_local(paris, utc_s("1970-07-01T12:00:00Z")), local_s("1970-07-01T13:00:00"));
}

static void a_zone_that_was_handed_out_stays_where_it_is(void **state)
{
    (void)state;
    const struct zone *paris = zone_of("Europe/Paris");
    static const char *const others[] = {"Africa/Abidjan", "Asia/Tokyo", "Zulu", "America/Argentina/Buenos_Aires"};

    for (size_t i = 0; i < COUNT_OF(others); i++) {
        assert_string_equal(zone_of(others[i])->name, others[i]);
        assert_ptr_equal(zone_of("Europe/Paris"), paris);
    }
}

static void names_with_signs_and_digits_are_zones_too(void **state)
{
    (void)state;
    assert_int_equal(zone_of("Etc/GMT+12")->segments[0].offset_s, -12 * 3600);
    assert_int_equal(zone_of("Etc/GMT-14")->segments[0].offset_s, 14 * 3600);
    assert_string_equal(zone_of("EST5EDT")->name, "EST5EDT");
    assert_string_equal(zone_of("America/Port-au-Prince")->name, "America/Port-au-Prince");
}

static void assert_unknown(struct str name, const char *hint)
{
    const struct zone *zone = NULL;
    struct error error = {0};

    if (zone_cache_get(test_zones, name, &zone, &error) != ERR_UNKNOWN_ZONE) {
        fail_msg("\"%.*s\" is not unknown", STR_ARGS(name));
    }
    assert_int_equal(error.code, ERR_UNKNOWN_ZONE);
    assert_contains(error.text, hint);
    assert_null(zone);
}

static void unknown_zones_are_a_clear_error(void **state)
{
    (void)state;
    assert_unknown(STR("Mars/Olympus_Mons"), "unknown time zone \"Mars/Olympus_Mons\"");
    assert_unknown(STR("Mars/Olympus_Mons"), "use an IANA name such as Europe/Paris");
    assert_unknown(STR(""), "unknown time zone \"\"");
    assert_unknown(STR("+02:00"), "unknown time zone");
    assert_unknown(STR("Europe Paris"), "unknown time zone");
    assert_unknown(STR("Europe/Paris\n"), "unknown time zone");
    assert_unknown(str_from_bytes("UTC\0", 4), "unknown time zone");
    assert_unknown(str_from_bytes("Europe/Paris\0x", 14), "unknown time zone");
}

static void unknown_zones_suggest_what_may_be_meant(void **state)
{
    (void)state;
    assert_unknown(STR("europe/paris"), "did you mean \"Europe/Paris\"?");
    assert_unknown(STR("EUROPE/PARIS"), "did you mean \"Europe/Paris\"?");
    assert_unknown(STR("Paris"), "did you mean \"Europe/Paris\"?");
    assert_unknown(STR("new_york"), "did you mean \"America/New_York\"?");
    assert_unknown(STR("Europe/Pari"), "did you mean \"Europe/Paris\"?");
    assert_unknown(STR("Europe/Pariss"), "did you mean \"Europe/Paris\"?");
    assert_unknown(STR("Europe/Prais"), "did you mean \"Europe/Paris\"?");
    assert_unknown(STR("Europa/Paris"), "did you mean \"Europe/Paris\"?");
    assert_unknown(STR("Buenos_Aires"), "Buenos_Aires\"?");
    assert_unknown(STR("America/Indiana/Indianapolos"), "did you mean \"America/Indiana/Indianapolis\"?");
    assert_unknown(STR("utc"), "did you mean \"UTC\"?");
}

static void no_name_leads_out_of_the_folder(void **state)
{
    (void)state;
    static const char *const names[] = {
        "../x",
        "..",
        ".",
        "/",
        "//",
        "/etc/passwd",
        "../../../etc/passwd",
        "../zoneinfo/Europe/Paris",
        "./Europe/Paris",
        "Europe/../Europe/Paris",
        "Europe/./Paris",
        "Europe//Paris",
        "/Europe/Paris",
        "Europe/Paris/",
        "/usr/share/zoneinfo/Europe/Paris",
        "Europe\\Paris",
        "Europe/Paris;",
        "~",
    };

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_unknown(str_from(names[i]), "unknown time zone");
    }
}

static void folders_and_other_files_are_no_zones(void **state)
{
    (void)state;
    assert_unknown(STR("Europe"), "unknown time zone \"Europe\"");
    assert_unknown(STR("America/Argentina"), "unknown time zone");
    assert_unknown(STR("Europe/Paris/Texas"), "unknown time zone");
    assert_unknown(STR("zone.tab"), "unknown time zone");
    assert_unknown(STR("leapseconds"), "unknown time zone");
}

static void zones_that_count_leap_seconds_are_refused_with_a_hint(void **state)
{
    (void)state;
    assert_unknown(STR("right/Europe/Paris"), "leave out right/");
    assert_unknown(STR("right/No/Such_Zone"), "leave out right/");
}

static void names_longer_than_any_zone_are_refused(void **state)
{
    (void)state;
    char name[5000];

    memset(name, 'A', sizeof name);
    assert_unknown(str_from_bytes(name, ZONE_NAME_BYTES_MAX), "unknown time zone");
    assert_unknown(str_from_bytes(name, ZONE_NAME_BYTES_MAX + 1), "unknown time zone");
    assert_unknown(str_from_bytes(name, sizeof name), "unknown time zone");
}

static void a_folder_name_as_long_as_a_path_may_be_is_no_folder(void **state)
{
    (void)state;
    char dir[4100];
    const struct zone *zone = NULL;

    memset(dir, 'd', sizeof dir - 1);
    dir[0] = '/';
    dir[sizeof dir - 1] = '\0';
    struct zone_cache *cache = zone_cache_new(dir);
    assert_int_equal(zone_cache_get(cache, STR("Europe/Paris"), &zone, NULL), ERR_UNKNOWN_ZONE);
    zone_cache_free(cache);
}

static void files_that_are_damaged_name_the_zone(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new(folder);
    const struct zone *zone = NULL;
    struct error error = {0};

    write_file("Whole", tiny_file, sizeof tiny_file);
    write_file("Damaged", tiny_file, sizeof tiny_file - 1);
    write_file("Empty", "", 0);
    write_file("Z", tiny_file, sizeof tiny_file);
    write_file("Text", "hello", 5);
    assert_int_equal(zone_cache_get(cache, STR("Whole"), &zone, NULL), ERR_OK);
    assert_string_equal(zone->segments[0].abbr, "X");
    assert_int_equal(zone_cache_get(cache, STR("Z"), &zone, NULL), ERR_OK);
    assert_int_equal(zone_cache_get(cache, STR("Damaged"), &zone, &error), ERR_CORRUPT);
    assert_contains(error.text, "time zone \"Damaged\": ");
    assert_int_equal(zone_cache_get(cache, STR("Empty"), &zone, &error), ERR_UNKNOWN_ZONE);
    assert_contains(error.text, "\"Empty\" is not a time zone");
    assert_int_equal(zone_cache_get(cache, STR("Text"), &zone, &error), ERR_UNKNOWN_ZONE);
    zone_cache_free(cache);
}

static void a_file_that_was_bad_is_read_again_when_it_is_asked_for_again(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new(folder);
    const struct zone *zone = NULL;
    struct error error = {0};

    write_file("Mended", "TZif", 4);
    assert_int_equal(zone_cache_get(cache, STR("Mended"), &zone, &error), ERR_CORRUPT);
    write_file("Mended", tiny_file, sizeof tiny_file);
    assert_int_equal(zone_cache_get(cache, STR("Mended"), &zone, NULL), ERR_OK);
    zone_cache_free(cache);
}

static void a_file_too_large_for_a_zone_is_read_in_part_and_refused(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new(folder);
    const struct zone *zone = NULL;
    struct error error = {0};
    size_t len = TZIF_BYTES_MAX + 1000;
    SCOPE_FREE uint8_t *bytes = mem_zalloc(len);

    memcpy(bytes, "TZif", 4);
    write_file("Large", bytes, len);
    assert_int_equal(zone_cache_get(cache, STR("Large"), &zone, &error), ERR_CORRUPT);
    zone_cache_free(cache);
}

static void a_pipe_in_the_folder_is_no_zone_and_blocks_nobody(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new(folder);
    const struct zone *zone = NULL;
    char path[512];

    path_in_folder("Pipe", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(zone_cache_get(cache, STR("Pipe"), &zone, NULL), ERR_UNKNOWN_ZONE);
    zone_cache_free(cache);
}

static void suggestions_come_from_names_that_can_be_zones(void **state)
{
    (void)state;
    char deep[128];

    make_subfolder("One");
    make_subfolder("One/Two");
    make_subfolder("One/Two/Three");
    make_subfolder("posix");
    write_file("One/Two/Lighthouse", tiny_file, sizeof tiny_file);
    write_file("One/Two/Three/Cellar", tiny_file, sizeof tiny_file);
    write_file("posix/Attic", tiny_file, sizeof tiny_file);
    write_file("gibberish", tiny_file, sizeof tiny_file);
    memset(deep, 'y', sizeof deep);
    (void)snprintf(deep, sizeof deep, "One/Two/L%080d", 1);
    write_file(deep, tiny_file, sizeof tiny_file);

    struct zone_names *names = zone_names_new(folder);
    assert_string_equal(zone_suggest(names, STR("lighthouse")), "One/Two/Lighthouse");
    assert_string_equal(zone_suggest(names, STR("ONE/two/lighthouse")), "One/Two/Lighthouse");
    assert_string_equal(zone_suggest(names, STR("One/Two/Lighthosue")), "One/Two/Lighthouse");
    assert_null(zone_suggest(names, STR("Attic")));
    assert_null(zone_suggest(names, STR("Cellar")));
    assert_null(zone_suggest(names, STR("gibberisch")));
    assert_null(zone_suggest(names, STR("Something/Else")));
    assert_null(zone_suggest(names, STR("")));
    zone_names_free(names);
    names = zone_names_new("/nonexistent");
    assert_null(zone_suggest(names, STR("Paris")));
    zone_names_free(names);
}

static void a_suggestion_is_never_hours_off(void **state)
{
    (void)state;
    struct zone_names *names = zone_names_new(ZONE_DIR_DEFAULT);
    static const char *const hopeless[] = {"PST", "EDT", "CST", "BST", "IST", "AEST", "GMT+2", "UTC+5", "Etc/GMT+20"};

    for (size_t i = 0; i < COUNT_OF(hopeless); i++) {
        assert_null(zone_suggest(names, str_from(hopeless[i])));
    }
    assert_string_equal(zone_suggest(names, STR("new york")), "America/New_York");
    assert_string_equal(zone_suggest(names, STR("Europe/Prais")), "Europe/Paris");
    zone_names_free(names);
}

static void suggestions_look_at_a_bounded_number_of_files(void **state)
{
    (void)state;
    char path[512];

    make_subfolder("Many");
    write_file("Many/F", tiny_file, sizeof tiny_file);
    path_in_folder("Many/F", path);
    for (int i = 0; i < 5000; i++) {
        char link_path[560];

        (void)snprintf(link_path, sizeof link_path, "%s%d", path, i);
        assert_int_equal(link(path, link_path), 0);
    }
    path_in_folder("Many", path);
    struct zone_names *names = zone_names_new(path);
    assert_null(zone_suggest(names, STR("Nothing/Like/It")));
    zone_names_free(names);
}

static void more_zones_than_the_cache_holds_are_an_error(void **state)
{
    (void)state;
    char path[512];

    path_in_folder("Many", path);
    struct zone_cache *cache = zone_cache_new(path);
    const struct zone *zone = NULL;
    struct error error = {0};
    for (int i = 0; i < ZONE_CACHE_MAX - 1; i++) { /* one place is UTC's */
        char name[16];

        (void)snprintf(name, sizeof name, "F%d", i);
        assert_int_equal(zone_cache_get(cache, str_from(name), &zone, NULL), ERR_OK);
        assert_string_equal(zone->name, name);
    }
    assert_int_equal(zone_cache_get(cache, STR("F4999"), &zone, &error), ERR_TOO_LARGE);
    assert_int_equal(zone_cache_get(cache, STR("F17"), &zone, &error), ERR_OK);
    assert_int_equal(zone_cache_get(cache, STR("UTC"), &zone, &error), ERR_OK);
    zone_cache_free(cache);
}

/* All names below prefix in the system's folder, through the cache; returns how many zones there were. */
static int visit_zones(const char *prefix, void (*visit)(const struct zone *))
{
    char path[512];
    int zones = 0;

    (void)snprintf(path, sizeof path, "%s/%s", ZONE_DIR_DEFAULT, prefix);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char name[384];
        struct stat st;

        if (entry->d_name[0] < 'A' || entry->d_name[0] > 'Z') {
            continue; /* zones begin with a capital; tables such as zone.tab and the copies in posix do not */
        }
        (void)snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] != '\0' ? "/" : "", entry->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", ZONE_DIR_DEFAULT, name);
        assert_int_equal(stat(path, &st), 0);
        if (S_ISDIR(st.st_mode)) {
            zones += visit_zones(name, visit);
        } else {
            visit(zone_of(name));
            zones++;
        }
    }
    assert_int_equal(closedir(dir), 0);
    return zones;
}

static void assert_valid(const struct zone *zone)
{
    if (!zone_valid(zone)) {
        fail_msg("%s is not valid", zone->name);
    }
}

static void every_zone_of_the_system_loads_and_is_valid(void **state)
{
    (void)state;
    assert_true(visit_zones("", assert_valid) > 500);
}

/* What cron_fire.h relies on when it moves a fire out of a gap: the clock does not change again before it comes. */
static void assert_gaps_are_shorter_than_what_follows(const struct zone *zone)
{
    for (size_t i = 1; i < zone->count; i++) {
        int64_t start_s = zone->segments[i].start_s;
        int32_t jump_s = zone_jump_s(zone, i);

        if (start_s >= TIME_START_S && start_s < TIME_END_S && jump_s > 0 &&
            zone_segment_end(zone, i) - start_s < jump_s) {
            fail_msg("%s: the clock changes again within %d s of its jump at %lld", zone->name, jump_s,
                     (long long)start_s);
        }
    }
}

static void no_zone_changes_again_before_a_gap_is_made_up_for(void **state)
{
    (void)state;
    assert_true(visit_zones("", assert_gaps_are_shorter_than_what_follows) > 500);
}

/* The same for folds: no local time comes three times. */
static void assert_folds_are_shorter_than_what_is_around(const struct zone *zone)
{
    for (size_t i = 1; i < zone->count; i++) {
        int64_t start_s = zone->segments[i].start_s;
        int32_t back_s = -zone_jump_s(zone, i);

        if (start_s >= TIME_START_S && start_s < TIME_END_S && back_s > 0) {
            bool long_enough = zone_segment_end(zone, i) - start_s >= back_s &&
                               (i == 1 || start_s - zone->segments[i - 1].start_s >= back_s);

            if (!long_enough) {
                fail_msg("%s: two changes within the fold at %lld", zone->name, (long long)start_s);
            }
        }
    }
}

static void in_no_zone_does_a_local_time_come_three_times(void **state)
{
    (void)state;
    assert_true(visit_zones("", assert_folds_are_shorter_than_what_is_around) > 500);
}

/* Threads that ask one cache for the same zones, each in another order. */
struct asker {
    struct zone_cache *cache;
    size_t offset;
    const struct zone *zones[8];
};

static const char *const asked_names[] = {"Europe/Paris", "America/New_York", "Asia/Tokyo",    "Asia/Beirut",
                                          "Africa/Cairo", "Pacific/Apia",     "Europe/Dublin", "No/Such_Zone"};

static void *ask_for_zones(void *argument)
{
    struct asker *asker = argument;

    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < COUNT_OF(asked_names); i++) {
            size_t which = (i + asker->offset) % COUNT_OF(asked_names);
            const struct zone *zone = NULL;
            struct error error;

            if (zone_cache_get(asker->cache, str_from(asked_names[which]), &zone, &error) == ERR_OK) {
                asker->zones[which] = zone_to_local(zone, 0) > -86400 ? zone : NULL;
            }
        }
    }
    return NULL;
}

static void threads_that_ask_at_once_get_the_same_zones(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new(NULL);
    struct asker askers[4];
    pthread_t threads[COUNT_OF(askers)];

    for (size_t i = 0; i < COUNT_OF(askers); i++) {
        askers[i] = (struct asker){.cache = cache, .offset = 2 * i};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_for_zones, &askers[i]), 0);
    }
    for (size_t i = 0; i < COUNT_OF(askers); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (size_t which = 0; which + 1 < COUNT_OF(asked_names); which++) {
        assert_non_null(askers[0].zones[which]);
        assert_string_equal(askers[0].zones[which]->name, asked_names[which]);
        for (size_t i = 1; i < COUNT_OF(askers); i++) {
            assert_ptr_equal(askers[i].zones[which], askers[0].zones[which]);
        }
    }
    assert_null(askers[0].zones[COUNT_OF(asked_names) - 1]);
    zone_cache_free(cache);
}

static const struct zone *zone_in(struct zone_cache *cache, const char *name, uint64_t rules_hash)
{
    const struct zone *zone = NULL;

    assert_int_equal(zone_cache_get_rules(cache, str_from(name), rules_hash, &zone, NULL), ERR_OK);
    return zone;
}

static void a_zone_whose_file_changed_has_new_rules_and_keeps_the_former(void **state)
{
    (void)state;
    uint8_t other[sizeof tiny_file];
    struct zone_cache *cache = zone_cache_new(folder);

    memcpy(other, tiny_file, sizeof other);
    other[sizeof other - 2] = 'Y';
    write_file("Changing", tiny_file, sizeof tiny_file);
    write_file("Staying", tiny_file, sizeof tiny_file);
    const struct zone *former = zone_in(cache, "Changing", 0);
    const struct zone *staying = zone_in(cache, "Staying", 0);

    assert_int_equal(zone_cache_refresh(cache), 0);
    write_file("Changing", other, sizeof other);
    assert_ptr_equal(zone_in(cache, "Changing", 0), former); /* until somebody says so */
    assert_int_equal(zone_cache_refresh(cache), 1);
    const struct zone *present = zone_in(cache, "Changing", 0);

    assert_string_equal(present->segments[0].abbr, "Y");
    assert_string_equal(former->segments[0].abbr, "X");
    assert_ptr_equal(zone_in(cache, "Changing", former->rules_hash), former);
    assert_ptr_equal(zone_in(cache, "Changing", present->rules_hash), present);
    assert_ptr_equal(zone_in(cache, "Changing", 4711), present); /* nobody has kept these */
    assert_ptr_equal(zone_in(cache, "Staying", 0), staying);
    write_file("Changing", "no zone", 7);
    assert_int_equal(zone_cache_refresh(cache), 0);
    assert_ptr_equal(zone_in(cache, "Changing", 0), present);
    zone_cache_free(cache);
}

static void rules_that_somebody_kept_are_found_by_their_hash(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new(NULL);
    struct zone *kept = zone_new_fixed("Europe/Berlin", "LMT", 3208);
    uint64_t hash = kept->rules_hash;

    zone_cache_keep(cache, kept);
    zone_cache_keep(cache, zone_new_fixed("Europe/Berlin", "LMT", 3208)); /* the second time it is freed */
    assert_ptr_equal(zone_in(cache, "Europe/Berlin", hash), kept);
    assert_ptr_not_equal(zone_in(cache, "Europe/Berlin", 0), kept);
    assert_ptr_not_equal(zone_in(cache, "Europe/Paris", hash), kept);
    zone_cache_free(cache);
}

static void nobody_has_to_listen_to_errors(void **state)
{
    (void)state;
    struct zone_cache *cache = zone_cache_new(folder);
    const struct zone *zone = NULL;

    write_file("Unheard", tiny_file, sizeof tiny_file - 1);
    assert_int_equal(zone_cache_get(cache, STR("Nowhere"), &zone, NULL), ERR_UNKNOWN_ZONE);
    assert_int_equal(zone_cache_get(cache, STR("../x"), &zone, NULL), ERR_UNKNOWN_ZONE);
    assert_int_equal(zone_cache_get(cache, STR("Unheard"), &zone, NULL), ERR_CORRUPT);
    assert_null(zone);
    zone_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utc_is_built_in_and_works_without_tzdata),
        cmocka_unit_test(without_tzdata_the_error_says_what_to_install),
        cmocka_unit_test(nothing_can_be_freed),
        cmocka_unit_test(a_zone_of_the_system_has_its_rules),
        cmocka_unit_test(a_zone_that_was_handed_out_stays_where_it_is),
        cmocka_unit_test(names_with_signs_and_digits_are_zones_too),
        cmocka_unit_test(unknown_zones_are_a_clear_error),
        cmocka_unit_test(unknown_zones_suggest_what_may_be_meant),
        cmocka_unit_test(no_name_leads_out_of_the_folder),
        cmocka_unit_test(folders_and_other_files_are_no_zones),
        cmocka_unit_test(zones_that_count_leap_seconds_are_refused_with_a_hint),
        cmocka_unit_test(names_longer_than_any_zone_are_refused),
        cmocka_unit_test(a_folder_name_as_long_as_a_path_may_be_is_no_folder),
        cmocka_unit_test(files_that_are_damaged_name_the_zone),
        cmocka_unit_test(a_file_that_was_bad_is_read_again_when_it_is_asked_for_again),
        cmocka_unit_test(a_file_too_large_for_a_zone_is_read_in_part_and_refused),
        cmocka_unit_test(a_pipe_in_the_folder_is_no_zone_and_blocks_nobody),
        cmocka_unit_test(suggestions_come_from_names_that_can_be_zones),
        cmocka_unit_test(a_suggestion_is_never_hours_off),
        cmocka_unit_test(suggestions_look_at_a_bounded_number_of_files),
        cmocka_unit_test(more_zones_than_the_cache_holds_are_an_error),
        cmocka_unit_test(every_zone_of_the_system_loads_and_is_valid),
        cmocka_unit_test(no_zone_changes_again_before_a_gap_is_made_up_for),
        cmocka_unit_test(in_no_zone_does_a_local_time_come_three_times),
        cmocka_unit_test(threads_that_ask_at_once_get_the_same_zones),
        cmocka_unit_test(a_zone_whose_file_changed_has_new_rules_and_keeps_the_former),
        cmocka_unit_test(rules_that_somebody_kept_are_found_by_their_hash),
        cmocka_unit_test(nobody_has_to_listen_to_errors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
