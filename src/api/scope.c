#include "api/scope.h"

#include "base/mem.h"
#include "engine/view.h"
#include "model/name.h"
#include "wire/scope.h"

bool scope_narrow(struct api_request *request, struct scope_ref *ref)
{
    struct str tenant;

    if (ref->scope != SCOPE_TYPE || !api_param(request, "tenant", &tenant)) {
        return true;
    }
    ref->scope = SCOPE_TENANT_TYPE;
    return api_tenant(request, &ref->tenant);
}

bool scope_of_path(struct api_request *request, enum scope scope, struct scope_ref *ret_ref)
{
    struct error error;
    struct str name = api_path_param(request, 0);
    enum err err = scope == SCOPE_TENANT ? name_check_owner(name, &error) : name_check(name, &error);

    if (err != ERR_OK) {
        (void)err_in_field(&error, err, scope_text(scope));
        api_problem(request, &error);
        return false;
    }
    *ret_ref = (struct scope_ref){.scope = scope, .tenant = STR(""), .name = name};
    return (scope == SCOPE_TYPE ? api_params_only(request, "tenant", NULL) : api_params_only(request, NULL)) &&
           scope_narrow(request, ret_ref);
}

/* WIRE_BREAKERS_MAX of them, with two names of 200 bytes each. */
#define BREAKERS_BLOCK_BYTES 4096
#define BREAKERS_BYTES_MAX (1024UL * 1024)

static void write_type(const struct engine *engine, const struct scope_ref *ref, const struct view_scope *view,
                       const struct wire_standing *standing, struct jw *jw)
{
    SCOPE(arena_done) struct arena scratch; /* a page has many: the request's own arena would not hold them all */
    struct view_breaker *views;

    arena_init(&scratch, BREAKERS_BLOCK_BYTES, BREAKERS_BYTES_MAX);
    size_t count = engine_view_breakers(engine, ref->tenant, ref->name, WIRE_BREAKERS_MAX, &scratch, &views);
    struct circuit_row *rows = arena_alloc_array(&scratch, count, sizeof *rows);

    for (size_t i = 0; i < count; i++) {
        rows[i] = (struct circuit_row){
            .tenant = views[i].tenant,
            .type = views[i].type,
            .job = views[i].job,
            .is_half_open = views[i].state == BREAKER_HALF_OPEN,
            .open_until_ms = views[i].open_until_ms,
        };
    }
    wire_type(jw, ref->name, ref->tenant, &view->settings, standing, rows, count);
}

void scope_write(const struct engine *engine, const struct scope_ref *ref, struct jw *jw)
{
    struct view_scope view;
    int64_t now_ms, wall_ms;
    bool is_held;

    engine_view_scope(engine, ref->scope, ref->tenant, ref->name, &view);
    engine_view_clock(engine, &now_ms, &wall_ms, &is_held);
    struct wire_standing standing = {
        .now_ms = now_ms, .jobs = view.jobs, .ready = view.ready, .running = view.running, .workers = view.workers};

    switch (ref->scope) {
    case SCOPE_TENANT:
        wire_tenant(jw, ref->name, &view.settings, &standing);
        break;
    case SCOPE_POOL:
        wire_pool(jw, ref->name, &view.settings, &standing);
        break;
    case SCOPE_TYPE:
    case SCOPE_TENANT_TYPE:
        write_type(engine, ref, &view, &standing, jw);
        break;
    }
}
