#include "api/answers.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct answer {
    char key[ANSWERS_KEY_BYTES]; /* "": free */
    char *text;                  /* NULL: none yet */
    size_t len;
    int64_t made_mono_ms; /* or, without text, when it was first asked for */
    bool is_being_made;
};

struct answers {
    pthread_mutex_t lock;
    struct answer items[ANSWERS_MAX];
};

struct answers *answers_new(void)
{
    struct answers *answers = mem_zalloc(sizeof *answers);

    (void)pthread_mutex_init(&answers->lock, NULL);
    return answers;
}

void answers_free(struct answers *answers)
{
    for (size_t i = 0; i < ANSWERS_MAX; i++) {
        mem_free(answers->items[i].text);
    }
    (void)pthread_mutex_destroy(&answers->lock);
    mem_free(answers);
}

static struct answer *find(struct answers *answers, const char *key)
{
    for (size_t i = 0; i < ANSWERS_MAX; i++) {
        if (strcmp(answers->items[i].key, key) == 0) {
            return &answers->items[i];
        }
    }
    return NULL;
}

/* A free one, else the oldest that nobody makes; NULL: all are being made. */
static struct answer *take(struct answers *answers, const char *key, int64_t now_mono_ms)
{
    struct answer *oldest = NULL;

    for (size_t i = 0; i < ANSWERS_MAX; i++) {
        struct answer *one = &answers->items[i];

        if (!one->is_being_made && (oldest == NULL || one->made_mono_ms < oldest->made_mono_ms)) {
            oldest = one;
        }
    }
    if (oldest != NULL) {
        mem_free(oldest->text);
        *oldest = (struct answer){.made_mono_ms = now_mono_ms};
        (void)snprintf(oldest->key, sizeof oldest->key, "%s", key);
    }
    return oldest;
}

static enum answers_found look(struct answers *answers, const char *key, int64_t now_mono_ms, int64_t fresh_ms,
                               struct buf *out)
{
    struct answer *one = find(answers, key);

    if (one == NULL) {
        one = take(answers, key, now_mono_ms);
    }
    if (one == NULL) {
        return ANSWERS_BUSY;
    }
    bool is_fresh = one->text != NULL && now_mono_ms - one->made_mono_ms <= fresh_ms;

    if (!is_fresh && !one->is_being_made) {
        one->is_being_made = true;
        return ANSWERS_MAKE;
    }
    if (one->text == NULL) {
        return ANSWERS_BUSY;
    }
    buf_append(out, one->text, one->len);
    return ANSWERS_HERE;
}

enum answers_found answers_find(struct answers *answers, const char *key, int64_t now_mono_ms, int64_t fresh_ms,
                                struct buf *out)
{
    (void)pthread_mutex_lock(&answers->lock);
    enum answers_found found = look(answers, key, now_mono_ms, fresh_ms, out);

    (void)pthread_mutex_unlock(&answers->lock);
    return found;
}

bool answers_peek(struct answers *answers, const char *key, int64_t now_mono_ms, int64_t fresh_ms, struct buf *out)
{
    (void)pthread_mutex_lock(&answers->lock);
    const struct answer *one = find(answers, key);
    bool is_here =
        one != NULL && one->text != NULL && (one->is_being_made || now_mono_ms - one->made_mono_ms <= fresh_ms);

    if (is_here) {
        buf_append(out, one->text, one->len);
    }
    (void)pthread_mutex_unlock(&answers->lock);
    return is_here;
}

void answers_keep(struct answers *answers, const char *key, int64_t now_mono_ms, struct str text)
{
    (void)pthread_mutex_lock(&answers->lock);
    struct answer *one = find(answers, key);

    if (one != NULL && text.len <= ANSWERS_BYTES_MAX) {
        mem_free(one->text);
        one->text = mem_strndup(text.ptr, text.len);
        one->len = text.len;
        one->made_mono_ms = now_mono_ms;
    }
    if (one != NULL) {
        one->is_being_made = false;
    }
    (void)pthread_mutex_unlock(&answers->lock);
}

void answers_give_up(struct answers *answers, const char *key)
{
    (void)pthread_mutex_lock(&answers->lock);
    struct answer *one = find(answers, key);

    if (one != NULL) {
        one->is_being_made = false;
    }
    (void)pthread_mutex_unlock(&answers->lock);
}
