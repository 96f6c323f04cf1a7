/* text: bytes that grow up to a maximum, and JSON written into them.
 *
 * Owns:  its bytes, until text_done. They end with a NUL that does not count.
 * Rules: (1) what does not fit sets is_full and changes nothing else; writers look once, at the end.
 *        (2) what is written as a JSON string is valid UTF-8, whatever came in.
 */
#ifndef BELFRY_TEXT_H
#define BELFRY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* NULL while empty */
    size_t length, size, length_max;
    bool is_full;
};

void bf_text_init(struct text *text, size_t length_max);
void bf_text_done(struct text *text);
void bf_text_clear(struct text *text);

bool bf_text_add_bytes(struct text *text, const void *bytes, size_t length);
void bf_text_add(struct text *text, const char *string);
void bf_text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A JSON string: quoted and escaped; at most length_max bytes of it, cut between characters. */
void bf_text_add_json(struct text *text, const char *string, size_t length_max);

/* ,"key": without the comma where an object begins. */
void bf_text_add_key(struct text *text, const char *key);
/* ,"key":"value"; nothing where value is NULL. */
void bf_text_add_member(struct text *text, const char *key, const char *value);

/* ---- memory; running out ends the process ---- */

void *bf_zalloc(size_t count, size_t size);
char *bf_copy_of(const char *string);

/* The length of the UTF-8 character that begins here; 0: none does. */
size_t bf_utf8_length(const char *at, const char *end);

#endif
