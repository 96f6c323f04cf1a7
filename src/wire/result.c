#include "wire/result.h"

#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"

#define OUTPUT_MARK '>'
#define BOTH_MARK '+'
/* "+", the digits of any length, ":" and a NUL. */
#define HEAD_BYTES 24

static struct str joined(struct str head, struct str result, struct str output, struct arena *arena)
{
    size_t len = head.len + result.len + output.len;
    char *text = arena_alloc_aligned(arena, len, 1);

    memcpy(text, head.ptr, head.len);
    if (result.len > 0) {
        memcpy(text + head.len, result.ptr, result.len);
    }
    memcpy(text + head.len + result.len, output.ptr, output.len);
    return (struct str){text, len};
}

struct str wire_result_pack(struct str result, struct str output, struct arena *arena)
{
    char head[HEAD_BYTES];

    if (str_is(result, "null")) {
        result = STR("");
    }
    if (output.len == 0) {
        return result;
    }
    if (result.len == 0) {
        return joined(STR(">"), result, output, arena);
    }
    int len = snprintf(head, sizeof head, "%c%zu:", BOTH_MARK, result.len);

    return joined((struct str){head, (size_t)len}, result, output, arena);
}

/* Only what is JSON may stand in an answer unquoted. */
static bool is_json(struct str text)
{
    const struct jscan_limits limits = {
        .bytes_max = WIRE_RESULT_BYTES_MAX, .depth_max = JSON_DEPTH_CEILING, .nodes_max = WIRE_RESULT_BYTES_MAX};
    struct jscan_facts facts;

    return jscan_check(text, &limits, &facts, NULL) == ERR_OK;
}

/* Takes "+10:" and what it counts off packed. */
static bool take_result(struct str *packed, struct str *ret_result)
{
    size_t colon = str_find_char(*packed, ':');
    struct str rest = str_skip(*packed, colon + 1);
    int64_t len = 0;

    if (colon < 2 || rest.len == 0 ||
        str_to_int((struct str){packed->ptr + 1, colon - 1}, 1, (int64_t)rest.len, &len, NULL) != ERR_OK ||
        !is_json((struct str){rest.ptr, (size_t)len})) {
        return false;
    }
    *ret_result = (struct str){rest.ptr, (size_t)len};
    *packed = str_skip(rest, (size_t)len);
    return true;
}

void wire_result_unpack(struct str packed, struct str *ret_result, struct str *ret_output)
{
    *ret_result = STR("");
    *ret_output = STR("");
    if (packed.len == 0) {
        return;
    }
    if (packed.ptr[0] == OUTPUT_MARK) {
        *ret_output = str_skip(packed, 1);
    } else if (packed.ptr[0] == BOTH_MARK) {
        (void)take_result(&packed, ret_result); /* what is no such form is shown as it is */
        *ret_output = packed;
    } else {
        *(is_json(packed) ? ret_result : ret_output) = packed;
    }
}
