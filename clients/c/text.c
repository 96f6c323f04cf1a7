#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE_FIRST 256
#define FORMATTED_MAX 256 /* text_addf is for numbers and short words */
#define REPLACEMENT "\xef\xbf\xbd"

void *bf_zalloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

char *bf_copy_of(const char *string)
{
    char *copy = string == NULL ? NULL : strdup(string);

    if (copy == NULL && string != NULL) {
        abort();
    }
    return copy;
}

void bf_text_init(struct text *text, size_t length_max)
{
    *text = (struct text){.length_max = length_max};
}

void bf_text_done(struct text *text)
{
    free(text->bytes);
    *text = (struct text){.length_max = text->length_max};
}

void bf_text_clear(struct text *text)
{
    text->length = 0;
    text->is_full = false;
    if (text->bytes != NULL) {
        text->bytes[0] = '\0';
    }
}

static void make_room(struct text *text, size_t length)
{
    size_t size = text->size > 0 ? text->size : TEXT_SIZE_FIRST;
    char *bytes;

    if (length < text->size) {
        return;
    }
    while (size <= length) {
        size *= 2;
    }
    bytes = realloc(text->bytes, size);
    if (bytes == NULL) {
        abort();
    }
    text->bytes = bytes;
    text->size = size;
}

bool bf_text_add_bytes(struct text *text, const void *bytes, size_t length)
{
    if (text->is_full || length > text->length_max - text->length) {
        text->is_full = true; /* rule 1 */
        return false;
    }
    make_room(text, text->length + length);
    if (length > 0) {
        memcpy(text->bytes + text->length, bytes, length);
    }
    text->length += length;
    text->bytes[text->length] = '\0';
    return true;
}

void bf_text_add(struct text *text, const char *string)
{
    (void)bf_text_add_bytes(text, string, strlen(string));
}

void bf_text_addf(struct text *text, const char *format, ...)
{
    char formatted[FORMATTED_MAX];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(formatted, sizeof formatted, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof formatted) {
        text->is_full = true;
        return;
    }
    (void)bf_text_add_bytes(text, formatted, (size_t)length);
}

/* How many bytes a character has that begins with this one, and the least code point that needs so many. */
static size_t length_by_first(unsigned char first, unsigned *ret_bits, unsigned *ret_least)
{
    if (first >= 0xc2 && first <= 0xdf) {
        *ret_bits = first & 0x1fU;
        *ret_least = 0x80;
        return 2;
    }
    if (first >= 0xe0 && first <= 0xef) {
        *ret_bits = first & 0x0fU;
        *ret_least = 0x800;
        return 3;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        *ret_bits = first & 0x07U;
        *ret_least = 0x10000;
        return 4;
    }
    return 0;
}

size_t bf_utf8_length(const char *at, const char *end)
{
    unsigned point = 0, least = 0;
    size_t length;

    if (at >= end) {
        return 0;
    }
    if ((unsigned char)*at < 0x80) {
        return 1;
    }
    length = length_by_first((unsigned char)*at, &point, &least);
    if (length == 0 || (size_t)(end - at) < length) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)at[i] & 0xc0U) != 0x80) {
            return 0;
        }
        point = point << 6 | ((unsigned char)at[i] & 0x3fU);
    }
    bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
    return point >= least && point <= 0x10ffff && !is_surrogate ? length : 0;
}

static void add_character(struct text *text, const char *at, size_t length)
{
    if (length == 0) {
        bf_text_add(text, REPLACEMENT); /* rule 2 */
    } else if (*at == '"' || *at == '\\') {
        bf_text_addf(text, "\\%c", *at);
    } else if ((unsigned char)*at < 0x20) {
        bf_text_addf(text, "\\u%04x", (unsigned)*at);
    } else {
        (void)bf_text_add_bytes(text, at, length);
    }
}

void bf_text_add_json(struct text *text, const char *string, size_t length_max)
{
    const char *end = string + strlen(string);
    const char *cut = (size_t)(end - string) > length_max ? string + length_max : end;

    bf_text_add(text, "\"");
    for (const char *at = string; at < cut;) {
        size_t length = bf_utf8_length(at, end);

        if (length > (size_t)(cut - at)) {
            break;
        }
        add_character(text, at, length);
        at += length > 0 ? length : 1;
    }
    bf_text_add(text, "\"");
}

void bf_text_add_key(struct text *text, const char *key)
{
    bool is_first = text->length == 0 || text->bytes[text->length - 1] == '{';

    bf_text_add(text, is_first ? "" : ",");
    bf_text_add_json(text, key, strlen(key));
    bf_text_add(text, ":");
}

void bf_text_add_member(struct text *text, const char *key, const char *value)
{
    if (value != NULL) {
        bf_text_add_key(text, key);
        bf_text_add_json(text, value, strlen(value));
    }
}
