#include "worker/item.h"

#include "base/json_raw.h"
#include "base/limits.h"
#include "base/mem.h"
#include "calendar/duration.h"
#include "model/job_def.h"
#include "worker/limits_worker.h"

static enum err read_duration(struct jr object, const char *field, int64_t *ret_ms, struct error *reterr)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, field, &text, reterr);

    if (err == ERR_OK && text.len > 0) {
        err = err_in_field(reterr, duration_parse(text, ret_ms, reterr), field);
    }
    return err;
}

static enum err read_texts(struct jr object, struct item *item, struct error *reterr)
{
    const struct {
        const char *field;
        struct str *into;
    } texts[] = {
        {"trigger", &item->trigger},
        {"job", &item->job},
        {"tenant", &item->tenant},
        {"name", &item->name},
        {"type", &item->type},
        {"pool", &item->pool},
        {"scheduled_for", &item->scheduled_for},
        {"idempotency_key", &item->idempotency_key},
        {"traceparent", &item->traceparent},
    };
    enum err err = jr_str(object, "id", &item->id, reterr);

    for (size_t i = 0; err == ERR_OK && i < sizeof texts / sizeof texts[0]; i++) {
        err = jr_opt_str(object, texts[i].field, texts[i].into, reterr);
    }
    if (err == ERR_OK && (item->id.len == 0 || item->id.len > ITEM_ID_BYTES_MAX)) {
        err = err_set(reterr, ERR_INVALID, "the attempt's id has %zu bytes", item->id.len);
    }
    return err;
}

static enum err read_numbers(struct jr object, struct item *item, struct error *reterr)
{
    enum err err = jr_opt_int(object, "attempt", 0, INT64_MAX, &item->number, reterr);

    item->timeout_ms = JOB_TIMEOUT_DEFAULT_MS;
    item->lease_ms = JOB_LEASE_DEFAULT_MS;
    if (err == ERR_OK) {
        err = jr_opt_int(object, "failures", 0, INT64_MAX, &item->failures, reterr);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "max_attempts", 0, INT64_MAX, &item->max_attempts, reterr);
    }
    if (err == ERR_OK) {
        err = read_duration(object, "timeout", &item->timeout_ms, reterr);
    }
    if (err == ERR_OK) {
        err = read_duration(object, "lease", &item->lease_ms, reterr);
    }
    return err;
}

static enum err read_target(struct jr object, struct item *item, struct error *reterr)
{
    struct jr target = {0};
    enum err err = jr_opt_object(object, "target", &target, reterr);

    if (err != ERR_OK || target.node == NULL) {
        return err;
    }
    item->kind = jr_has(target, "http") ? ITEM_HTTP : jr_has(target, "exec") ? ITEM_EXEC : ITEM_NO_TARGET;
    if (item->kind == ITEM_NO_TARGET) {
        return ERR_OK; /* a kind that this worker does not know */
    }
    return jr_object(target, item->kind == ITEM_HTTP ? "http" : "exec", &item->target, reterr);
}

static enum err read_all(struct item *item, struct error *reterr)
{
    static const struct jscan_limits limits = {
        .bytes_max = ITEM_BYTES_MAX, .depth_max = JSON_DEPTH_MAX + 4, .nodes_max = ITEM_NODES_MAX};
    struct str text = str_from(item->text);
    enum err err = jr_parse(text, &limits, &item->doc, reterr);

    if (err != ERR_OK) {
        return err;
    }
    struct jr object = jr_root(&item->doc);

    err = read_texts(object, item, reterr);
    if (err == ERR_OK) {
        err = read_numbers(object, item, reterr);
    }
    if (err == ERR_OK) {
        err = read_target(object, item, reterr);
    }
    if (err == ERR_OK && !jraw_member(text, STR("payload"), &item->payload)) {
        item->payload = STR("{}");
    }
    return err;
}

/* The id of an object that could not be read in full, if only that can be found. */
static struct str id_of(struct str json)
{
    struct str raw = {0};

    if (!jraw_member(json, STR("id"), &raw) || raw.len < 3 || raw.ptr[0] != '"' || raw.len > ITEM_ID_BYTES_MAX + 2) {
        return (struct str){0};
    }
    return (struct str){raw.ptr + 1, raw.len - 2};
}

enum err item_read(struct str json, struct item *ret_item, struct str *ret_id, struct error *reterr)
{
    struct item item = {.text = mem_strndup(json.len > 0 ? json.ptr : "", json.len)};
    enum err err = read_all(&item, reterr);

    if (err != ERR_OK) {
        item_done(&item);
        *ret_id = id_of(json);
        return err;
    }
    *ret_item = item;
    return ERR_OK;
}

void item_done(struct item *item)
{
    jr_done(&item->doc);
    mem_free(item->text);
    *item = (struct item){0};
}
