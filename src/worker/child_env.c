#include "worker/child_env.h"

#include <assert.h>
#include <stdio.h>

#include "base/mem.h"

#define PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static const char *const passed_on[] = {"PATH",   "HOME",     "USER", "LOGNAME", "SHELL", "LANG",
                                        "LC_ALL", "LC_CTYPE", "TZ",   "TMPDIR",  NULL};

struct env {
    char **texts; /* NULL-terminated */
    size_t count;
};

static struct str name_of(const char *text)
{
    struct str whole = str_from(text);

    return (struct str){text, str_find_char(whole, '=')};
}

/* Takes the text over; what had its name before goes. */
static void put(struct env *env, char *text)
{
    for (size_t i = 0; i < env->count; i++) {
        assert(env->texts[i] != NULL); /* only the last is */
        if (str_equal(name_of(env->texts[i]), name_of(text))) {
            mem_free(env->texts[i]);
            env->texts[i] = text;
            return;
        }
    }
    env->texts = mem_realloc_array(env->texts, env->count + 2, sizeof *env->texts);
    env->texts[env->count] = text;
    env->count++;
    env->texts[env->count] = NULL;
}

static void put_pair(struct env *env, struct str name, struct str value)
{
    char *text = mem_alloc(name.len + value.len + 2);

    memcpy(text, name.ptr, name.len);
    text[name.len] = '=';
    if (value.len > 0) {
        memcpy(text + name.len + 1, value.ptr, value.len);
    }
    text[name.len + 1 + value.len] = '\0';
    put(env, text);
}

static void put_number(struct env *env, const char *name, int64_t value)
{
    char digits[24];

    (void)snprintf(digits, sizeof digits, "%lld", (long long)value);
    put_pair(env, str_from(name), str_from(digits));
}

static void put_ours(struct env *env, struct str worker, const struct item *item)
{
    put_pair(env, STR("BELFRY_WORKER"), worker);
    put_pair(env, STR("BELFRY_ATTEMPT"), item->id);
    put_pair(env, STR("BELFRY_TRIGGER"), item->trigger);
    put_pair(env, STR("BELFRY_JOB"), item->job);
    put_pair(env, STR("BELFRY_TENANT"), item->tenant);
    put_pair(env, STR("BELFRY_NAME"), item->name);
    put_pair(env, STR("BELFRY_TYPE"), item->type);
    put_pair(env, STR("BELFRY_POOL"), item->pool);
    put_pair(env, STR("BELFRY_SCHEDULED_FOR"), item->scheduled_for);
    put_pair(env, STR("BELFRY_IDEMPOTENCY_KEY"), item->idempotency_key);
    put_number(env, "BELFRY_ATTEMPT_NUMBER", item->number);
    put_number(env, "BELFRY_FAILURES", item->failures);
    put_number(env, "BELFRY_MAX_ATTEMPTS", item->max_attempts);
}

char **child_env_new(char *const environment[], struct str worker, const struct item *item)
{
    struct env env = {0};
    struct jr_iter iter = {0};
    struct str key;
    struct jr value;

    put_pair(&env, STR("PATH"), STR(PATH_DEFAULT)); /* rule 3 */
    for (size_t i = 0; environment[i] != NULL; i++) {
        struct str name = name_of(environment[i]);

        if (str_index_in(name, passed_on) >= 0) { /* rule 1 */
            put_pair(&env, name, str_from(environment[i] + name.len + 1));
        }
    }
    if (item->traceparent.len > 0) {
        put_pair(&env, STR("TRACEPARENT"), item->traceparent);
    }
    while (jr_next(jr_get(item->target, "env"), &iter, &key, &value)) {
        struct str text;

        if (jr_as_str(value, &text, NULL) == ERR_OK && key.len > 0 && str_find_char(key, '=') == key.len) {
            put_pair(&env, key, text);
        }
    }
    put_ours(&env, worker, item); /* rule 2 */
    return env.texts;
}

char **child_argv_new(const struct item *item)
{
    struct jr words = jr_get(item->target, "argv");
    size_t count = jr_count(words);
    char **argv = mem_alloc_array(count + 1, sizeof *argv);

    memset(argv, 0, (count + 1) * sizeof *argv);
    for (size_t i = 0; i < count; i++) {
        struct str word;

        if (jr_as_str(jr_at(words, i), &word, NULL) != ERR_OK) {
            child_texts_free(argv);
            return NULL;
        }
        argv[i] = mem_strndup(word.ptr, word.len);
    }
    if (count == 0) {
        child_texts_free(argv);
        return NULL;
    }
    return argv;
}

void child_texts_free(char **texts)
{
    for (size_t i = 0; texts != NULL && texts[i] != NULL; i++) {
        mem_free(texts[i]);
    }
    mem_free(texts);
}

const char *child_env_find(char *const env[], const char *name)
{
    for (size_t i = 0; env[i] != NULL; i++) {
        struct str found = name_of(env[i]);

        if (str_is(found, name)) {
            return env[i] + found.len + 1;
        }
    }
    return NULL;
}
