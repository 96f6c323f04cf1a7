#include "cli/job_target.h"

enum err job_target_pairs(struct jw *jw, const char *option, const char *key, const struct option_list *list,
                          char separator, struct error *reterr)
{
    if (list->count == 0) {
        return ERR_OK;
    }
    jw_key(jw, key);
    jw_begin_object(jw);
    for (size_t i = 0; i < list->count; i++) {
        size_t at = str_find_char(list->items[i], separator);
        struct str name = str_trim((struct str){list->items[i].ptr, at});
        struct str text = str_skip(list->items[i], at + 1);

        if (at == list->items[i].len || name.len == 0) {
            return err_in_field(reterr,
                                err_set(reterr, ERR_INVALID, "\"%.*s\" has no %c between name and text",
                                        STR_ARGS(list->items[i]), separator),
                                option);
        }
        jw_key_str(jw, name);
        jw_str(jw, separator == ':' ? str_trim(text) : text);
    }
    jw_end_object(jw);
    return ERR_OK;
}

static enum err put_http(struct jw *jw, const struct job_options *options, struct error *reterr)
{
    jw_key(jw, "target");
    jw_begin_object(jw);
    jw_key(jw, "http");
    jw_begin_object(jw);
    jw_key(jw, "url");
    jw_str(jw, options->http);
    if (options->method.ptr != NULL) {
        jw_key(jw, "method");
        jw_str(jw, options->method);
    }
    enum err err = job_target_pairs(jw, "header", "headers", &options->header, ':', reterr);
    if (err == ERR_OK) {
        jw_end_object(jw);
        jw_end_object(jw);
    }
    return err;
}

static enum err put_exec(struct jw *jw, const struct job_body *body, struct error *reterr)
{
    jw_key(jw, "target");
    jw_begin_object(jw);
    jw_key(jw, "exec");
    jw_begin_object(jw);
    jw_key(jw, "argv");
    jw_begin_array(jw);
    for (int i = 0; i < body->argc; i++) {
        jw_text(jw, body->argv[i]);
    }
    jw_end_array(jw);
    enum err err = job_target_pairs(jw, "env", "env", &body->options->env, '=', reterr);
    if (err != ERR_OK) {
        return err;
    }
    if (body->options->cwd.ptr != NULL) {
        jw_key(jw, "cwd");
        jw_str(jw, body->options->cwd);
    }
    jw_end_object(jw);
    jw_end_object(jw);
    return ERR_OK;
}

/* A detail of a target that is not there would be lost without a word. */
static enum err check_target(const struct job_body *body, struct error *reterr)
{
    const struct job_options *options = body->options;
    bool has_http = options->http.ptr != NULL;
    bool is_of_http = options->method.ptr != NULL || options->header.count > 0;
    bool is_of_exec = options->env.count > 0 || options->cwd.ptr != NULL;

    if (has_http && body->argc > 0) {
        return err_in_field(reterr, err_set(reterr, ERR_INVALID, "a job has a URL or a command, not both"), "http");
    }
    if (is_of_http && !has_http) {
        return err_in_field(reterr, err_set(reterr, ERR_INVALID, "stands beside --http, which is not there"),
                            options->method.ptr != NULL ? "method" : "header");
    }
    if (is_of_exec && body->argc == 0) {
        return err_in_field(reterr, err_set(reterr, ERR_INVALID, "stands beside a command, which is not there"),
                            options->cwd.ptr != NULL ? "cwd" : "env");
    }
    return ERR_OK;
}

enum err job_target_write(struct jw *jw, const struct job_body *body, struct error *reterr)
{
    enum err err = check_target(body, reterr);

    if (err == ERR_OK && body->options->http.ptr != NULL) {
        err = put_http(jw, body->options, reterr);
    } else if (err == ERR_OK && body->argc > 0) {
        err = put_exec(jw, body, reterr);
    }
    return err;
}
