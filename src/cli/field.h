/* field: fields of answers, read leniently: what is missing, null or of another kind reads as nothing, since a newer
 * server may say more or less than this program knows.
 */
#ifndef CLI_FIELD_H
#define CLI_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/str.h"

/* The empty text, 0 (or what the caller says), false. */
struct str field_str(struct jr object, const char *field);
int64_t field_int(struct jr object, const char *field, int64_t otherwise);
double field_double(struct jr object, const char *field, double otherwise);
bool field_bool(struct jr object, const char *field);

/* Whether the field is there and not null. */
bool field_is_set(struct jr object, const char *field);

#endif
