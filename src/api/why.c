/* Why a job or a trigger does not run now: the engine's reasons, in the words of the contract. */
#include "api/handlers.h"
#include "wire/why.h"

#define GATES_MAX 64

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

static bool counts(enum wire_gate_kind kind)
{
    return kind == WIRE_GATE_CONCURRENCY_KEY || kind == WIRE_GATE_WORKERS_BUSY || kind == WIRE_GATE_TENANT_IN_FLIGHT ||
           kind == WIRE_GATE_POOL_IN_FLIGHT || kind == WIRE_GATE_TYPE_IN_FLIGHT;
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

static struct wire_gate gate_of(const struct why_reason *reason)
{
    enum wire_gate_kind kind = kind_of(reason);
    bool is_job = kind == WIRE_GATE_JOB_PAUSED || kind == WIRE_GATE_JOB_ENDED || kind == WIRE_GATE_DEPENDENCIES ||
                  kind == WIRE_GATE_BREAKER;

    return (struct wire_gate){
        .kind = kind,
        .name = reason->name,
        .id = reason->id,
        .is_job = is_job,
        .count = reason->count,
        .max = counts(kind) ? reason->max : -1,
        .clears_ms = reason->clears_ms,
        .target = target_words(reason),
    };
}

static void replied(struct api_request *request, const struct reply *reply)
{
    struct wire_gate gates[GATES_MAX];
    size_t count = reply->reason_count < GATES_MAX ? reply->reason_count : GATES_MAX;
    struct jw jw;

    for (size_t i = 0; i < count; i++) {
        gates[i] = gate_of(&reply->reasons[i]);
    }
    api_json(request, &jw);
    wire_why(&jw, reply->is_runnable, gates, count);
    api_answer_json(request, 200, &jw, NULL);
}

void api_job_why(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_WHY};

    (void)api;
    if (api_params_only(request, "tenant", NULL) && api_job_ref(request, 0, &command.ref)) {
        api_command(request, &command, replied);
    }
}

void api_trigger_why(struct api *api, struct api_request *request)
{
    uint64_t *id = arena_alloc(request->arena, sizeof *id);
    const struct command command = {.kind = COMMAND_WHY, .triggers = id, .trigger_count = 1};

    (void)api;
    if (api_params_only(request, NULL) && api_trigger_id(request, 0, id)) {
        api_command(request, &command, replied);
    }
}
