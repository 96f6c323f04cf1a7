#include "base/json_raw.h"
#include "model/job_reading.h"

/* What goes into a request line or an environment comes from outside: bounded, and without control characters. */
#define URL_BYTES_MAX 2048
#define HEADERS_MAX 32
#define ARGV_MAX 1024
#define ENV_MAX 256

static bool is_printable(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

static enum err check_url(const struct reading *reading, struct jr http)
{
    struct str url = {0};
    enum err err = jr_str(http, "url", &url, reading->reterr);

    if (err != ERR_OK) {
        return err;
    }
    bool known_scheme = str_starts_with(url, STR("http://")) || str_starts_with(url, STR("https://"));
    bool has_host = str_find_char(url, ':') + 3 < url.len && url.ptr[str_find_char(url, ':') + 3] != '/';
    if (!known_scheme || !has_host || url.len > URL_BYTES_MAX || !is_printable(url)) {
        err = err_set(reading->reterr, ERR_INVALID,
                      "must be http:// or https:// and a host, without blanks, at most %d bytes", URL_BYTES_MAX);
    }
    return err_in_field(reading->reterr, err, "url");
}

static enum err check_method(const struct reading *reading, struct jr http)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", NULL};
    struct str method = STR("POST");
    enum err err = jr_opt_str(http, "method", &method, reading->reterr);

    if (err != ERR_OK) {
        return err;
    }
    for (size_t i = 0; methods[i] != NULL; i++) {
        if (str_is(method, methods[i])) {
            return ERR_OK;
        }
    }
    err = err_set(reading->reterr, ERR_INVALID, "must be one of GET, POST, PUT, PATCH, DELETE and HEAD");
    return err_in_field(reading->reterr, err, "method");
}

/* A header's name is a word without a colon, a variable's one without an equals sign. */
static bool is_key(struct str key, char forbidden)
{
    return key.len > 0 && is_printable(key) && str_find_char(key, forbidden) == key.len;
}

static bool is_one_line(struct str text)
{
    return str_find_char(text, '\n') == text.len && str_find_char(text, '\r') == text.len;
}

/* An object of texts: headers, whose values have one line, or env. */
static enum err check_texts(const struct reading *reading, struct jr object, const char *field, bool is_headers)
{
    struct jr texts = {0};
    struct jr_iter iter = {0};
    struct str key;
    struct jr value;
    size_t max = is_headers ? HEADERS_MAX : ENV_MAX;
    enum err err = jr_opt_object(object, field, &texts, reading->reterr);

    if (err != ERR_OK || texts.node == NULL) {
        return err;
    }
    if (jr_count(texts) > max) {
        err = err_set(reading->reterr, ERR_INVALID, "has more than %zu entries", max);
    }
    while (err == ERR_OK && jr_next(texts, &iter, &key, &value)) {
        struct str text;

        err = jr_as_str(value, &text, reading->reterr);
        if (err == ERR_OK && !is_key(key, is_headers ? ':' : '=')) {
            err = err_set(reading->reterr, ERR_INVALID, "\"%.*s\" is no name", STR_ARGS(key));
        } else if (err == ERR_OK && is_headers && !is_one_line(text)) {
            err = err_set(reading->reterr, ERR_INVALID, "the value of \"%.*s\" has more than one line", STR_ARGS(key));
        }
    }
    return err_in_field(reading->reterr, err, field);
}

static enum err check_http(const struct reading *reading, struct jr http)
{
    static const char *const known[] = {"url", "method", "headers", NULL};
    enum err err = jr_check_fields(http, known, reading->reterr);

    if (err == ERR_OK) {
        err = check_url(reading, http);
    }
    if (err == ERR_OK) {
        err = check_method(reading, http);
    }
    return err == ERR_OK ? check_texts(reading, http, "headers", true) : err;
}

static enum err check_exec(const struct reading *reading, struct jr exec)
{
    static const char *const known[] = {"argv", "env", "cwd", NULL};
    struct jr argv = {0};
    struct str cwd = {0};
    enum err err = jr_check_fields(exec, known, reading->reterr);

    if (err == ERR_OK) {
        err = jr_array(exec, "argv", &argv, reading->reterr);
    }
    if (err == ERR_OK && (jr_count(argv) == 0 || jr_count(argv) > ARGV_MAX)) {
        err = err_set(reading->reterr, ERR_INVALID, "must have 1 to %d words, the program first", ARGV_MAX);
        return err_in_field(reading->reterr, err, "argv");
    }
    for (size_t i = 0; err == ERR_OK && i < jr_count(argv); i++) {
        struct str word;

        err = jr_as_str(jr_at(argv, i), &word, reading->reterr);
        if (err == ERR_OK && i == 0 && word.len == 0) {
            err = err_set(reading->reterr, ERR_INVALID, "must begin with the program to run");
        }
        err = err_in_field(reading->reterr, err, "argv");
    }
    if (err == ERR_OK) {
        err = jr_opt_str(exec, "cwd", &cwd, reading->reterr);
    }
    return err == ERR_OK ? check_texts(reading, exec, "env", false) : err;
}

/* Exactly one of http and exec; its own bytes are kept. */
static enum err read_kind(const struct reading *reading, struct jr target, struct str raw)
{
    static const char *const known[] = {"http", "exec", NULL};
    bool is_http = reading_given(target, "http");
    bool is_exec = reading_given(target, "exec");
    const char *kind = is_http ? "http" : "exec";
    struct jr inner = {0};
    enum err err = jr_check_fields(target, known, reading->reterr);

    if (err == ERR_OK && is_http == is_exec) {
        err = err_set(reading->reterr, ERR_INVALID, "must be either http or exec");
    }
    if (err != ERR_OK) {
        return err;
    }
    err = jr_object(target, kind, &inner, reading->reterr);
    if (err == ERR_OK) {
        err = err_in_field(reading->reterr, is_http ? check_http(reading, inner) : check_exec(reading, inner), kind);
    }
    if (err == ERR_OK && jraw_member(raw, str_from(kind), &raw)) {
        reading->def->target_kind = is_http ? TARGET_HTTP : TARGET_EXEC;
        reading->def->target = reading_keep(reading, raw);
    }
    return err;
}

enum err job_target_read(const struct reading *reading, struct jr object)
{
    struct jr target = {0};
    struct str raw = {0};
    enum err err = jr_opt_object(object, "target", &target, reading->reterr);

    if (err != ERR_OK || target.node == NULL || !jraw_member(reading->text, STR("target"), &raw)) {
        return err;
    }
    if (raw.len > TARGET_BYTES_MAX) {
        err =
            err_set(reading->reterr, ERR_TOO_LARGE, "has %zu bytes; at most %d are allowed", raw.len, TARGET_BYTES_MAX);
    } else {
        err = read_kind(reading, target, raw);
    }
    return err_in_field(reading->reterr, err, "target");
}
