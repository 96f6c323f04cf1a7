#include "wire/problem.h"

#include <assert.h>
#include <stddef.h>

#include "wire/put.h"

const char *wire_status_title(int status)
{
    static const struct {
        int status;
        const char *title;
    } titles[] = {
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (titles[i].status == status) {
            return titles[i].title;
        }
    }
    return "Error";
}

void wire_problem(struct jw *jw, const struct error *error, int64_t index)
{
    int status = err_http_status(error->code);

    assert(error->code != ERR_OK);
    jw_begin_object(jw);
    wire_put_word(jw, "type", "about:blank");
    wire_put_word(jw, "title", wire_status_title(status));
    wire_put_int(jw, "status", status);
    wire_put_word(jw, "code", err_code(error->code));
    wire_put_word(jw, "detail", error->text);
    if (error->field[0] != '\0') {
        wire_put_word(jw, "field", error->field);
    }
    if (error->position > 0) {
        wire_put_int(jw, "position", error->position);
    }
    if (index != WIRE_NO_INDEX) {
        wire_put_int(jw, "index", index);
    }
    jw_end_object(jw);
}
