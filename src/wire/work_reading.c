#include "wire/work_reading.h"

#include <assert.h>
#include <stdio.h>

#include "base/id.h"
#include "calendar/duration.h"
#include "model/rows.h"

/* Puts before before the field that an error names. */
static void prefix_field(struct error *error, const char *before)
{
    char inner[ERROR_FIELD_BYTES_MAX];

    (void)snprintf(inner, sizeof inner, "%s", error->field);
    (void)snprintf(error->field, sizeof error->field, "%.*s%.*s", ERROR_FIELD_BYTES_MAX / 2, before,
                   ERROR_FIELD_BYTES_MAX / 2 - 1, inner);
}

/* An index stands right behind its list, everything else behind a dot. */
static enum err in_field(struct work_reading *reading, enum err err, const char *name)
{
    if (err != ERR_OK && reading->reterr != NULL && reading->reterr->field[0] == '[') {
        prefix_field(reading->reterr, name);
        return err;
    }
    return err_in_field(reading->reterr, err, name);
}

enum err work_in_item(struct work_reading *reading, enum err err, size_t index)
{
    char before[32];

    if (err == ERR_OK || reading->reterr == NULL) {
        return err;
    }
    (void)snprintf(before, sizeof before, "[%zu]%s", index, reading->reterr->field[0] != '\0' ? "." : "");
    prefix_field(reading->reterr, before);
    return err;
}

static enum err read_field(struct work_reading *reading, const struct work_field *field, void *into, bool is_seen)
{
    if (is_seen) {
        return in_field(reading, err_set(reading->reterr, ERR_INVALID_JSON, "appears twice in one object"),
                        field->name.ptr);
    }
    if (walk_null(&reading->walk)) {
        return ERR_OK;
    }
    return in_field(reading, field->read(reading, into), field->name.ptr);
}

enum err work_read_object(struct work_reading *reading, const struct work_field *fields, size_t count, void *into,
                          unsigned *ret_seen)
{
    struct str key;
    unsigned seen = 0;
    enum err err = walk_object(&reading->walk, reading->reterr);

    assert(count <= 32);
    while (err == ERR_OK && walk_field(&reading->walk, &key)) {
        size_t i = 0;

        while (i < count && !walk_key_is(key, fields[i].name)) {
            i++;
        }
        if (i == count) {
            (void)walk_value(&reading->walk); /* not known: passed over */
            continue;
        }
        err = read_field(reading, &fields[i], into, (seen >> i & 1U) != 0);
        seen |= 1U << i;
    }
    *ret_seen = seen;
    return err;
}

enum err work_read_list(struct work_reading *reading, size_t max, size_t size, work_field_read *read, void **ret_items,
                        size_t *ret_count)
{
    void *items = NULL;
    size_t count = 0, cap = 0;
    enum err err = walk_array(&reading->walk, reading->reterr);

    while (err == ERR_OK && walk_item(&reading->walk)) {
        if (count == max) {
            return err_set(reading->reterr, ERR_TOO_LARGE, "has more than %zu elements", max);
        }
        err = read(reading, rows_add_(reading->arena, &items, &count, &cap, size));
        err = work_in_item(reading, err, count - 1);
    }
    if (err == ERR_OK) {
        *ret_items = items;
        *ret_count = count;
    }
    return err;
}

enum err work_missing(struct work_reading *reading, const char *field)
{
    return err_in_field(reading->reterr, err_set(reading->reterr, ERR_INVALID, "is missing"), field);
}

enum err work_read_text(struct work_reading *reading, struct str *ret_text)
{
    return walk_str(&reading->walk, reading->arena, ret_text, reading->reterr);
}

enum err work_read_duration(struct work_reading *reading, int64_t max_ms, int64_t *ret_ms)
{
    struct str text = {0};
    int64_t ms = 0;
    enum err err = work_read_text(reading, &text);

    if (err == ERR_OK) {
        err = duration_parse(text, &ms, reading->reterr);
    }
    if (err == ERR_OK) {
        *ret_ms = ms < max_ms ? ms : max_ms;
    }
    return err;
}

enum err work_read_attempt(struct work_reading *reading, struct wire_attempt_ref *ret_attempt)
{
    struct str text = {0};
    enum err err = work_read_text(reading, &text);

    return err == ERR_OK ? id_parse_attempt(text, &ret_attempt->trigger, &ret_attempt->number, reading->reterr) : err;
}

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

struct str work_cut_end(struct str text, size_t max)
{
    if (text.len > max) {
        text.len = max;
        while (text.len > 0 && is_inside_character(text.ptr[text.len])) {
            text.len--;
        }
    }
    return text;
}

struct str work_cut_beginning(struct str text, size_t max)
{
    if (text.len > max) {
        text = str_skip(text, text.len - max);
        while (text.len > 0 && is_inside_character(text.ptr[0])) {
            text = str_skip(text, 1);
        }
    }
    return text;
}
