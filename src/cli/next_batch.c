#include "cli/next_batch.h"

#include "base/chrono.h"
#include "calendar/instant.h"
#include "cli/query.h"

static const char *const known_fields[] = {"expr", "tz", "from", "count", "gap", "fold", "seed", NULL};

/* "from", "gap" and "fold": text that means something; what is wrong with it is said with the field's name. */
static enum err read_meanings(struct jr request, struct query *query, struct error *reterr)
{
    struct str from = {0};
    struct str gap = {0};
    struct str fold = {0};
    enum err err = jr_opt_str(request, "from", &from, reterr);

    if (err == ERR_OK) {
        err = jr_opt_str(request, "gap", &gap, reterr);
    }
    if (err == ERR_OK) {
        err = jr_opt_str(request, "fold", &fold, reterr);
    }
    if (err != ERR_OK) {
        return err;
    }
    if (from.ptr != NULL) {
        err = err_in_field(reterr, instant_parse(from, &query->from_ms, reterr), "from");
        reterr->position = 0; /* it counts in from, and would be taken for one in the expression */
    }
    if (err == ERR_OK && gap.ptr != NULL) {
        err = err_in_field(reterr, dst_gap_parse(gap, &query->dst.gap, reterr), "gap");
    }
    if (err == ERR_OK && fold.ptr != NULL) {
        err = err_in_field(reterr, dst_fold_parse(fold, &query->dst.fold, reterr), "fold");
    }
    return err;
}

static enum err read_query(struct jr request, struct query *query, struct error *reterr)
{
    enum err err = jr_check_fields(request, known_fields, reterr);

    if (err == ERR_OK) {
        err = jr_str(request, "expr", &query->expr, reterr);
    }
    if (err == ERR_OK) {
        err = jr_opt_str(request, "tz", &query->zone, reterr);
    }
    if (err == ERR_OK) {
        err = jr_opt_int(request, "count", 1, QUERY_COUNT_MAX, &query->count, reterr);
    }
    if (err == ERR_OK) {
        err = jr_opt_str(request, "seed", &query->seed, reterr);
    }
    return err == ERR_OK ? read_meanings(request, query, reterr) : err;
}

enum err next_batch_answer(void *context, struct jr request, struct jw *jw, struct error *reterr)
{
    struct query query = query_init(chrono_wall_ms());
    enum err err = read_query(request, &query, reterr);

    if (err == ERR_OK) {
        err = query_resolve(&query, context, reterr);
    }
    if (err != ERR_OK) {
        return err;
    }
    jw_key(jw, "next");
    jw_begin_array(jw);
    int64_t fire_ms = query.from_ms;
    for (int64_t i = 0; i < query.count && schedule_next(&query.schedule, fire_ms, &fire_ms); i++) {
        char text[INSTANT_BYTES];

        jw_text(jw, instant_format_short(fire_ms, text));
    }
    jw_end_array(jw);
    return ERR_OK;
}
