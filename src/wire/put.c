#include "wire/put.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calendar/duration.h"
#include "calendar/instant.h"
#include "model/record.h"

/* 16 digits and the end. */
#define WIRE_HASH_BYTES 17

void wire_put_instant(struct jw *jw, const char *key, int64_t ms)
{
    char text[INSTANT_BYTES];

    jw_key(jw, key);
    jw_text(jw, ms != TIME_NONE ? instant_format(ms, text) : NULL);
}

void wire_put_duration(struct jw *jw, const char *key, int64_t ms)
{
    char text[DURATION_BYTES];

    jw_key(jw, key);
    jw_text(jw, duration_format(ms, text));
}

void wire_put_id(struct jw *jw, const char *key, enum id_kind kind, uint64_t id)
{
    char text[ID_TEXT_BYTES];

    jw_key(jw, key);
    if (id == ID_NONE) {
        jw_null(jw);
        return;
    }
    id_format(kind, id, text);
    jw_text(jw, text);
}

void wire_put_hash(struct jw *jw, const char *key, uint64_t hash)
{
    char text[WIRE_HASH_BYTES];

    (void)snprintf(text, sizeof text, "%016" PRIx64, hash);
    jw_key(jw, key);
    jw_text(jw, hash != 0 ? text : NULL);
}

bool wire_hash_read(struct str text, uint64_t *ret_hash)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < text.len; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = text.ptr[i] != '\0' ? strchr(digits, text.ptr[i]) : NULL;

        if (digit == NULL || text.len != WIRE_HASH_BYTES - 1) {
            return false;
        }
        hash = hash * 16 + (uint64_t)(digit - digits);
    }
    *ret_hash = hash;
    return hash != 0;
}

void wire_put_attempt_id(struct jw *jw, const char *key, uint64_t trigger, uint32_t number)
{
    char text[ID_TEXT_BYTES];

    id_format_attempt(trigger, number, text);
    jw_key(jw, key);
    jw_text(jw, text);
}

void wire_put_text(struct jw *jw, const char *key, struct str text)
{
    jw_key(jw, key);
    if (text.len > 0) {
        jw_str(jw, text);
    } else {
        jw_null(jw);
    }
}

void wire_put_word(struct jw *jw, const char *key, const char *word)
{
    jw_key(jw, key);
    jw_text(jw, word);
}

void wire_put_int(struct jw *jw, const char *key, int64_t value)
{
    jw_key(jw, key);
    jw_int(jw, value);
}

void wire_put_bool(struct jw *jw, const char *key, bool value)
{
    jw_key(jw, key);
    jw_bool(jw, value);
}

void wire_put_null(struct jw *jw, const char *key)
{
    jw_key(jw, key);
    jw_null(jw);
}

void wire_put_name(struct jw *jw, const char *key, struct str name, uint64_t job)
{
    if (name.len > 0) {
        wire_put_text(jw, key, name);
    } else {
        wire_put_id(jw, key, ID_JOB, job);
    }
}

void wire_list_begin(struct jw *jw)
{
    jw_begin_object(jw);
    jw_key(jw, "items");
    jw_begin_array(jw);
}

void wire_list_end(struct jw *jw, const char *next)
{
    jw_end_array(jw);
    jw_key(jw, "next");
    jw_text(jw, next);
    jw_end_object(jw);
}
