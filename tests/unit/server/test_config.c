#include "folder.h"

#include <stdio.h>
#include <string.h>

#include "server/config.h"

/* The environment of a test: NAME=value, ended by NULL. */
static const char *const *environment;

static const char *variable(void *context, const char *name)
{
    size_t len = strlen(name);

    (void)context;
    for (const char *const *one = environment; one != NULL && *one != NULL; one++) {
        if (strncmp(*one, name, len) == 0 && (*one)[len] == '=') {
            return *one + len + 1;
        }
    }
    return NULL;
}

static enum err read_config(const struct config_flags *flags, const char *const *env, struct config *config,
                            struct error *error)
{
    const struct config_around around = {.variable = variable, .data_default = path_of("")};
    const struct config_flags none = {0};

    environment = env;
    return config_read(flags != NULL ? flags : &none, &around, config, error);
}

static void want_refused(const char *const *env, const char *const *pieces)
{
    struct config config;
    struct error error;

    assert_int_not_equal(read_config(NULL, env, &config, &error), ERR_OK);
    for (; *pieces != NULL; pieces++) {
        if (strstr(error.text, *pieces) == NULL) {
            fail_msg("\"%s\" is not in: %s", *pieces, error.text);
        }
    }
}

#define REFUSED(env, ...) want_refused(env, (const char *const[]){__VA_ARGS__, NULL})

static void without_anything_the_defaults_hold(void **state)
{
    (void)state;
    struct config config;
    struct error error;

    assert_int_equal(read_config(NULL, NULL, &config, &error), ERR_OK);
    assert_string_equal(config_text(&config, CONFIG_LISTEN), "127.0.0.1:7600");
    assert_string_equal(config_text(&config, CONFIG_DATA), path_of(""));
    assert_int_equal(config_number(&config, CONFIG_WORKER_SLOTS), 32);
    assert_int_equal(config_number(&config, CONFIG_DRAIN_GRACE), 30000);
    assert_int_equal(config_number(&config, CONFIG_KEEP_HISTORY), INT64_C(90) * 24 * 3600 * 1000);
    assert_int_equal(config_number(&config, CONFIG_MAX_BODY), 1024 * 1024);
    assert_int_equal(config_number(&config, CONFIG_ACCEPT_CLOCK), 0);
    assert_true(config_is(&config, CONFIG_AUTH, "token"));
    assert_null(config.file);
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        assert_int_equal(config.values[i].source, CONFIG_FROM_DEFAULT);
    }
    config_done(&config);
}

static void flags_come_before_the_environment_and_that_before_the_file(void **state)
{
    (void)state;
    const char *const env[] = {"BELFRY_WORKER_SLOTS=5", "BELFRY_READERS=6", "BELFRY_LISTEN=", NULL};
    struct config_flags flags = {0};
    struct config config;
    struct error error;

    write_file("belfry.conf", "worker-slots = 1\nreaders=2\nnet-threads = 3\nlisten = 127.0.0.1:1\n");
    flags.values[CONFIG_WORKER_SLOTS] = STR("7");
    flags.switches[CONFIG_ACCEPT_CLOCK] = true;
    assert_int_equal(read_config(&flags, env, &config, &error), ERR_OK);
    assert_int_equal(config_number(&config, CONFIG_WORKER_SLOTS), 7);
    assert_int_equal(config.values[CONFIG_WORKER_SLOTS].source, CONFIG_FROM_FLAG);
    assert_int_equal(config_number(&config, CONFIG_READERS), 6);
    assert_int_equal(config.values[CONFIG_READERS].source, CONFIG_FROM_ENVIRONMENT);
    assert_int_equal(config_number(&config, CONFIG_NET_THREADS), 3);
    assert_int_equal(config.values[CONFIG_NET_THREADS].source, CONFIG_FROM_FILE);
    assert_string_equal(config_text(&config, CONFIG_LISTEN), "127.0.0.1:1"); /* an empty variable says nothing */
    assert_int_equal(config_number(&config, CONFIG_ACCEPT_CLOCK), 1);
    assert_string_equal(config.file, path_of("belfry.conf"));
    config_done(&config);
}

static void a_file_has_comments_blanks_and_any_order(void **state)
{
    (void)state;
    struct config config;
    struct error error;

    write_file("belfry.conf",
               "# all of it\n\n  drain-grace =  1m30s  # longer\r\n\tarchive=/a#b c\naccept-clock = yes");
    assert_int_equal(read_config(NULL, NULL, &config, &error), ERR_OK);
    assert_int_equal(config_number(&config, CONFIG_DRAIN_GRACE), 90000);
    assert_string_equal(config_text(&config, CONFIG_ARCHIVE), "/a#b c");
    assert_int_equal(config_number(&config, CONFIG_ACCEPT_CLOCK), 1);
    config_done(&config);
}

static void a_file_that_is_named_is_read_instead_and_must_be_there(void **state)
{
    (void)state;
    char env_text[300];
    const char *const env[] = {env_text, NULL};
    struct config config;
    struct error error;

    write_file("belfry.conf", "readers = 1\n");
    write_file("other.conf", "readers = 9\ndata = /elsewhere\n");
    (void)snprintf(env_text, sizeof env_text, "BELFRY_CONFIG=%s", path_of("other.conf"));
    assert_int_equal(read_config(NULL, env, &config, &error), ERR_OK);
    assert_int_equal(config_number(&config, CONFIG_READERS), 9);
    assert_string_equal(config_text(&config, CONFIG_DATA), "/elsewhere");
    config_done(&config);
    (void)snprintf(env_text, sizeof env_text, "BELFRY_CONFIG=%s", path_of("missing.conf"));
    REFUSED(env, "missing.conf", "No such file");
}

static void the_data_folder_of_the_command_line_has_the_file(void **state)
{
    (void)state;
    struct config_flags flags = {0};
    struct config config;
    struct error error;

    write_file("belfry.conf", "readers = 4\n");
    flags.values[CONFIG_DATA] = str_from(path_of(""));
    assert_int_equal(read_config(&flags, NULL, &config, &error), ERR_OK);
    assert_int_equal(config_number(&config, CONFIG_READERS), 4);
    config_done(&config);
}

static void what_is_wrong_in_a_file_is_refused_with_its_line(void **state)
{
    (void)state;
    write_file("belfry.conf", "# one\nlisen = 127.0.0.1:1\n");
    REFUSED(NULL, "belfry.conf, line 2", "\"lisen\"", "did you mean \"listen\"?");
    write_file("belfry.conf", "quite-another-thing = 1\n");
    REFUSED(NULL, "line 1", "belfry config");
    write_file("belfry.conf", "just words\n");
    REFUSED(NULL, "line 1", "name = value");
    write_file("belfry.conf", "readers = 1\nreaders = 2\n");
    REFUSED(NULL, "line 2", "twice");
    write_file("belfry.conf", "token = bf_secret\n");
    REFUSED(NULL, "line 1", "BELFRY_TOKEN");
    write_file("belfry.conf", "config = /x\n");
    REFUSED(NULL, "line 1", "another");
    write_file("belfry.conf", "data = /x\n");
    REFUSED(NULL, "line 1", "--data");
}

static void values_are_checked_wherever_they_come_from(void **state)
{
    (void)state;
    REFUSED(((const char *const[]){"BELFRY_READERS=0", NULL}), "BELFRY_READERS", "from 1 to 16");
    REFUSED(((const char *const[]){"BELFRY_READERS=many", NULL}), "BELFRY_READERS", "readers = many");
    REFUSED(((const char *const[]){"BELFRY_MAX_BODY=10MB", NULL}), "32MiB");
    REFUSED(((const char *const[]){"BELFRY_DRAIN_GRACE=30", NULL}), "BELFRY_DRAIN_GRACE");
    REFUSED(((const char *const[]){"BELFRY_KEEP_HISTORY=1m", NULL}), "from 1h");
    REFUSED(((const char *const[]){"BELFRY_LOG_LEVEL=loud", NULL}), "debug info warn error");
    REFUSED(((const char *const[]){"BELFRY_ACCEPT_CLOCK=maybe", NULL}), "yes or no");
    write_file("belfry.conf", "max-body = 999GiB\n");
    REFUSED(NULL, "line 1", "max-body");
}

static void sizes_and_switches_have_their_forms(void **state)
{
    (void)state;
    const char *const env[] = {"BELFRY_MAX_BODY=65536", "BELFRY_ACCEPT_CLOCK=on", "BELFRY_TOKEN=bf_x", NULL};
    struct config config;
    struct error error;

    write_file("belfry.conf", "max-body = 2MiB\n");
    assert_int_equal(read_config(NULL, env, &config, &error), ERR_OK);
    assert_int_equal(config_number(&config, CONFIG_MAX_BODY), 65536);
    assert_int_equal(config_number(&config, CONFIG_ACCEPT_CLOCK), 1);
    assert_string_equal(config_text(&config, CONFIG_TOKEN), "bf_x");
    config_done(&config);
    assert_int_equal(read_config(NULL, NULL, &config, &error), ERR_OK);
    assert_int_equal(config_number(&config, CONFIG_MAX_BODY), 2 * 1024 * 1024);
    config_done(&config);
}

static void a_file_that_is_too_long_or_no_file_is_refused(void **state)
{
    (void)state;
    static char large[CONFIG_FILE_BYTES_MAX + 2];
    char env_text[300];
    const char *const env[] = {env_text, NULL};

    memset(large, '#', sizeof large - 1);
    write_file("belfry.conf", large);
    REFUSED(NULL, "64 KiB");
    (void)snprintf(env_text, sizeof env_text, "BELFRY_CONFIG=%s", path_of(""));
    REFUSED(env, "cannot read");
}

static void names_of_variables_follow_from_the_names(void **state)
{
    (void)state;
    char name[CONFIG_VARIABLE_BYTES];

    assert_string_equal(config_variable(CONFIG_WORKER_SLOTS, name), "BELFRY_WORKER_SLOTS");
    assert_string_equal(config_variable(CONFIG_FILE, name), "BELFRY_CONFIG");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(without_anything_the_defaults_hold),
        IN_FOLDER(flags_come_before_the_environment_and_that_before_the_file),
        IN_FOLDER(a_file_has_comments_blanks_and_any_order),
        IN_FOLDER(a_file_that_is_named_is_read_instead_and_must_be_there),
        IN_FOLDER(the_data_folder_of_the_command_line_has_the_file),
        IN_FOLDER(what_is_wrong_in_a_file_is_refused_with_its_line),
        IN_FOLDER(values_are_checked_wherever_they_come_from),
        IN_FOLDER(sizes_and_switches_have_their_forms),
        IN_FOLDER(a_file_that_is_too_long_or_no_file_is_refused),
        IN_FOLDER(names_of_variables_follow_from_the_names),
    };

    return cmocka_run_group_tests_name("server/config", tests, NULL, NULL);
}
