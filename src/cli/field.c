#include "cli/field.h"

#include <float.h>

struct str field_str(struct jr object, const char *field)
{
    struct str value = {0};

    return jr_str(object, field, &value, NULL) == ERR_OK ? value : (struct str){0};
}

int64_t field_int(struct jr object, const char *field, int64_t otherwise)
{
    int64_t value = otherwise;

    return jr_int(object, field, INT64_MIN, INT64_MAX, &value, NULL) == ERR_OK ? value : otherwise;
}

double field_double(struct jr object, const char *field, double otherwise)
{
    double value = otherwise;

    return jr_double(object, field, -DBL_MAX, DBL_MAX, &value, NULL) == ERR_OK ? value : otherwise;
}

bool field_bool(struct jr object, const char *field)
{
    bool value = false;

    return jr_bool(object, field, &value, NULL) == ERR_OK && value;
}

bool field_is_set(struct jr object, const char *field)
{
    enum jr_kind kind = jr_kind(jr_get(object, field));

    return kind != JR_ABSENT && kind != JR_NULL;
}
