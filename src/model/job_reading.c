#include "model/job_reading.h"

#include "calendar/duration.h"
#include "calendar/instant.h"
#include "model/name.h"

struct str reading_keep(const struct reading *reading, struct str text)
{
    return (struct str){arena_strdup_str(reading->arena, text), text.len};
}

bool reading_given(struct jr object, const char *field)
{
    enum jr_kind kind = jr_kind(jr_get(object, field));

    return kind != JR_ABSENT && kind != JR_NULL;
}

enum err reading_name(const struct reading *reading, struct jr object, const char *field, bool is_owner,
                      struct str *ret_name)
{
    struct str name = {0};
    enum err err = jr_opt_str(object, field, &name, reading->reterr);

    if (err != ERR_OK || name.ptr == NULL) {
        return err;
    }
    err = is_owner ? name_check_owner(name, reading->reterr) : name_check(name, reading->reterr);
    *ret_name = reading_keep(reading, name);
    return err_in_field(reading->reterr, err, field);
}

enum err reading_text(const struct reading *reading, struct jr object, const char *field, size_t bytes_max,
                      struct str *ret_text)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, field, &text, reading->reterr);

    if (err != ERR_OK || text.ptr == NULL) {
        return err;
    }
    if (text.len > bytes_max) {
        err = err_set(reading->reterr, ERR_INVALID, "has %zu bytes; at most %zu are allowed", text.len, bytes_max);
        return err_in_field(reading->reterr, err, field);
    }
    *ret_text = reading_keep(reading, text);
    return ERR_OK;
}

enum err reading_duration(const struct reading *reading, struct jr object, const char *field, int64_t min_ms,
                          int64_t max_ms, int64_t *ret_ms)
{
    struct str text = {0};
    char min_text[DURATION_BYTES];
    char max_text[DURATION_BYTES];
    int64_t ms = 0;
    enum err err = jr_opt_str(object, field, &text, reading->reterr);

    if (err != ERR_OK || text.ptr == NULL) {
        return err;
    }
    err = duration_parse(text, &ms, reading->reterr);
    if (err == ERR_OK && (ms < min_ms || ms > max_ms)) {
        err = err_set(reading->reterr, ERR_INVALID, "must be from %s to %s", duration_format(min_ms, min_text),
                      duration_format(max_ms, max_text));
    }
    if (err == ERR_OK) {
        *ret_ms = ms;
    }
    return err_in_field(reading->reterr, err, field);
}

enum err reading_instant(const struct reading *reading, struct jr object, const char *field, int64_t *ret_ms)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, field, &text, reading->reterr);

    if (err != ERR_OK || text.ptr == NULL) {
        return err;
    }
    return err_in_field(reading->reterr, instant_parse(text, ret_ms, reading->reterr), field);
}

enum err reading_milli(const struct reading *reading, struct jr object, const char *field, double max,
                       int64_t *ret_milli)
{
    double value = (double)*ret_milli / 1000;
    enum err err = jr_opt_double(object, field, 0, max, &value, reading->reterr);

    *ret_milli = (int64_t)(value * 1000 + 0.5);
    return err;
}
