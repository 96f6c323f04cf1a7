/* Settings of tenants, pools and types; their pauses; and the word that the clock is right. */
#include "api/handlers.h"
#include "api/scope.h"
#include "engine/view.h"
#include "wire/put.h"
#include "wire/requests.h"

/* ---- showing ---- */

static void show(struct api_request *request, const struct engine *engine)
{
    struct jw jw;

    api_json(request, &jw);
    scope_write(engine, request->state, &jw);
    api_answer_json(request, 200, &jw, NULL);
}

static void get(struct api_request *request, enum scope scope)
{
    struct scope_ref *ref = arena_alloc(request->arena, sizeof *ref);

    if (scope_of_path(request, scope, ref)) {
        request->state = ref;
        api_look(request, show);
    }
}

/* ---- changing ---- */

static void changed(struct api_request *request, const struct reply *reply)
{
    (void)reply;
    api_look(request, show);
}

static void change(struct api_request *request, struct scope_ref *ref, struct command *command)
{
    request->state = ref;
    command->scope = ref->scope;
    command->tenant = ref->tenant;
    command->name = ref->name;
    api_command(request, command, changed);
}

static void put(struct api_request *request, enum scope scope)
{
    struct scope_ref *ref = arena_alloc(request->arena, sizeof *ref);
    struct command command = {.kind = COMMAND_SETTINGS};
    struct error error;

    if (!scope_of_path(request, scope, ref) || !api_body_is_json(request)) {
        return;
    }
    if (wire_read_settings(ref->scope, net_request_body(request->net), &command.settings, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    change(request, ref, &command);
}

static void pause_scope(struct api_request *request, enum scope scope)
{
    struct scope_ref *ref = arena_alloc(request->arena, sizeof *ref);
    struct command command = {.kind = COMMAND_PAUSE};

    if (scope_of_path(request, scope, ref)) {
        change(request, ref, &command);
    }
}

static void resume(struct api_request *request, enum scope scope)
{
    struct scope_ref *ref = arena_alloc(request->arena, sizeof *ref);
    struct command command = {.kind = COMMAND_RESUME};
    struct str body = net_request_body(request->net);
    struct error error;

    if (!scope_of_path(request, scope, ref) || (!str_empty(body) && !api_body_is_json(request))) {
        return;
    }
    if (wire_read_ramp(body, &command.ramp_ms, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    change(request, ref, &command);
}

/* ---- the calls ---- */

void api_tenant_get(struct api *api, struct api_request *request)
{
    (void)api;
    get(request, SCOPE_TENANT);
}

void api_tenant_put(struct api *api, struct api_request *request)
{
    (void)api;
    put(request, SCOPE_TENANT);
}

void api_tenant_pause(struct api *api, struct api_request *request)
{
    (void)api;
    pause_scope(request, SCOPE_TENANT);
}

void api_tenant_resume(struct api *api, struct api_request *request)
{
    (void)api;
    resume(request, SCOPE_TENANT);
}

void api_pool_get(struct api *api, struct api_request *request)
{
    (void)api;
    get(request, SCOPE_POOL);
}

void api_pool_put(struct api *api, struct api_request *request)
{
    (void)api;
    put(request, SCOPE_POOL);
}

void api_pool_pause(struct api *api, struct api_request *request)
{
    (void)api;
    pause_scope(request, SCOPE_POOL);
}

void api_pool_resume(struct api *api, struct api_request *request)
{
    (void)api;
    resume(request, SCOPE_POOL);
}

void api_type_get(struct api *api, struct api_request *request)
{
    (void)api;
    get(request, SCOPE_TYPE);
}

void api_type_put(struct api *api, struct api_request *request)
{
    (void)api;
    put(request, SCOPE_TYPE);
}

void api_type_pause(struct api *api, struct api_request *request)
{
    (void)api;
    pause_scope(request, SCOPE_TYPE);
}

void api_type_resume(struct api *api, struct api_request *request)
{
    (void)api;
    resume(request, SCOPE_TYPE);
}

/* ---- the clock ---- */

static void show_clock(struct api_request *request, const struct engine *engine)
{
    int64_t now_ms, wall_ms;
    bool is_held;
    struct jw jw;

    engine_view_clock(engine, &now_ms, &wall_ms, &is_held);
    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_instant(&jw, "now", now_ms);
    wire_put_instant(&jw, "wall", wall_ms);
    wire_put_bool(&jw, "held", is_held);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

static void accepted(struct api_request *request, const struct reply *reply)
{
    (void)reply;
    api_look(request, show_clock);
}

void api_clock_accept(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_ACCEPT_CLOCK};

    (void)api;
    if (api_params_only(request, NULL)) {
        api_command(request, &command, accepted);
    }
}

/* ---- a store that was restored ---- */

static void held_accepted(struct api_request *request, const struct reply *reply)
{
    struct jw jw;

    (void)reply;
    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_bool(&jw, "held", false);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

void api_held_accept(struct api *api, struct api_request *request)
{
    struct command command = {.kind = COMMAND_ACCEPT_HELD};

    (void)api;
    if (api_params_only(request, NULL)) {
        api_command(request, &command, held_accepted);
    }
}
