#include "worker/exchange.h"

#include "base/json_raw.h"
#include "base/json_scan.h"
#include "base/json_write.h"
#include "calendar/duration.h"
#include "worker/limits_worker.h"

static void write_texts(struct jw *jw, const char *key, const struct str *texts, size_t count)
{
    jw_key(jw, key);
    jw_begin_array(jw);
    for (size_t i = 0; i < count; i++) {
        jw_str(jw, texts[i]);
    }
    jw_end_array(jw);
}

static void write_head(struct jw *jw, const struct exchange_request *request)
{
    static const struct str targets[] = {STR_INIT("http"), STR_INIT("exec")};
    char wait[DURATION_BYTES];

    jw_key(jw, "worker");
    jw_str(jw, request->worker);
    jw_key(jw, "seq");
    jw_uint(jw, request->seq);
    jw_key(jw, "name");
    jw_str(jw, request->name);
    write_texts(jw, "pools", request->pools, request->pool_count);
    write_texts(jw, "targets", targets, request->is_exec_allowed ? 2 : 1);
    jw_key(jw, "capacity");
    jw_uint(jw, request->capacity);
    jw_key(jw, "want");
    jw_uint(jw, request->want);
    jw_key(jw, "wait");
    jw_text(jw, duration_format(request->wait_ms, wait));
}

void exchange_write(const struct exchange_request *request, struct buf *out)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    write_head(&jw, request);
    write_texts(&jw, "holding", request->holding, request->holding_count);
    jw_key(&jw, "finished");
    jw_begin_array(&jw);
    for (size_t i = 0; i < request->report_count; i++) {
        jw_raw(&jw, report_json(request->reports[i]));
    }
    jw_end_array(&jw);
    jw_end_object(&jw);
    jw_done(&jw);
}

/* The array of that name; an empty one where there is none, or null. */
static enum err read_array(struct str text, struct str key, struct str *ret_array, struct error *reterr)
{
    struct str value = STR("[]");

    if (jraw_member(text, key, &value) && str_is(value, "null")) {
        value = STR("[]");
    }
    if (value.ptr[0] != '[') {
        return err_set(reterr, ERR_INVALID, "%.*s must be an array", STR_ARGS(key));
    }
    *ret_array = value;
    return ERR_OK;
}

enum err exchange_read(struct str text, struct exchange_answer *ret_answer, struct error *reterr)
{
    static const struct jscan_limits limits = {
        .bytes_max = ANSWER_WORK_BYTES_MAX, .depth_max = JSON_DEPTH_CEILING, .nodes_max = ANSWER_NODES_MAX};
    struct jscan_facts facts;
    struct exchange_answer answer = {0};
    struct str draining = {0};
    struct str object = str_trim(text);
    enum err err = jscan_check(text, &limits, &facts, reterr);

    if (err == ERR_OK && object.ptr[0] != '{') {
        err = err_set(reterr, ERR_INVALID, "the answer must be an object");
    }
    if (err == ERR_OK) {
        err = read_array(object, STR("attempts"), &answer.attempts, reterr);
    }
    if (err == ERR_OK) {
        err = read_array(object, STR("refused"), &answer.refused, reterr);
    }
    if (err == ERR_OK) {
        err = read_array(object, STR("cancel"), &answer.cancel, reterr);
    }
    if (err != ERR_OK) {
        return err;
    }
    answer.is_draining = jraw_member(object, STR("drain"), &draining) && str_is(draining, "true");
    *ret_answer = answer;
    return ERR_OK;
}

/* A string without escapes, as ids and reasons are. */
static bool text_of(struct str raw, struct str *ret_text)
{
    if (raw.len < 2 || raw.ptr[0] != '"' || str_find_char(raw, '\\') < raw.len) {
        return false;
    }
    *ret_text = (struct str){raw.ptr + 1, raw.len - 2};
    return true;
}

bool exchange_next_id(struct str array, size_t *offset, struct str *ret_id)
{
    struct str raw;

    while (jraw_next(array, offset, &raw)) {
        if (text_of(raw, ret_id)) {
            return true;
        }
    }
    return false;
}

bool exchange_next_refused(struct str array, size_t *offset, struct str *ret_id, struct str *ret_reason)
{
    struct str raw, id, reason;

    while (jraw_next(array, offset, &raw)) {
        if (jraw_member(raw, STR("attempt"), &id) && text_of(id, ret_id)) {
            if (!jraw_member(raw, STR("reason"), &reason) || !text_of(reason, ret_reason)) {
                *ret_reason = STR("");
            }
            return true;
        }
    }
    return false;
}
