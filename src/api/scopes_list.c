/* Lists of tenants, pools and types: those that the store or the engine knows something of, by name. */
#include <stdlib.h>

#include "api/handlers.h"
#include "api/list.h"
#include "api/scope.h"
#include "base/limits.h"
#include "engine/view.h"
#include "wire/mark.h"
#include "wire/put.h"

struct listing {
    struct scope_ref ref; /* scope and tenant alone */
    size_t limit;
    struct str after;  /* a name; empty: from the beginning */
    struct str *names; /* found so far, in no order and some of them twice; then those of the page */
    size_t count, cap;
    bool is_edged;   /* what lies behind edge was not read */
    struct str edge; /* a name */
    struct str next; /* the page ends with this name; empty: it is the last */
};

/* ---- names ---- */

static void add(struct api_request *request, struct listing *listing, struct str name)
{
    if (str_compare(name, listing->after) <= 0) {
        return;
    }
    if (listing->count == listing->cap) {
        size_t cap = listing->cap == 0 ? 64 : listing->cap * 2;
        struct str *names = arena_alloc_array(request->arena, cap, sizeof *names);

        if (listing->count > 0) {
            memcpy(names, listing->names, listing->count * sizeof *names);
        }
        listing->names = names;
        listing->cap = cap;
    }
    listing->names[listing->count++] = (struct str){arena_strdup_str(request->arena, name), name.len};
}

static int by_name(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* In order, each once, nothing behind the edge, and no more than the page has room for. */
static void settle(struct listing *listing)
{
    size_t kept = 0;

    if (listing->count > 0) {
        qsort(listing->names, listing->count, sizeof *listing->names, by_name);
    }
    for (size_t i = 0; i < listing->count; i++) {
        bool is_behind = listing->is_edged && str_compare(listing->names[i], listing->edge) > 0;

        if (!is_behind && (kept == 0 || !str_equal(listing->names[kept - 1], listing->names[i]))) {
            listing->names[kept++] = listing->names[i];
        }
    }
    if (kept > listing->limit) {
        listing->next = listing->names[listing->limit - 1];
    } else if (listing->is_edged) {
        listing->next = listing->edge;
    }
    listing->count = kept > listing->limit ? listing->limit : kept;
}

/* ---- the engine's, the store's, and then how they stand ---- */

static void show(struct api_request *request, const struct engine *engine)
{
    const struct listing *listing = request->state;
    char mark[WIRE_MARK_BYTES];
    struct jw jw;

    api_json(request, &jw);
    wire_list_begin(&jw);
    for (size_t i = 0; i < listing->count; i++) {
        struct scope_ref ref = listing->ref;

        ref.name = listing->names[i];
        scope_write(engine, &ref, &jw);
    }
    api_answer_list(request, &jw, str_empty(listing->next) ? NULL : wire_mark_text(listing->next, mark));
}

/* False: answered. */
static bool add_settings(struct api_request *request, struct store_reader *reader, struct listing *listing)
{
    struct query query = {.kind = QUERY_SETTINGS, .scope = listing->ref.scope, .limit = 1, .since_ms = TIME_NONE};
    struct rows rows;

    rows_init(&rows);
    bool is_read = api_query(request, reader, &query, &rows);

    for (size_t i = 0; is_read && i < rows.settings.count; i++) {
        const struct setting_row *row = &rows.settings.items[i];

        if (listing->ref.scope != SCOPE_TENANT_TYPE || str_equal(row->tenant, listing->ref.tenant)) {
            add(request, listing, row->name);
        }
    }
    rows_done(&rows);
    return is_read;
}

/* False: answered. */
static bool add_tenants(struct api_request *request, struct store_reader *reader, struct listing *listing)
{
    struct query query = {
        .kind = QUERY_TENANTS, .after_text = listing->after, .limit = listing->limit, .since_ms = TIME_NONE};
    struct rows rows;

    rows_init(&rows);
    bool is_read = api_query(request, reader, &query, &rows);

    for (size_t i = 0; is_read && i < rows.tenants.count; i++) {
        if (rows.tenants.items[i].jobs > 0) {
            add(request, listing, rows.tenants.items[i].tenant);
        }
    }
    if (is_read && rows.has_more && rows.tenants.count > 0) {
        struct str last = rows.tenants.items[rows.tenants.count - 1].tenant;

        listing->is_edged = true;
        listing->edge = (struct str){arena_strdup_str(request->arena, last), last.len};
    }
    rows_done(&rows);
    return is_read;
}

static void list_read(struct api_request *request, struct store_reader *reader)
{
    struct listing *listing = request->state;

    if (!add_settings(request, reader, listing) ||
        (listing->ref.scope == SCOPE_TENANT && !add_tenants(request, reader, listing))) {
        return;
    }
    settle(listing);
    api_look(request, show);
}

static bool is_known(const struct engine *engine, const struct listing *listing, struct str name)
{
    struct view_scope view;

    if (listing->ref.scope != SCOPE_TENANT_TYPE) {
        return true;
    }
    engine_view_scope(engine, SCOPE_TENANT_TYPE, listing->ref.tenant, name, &view);
    return view.ready > 0 || view.running > 0;
}

static void list_engine(struct api_request *request, const struct engine *engine)
{
    struct listing *listing = request->state;
    enum scope scope = listing->ref.scope == SCOPE_TENANT_TYPE ? SCOPE_TYPE : listing->ref.scope;
    struct view_scope *views;
    struct view_breaker *breakers;
    size_t count = engine_view_scopes(engine, scope, VIEW_MAX, request->arena, &views);

    for (size_t i = 0; i < count; i++) {
        if (is_known(engine, listing, views[i].name)) {
            add(request, listing, views[i].name);
        }
    }
    count = scope == SCOPE_TYPE
                ? engine_view_breakers(engine, listing->ref.tenant, STR(""), VIEW_MAX, request->arena, &breakers)
                : 0;
    for (size_t i = 0; i < count; i++) {
        if (breakers[i].job == 0) {
            add(request, listing, breakers[i].type);
        }
    }
    api_read(request, list_read);
}

/* ---- the calls ---- */

static void list(struct api_request *request, enum scope scope)
{
    struct listing *listing = arena_zalloc(request->arena, sizeof *listing);
    struct str after;
    struct error error;
    bool is_type = scope == SCOPE_TYPE;

    listing->ref = (struct scope_ref){.scope = scope, .tenant = STR(""), .name = STR("")};
    if (!(is_type ? api_params_only(request, "tenant", "limit", "after", NULL)
                  : api_params_only(request, "limit", "after", NULL)) ||
        !scope_narrow(request, &listing->ref) || !api_paging(request, &listing->limit, &after)) {
        return;
    }
    if (!str_empty(after) && wire_mark_read_text(after, request->arena, &listing->after, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    request->state = listing;
    api_look(request, list_engine);
}

void api_tenant_list(struct api *api, struct api_request *request)
{
    (void)api;
    list(request, SCOPE_TENANT);
}

void api_pool_list(struct api *api, struct api_request *request)
{
    (void)api;
    list(request, SCOPE_POOL);
}

void api_type_list(struct api *api, struct api_request *request)
{
    (void)api;
    list(request, SCOPE_TYPE);
}
