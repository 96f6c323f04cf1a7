#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "worker/child_env.h"

static struct item read(const char *target)
{
    char json[1024];
    struct item item;
    struct str id;
    struct error error;

    (void)snprintf(
        json, sizeof json,
        "{\"id\":\"att_1_1\",\"trigger\":\"trg_1\",\"job\":\"job_1\",\"tenant\":\"acme\",\"name\":\"n\","
        "\"attempt\":2,\"failures\":1,\"max_attempts\":5,\"idempotency_key\":\"k\",\"target\":{\"exec\":%s}}",
        target);
    if (item_read(str_from(json), &item, &id, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    return item;
}

static char *const worker_environment[] = {(char[]){"PATH=/opt/bin"}, (char[]){"HOME=/root"},
                                           (char[]){"BELFRY_TOKEN=secret"}, (char[]){"LD_PRELOAD=evil.so"}, NULL};

static void only_harmless_variables_of_the_worker_are_passed_on(void **state)
{
    struct item item = read("{\"argv\":[\"true\"]}");
    char **env = child_env_new(worker_environment, STR("w-1"), &item);

    (void)state;
    assert_string_equal(child_env_find(env, "PATH"), "/opt/bin");
    assert_string_equal(child_env_find(env, "HOME"), "/root");
    assert_null(child_env_find(env, "BELFRY_TOKEN"));
    assert_null(child_env_find(env, "LD_PRELOAD"));
    child_texts_free(env);
    item_done(&item);
}

static void a_path_is_there_even_if_the_worker_has_none(void **state)
{
    char *const none[] = {NULL};
    struct item item = read("{\"argv\":[\"true\"]}");
    char **env = child_env_new(none, STR("w-1"), &item);

    (void)state;
    assert_non_null(strstr(child_env_find(env, "PATH"), "/usr/bin"));
    child_texts_free(env);
    item_done(&item);
}

static void the_target_replaces_variables_but_not_ours(void **state)
{
    struct item item = read("{\"argv\":[\"true\"],\"env\":{\"HOME\":\"/x\",\"EMPTY\":\"\",\"BELFRY_JOB\":\"forged\"}}");
    char **env = child_env_new(worker_environment, STR("w-1"), &item);

    (void)state;
    assert_string_equal(child_env_find(env, "HOME"), "/x");
    assert_string_equal(child_env_find(env, "EMPTY"), "");
    assert_string_equal(child_env_find(env, "BELFRY_JOB"), "job_1");
    assert_string_equal(child_env_find(env, "BELFRY_WORKER"), "w-1");
    assert_string_equal(child_env_find(env, "BELFRY_ATTEMPT"), "att_1_1");
    assert_string_equal(child_env_find(env, "BELFRY_ATTEMPT_NUMBER"), "2");
    assert_string_equal(child_env_find(env, "BELFRY_TENANT"), "acme");
    for (size_t i = 0; env[i] != NULL; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(env[i], env[j]);
        }
    }
    child_texts_free(env);
    item_done(&item);
}

static void arguments_are_the_targets_words(void **state)
{
    struct item item = read("{\"argv\":[\"echo\",\"a b\",\"\"]}");
    struct item empty = read("{\"argv\":[]}");
    struct item wrong = read("{\"argv\":[\"echo\",7]}");
    char **argv = child_argv_new(&item);

    (void)state;
    assert_string_equal(argv[0], "echo");
    assert_string_equal(argv[1], "a b");
    assert_string_equal(argv[2], "");
    assert_null(argv[3]);
    assert_null(child_argv_new(&empty));
    assert_null(child_argv_new(&wrong));
    child_texts_free(argv);
    item_done(&item);
    item_done(&empty);
    item_done(&wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_harmless_variables_of_the_worker_are_passed_on),
        cmocka_unit_test(a_path_is_there_even_if_the_worker_has_none),
        cmocka_unit_test(the_target_replaces_variables_but_not_ours),
        cmocka_unit_test(arguments_are_the_targets_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
