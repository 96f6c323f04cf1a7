#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/str.h"

struct err_row {
    const char *code;
    int http_status;
    bool retry_may_help;
};

static const struct err_row rows[] = {
#define X(name, status, code, retry) [name] = {code, status, retry},
    ERR_TABLE(X)
#undef X
};

/* What a text quotes from outside may hold anything, and a cut may go through a character: nobody's terminal or JSON
 * reader gets control characters or ill-formed UTF-8 from here. */
static void clean(char *text)
{
    struct str rest = str_from(text);

    while (rest.len > 0) {
        uint32_t code = 0;
        size_t len = str_utf8_decode(rest, &code);

        if (len == 0 || escape_unsafe(code)) {
            len = len == 0 ? 1 : len;
            memset(text + (rest.ptr - text), '?', len);
        }
        rest = str_skip(rest, len);
    }
}

__attribute__((format(printf, 4, 0))) static enum err fill(struct error *reterr, int position, enum err code,
                                                           const char *format, va_list args)
{
    if (reterr != NULL) {
        reterr->code = code;
        reterr->position = position;
        reterr->field[0] = '\0';
        (void)vsnprintf(reterr->text, sizeof reterr->text, format, args);
        clean(reterr->text);
    }
    return code;
}

enum err err_set(struct error *reterr, enum err code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(reterr, 0, code, format, args);
    va_end(args);
    return code;
}

enum err err_set_at(struct error *reterr, int position, enum err code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(reterr, position, code, format, args);
    va_end(args);
    return code;
}

enum err err_wrap(struct error *reterr, enum err err, const char *format, ...)
{
    char context[ERROR_TEXT_BYTES_MAX];
    char whole[2 * ERROR_TEXT_BYTES_MAX + 3];
    va_list args;

    if (err == ERR_OK || reterr == NULL) {
        return err;
    }
    va_start(args, format);
    (void)vsnprintf(context, sizeof context, format, args);
    va_end(args);
    (void)snprintf(whole, sizeof whole, "%s: %s", context, reterr->text);
    whole[sizeof reterr->text - 1] = '\0';
    memcpy(reterr->text, whole, sizeof reterr->text);
    clean(reterr->text);
    return err;
}

enum err err_add(struct error *reterr, enum err err, const char *format, ...)
{
    va_list args;

    if (err == ERR_OK || reterr == NULL) {
        return err;
    }
    size_t len = strlen(reterr->text);
    va_start(args, format);
    (void)vsnprintf(reterr->text + len, sizeof reterr->text - len, format, args);
    va_end(args);
    clean(reterr->text);
    return err;
}

enum err err_in_field(struct error *reterr, enum err err, const char *field)
{
    char whole[2 * ERROR_FIELD_BYTES_MAX + 2];

    if (err == ERR_OK || reterr == NULL) {
        return err;
    }
    (void)snprintf(whole, sizeof whole, "%.*s%s%s", ERROR_FIELD_BYTES_MAX, field, reterr->field[0] != '\0' ? "." : "",
                   reterr->field);
    whole[sizeof reterr->field - 1] = '\0';
    memcpy(reterr->field, whole, sizeof reterr->field);
    return err;
}

const char *err_code(enum err code)
{
    return rows[code].code;
}

int err_http_status(enum err code)
{
    return rows[code].http_status;
}

bool err_retry_may_help(enum err code)
{
    return rows[code].retry_may_help;
}
