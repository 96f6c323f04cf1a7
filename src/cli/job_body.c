#include "cli/job_body.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "calendar/duration.h"
#include "calendar/instant.h"
#include "cli/job_target.h"

enum kind { KIND_TEXT, KIND_LENGTH, KIND_INSTANT, KIND_NUMBER };

/* A field whose option is its value. */
struct plain_field {
    const char *option;
    const char *field;
    size_t offset; /* in struct job_options */
    enum kind kind;
};

#define AT(member) offsetof(struct job_options, member)

static const struct plain_field plain_fields[] = {
    {"type", "type", AT(type), KIND_TEXT},
    {"pool", "pool", AT(pool), KIND_TEXT},
    {"priority", "priority", AT(priority), KIND_NUMBER},
    {"at", "run_at", AT(at), KIND_INSTANT},
    {"in", "delay", AT(in), KIND_LENGTH},
    {"cron", "cron", AT(cron), KIND_TEXT},
    {"tz", "timezone", AT(tz), KIND_TEXT},
    {"starts", "starts_at", AT(starts), KIND_INSTANT},
    {"ends", "ends_at", AT(ends), KIND_INSTANT},
    {"max-fires", "max_fires", AT(max_fires), KIND_NUMBER},
    {"jitter", "jitter", AT(jitter), KIND_LENGTH},
    {"overlap", "overlap", AT(overlap), KIND_TEXT},
    {"misfire", "misfire", AT(misfire), KIND_TEXT},
    {"misfire-after", "misfire_after", AT(misfire_after), KIND_LENGTH},
    {"timeout", "timeout", AT(timeout), KIND_LENGTH},
    {"lease", "lease", AT(lease), KIND_LENGTH},
    {"expires", "expires_after", AT(expires), KIND_LENGTH},
    {"created-by", "created_by", AT(created_by), KIND_TEXT},
};

static const struct plain_field retry_fields[] = {
    {"max-attempts", "max_attempts", AT(max_attempts), KIND_NUMBER},
    {"retry-base", "base", AT(retry_base), KIND_LENGTH},
    {"retry-max", "max", AT(retry_max), KIND_LENGTH},
};

static const struct plain_field dst_fields[] = {
    {"gap", "gap", AT(gap), KIND_TEXT},
    {"fold", "fold", AT(fold), KIND_TEXT},
};

static const struct plain_field dead_fields[] = {
    {"dead-replay-after", "replay_after", AT(dead_replay_after), KIND_LENGTH},
    {"dead-max-replays", "max_replays", AT(dead_max_replays), KIND_NUMBER},
};

static const struct plain_field concurrency_fields[] = {
    {"concurrency-key", "key", AT(concurrency_key), KIND_TEXT},
    {"concurrency-max", "max", AT(concurrency_max), KIND_NUMBER},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct str value_of(const struct job_options *options, const struct plain_field *field)
{
    return *(const struct str *)((const char *)options + field->offset);
}

static enum err put_value(struct jw *jw, const struct plain_field *field, struct str value, struct error *reterr)
{
    int64_t number = 0;
    enum err err = ERR_OK;

    switch (field->kind) {
    case KIND_TEXT:
        break;
    case KIND_LENGTH:
        err = duration_parse(value, &number, reterr);
        break;
    case KIND_INSTANT:
        err = instant_parse(value, &number, reterr);
        break;
    case KIND_NUMBER:
        err = str_to_int(value, 0, INT64_MAX, &number, reterr);
        break;
    }
    if (err != ERR_OK) {
        return err_in_field(reterr, err, field->option); /* rule 2 */
    }
    jw_key(jw, field->field);
    if (field->kind == KIND_NUMBER) {
        jw_int(jw, number);
    } else {
        jw_str(jw, value);
    }
    return ERR_OK;
}

static enum err put_fields(struct jw *jw, const struct job_options *options, const struct plain_field *fields,
                           size_t count, struct error *reterr)
{
    enum err err = ERR_OK;

    for (size_t i = 0; err == ERR_OK && i < count; i++) {
        struct str value = value_of(options, &fields[i]);

        if (value.ptr != NULL) {
            err = put_value(jw, &fields[i], value, reterr);
        }
    }
    return err;
}

static bool has_any(const struct job_options *options, const struct plain_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (value_of(options, &fields[i]).ptr != NULL) {
            return true;
        }
    }
    return false;
}

/* {"gap":...,"fold":...} and the like, where any of it was given. */
static enum err put_object(struct jw *jw, const char *key, const struct job_options *options,
                           const struct plain_field *fields, size_t count, struct error *reterr)
{
    if (!has_any(options, fields, count)) {
        return ERR_OK;
    }
    jw_key(jw, key);
    jw_begin_object(jw);
    enum err err = put_fields(jw, options, fields, count, reterr);
    if (err == ERR_OK) {
        jw_end_object(jw);
    }
    return err;
}

static enum err put_share(struct jw *jw, const char *option, const char *key, struct str value, struct error *reterr)
{
    char *end = NULL;

    if (value.ptr == NULL) {
        return ERR_OK;
    }
    double number = strtod(value.ptr, &end); /* options end with a NUL */
    if (value.len == 0 || end != value.ptr + value.len || !(number >= 0 && number <= 1000)) {
        return err_in_field(reterr, err_set(reterr, ERR_INVALID, "\"%.*s\" is not a number", STR_ARGS(value)), option);
    }
    jw_key(jw, key);
    jw_double(jw, number);
    return ERR_OK;
}

static enum err put_delays(struct jw *jw, struct str delays, struct error *reterr)
{
    struct str piece;
    bool done = false;
    int64_t length_ms = 0;

    if (delays.ptr == NULL) {
        return ERR_OK;
    }
    jw_key(jw, "delays");
    jw_begin_array(jw);
    while (str_split(&delays, ',', &done, &piece)) {
        enum err err = duration_parse(str_trim(piece), &length_ms, reterr);

        if (err != ERR_OK) {
            return err_in_field(reterr, err, "retry-delays");
        }
        jw_str(jw, str_trim(piece));
    }
    jw_end_array(jw);
    return ERR_OK;
}

static enum err put_retry(struct jw *jw, const struct job_options *options, struct error *reterr)
{
    bool has_formula =
        options->retry_base.ptr != NULL || options->retry_factor.ptr != NULL || options->retry_max.ptr != NULL;

    if (!has_formula && !has_any(options, retry_fields, COUNT(retry_fields)) && options->retry_delays.ptr == NULL &&
        options->retry_jitter.ptr == NULL) {
        return ERR_OK;
    }
    if (has_formula && options->retry_delays.ptr != NULL) {
        return err_in_field(
            reterr, err_set(reterr, ERR_INVALID, "give the waits, or the formula (base, factor, max), not both"),
            "retry-delays");
    }
    jw_key(jw, "retry");
    jw_begin_object(jw);
    enum err err = put_fields(jw, options, retry_fields, COUNT(retry_fields), reterr);
    if (err == ERR_OK) {
        err = put_delays(jw, options->retry_delays, reterr);
    }
    if (err == ERR_OK) {
        err = put_share(jw, "retry-factor", "factor", options->retry_factor, reterr);
    }
    if (err == ERR_OK) {
        err = put_share(jw, "retry-jitter", "jitter", options->retry_jitter, reterr);
    }
    if (err == ERR_OK) {
        jw_end_object(jw);
    }
    return err;
}

static enum err put_every(struct jw *jw, const struct job_options *options, struct error *reterr)
{
    int64_t length_ms = 0;

    if (options->every.ptr == NULL) {
        return options->after_finish
                   ? err_in_field(reterr, err_set(reterr, ERR_INVALID, "stands beside --every, which is not there"),
                                  "after-finish")
                   : ERR_OK;
    }
    enum err err = duration_parse(options->every, &length_ms, reterr);
    if (err != ERR_OK) {
        return err_in_field(reterr, err, "every");
    }
    jw_key(jw, "every");
    if (!options->after_finish) {
        jw_str(jw, options->every);
        return ERR_OK;
    }
    jw_begin_object(jw);
    jw_key(jw, "interval");
    jw_str(jw, options->every);
    jw_key(jw, "after");
    jw_text(jw, "finish");
    jw_end_object(jw);
    return ERR_OK;
}

/* Names have no =, so what stands behind one is the end that is asked for. */
static void put_upstreams(struct jw *jw, const struct option_list *list)
{
    if (list->count == 0) {
        return;
    }
    jw_key(jw, "depends_on");
    jw_begin_array(jw);
    for (size_t i = 0; i < list->count; i++) {
        size_t at = str_find_char(list->items[i], '=');

        if (at == list->items[i].len) {
            jw_str(jw, list->items[i]);
            continue;
        }
        jw_begin_object(jw);
        jw_key(jw, "job");
        jw_str(jw, (struct str){list->items[i].ptr, at});
        jw_key(jw, "on");
        jw_str(jw, str_skip(list->items[i], at + 1));
        jw_end_object(jw);
    }
    jw_end_array(jw);
}

static void put_names(struct jw *jw, const struct job_body *body)
{
    if (body->tenant.ptr != NULL) {
        jw_key(jw, "tenant");
        jw_str(jw, body->tenant);
    }
    if (body->name.ptr != NULL) {
        jw_key(jw, "name");
        jw_str(jw, body->name);
    }
    if (body->payload.ptr != NULL) {
        jw_key(jw, "payload");
        jw_raw(jw, body->payload); /* rule 3 */
    }
}

static enum err put_all(struct jw *jw, const struct job_body *body, struct error *reterr)
{
    const struct job_options *options = body->options;
    enum err err = put_fields(jw, options, plain_fields, COUNT(plain_fields), reterr);

    err = err != ERR_OK ? err : put_every(jw, options, reterr);
    err = err != ERR_OK ? err : put_object(jw, "dst", options, dst_fields, COUNT(dst_fields), reterr);
    err = err != ERR_OK ? err : put_retry(jw, options, reterr);
    err = err != ERR_OK ? err : put_object(jw, "dead_policy", options, dead_fields, COUNT(dead_fields), reterr);
    err = err != ERR_OK ? err
                        : put_object(jw, "concurrency", options, concurrency_fields, COUNT(concurrency_fields), reterr);
    err = err != ERR_OK ? err : job_target_pairs(jw, "label", "labels", &options->label, '=', reterr);
    err = err != ERR_OK ? err : job_target_write(jw, body, reterr);
    if (err == ERR_OK) {
        put_upstreams(jw, &options->depends_on);
    }
    return err;
}

enum err job_body_write(const struct job_body *body, struct buf *out, struct error *reterr)
{
    struct jw jw;

    jw_init(&jw, out);
    jw_begin_object(&jw);
    put_names(&jw, body);
    enum err err = put_all(&jw, body, reterr);
    if (err == ERR_OK) {
        jw_end_object(&jw);
    }
    return err;
}
