#include "base/mem.h"
#include "wire/fires.h"
#include "wire/requests.h"
#include "wire/requests_reading.h"

#define PREVIEW_COUNT_DEFAULT 10

static enum err read_dst(struct jr object, struct dst *dst, struct error *reterr)
{
    static const char *const known[] = {"gap", "fold", NULL};
    struct jr inner = {0};
    struct str gap = {0};
    struct str fold = {0};
    enum err err = jr_opt_object(object, "dst", &inner, reterr);

    if (err != ERR_OK || inner.node == NULL) {
        return err;
    }
    err = jr_check_fields(inner, known, reterr);
    if (err == ERR_OK) {
        err = jr_opt_str(inner, "gap", &gap, reterr);
    }
    if (err == ERR_OK) {
        err = jr_opt_str(inner, "fold", &fold, reterr);
    }
    if (err == ERR_OK && gap.ptr != NULL) {
        err = err_in_field(reterr, dst_gap_parse(gap, &dst->gap, reterr), "gap");
    }
    if (err == ERR_OK && fold.ptr != NULL) {
        err = err_in_field(reterr, dst_fold_parse(fold, &dst->fold, reterr), "fold");
    }
    return err_in_field(reterr, err, "dst");
}

static enum err read_request(struct jr object, struct arena *arena, struct wire_preview_request *request,
                             struct error *reterr)
{
    enum err err = requests_text(object, "cron", CRON_EXPR_BYTES_MAX, arena, &request->cron, reterr);

    if (err == ERR_OK && request->cron.len == 0) {
        err = err_in_field(reterr, err_set(reterr, ERR_INVALID, "is missing"), "cron");
    }
    if (err == ERR_OK) {
        err = requests_text(object, "timezone", ZONE_NAME_BYTES_MAX, arena, &request->timezone, reterr);
    }
    if (err == ERR_OK) {
        err = read_dst(object, &request->dst, reterr);
    }
    if (err == ERR_OK) {
        err = requests_instant(object, "from", &request->from_ms, reterr);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(object, "count", 1, WIRE_FIRES_MAX, &request->count, reterr);
    }
    return err == ERR_OK ? requests_text(object, "seed", WIRE_KEY_BYTES_MAX, arena, &request->seed, reterr) : err;
}

enum err wire_read_preview(struct str body, struct arena *arena, struct wire_preview_request *ret_request,
                           struct error *reterr)
{
    static const char *const known[] = {"cron", "timezone", "dst", "from", "count", "seed", NULL};
    SCOPE(jr_done) struct jr_doc doc = {0};
    struct wire_preview_request request = {.from_ms = TIME_NONE, .count = PREVIEW_COUNT_DEFAULT};
    struct jr object;
    enum err err = requests_open(body, NULL, known, &doc, &object, reterr);

    if (err == ERR_OK) {
        err = read_request(object, arena, &request, reterr);
    }
    if (err == ERR_OK) {
        *ret_request = request;
    }
    return err;
}
