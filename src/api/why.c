/* Why a job or a trigger does not run now: the engine's reasons, in the words of the contract; and of a job what became
 * of earlier fires. */
#include "api/fate.h"
#include "api/handlers.h"
#include "api/history.h"
#include "api/show.h"
#include "base/mem.h"
#include "wire/why.h"

#define GATES_MAX 64
#define SKIPS_SHOWN 5
/* Of a job's newest triggers so many are looked at for one that has ended. */
#define ENDED_AMONG 100
#define SUBJECT_BYTES_MAX 1024

static enum wire_gate_kind ready_kind(enum ready_gate gate)
{
    switch (gate) {
    case READY_GATE_TENANT_PAUSED:
        return WIRE_GATE_TENANT_PAUSED;
    case READY_GATE_POOL_PAUSED:
        return WIRE_GATE_POOL_PAUSED;
    case READY_GATE_TYPE_PAUSED:
        return WIRE_GATE_TYPE_PAUSED;
    case READY_GATE_TENANT_IN_FLIGHT:
        return WIRE_GATE_TENANT_IN_FLIGHT;
    case READY_GATE_POOL_IN_FLIGHT:
        return WIRE_GATE_POOL_IN_FLIGHT;
    case READY_GATE_TYPE_IN_FLIGHT:
        return WIRE_GATE_TYPE_IN_FLIGHT;
    case READY_GATE_TENANT_RATE:
        return WIRE_GATE_TENANT_RATE;
    case READY_GATE_POOL_RATE:
        return WIRE_GATE_POOL_RATE;
    case READY_GATE_TYPE_RATE:
        return WIRE_GATE_TYPE_RATE;
    case READY_GATE_BREAKER:
        return WIRE_GATE_BREAKER;
    }
    return WIRE_GATE_WAITING_TURN;
}

static enum wire_gate_kind kind_of(const struct why_reason *reason)
{
    switch (reason->gate) {
    case WHY_NOT_DUE:
        return WIRE_GATE_NOT_DUE;
    case WHY_JOB_PAUSED:
        return WIRE_GATE_JOB_PAUSED;
    case WHY_JOB_ENDED:
        return WIRE_GATE_JOB_ENDED;
    case WHY_RUNNING:
        return WIRE_GATE_RUNNING;
    case WHY_ENDED:
        return WIRE_GATE_ENDED;
    case WHY_DEPENDENCIES:
        return WIRE_GATE_DEPENDENCIES;
    case WHY_OVERLAP:
        return WIRE_GATE_OVERLAP;
    case WHY_CONCURRENCY_KEY:
        return WIRE_GATE_CONCURRENCY_KEY;
    case WHY_BACKOFF:
        return WIRE_GATE_BACKOFF;
    case WHY_NO_WORKER:
        return WIRE_GATE_NO_WORKER;
    case WHY_WORKERS_BUSY:
        return WIRE_GATE_WORKERS_BUSY;
    case WHY_DRAINING:
        return WIRE_GATE_DRAINING;
    case WHY_CLOCK_HELD:
        return WIRE_GATE_CLOCK_HELD;
    case WHY_HELD:
        return WIRE_GATE_HELD;
    case WHY_RELEASED_OFTEN:
        return WIRE_GATE_RELEASED_OFTEN;
    case WHY_DROP:
        return WIRE_GATE_TIMED_OUT_HELD;
    case WHY_READY:
        return ready_kind(reason->ready);
    case WHY_WAITING_TURN:
        return WIRE_GATE_WAITING_TURN;
    }
    return WIRE_GATE_WAITING_TURN;
}

static const char *target_words(const struct why_reason *reason)
{
    static const char *const words[] = {
        [TARGET_NONE] = "jobs without a target",
        [TARGET_HTTP] = "http targets",
        [TARGET_EXEC] = "exec targets (commands)",
    };

    return reason->gate == WHY_NO_WORKER && reason->count > 0 ? words[reason->target] : NULL;
}

static bool counts(enum wire_gate_kind kind)
{
    return kind == WIRE_GATE_CONCURRENCY_KEY || kind == WIRE_GATE_WORKERS_BUSY || kind == WIRE_GATE_TENANT_IN_FLIGHT ||
           kind == WIRE_GATE_POOL_IN_FLIGHT || kind == WIRE_GATE_TYPE_IN_FLIGHT || kind == WIRE_GATE_BACKOFF ||
           kind == WIRE_GATE_BREAKER || kind == WIRE_GATE_DEPENDENCIES;
}

static struct str copied(struct arena *arena, struct str text)
{
    return str_from(arena_strdup_str(arena, text));
}

/* Texts live in the arena: the reply ends before the answer is written. */
static struct wire_gate gate_of(const struct why_reason *reason, struct arena *arena)
{
    enum wire_gate_kind kind = kind_of(reason);
    bool has_max = counts(kind) && (reason->max > 0 || kind != WIRE_GATE_DEPENDENCIES);

    return (struct wire_gate){
        .kind = kind,
        .tenant = copied(arena, reason->tenant),
        .name = copied(arena, reason->name),
        .id = reason->id,
        .is_job = reason->is_job,
        .worker = copied(arena, reason->worker),
        .since_ms = reason->since_ms,
        .count = reason->count,
        .max = has_max ? reason->max : -1,
        .rate_count = reason->rate_count,
        .rate_ms = reason->rate_ms,
        .is_ramp = reason->is_ramp,
        .clears_ms = reason->clears_ms,
        .target = target_words(reason),
    };
}

/* ---- what is asked ---- */

struct asked {
    struct job_ref ref;
    bool has_at;
    struct str at;
    struct wire_why why;
};

/* What to type for a job: its id, or its name with its tenant. */
static struct str job_subject(struct api_request *request)
{
    SCOPE(buf_done) struct buf text;
    struct str tenant;

    buf_init(&text, SUBJECT_BYTES_MAX);
    if (api_param(request, "tenant", &tenant)) {
        buf_append_str(&text, tenant);
        buf_append_char(&text, '/');
    }
    buf_append_str(&text, api_path_param(request, 0));
    return copied(request->arena, buf_str(&text));
}

static void take_reply(struct api_request *request, const struct reply *reply)
{
    struct asked *asked = request->state;
    size_t count = reply->reason_count < GATES_MAX ? reply->reason_count : GATES_MAX;
    struct wire_gate *gates = arena_alloc_array(request->arena, count, sizeof *gates);

    for (size_t i = 0; i < count; i++) {
        gates[i] = gate_of(&reply->reasons[i], request->arena);
    }
    asked->why.is_runnable = reply->is_runnable;
    asked->why.expires_ms = reply->expires_ms;
    asked->why.gates = gates;
    asked->why.gate_count = count;
}

/* ---- a job: also what became of fires ---- */

/* What is read for the answer. */
struct told {
    struct shown_job shown;
    struct running running;
    struct rows skips;
    struct fate fate;
    bool has_fate;
};

static bool read_fate(struct api_request *request, struct store_reader *reader, const struct asked *asked,
                      struct told *told)
{
    const struct job_row *job = told->shown.job.row;
    struct error error;
    int64_t at_ms;

    if (!asked->has_at) {
        return true;
    }
    if (fate_parse_at(asked->at, job, request->config->zones, request->arena, &at_ms, &error) != ERR_OK) {
        err_in_field(&error, error.code, "at");
        api_problem(request, &error);
        return false;
    }
    told->has_fate = true;
    return fate_read(request, reader, &told->running, job, at_ms, &told->fate);
}

static bool read_told(struct api_request *request, struct store_reader *reader, const struct asked *asked,
                      struct told *told)
{
    const struct query skips = {.kind = QUERY_SKIPS,
                                .id = told->shown.job.row->id,
                                .limit = SKIPS_SHOWN,
                                .after_ms = TIME_NONE,
                                .since_ms = TIME_NONE};

    if (!running_read(request, reader, &told->running)) {
        return false;
    }
    running_settle(&told->running, &told->shown.job_rows.jobs.items[0]);
    return history_last(request, reader, &told->running, ENDED_AMONG, &told->shown.job, &told->shown.trigger_rows) &&
           api_query(request, reader, &skips, &told->skips) && read_fate(request, reader, asked, told);
}

static void put_skips(struct jw *jw, const struct told *told)
{
    jw_key(jw, "skipped");
    jw_begin_array(jw);
    for (size_t i = 0; i < told->skips.skips.count; i++) {
        const struct skip_row *skip = &told->skips.skips.items[i];

        wire_skip_told(jw, skip, skip->version == told->shown.job.row->version ? &told->shown.def : NULL);
    }
    jw_end_array(jw);
}

static void answer_job(struct api_request *request, const struct asked *asked, const struct told *told)
{
    struct jw jw;

    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_why_gates(&jw, &asked->why);
    jw_key(&jw, "last_result");
    if (told->shown.job.last_ended != NULL) {
        wire_last_result(&jw, told->shown.job.last_ended);
    } else {
        jw_null(&jw);
    }
    put_skips(&jw, told);
    jw_key(&jw, "fire");
    if (told->has_fate) {
        wire_fate(&jw, &told->fate.told);
    } else {
        jw_null(&jw);
    }
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

static void job_read(struct api_request *request, struct store_reader *reader)
{
    const struct asked *asked = request->state;
    struct told told = {.has_fate = false};

    if (!show_job_read(request, reader, &asked->ref, false, &told.shown)) {
        return;
    }
    running_init(&told.running);
    rows_init(&told.skips);
    fate_init(&told.fate);
    if (read_told(request, reader, asked, &told)) {
        answer_job(request, asked, &told);
    }
    fate_done(&told.fate);
    rows_done(&told.skips);
    running_done(&told.running);
    shown_job_done(&told.shown);
}

static void job_replied(struct api_request *request, const struct reply *reply)
{
    take_reply(request, reply);
    api_read(request, job_read);
}

void api_job_why(struct api *api, struct api_request *request)
{
    struct asked *asked = arena_zalloc(request->arena, sizeof *asked);
    struct command command = {.kind = COMMAND_WHY};

    (void)api;
    if (api_params_only(request, "tenant", "at", NULL) && api_job_ref(request, 0, &asked->ref)) {
        asked->has_at = api_param(request, "at", &asked->at);
        asked->why.subject = job_subject(request);
        command.ref = asked->ref;
        request->state = asked;
        api_command(request, &command, job_replied);
    }
}

/* ---- a trigger ---- */

static void trigger_replied(struct api_request *request, const struct reply *reply)
{
    const struct asked *asked = request->state;
    struct jw jw;

    take_reply(request, reply);
    api_json(request, &jw);
    wire_why(&jw, &asked->why);
    api_answer_json(request, 200, &jw, NULL);
}

void api_trigger_why(struct api *api, struct api_request *request)
{
    struct asked *asked = arena_zalloc(request->arena, sizeof *asked);
    uint64_t *id = arena_alloc(request->arena, sizeof *id);
    const struct command command = {.kind = COMMAND_WHY, .triggers = id, .trigger_count = 1};

    (void)api;
    if (api_params_only(request, NULL) && api_trigger_id(request, 0, id)) {
        asked->why.subject = api_path_param(request, 0);
        request->state = asked;
        api_command(request, &command, trigger_replied);
    }
}
