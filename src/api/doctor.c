/* The incident playbooks as checks: what a person on call would look at, looked at. */
#include "api/doctor.h"

#include <assert.h>
#include <inttypes.h>

#include "api/handlers.h"
#include "api/inside.h"
#include "api/observe.h"
#include "base/id.h"
#include "base/mem.h"
#include "wire/put.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define MINUTES_MS (INT64_C(5) * 60 * 1000)

const char *doctor_severity_text(enum doctor_severity severity)
{
    static const char *const words[] = {"ok", "warning", "critical", "unknown"};

    return words[severity];
}

/* ---- findings ---- */

void doctor_check(struct doctor *doctor, const char *check, const char *playbook, const char *title)
{
    if (doctor->check_count > 0) {
        assert(doctor->looked.len > 0);
        jw_end_array(&doctor->jw);
        wire_put_text(&doctor->jw, "detail", buf_str(&doctor->looked));
        wire_put_word(&doctor->jw, "severity", doctor_severity_text(doctor->severity));
        jw_end_object(&doctor->jw);
        buf_reset(&doctor->looked);
    }
    doctor->worst = doctor->severity > doctor->worst ? doctor->severity : doctor->worst;
    doctor->severity = DOCTOR_OK;
    doctor->finding_count = 0;
    doctor->check_count++;
    if (check == NULL) {
        return;
    }
    jw_begin_object(&doctor->jw);
    wire_put_word(&doctor->jw, "check", check);
    wire_put_word(&doctor->jw, "playbook", playbook);
    wire_put_word(&doctor->jw, "title", title);
    jw_key(&doctor->jw, "findings");
    jw_begin_array(&doctor->jw);
}

void doctor_looked(struct doctor *doctor, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(&doctor->looked, format, args);
    va_end(args);
}

/* Whether a finding is being written, and not only counted. */
static bool is_written(const struct doctor *doctor)
{
    return doctor->finding_count <= DOCTOR_FINDINGS_MAX;
}

void doctor_command(struct doctor *doctor, const char *format, ...)
{
    SCOPE(buf_done) struct buf command;
    va_list args;

    buf_init(&command, ERROR_TEXT_BYTES_MAX);
    va_start(args, format);
    buf_vprintf(&command, format, args);
    va_end(args);
    if (is_written(doctor)) {
        wire_put_text(&doctor->jw, "command", buf_str(&command));
    }
}

void doctor_letters(struct doctor *doctor, struct str type)
{
    const struct trigger_row *items = doctor->letters->triggers.items;
    char id[ID_TEXT_BYTES];
    size_t shown = 0;

    if (!is_written(doctor)) {
        return;
    }
    jw_key(&doctor->jw, "examples");
    jw_begin_array(&doctor->jw);
    for (size_t i = 0; i < doctor->letters->triggers.count && shown < DOCTOR_EXAMPLES_MAX; i++) {
        if (str_empty(type) || str_equal(type, items[i].place.type)) {
            id_format(ID_TRIGGER, items[i].id, id);
            jw_text(&doctor->jw, id);
            shown++;
        }
    }
    jw_end_array(&doctor->jw);
}

struct jw *doctor_find(struct doctor *doctor, enum doctor_severity severity, const char *advice, const char *format,
                       ...)
{
    SCOPE(buf_done) struct buf detail;
    va_list args;

    doctor->severity = severity > doctor->severity ? severity : doctor->severity;
    if (doctor->finding_count++ >= DOCTOR_FINDINGS_MAX) {
        return NULL;
    }
    buf_init(&detail, ERROR_TEXT_BYTES_MAX);
    va_start(args, format);
    buf_vprintf(&detail, format, args);
    va_end(args);
    jw_begin_object(&doctor->jw);
    jw_key(&doctor->jw, "detail");
    jw_str(&doctor->jw, buf_str(&detail));
    wire_put_word(&doctor->jw, "advice", advice);
    return &doctor->jw;
}

void doctor_put(struct jw *jw, const char *key, struct str name, int64_t count)
{
    if (jw != NULL) {
        wire_put_text(jw, key, name);
        wire_put_int(jw, "count", count);
    }
}

void doctor_put_count(struct jw *jw, int64_t count)
{
    if (jw != NULL) {
        wire_put_int(jw, "count", count);
    }
}

void doctor_found(struct doctor *doctor)
{
    if (is_written(doctor)) {
        jw_end_object(&doctor->jw);
    }
}

/* ---- the examination ---- */

/* How many dead letters there are, and the newest. */
static bool read_letters(struct api_request *request, struct store_reader *reader, struct doctor *doctor,
                         struct rows *letters)
{
    struct query query = {.kind = QUERY_COUNTS, .limit = 1, .after_ms = TIME_NONE, .since_ms = TIME_NONE};
    SCOPE(rows_done) struct rows rows;

    rows_init(&rows);
    if (!api_query(request, reader, &query, &rows)) {
        return false;
    }
    doctor->dead = rows.counts[TRIGGER_DEAD];
    query.kind = QUERY_DEAD;
    query.limit = DOCTOR_LETTERS_MAX;
    return doctor->dead == 0 || api_query(request, reader, &query, letters);
}

static void read_counters(struct api_request *request, struct doctor *doctor)
{
    struct counters *counters = request->api->observe->counters;
    const struct counters_filter all = {0};
    int64_t now_ms = doctor->figures.now_ms;

    counters_sum(counters, &all, now_ms - DAY_MS, now_ms + 1, &doctor->day);
    counters_sum(counters, &all, now_ms - MINUTES_MS, now_ms + 1, &doctor->minutes);
    counters_batches(counters, &doctor->batches);
    doctor->type_day_count = counters_rows_by(counters, COUNTERS_BY_TYPE, &all, now_ms - DAY_MS, now_ms + 1,
                                              request->arena, &doctor->type_days);
    doctor->tenant_day_count = counters_rows_by(counters, COUNTERS_BY_TENANT, &all, now_ms - DAY_MS, now_ms + 1,
                                                request->arena, &doctor->tenant_days);
}

static void doctor_read(struct api_request *request, struct store_reader *reader)
{
    struct doctor *doctor = request->state;
    SCOPE(rows_done) struct rows letters; /* not in the arena: that is gone once there is an answer */

    rows_init(&letters);
    if (!read_letters(request, reader, doctor, &letters)) {
        return;
    }
    doctor->letters = &letters;
    shard_look(request->config->shard, &doctor->shard);
    doctor->zones.moved_ms = TIME_NONE;
    if (request->config->rezone != NULL) {
        rezone_look(request->config->rezone, &doctor->zones);
    }
    read_counters(request, doctor);
    buf_init(&doctor->looked, ERROR_TEXT_BYTES_MAX);
    buf_init(&doctor->checks, DOCTOR_BYTES_MAX);
    jw_init(&doctor->jw, &doctor->checks);
    jw_begin_array(&doctor->jw);
    doctor_not_running(doctor);
    doctor_running_twice(doctor);
    doctor_retries(doctor);
    doctor_system(doctor);
    doctor_alerts(doctor, request->api->alerts);
    doctor_check(doctor, NULL, NULL, NULL);
    jw_end_array(&doctor->jw);
    buf_done(&doctor->looked);
    struct buf checks = doctor->checks;
    struct jw jw;

    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_instant(&jw, "at", doctor->figures.now_ms);
    wire_put_word(&jw, "severity", doctor_severity_text(doctor->worst));
    jw_key(&jw, "checks");
    jw_raw(&jw, buf_overflowed(&checks) ? STR("[]") : buf_str(&checks));
    jw_end_object(&jw);
    buf_done(&checks);
    api_answer_json(request, 200, &jw, NULL);
}

static void doctor_look(struct api_request *request, const struct engine *engine)
{
    struct doctor *doctor = request->state;

    engine_figures(engine, &doctor->figures);
    engine_view_health(engine, &doctor->health);
    engine_view_all(engine, &doctor->all);
    doctor->pool_count = engine_view_scopes(engine, SCOPE_POOL, DOCTOR_FINDINGS_MAX, request->arena, &doctor->pools);
    doctor->tenant_count =
        engine_view_scopes(engine, SCOPE_TENANT, DOCTOR_FINDINGS_MAX, request->arena, &doctor->tenants);
    doctor->type_count = engine_view_scopes(engine, SCOPE_TYPE, DOCTOR_FINDINGS_MAX, request->arena, &doctor->types);
    doctor->breaker_count =
        engine_view_breakers(engine, STR(""), STR(""), DOCTOR_FINDINGS_MAX, request->arena, &doctor->breakers);
    doctor->worker_count = engine_view_workers(engine, STR(""), STR(""), STR(""), DOCTOR_FINDINGS_MAX, request->arena,
                                               &doctor->workers, &doctor->has_more_workers);
    api_read(request, doctor_read);
}

void api_doctor(struct api *api, struct api_request *request)
{
    (void)api;
    if (api_params_only(request, NULL)) {
        request->state = arena_zalloc(request->arena, sizeof(struct doctor));
        api_look(request, doctor_look);
    }
}
