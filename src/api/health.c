/* What the server is and whether it serves: for probes, balancers and people. */
#include <stdio.h>

#include "api/handlers.h"
#include "api/inside.h"
#include "api/openapi.h"
#include "base/mem.h"
#include "store/sql/migrations.h"
#include "store/sqlite/sqlite_store.h"
#include "wire/put.h"

static void answer_status(struct api_request *request, const char *status)
{
    struct jw jw;

    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_word(&jw, "status", status);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

void api_healthz(struct api *api, struct api_request *request)
{
    (void)api;
    answer_status(request, "ok");
}

void api_readyz(struct api *api, struct api_request *request)
{
    struct shard_view view;
    struct error error;

    shard_look(api->config.shard, &view);
    /* What a standby cannot answer itself is carried to the owner. */
    bool is_ready = view.state == SHARD_SERVING || (view.state == SHARD_STANDBY && view.owner.is_owned);

    if (api_is_draining(api)) {
        err_set(&error, ERR_DRAINING, "this server is going");
    } else if (view.is_stuck) {
        err_set(&error, ERR_NOT_READY, "the store refuses what is due: %s", view.error.text);
    } else if (is_ready) {
        answer_status(request, "ready");
        return;
    } else {
        err_set(&error, ERR_NOT_READY, "%s",
                view.state == SHARD_DOWN && view.error.text[0] != '\0' ? view.error.text : "shard 0 does not serve");
    }
    api_problem(request, &error);
}

/* ---- versions ---- */

#if defined(__OPTIMIZE__)
#define BUILD_KIND "release"
#else
#define BUILD_KIND "debug"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* "" where nobody knows. */
static struct str tzdata_version(const struct api *api, struct arena *arena)
{
    struct rezone_figures figures;

    if (api->config.rezone == NULL) {
        return STR("");
    }
    rezone_look(api->config.rezone, &figures);
    return str_from(arena_strdup(arena, figures.version));
}

void api_version(struct api *api, struct api_request *request)
{
    struct jw jw;

    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_word(&jw, "version", api->config.version);
    wire_put_word(&jw, "build", COMPILER " " BUILD_KIND);
    if (api->config.is_shared) {
        wire_put_int(&jw, "schema", (int64_t)postgres_migration_count);
        wire_put_word(&jw, "store", "postgresql");
    } else {
        wire_put_int(&jw, "schema", (int64_t)sqlite_migration_count);
        wire_put_word(&jw, "store", arena_printf(request->arena, "sqlite %s", sqlite_store_version()));
    }
    wire_put_text(&jw, "tzdata", tzdata_version(api, request->arena));
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

/* ---- the description of all this ---- */

void api_openapi(struct api *api, struct api_request *request)
{
    struct net_answer answer = {.status = 200, .content_type = "application/json"};

    (void)api;
    net_answer_static(request->net, &answer, (struct str){openapi_json, openapi_json_len});
}
