#include "cli/scope_body.h"

#include "base/json_scan.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "cli/json_text.h"

/* More settings than there are. */
#define KNOWN_MAX 32
#define KNOWN_BYTES_MAX 512

/* The words of known, in an array that str_nearest can read. */
struct known {
    char text[KNOWN_BYTES_MAX];
    const char *names[KNOWN_MAX + 1];
    size_t count;
};

static void split(struct known *known, const char *text)
{
    size_t len = 0;
    bool is_word = false;

    *known = (struct known){0};
    for (; text[len] != '\0' && len + 1 < sizeof known->text; len++) {
        known->text[len] = text[len] == ' ' ? '\0' : text[len];
        if (text[len] != ' ' && !is_word && known->count < KNOWN_MAX) {
            known->names[known->count++] = known->text + len;
        }
        is_word = text[len] != ' ';
    }
}

static enum err check_name(const struct known *known, struct str name, struct error *reterr)
{
    if (str_index_in(name, known->names) >= 0) {
        return ERR_OK;
    }
    const char *nearest = str_nearest(name, known->names);
    return err_set(reterr, ERR_UNKNOWN_FIELD, "there is no setting %.*s%s%s%s", STR_ARGS(name),
                   nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "?" : "");
}

static void put_value(struct jw *jw, struct str value)
{
    struct jscan_facts facts;

    if (jscan_check(value, &JSCAN_LIMITS_DEFAULT, &facts, NULL) == ERR_OK) {
        jw_raw(jw, value);
    } else {
        jw_str(jw, value);
    }
}

enum err scope_body_write(struct str current, const char *known_text, char **words, int count, struct buf *out,
                          struct error *reterr)
{
    SCOPE(buf_done) struct buf changes;
    const char *dropped[KNOWN_MAX + 1] = {NULL};
    size_t dropped_count = 0;
    struct known known;
    struct jw jw;

    buf_init(&changes, SCOPE_BODY_BYTES_MAX);
    split(&known, known_text);
    jw_init(&jw, &changes);
    jw_begin_object(&jw);
    for (int i = 0; i < count; i++) {
        struct str word = str_from(words[i]);
        size_t equals = str_find_char(word, '=');
        struct str name = {word.ptr, equals};
        struct str value = str_skip(word, equals + 1);

        if (equals == word.len) {
            return err_set(reterr, ERR_INVALID, "\"%.*s\" is no setting; write NAME=VALUE", STR_ARGS(word));
        }
        enum err err = check_name(&known, name, reterr);
        if (err != ERR_OK) {
            return err;
        }
        if (str_is(value, "none") && dropped_count < KNOWN_MAX) {
            dropped[dropped_count++] = known.names[str_index_in(name, known.names)];
            continue;
        }
        jw_key_str(&jw, name);
        put_value(&jw, value);
    }
    jw_end_object(&jw);
    json_text_overlay(current, buf_str(&changes), dropped, out);
    return ERR_OK;
}
