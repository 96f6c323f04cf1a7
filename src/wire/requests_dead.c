#include <stdio.h>

#include "base/id.h"
#include "base/mem.h"
#include "model/name.h"
#include "wire/mark.h"
#include "wire/put.h"
#include "wire/requests.h"
#include "wire/requests_reading.h"
#include "wire/work_read.h"

/* As many triggers as may be named, and the rest. */
static const struct jscan_limits dead_limits = {
    .bytes_max = JSON_BYTES_MAX, .depth_max = JSON_DEPTH_MAX, .nodes_max = WIRE_DEAD_TRIGGERS_MAX + 100};

static enum err read_trigger(struct jr value, size_t index, uint64_t *ret_id, struct error *reterr)
{
    char field[ERROR_FIELD_BYTES_MAX] = "";
    struct str text = {0};
    enum err err = jr_as_str(value, &text, reterr);

    if (err == ERR_OK) {
        err = id_parse(ID_TRIGGER, text, ret_id, reterr);
    }
    if (err != ERR_OK) {
        (void)snprintf(field, sizeof field, "triggers[%zu]", index);
    }
    return err_in_field(reterr, err, field);
}

static enum err read_triggers(struct jr object, struct arena *arena, struct wire_filters *filters, struct error *reterr)
{
    struct jr array = {0};
    enum err err = jr_opt_array(object, "triggers", &array, reterr);
    size_t count = jr_count(array);

    if (err != ERR_OK || array.node == NULL) {
        return err;
    }
    if (count == 0 || count > WIRE_DEAD_TRIGGERS_MAX) {
        err = err_set(reterr, ERR_INVALID, "must name 1 to %d triggers", WIRE_DEAD_TRIGGERS_MAX);
        return err_in_field(reterr, err, "triggers");
    }
    filters->triggers = arena_alloc_array(arena, count, sizeof *filters->triggers);
    filters->trigger_count = count;
    for (size_t i = 0; err == ERR_OK && i < count; i++) {
        err = read_trigger(jr_at(array, i), i, &filters->triggers[i], reterr);
    }
    return err;
}

static enum err read_name(struct jr object, const char *field, bool is_owner, struct arena *arena, struct str *ret_name,
                          struct error *reterr)
{
    struct str name = {0};
    enum err err = jr_opt_str(object, field, &name, reterr);

    if (err != ERR_OK || name.ptr == NULL) {
        return err;
    }
    err = is_owner ? name_check_owner(name, reterr) : name_check(name, reterr);
    if (err == ERR_OK) {
        *ret_name = requests_keep(arena, name);
    }
    return err_in_field(reterr, err, field);
}

static enum err read_rate(struct jr object, struct wire_filters *filters, struct error *reterr)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, "rate", &text, reterr);

    if (err != ERR_OK || text.ptr == NULL) {
        return err;
    }
    err = rate_parse(text, &filters->rate_count, &filters->rate_period_ms, reterr);
    return err_in_field(reterr, err, "rate");
}

static enum err read_group(struct jr object, uint64_t *ret_group, struct error *reterr)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, "group", &text, reterr);

    if (err == ERR_OK && text.ptr != NULL && !wire_hash_read(text, ret_group)) {
        err =
            err_in_field(reterr, err_set(reterr, ERR_INVALID, "is what a group of GET /v1/dead/groups says"), "group");
    }
    return err;
}

static enum err read_after(struct jr object, uint64_t *ret_after, struct error *reterr)
{
    struct str text = {0};
    enum err err = jr_opt_str(object, "after", &text, reterr);

    if (err == ERR_OK && text.ptr != NULL) {
        err = wire_mark_read_id(text, ret_after, reterr);
    }
    return err;
}

static enum err read_parts(struct jr object, struct arena *arena, struct wire_filters *filters, struct error *reterr)
{
    enum err err = read_name(object, "tenant", true, arena, &filters->tenant, reterr);

    if (err == ERR_OK) {
        err = read_name(object, "type", false, arena, &filters->type, reterr);
    }
    if (err == ERR_OK) {
        err = requests_text(object, "error_code", WIRE_ERROR_CODE_BYTES_MAX, arena, &filters->error_code, reterr);
    }
    if (err == ERR_OK) {
        err = requests_instant(object, "since", &filters->since_ms, reterr);
    }
    if (err == ERR_OK) {
        err = read_group(object, &filters->group, reterr);
    }
    if (err == ERR_OK) {
        err = read_after(object, &filters->after, reterr);
    }
    return err == ERR_OK ? read_rate(object, filters, reterr) : err;
}

/* Either triggers, or a filter: an empty body must not mean all there are. */
static enum err check_choice(const struct wire_filters *filters, struct error *reterr)
{
    bool has_filter = filters->tenant.len > 0 || filters->type.len > 0 || filters->error_code.len > 0 ||
                      filters->group != 0 || filters->since_ms != TIME_NONE;

    if (filters->trigger_count > 0 && (has_filter || filters->after != 0)) {
        return err_set(reterr, ERR_INVALID, "name triggers or give a filter, not both");
    }
    if (filters->trigger_count == 0 && !has_filter) {
        return err_set(reterr, ERR_INVALID,
                       "name triggers, or at least one of tenant, type, error_code, group and since");
    }
    return ERR_OK;
}

enum err wire_read_filters(struct str body, struct arena *arena, struct wire_filters *ret_filters, struct error *reterr)
{
    static const char *const known[] = {"triggers", "tenant", "type", "error_code", "group",
                                        "since",    "after",  "rate", NULL};
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct wire_filters filters = {.since_ms = TIME_NONE, .rate_count = SETTING_NONE, .rate_period_ms = SETTING_NONE};
    struct jr object;
    enum err err = requests_open(body, &dead_limits, known, &doc, &object, reterr);

    if (err == ERR_OK) {
        err = read_triggers(object, arena, &filters, reterr);
    }
    if (err == ERR_OK) {
        err = read_parts(object, arena, &filters, reterr);
    }
    if (err == ERR_OK) {
        err = check_choice(&filters, reterr);
    }
    if (err == ERR_OK) {
        *ret_filters = filters;
    }
    return err;
}
