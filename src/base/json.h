/* json: reading JSON from outside.
 *
 * jr_parse checks the text (base/json_scan), then lets jansson build the tree; this is the only place
 * that sees jansson. Getters name the field they could not read, so that a refused request says where.
 *
 * Owns:  struct jr_doc owns the tree. A struct jr is one value of it, borrowed, passed by value; strings point
 *        into the tree and end in NUL. All of it ends with jr_done.
 * Rules: (1) nothing is parsed that json_scan has not accepted, so depth and memory are bounded.
 *        (2) equal keys in one object are refused: which of them counts would be anybody's guess.
 *        (3) for optional fields null means the same as not being there.
 *        (4) integers beyond int64 are read as doubles: legal in a payload, refused where an integer is asked for.
 * See:   base/json_write.h (writing), base/json_raw.h (a value's own bytes), tests/unit/base/test_json.c
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json_scan.h"
#include "base/str.h"

struct json_t; /* jansson's */

struct jr_doc {
    struct json_t *root;
};

struct jr {
    struct json_t *node; /* NULL: there is no such value */
};

enum jr_kind { JR_ABSENT, JR_NULL, JR_BOOL, JR_INT, JR_REAL, JR_STRING, JR_ARRAY, JR_OBJECT };

/* limits may be NULL for JSCAN_LIMITS_DEFAULT. ERR_INVALID_JSON or ERR_TOO_LARGE, with the 1-based byte. */
MUST_CHECK enum err jr_parse(struct str text, const struct jscan_limits *limits, struct jr_doc *ret_doc,
                             struct error *reterr);

/* Also right for SCOPE(jr_done), if the document begins as {0}. */
void jr_done(struct jr_doc *doc);

struct jr jr_root(const struct jr_doc *doc);
enum jr_kind jr_kind(struct jr value);

/* "a string", "an object" ... for messages. */
const char *jr_kind_name(struct jr value);

/* What a value is, or ERR_INVALID with "must be ..."; the caller adds the field. */
MUST_CHECK enum err jr_as_str(struct jr value, struct str *ret_value, struct error *reterr);
MUST_CHECK enum err jr_as_int(struct jr value, int64_t min, int64_t max, int64_t *ret_value, struct error *reterr);
MUST_CHECK enum err jr_as_double(struct jr value, double min, double max, double *ret_value, struct error *reterr);
MUST_CHECK enum err jr_as_bool(struct jr value, bool *ret_value, struct error *reterr);
MUST_CHECK enum err jr_as_array(struct jr value, struct jr *ret_value, struct error *reterr);
MUST_CHECK enum err jr_as_object(struct jr value, struct jr *ret_value, struct error *reterr);

/* A field of an object that must be there; the error names the field. */
MUST_CHECK enum err jr_str(struct jr object, const char *field, struct str *ret_value, struct error *reterr);
MUST_CHECK enum err jr_int(struct jr object, const char *field, int64_t min, int64_t max, int64_t *ret_value,
                           struct error *reterr);
MUST_CHECK enum err jr_double(struct jr object, const char *field, double min, double max, double *ret_value,
                              struct error *reterr);
MUST_CHECK enum err jr_bool(struct jr object, const char *field, bool *ret_value, struct error *reterr);
MUST_CHECK enum err jr_array(struct jr object, const char *field, struct jr *ret_value, struct error *reterr);
MUST_CHECK enum err jr_object(struct jr object, const char *field, struct jr *ret_value, struct error *reterr);

/* A field that may be missing or null; *ret_value then stays as it is, so put the default there first. */
MUST_CHECK enum err jr_opt_str(struct jr object, const char *field, struct str *ret_value, struct error *reterr);
MUST_CHECK enum err jr_opt_int(struct jr object, const char *field, int64_t min, int64_t max, int64_t *ret_value,
                               struct error *reterr);
MUST_CHECK enum err jr_opt_double(struct jr object, const char *field, double min, double max, double *ret_value,
                                  struct error *reterr);
MUST_CHECK enum err jr_opt_bool(struct jr object, const char *field, bool *ret_value, struct error *reterr);
MUST_CHECK enum err jr_opt_array(struct jr object, const char *field, struct jr *ret_value, struct error *reterr);
MUST_CHECK enum err jr_opt_object(struct jr object, const char *field, struct jr *ret_value, struct error *reterr);

/* The field's value, absent where there is none (null is a value here) or where object is no object. */
struct jr jr_get(struct jr object, const char *field);
bool jr_has(struct jr object, const char *field);

/* Refuses the first field that is not in known (NULL-terminated), with the nearest name as a hint. */
MUST_CHECK enum err jr_check_fields(struct jr object, const char *const known[], struct error *reterr);

/* Elements of an array, fields of an object; 0 for everything else. */
size_t jr_count(struct jr value);

/* index < jr_count(array), or the result is absent. */
struct jr jr_at(struct jr array, size_t index);

/* Walks over an object's fields in the order of the text: begin with a zeroed iterator. */
struct jr_iter {
    void *position;
    bool is_started;
};
bool jr_next(struct jr object, struct jr_iter *iter, struct str *ret_key, struct jr *ret_value);

#endif
