/* str: a slice of somebody else's text, and what one asks of text.
 *
 * Owns:  nothing. A struct str borrows its bytes and is passed by value.
 * Never: allocates, looks at the locale, reads past len (a slice need not end in NUL).
 * Rules: (1) len 0 is the empty text whatever ptr is; ptr may be NULL then.
 *        (2) case and white space mean ASCII's, so that results are the same on every machine.
 * See:   tests/unit/base/test_str.c
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct str {
    const char *ptr; /* not NUL-terminated, unless who made the slice says so */
    size_t len;      /* bytes */
};

/* A slice of a string literal, as an expression and as a static initialiser. */
#define STR(literal) ((struct str)STR_INIT(literal))
#define STR_INIT(literal)                                                                                              \
    {                                                                                                                  \
        "" literal, sizeof(literal) - 1                                                                                \
    }

/* For printf: printf("%.*s", STR_ARGS(name)). Longer slices are cut at STR_PRINT_BYTES_MAX. */
#define STR_ARGS(s) (int)((s).len < STR_PRINT_BYTES_MAX ? (s).len : STR_PRINT_BYTES_MAX), ((s).len > 0 ? (s).ptr : "")

/* A slice of a C string, without its NUL. NULL becomes the empty slice. */
static inline struct str str_from(const char *text)
{
    return (struct str){text, text != NULL ? strlen(text) : 0};
}

static inline struct str str_from_bytes(const void *bytes, size_t len)
{
    return (struct str){bytes, len};
}

static inline bool str_empty(struct str s)
{
    return s.len == 0;
}

static inline bool str_equal(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* The same question about a C string. */
static inline bool str_is(struct str s, const char *text)
{
    return str_equal(s, str_from(text));
}

bool str_equal_nocase(struct str a, struct str b);

/* Less than, equal to or greater than 0, by unsigned bytes; a beginning sorts before the whole. */
int str_compare(struct str a, struct str b);

bool str_starts_with(struct str s, struct str prefix);
bool str_ends_with(struct str s, struct str suffix);

/* Where the first c stands; s.len where there is none. */
size_t str_find_char(struct str s, char c);

/* The slice without its first count bytes (all of them where it is shorter). */
struct str str_skip(struct str s, size_t count);

/* The slice without blanks, tabs, line feeds, vertical tabs, form feeds and carriage returns at both ends. */
struct str str_trim(struct str s);

/* Takes the next piece up to separator off *rest. Empty pieces count: ",a" is "" and "a", and the empty text is one
 * empty piece. Begin with a copy of the text in *rest and false in *done; returns false when no piece is left. */
bool str_split(struct str *rest, char separator, bool *done, struct str *ret_piece);

/* A whole decimal number from min to max and nothing else: no white space, no plus; a minus only where min < 0.
 * Leading zeros are allowed ("07"). ERR_INVALID says which of it was not so; its position is the first bad character.
 */
MUST_CHECK enum err str_to_int(struct str s, int64_t min, int64_t max, int64_t *ret_value, struct error *reterr);

/* The length in bytes, 1 to 4, of the well-formed UTF-8 character at the beginning of s, and its code point (ret_code
 * may be NULL); 0 where there is none: overlong forms, surrogates and what lies above U+10FFFF are ill-formed. */
size_t str_utf8_decode(struct str s, uint32_t *ret_code);

/* True when all of s is well-formed UTF-8; otherwise *ret_bad (may be NULL) is the offset of the first bad byte. */
bool str_utf8_valid(struct str s, size_t *ret_bad);

/* How many insertions, deletions, changes of a byte and swaps of neighbours turn a into b. Texts longer than
 * STR_DISTANCE_BYTES_MAX are not compared: their distance is STR_DISTANCE_FAR. */
#define STR_DISTANCE_FAR SIZE_MAX
size_t str_distance(struct str a, struct str b);

/* Which of words (NULL-terminated) it is, counted from 0; -1 where it is none of them. */
int str_index_in(struct str word, const char *const words[]);

/* "Did you mean": the nearest of known (NULL-terminated), NULL where nothing is near enough to be a typing error.
 * Case is not counted. */
const char *str_nearest(struct str word, const char *const known[]);

#endif
