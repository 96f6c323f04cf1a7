#include "samples.h"

struct job_row sample_job(uint64_t id)
{
    return (struct job_row){
        .id = id,
        .place = {STR("mail"), STR("acme"), STR("send"), 3},
        .name = {"", 0},
        .status = JOB_ACTIVE,
        .version = 1,
        .cursor_ms = NOW_MS + (int64_t)id,
        .wake_ms = NOW_MS + (int64_t)id,
        .held_to_ms = NOW_MS - 5,
        .missed_to_ms = NOW_MS - 6,
        .fired = 7,
        .anchor_ms = NOW_MS - 100,
        .created_ms = NOW_MS - 200,
        .updated_ms = NOW_MS - 50,
        .def = STR("{\"type\":\"send\",\"payload\":{\"n\":0.10}}"),
    };
}

struct job_row sample_named(uint64_t id, const char *name)
{
    struct job_row row = sample_job(id);

    row.name = str_from(name);
    return row;
}

struct job_row sample_waiting(uint64_t id, int64_t wake_ms)
{
    struct job_row row = sample_job(id);

    row.wake_ms = wake_ms;
    return row;
}

struct trigger_row sample_trigger(uint64_t id, uint64_t job)
{
    return (struct trigger_row){
        .id = id,
        .job = job,
        .place = {STR("mail"), STR("acme"), STR("send"), 2},
        .kind = TRIGGER_MANUAL,
        .state = TRIGGER_PENDING,
        .version = 3,
        .target = TARGET_HTTP,
        .scheduled_ms = NOW_MS + 10 * (int64_t)id,
        .due_ms = NOW_MS + 11 * (int64_t)id,
        .attempts = 1,
        .failures = 1,
        .lost_run = 2,
        .released_run = 4,
        .replays = 5,
        .replay_of = id + 1000,
        .root = id + 2000,
        .created_ms = NOW_MS - 1,
        .ended_ms = TIME_NONE,
        .reason = STR("backoff"),
        .payload = STR("{\"only\":\"this run\"}"),
        .last = sample_attempt(id, 1),
    };
}

struct trigger_row sample_trigger_in(uint64_t id, uint64_t job, enum trigger_state state)
{
    struct trigger_row row = sample_trigger(id, job);

    row.state = state;
    row.ended_ms = trigger_ended(state) ? NOW_MS + 20 * (int64_t)id : TIME_NONE;
    return row;
}

struct attempt_row sample_attempt(uint64_t trigger, uint32_t number)
{
    return (struct attempt_row){
        .trigger = trigger,
        .number = number,
        .state = ATTEMPT_FAILED,
        .started_ms = NOW_MS + number,
        .ended_ms = NOW_MS + number + 300,
        .worker = STR("w-9f2c"),
        .error_code = STR("smtp_421"),
        .error_message = STR("Service not available, closing channel"),
        .result = STR("{\"sent\":0}"),
    };
}

struct version_row sample_version(uint64_t job, uint32_t version)
{
    return (struct version_row){
        .job = job,
        .version = version,
        .from_ms = NOW_MS + version,
        .anchor_ms = NOW_MS - version,
        .def = STR("{\"cron\":\"0 9 * * *\"}"),
    };
}

struct claim sample_claim(uint64_t trigger, uint64_t job, uint32_t number)
{
    return (struct claim){
        .trigger = trigger,
        .job = job,
        .number = number,
        .version = 6,
        .kind = trigger == job ? TRIGGER_SCHEDULE : TRIGGER_BACKFILL,
        .scheduled_ms = NOW_MS + number,
        .started_ms = NOW_MS + number + 2,
        .worker = STR("w-1"),
    };
}

struct skip_row sample_skip(uint64_t job, int64_t from_ms)
{
    return (struct skip_row){
        .job = job,
        .from_ms = from_ms,
        .to_ms = from_ms + 60000,
        .count = 61,
        .reason = SKIP_MISFIRE,
        .version = 2,
        .blocked_by = 77,
        .decided_ms = from_ms + 61000,
    };
}

struct wait_row sample_wait(uint64_t job, int64_t scheduled_ms, uint64_t root)
{
    static const uint64_t ended[] = {3, 1, 2};

    return (struct wait_row){
        .job = job,
        .scheduled_ms = scheduled_ms,
        .root = root,
        .trigger = job + 50,
        .is_over = true,
        .ended = ended,
        .ended_count = 3,
    };
}

struct edge_row sample_edge(uint64_t upstream, uint64_t downstream)
{
    return (struct edge_row){
        .upstream = upstream, .downstream = downstream, .on = EDGE_FAILURE, .since_ms = -7, .since_id = 77};
}

struct setting_row sample_setting(enum scope scope, const char *tenant, const char *name)
{
    return (struct setting_row){
        .scope = scope,
        .tenant = str_from(tenant),
        .name = str_from(name),
        .text = STR("{\"max_in_flight\":10,\"paused\":true}"),
    };
}

struct limiter_row sample_limiter(enum scope scope, const char *tenant, const char *name)
{
    return (struct limiter_row){
        .scope = scope, .tenant = str_from(tenant), .name = str_from(name), .tat_ms = NOW_MS + 9};
}

struct circuit_row sample_circuit(const char *tenant, const char *type, uint64_t job)
{
    return (struct circuit_row){
        .tenant = str_from(tenant),
        .type = str_from(type),
        .job = job,
        .is_half_open = true,
        .open_until_ms = NOW_MS + 30000,
    };
}

struct idem_row sample_idem(const char *tenant, const char *key)
{
    return (struct idem_row){
        .tenant = str_from(tenant),
        .key = str_from(key),
        .hash = {UINT64_C(0x8000000000000001), UINT64_MAX},
        .result = STR("{\"jobs\":[\"job_1\"]}"),
        .created_ms = NOW_MS,
    };
}
