#include "json_same.h"

#include <assert.h>
#include <float.h>

/* Recursive, as the documents are; jr_parse bounds how deep. NOLINTBEGIN(misc-no-recursion) */

static bool objects_same(struct jr a, struct jr b)
{
    struct jr_iter iter_a = {0};
    struct jr_iter iter_b = {0};
    struct str key_a;
    struct str key_b;
    struct jr value_a;
    struct jr value_b;

    while (jr_next(a, &iter_a, &key_a, &value_a)) { /* in the order of the text */
        if (!jr_next(b, &iter_b, &key_b, &value_b) || !str_equal(key_a, key_b) || !json_same(value_a, value_b)) {
            return false;
        }
    }
    return !jr_next(b, &iter_b, &key_b, &value_b);
}

static bool arrays_same(struct jr a, struct jr b)
{
    for (size_t i = 0; i < jr_count(a); i++) {
        if (!json_same(jr_at(a, i), jr_at(b, i))) {
            return false;
        }
    }
    return jr_count(a) == jr_count(b);
}

static bool is_number(struct jr value)
{
    return jr_kind(value) == JR_INT || jr_kind(value) == JR_REAL;
}

static bool numbers_same(struct jr a, struct jr b)
{
    int64_t int_a = 0;
    int64_t int_b = 0;
    double real_a;
    double real_b;

    if (jr_kind(a) == JR_INT && jr_kind(b) == JR_INT) {
        assert(jr_as_int(a, INT64_MIN, INT64_MAX, &int_a, NULL) == ERR_OK);
        assert(jr_as_int(b, INT64_MIN, INT64_MAX, &int_b, NULL) == ERR_OK);
        return int_a == int_b;
    }
    assert(jr_as_double(a, -DBL_MAX, DBL_MAX, &real_a, NULL) == ERR_OK);
    assert(jr_as_double(b, -DBL_MAX, DBL_MAX, &real_b, NULL) == ERR_OK);
    return jr_kind(a) == JR_REAL && !(real_a < real_b) && !(real_a > real_b);
}

bool json_same(struct jr a, struct jr b)
{
    struct str text_a;
    struct str text_b;
    bool truth_a;
    bool truth_b;

    if (is_number(a) && is_number(b)) {
        return numbers_same(a, b);
    }
    if (jr_kind(a) != jr_kind(b)) {
        return false;
    }
    switch (jr_kind(a)) {
    case JR_BOOL:
        return jr_as_bool(a, &truth_a, NULL) == ERR_OK && jr_as_bool(b, &truth_b, NULL) == ERR_OK && truth_a == truth_b;
    case JR_STRING:
        return jr_as_str(a, &text_a, NULL) == ERR_OK && jr_as_str(b, &text_b, NULL) == ERR_OK &&
               str_equal(text_a, text_b);
    case JR_ARRAY:
        return arrays_same(a, b);
    case JR_OBJECT:
        return objects_same(a, b);
    case JR_NULL:
    case JR_INT:
    case JR_REAL:
    case JR_ABSENT:
        break;
    }
    return true;
}

/* NOLINTEND(misc-no-recursion) */
