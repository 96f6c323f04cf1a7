#include "client/problem.h"

#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"

/* A page of somebody else's is shown by its beginning. */
#define SHOWN_BYTES_MAX 120

/* Codes are looked for in base's table; one that is newer than this program goes by its status. */
static enum err code_of(struct str code, int status)
{
    static const enum err all[] = {
#define X(name, http, text, retry) name,
        ERR_TABLE(X)
#undef X
    };
    const size_t count = sizeof all / sizeof all[0];

    for (size_t i = 1; i < count; i++) {
        if (str_is(code, err_code(all[i]))) {
            return all[i];
        }
    }
    for (size_t i = 1; i < count; i++) {
        if (err_http_status(all[i]) == status) {
            return all[i];
        }
    }
    return status >= 500 ? ERR_IO : ERR_INVALID;
}

static struct str text_of(struct jr object, const char *field)
{
    struct str text = {0};

    return jr_str(object, field, &text, NULL) == ERR_OK ? text : (struct str){0};
}

static bool read_json(struct str body, struct problem *problem)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    int64_t position = 0;

    if (jr_parse(body, NULL, &doc, NULL) != ERR_OK) {
        return false;
    }
    struct jr root = jr_root(&doc);
    struct str detail = text_of(root, "detail");
    struct str code = text_of(root, "code");
    struct str field = text_of(root, "field");
    if (str_empty(detail)) {
        detail = text_of(root, "title");
    }
    if (str_empty(detail)) {
        return false;
    }
    (void)err_set(&problem->error, code_of(code, problem->status), "%.*s",
                  (int)(detail.len < ERROR_TEXT_BYTES_MAX ? detail.len : ERROR_TEXT_BYTES_MAX), detail.ptr);
    (void)snprintf(problem->code, sizeof problem->code, "%.*s", STR_ARGS(code));
    (void)snprintf(problem->error.field, sizeof problem->error.field, "%.*s", STR_ARGS(field));
    if (jr_int(root, "position", 1, INT32_MAX, &position, NULL) == ERR_OK) {
        problem->error.position = (int)position;
    }
    if (jr_int(root, "index", 0, INT32_MAX, &problem->index, NULL) != ERR_OK) {
        problem->index = PROBLEM_NO_INDEX;
    }
    return true;
}

struct problem problem_read(int status, struct str body)
{
    struct problem problem = {.status = status, .index = PROBLEM_NO_INDEX};

    if (!read_json(body, &problem)) {
        struct str shown = str_trim(body);

        shown.len = str_find_char(shown, '\n');
        shown.len = shown.len < SHOWN_BYTES_MAX ? shown.len : SHOWN_BYTES_MAX;
        (void)err_set(&problem.error, code_of((struct str){0}, status),
                      str_empty(shown) ? "the server answered %d and said nothing more%.*s"
                                       : "the answer was %d, and not of a Belfry server: %.*s",
                      status, STR_ARGS(shown));
    }
    return problem;
}
