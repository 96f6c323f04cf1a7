/* The rules of a time zone that a version of a job was decided by. */
#include "api/handlers.h"
#include "api/inside.h"
#include "base/mem.h"
#include "wire/put.h"

static void rules_read(struct api_request *request, struct store_reader *reader)
{
    SCOPE(rows_done) struct rows rows;
    const struct query query = {.kind = QUERY_RULES,
                                .id = *(const uint64_t *)request->state,
                                .limit = 1,
                                .after_ms = TIME_NONE,
                                .since_ms = TIME_NONE};
    struct error error;
    struct jw jw;

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return;
    }
    if (rows.rules.count == 0) {
        (void)err_set(&error, ERR_NOT_FOUND, "no job follows or followed the rules %.*s",
                      STR_ARGS(api_path_param(request, 0)));
        api_problem(request, &error);
        return;
    }
    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_hash(&jw, "rules", rows.rules.items[0].hash);
    wire_put_text(&jw, "timezone", rows.rules.items[0].zone);
    wire_put_text(&jw, "text", rows.rules.items[0].text);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

void api_rules(struct api *api, struct api_request *request)
{
    uint64_t *hash = arena_zalloc(request->arena, sizeof *hash);
    struct error error;

    (void)api;
    if (!api_params_only(request, NULL)) {
        return;
    }
    if (!wire_hash_read(api_path_param(request, 0), hash)) {
        (void)err_set(&error, ERR_NOT_FOUND, "rules are named by 16 hexadecimal digits, as a version's rules are");
        api_problem(request, &error);
        return;
    }
    request->state = hash;
    api_read(request, rules_read);
}
