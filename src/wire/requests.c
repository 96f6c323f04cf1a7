#include "wire/requests.h"

#include "base/json.h"
#include "base/json_raw.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "calendar/instant.h"
#include "wire/requests_reading.h"

enum err requests_open(struct str body, const struct jscan_limits *limits, const char *const known[],
                       struct jr_doc *ret_doc, struct jr *ret_object, struct error *reterr)
{
    enum err err = jr_parse(body, limits, ret_doc, reterr);

    if (err == ERR_OK && jr_kind(jr_root(ret_doc)) != JR_OBJECT) {
        err = err_set(reterr, ERR_INVALID, "the body must be an object, not %s", jr_kind_name(jr_root(ret_doc)));
    }
    if (err == ERR_OK) {
        *ret_object = jr_root(ret_doc);
        err = jr_check_fields(*ret_object, known, reterr);
    }
    return err;
}

struct str requests_keep(struct arena *arena, struct str text)
{
    return (struct str){arena_strdup_str(arena, text), text.len};
}

enum err requests_text(struct jr object, const char *field, size_t bytes_max, struct arena *arena, struct str *ret_text,
                       struct error *reterr)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, field, &text, reterr);

    if (err != ERR_OK || text.ptr == NULL) {
        return err;
    }
    if (text.len == 0 || text.len > bytes_max) {
        err = err_set(reterr, ERR_INVALID, "must have 1 to %zu bytes", bytes_max);
        return err_in_field(reterr, err, field);
    }
    *ret_text = requests_keep(arena, text);
    return ERR_OK;
}

enum err requests_instant(struct jr object, const char *field, int64_t *ret_ms, struct error *reterr)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, field, &text, reterr);

    if (err != ERR_OK || text.ptr == NULL) {
        return err;
    }
    return err_in_field(reterr, instant_parse(text, ret_ms, reterr), field);
}

/* ---- the bodies ---- */

enum err wire_read_status(struct str body, enum job_status *ret_status, struct error *reterr)
{
    static const char *const known[] = {"status", NULL};
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr object;
    struct str word;
    enum job_status status = JOB_COMPLETED;
    enum err err = requests_open(body, NULL, known, &doc, &object, reterr);

    if (err == ERR_OK) {
        err = jr_str(object, "status", &word, reterr);
    }
    if (err != ERR_OK) {
        return err;
    }
    if (job_status_parse(word, &status, NULL) != ERR_OK || status == JOB_COMPLETED) {
        err = err_set(reterr, ERR_INVALID, "must be active, paused or cancelled");
        return err_in_field(reterr, err, "status");
    }
    *ret_status = status;
    return ERR_OK;
}

enum err wire_read_ramp(struct str body, int64_t *ret_ramp_ms, struct error *reterr)
{
    static const char *const known[] = {"ramp", NULL};
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr object;
    struct str text = {0};
    int64_t ramp_ms = 0;

    if (str_trim(body).len == 0) {
        *ret_ramp_ms = 0;
        return ERR_OK;
    }
    enum err err = requests_open(body, NULL, known, &doc, &object, reterr);

    if (err == ERR_OK) {
        err = jr_opt_str(object, "ramp", &text, reterr);
    }
    if (err == ERR_OK && text.ptr != NULL) {
        err = err_in_field(reterr, duration_parse(text, &ramp_ms, reterr), "ramp");
    }
    if (err == ERR_OK) {
        *ret_ramp_ms = ramp_ms;
    }
    return err;
}

static enum err read_bound(struct jr object, const char *field, int64_t *ret_ms, struct error *reterr)
{
    struct str text = {0};
    enum err err = jr_str(object, field, &text, reterr);

    return err == ERR_OK ? err_in_field(reterr, instant_parse(text, ret_ms, reterr), field) : err;
}

enum err wire_read_range(struct str body, int64_t *ret_from_ms, int64_t *ret_to_ms, struct error *reterr)
{
    static const char *const known[] = {"from", "to", NULL};
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr object;
    int64_t from_ms = 0, to_ms = 0;
    enum err err = requests_open(body, NULL, known, &doc, &object, reterr);

    if (err == ERR_OK) {
        err = read_bound(object, "from", &from_ms, reterr);
    }
    if (err == ERR_OK) {
        err = read_bound(object, "to", &to_ms, reterr);
    }
    if (err == ERR_OK && from_ms >= to_ms) {
        err = err_in_field(reterr, err_set(reterr, ERR_UNPROCESSABLE, "must lie behind from"), "to");
    }
    if (err == ERR_OK) {
        *ret_from_ms = from_ms;
        *ret_to_ms = to_ms;
    }
    return err;
}

enum err wire_read_run(struct str body, struct arena *arena, struct wire_run *ret_run, struct error *reterr)
{
    static const char *const known[] = {"payload", "key", NULL};
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct jr object;
    struct wire_run run = {0};

    if (str_trim(body).len == 0) {
        *ret_run = run;
        return ERR_OK;
    }
    enum err err = requests_open(body, NULL, known, &doc, &object, reterr);

    if (err == ERR_OK) {
        err = requests_text(object, "key", WIRE_KEY_BYTES_MAX, arena, &run.key, reterr);
    }
    if (err == ERR_OK && jraw_member(body, STR("payload"), &run.payload) && run.payload.len > PAYLOAD_BYTES_MAX) {
        err =
            err_set(reterr, ERR_TOO_LARGE, "has %zu bytes; at most %d are allowed", run.payload.len, PAYLOAD_BYTES_MAX);
        err = err_in_field(reterr, err, "payload");
    }
    if (err == ERR_OK) {
        *ret_run = run;
    }
    return err;
}

enum err wire_read_settings(enum scope scope, struct str body, struct settings *ret_settings, struct error *reterr)
{
    SCOPE(jr_done) struct jr_doc doc = {0};
    enum err err = jr_parse(body, NULL, &doc, reterr);

    if (err == ERR_OK && jr_kind(jr_root(&doc)) != JR_OBJECT) {
        err = err_set(reterr, ERR_INVALID, "the body must be an object, not %s", jr_kind_name(jr_root(&doc)));
    }
    return err == ERR_OK ? settings_read(scope, body, jr_root(&doc), ret_settings, reterr) : err;
}
