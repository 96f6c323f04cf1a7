#include "api/routes.h"

#include "api/handlers.h"
#include "api/inside.h"

/* Method, pattern, handler, size of body. The first that fits wins: words before {placeholders}. */
#define ROUTES(X)                                                                                                      \
    X(GET, "/healthz", api_healthz, PLAIN)                                                                             \
    X(GET, "/readyz", api_readyz, PLAIN)                                                                               \
    X(GET, "/version", api_version, PLAIN)                                                                             \
    X(GET, "/openapi.json", api_openapi, PLAIN)                                                                        \
    X(GET, "/metrics", api_metrics, PLAIN)                                                                             \
    X(GET, "/v1/jobs", api_job_list, PLAIN)                                                                            \
    X(GET, "/v1/jobs/{id}", api_job_get, PLAIN)                                                                        \
    X(GET, "/v1/jobs/{id}/next", api_job_next, PLAIN)                                                                  \
    X(GET, "/v1/jobs/{id}/triggers", api_job_ledger, PLAIN)                                                            \
    X(GET, "/v1/jobs/{id}/executions", api_job_executions, PLAIN)                                                      \
    X(GET, "/v1/jobs/{id}/why", api_job_why, PLAIN)                                                                    \
    X(GET, "/v1/jobs/{id}/graph", api_job_graph, PLAIN)                                                                \
    X(GET, "/v1/jobs/{id}/versions", api_job_versions, PLAIN)                                                          \
    X(GET, "/v1/rules/{rules}", api_rules, PLAIN)                                                                      \
    X(GET, "/v1/triggers/{id}", api_trigger_get, PLAIN)                                                                \
    X(GET, "/v1/triggers/{id}/why", api_trigger_why, PLAIN)                                                            \
    X(GET, "/v1/pools/{pool}/stats", api_pool_stats, PLAIN)                                                            \
    X(GET, "/v1/workers", api_worker_list, PLAIN)                                                                      \
    X(GET, "/v1/servers", api_server_list, PLAIN)                                                                      \
    X(GET, "/v1/stats", api_stats, PLAIN)                                                                              \
    X(GET, "/v1/stats/history", api_stats_history, PLAIN)                                                              \
    X(GET, "/v1/whoami", api_whoami, PLAIN)                                                                            \
    X(GET, "/v1/upcoming", api_upcoming, PLAIN)                                                                        \
    X(GET, "/v1/forecast", api_forecast, PLAIN)                                                                        \
    X(GET, "/v1/events", api_events, PLAIN)                                                                            \
    X(GET, "/v1/doctor", api_doctor, PLAIN)                                                                            \
    X(POST, "/v1/schedules/preview", api_preview, PLAIN)                                                               \
    X(POST, "/v1/jobs", api_job_create, PLAIN)                                                                         \
    X(POST, "/v1/jobs/batch", api_job_create_batch, BATCH)                                                             \
    X(PATCH, "/v1/jobs/{id}", api_job_patch, PLAIN)                                                                    \
    X(DELETE, "/v1/jobs/{id}", api_job_delete, PLAIN)                                                                  \
    X(PATCH, "/v1/jobs/{id}/status", api_job_set_status, PLAIN)                                                        \
    X(POST, "/v1/jobs/{id}/run", api_job_run, PLAIN)                                                                   \
    X(POST, "/v1/jobs/{id}/backfill", api_job_backfill, PLAIN)                                                         \
    X(POST, "/v1/triggers/{id}/cancel", api_trigger_cancel, PLAIN)                                                     \
    X(POST, "/v1/triggers/{id}/retry", api_trigger_retry, PLAIN)                                                       \
    X(GET, "/v1/dead", api_dead_list, PLAIN)                                                                           \
    X(GET, "/v1/dead/groups", api_dead_groups, PLAIN)                                                                  \
    X(POST, "/v1/dead/replay", api_dead_replay, PLAIN)                                                                 \
    X(POST, "/v1/dead/discard", api_dead_discard, PLAIN)                                                               \
    X(POST, "/v1/work", api_work, WORK)                                                                                \
    X(GET, "/v1/tenants", api_tenant_list, PLAIN)                                                                      \
    X(GET, "/v1/tenants/{tenant}", api_tenant_get, PLAIN)                                                              \
    X(PUT, "/v1/tenants/{tenant}", api_tenant_put, PLAIN)                                                              \
    X(POST, "/v1/tenants/{tenant}/pause", api_tenant_pause, PLAIN)                                                     \
    X(POST, "/v1/tenants/{tenant}/resume", api_tenant_resume, PLAIN)                                                   \
    X(GET, "/v1/pools", api_pool_list, PLAIN)                                                                          \
    X(GET, "/v1/pools/{pool}", api_pool_get, PLAIN)                                                                    \
    X(PUT, "/v1/pools/{pool}", api_pool_put, PLAIN)                                                                    \
    X(POST, "/v1/pools/{pool}/pause", api_pool_pause, PLAIN)                                                           \
    X(POST, "/v1/pools/{pool}/resume", api_pool_resume, PLAIN)                                                         \
    X(GET, "/v1/types", api_type_list, PLAIN)                                                                          \
    X(GET, "/v1/types/{type}", api_type_get, PLAIN)                                                                    \
    X(PUT, "/v1/types/{type}", api_type_put, PLAIN)                                                                    \
    X(POST, "/v1/types/{type}/pause", api_type_pause, PLAIN)                                                           \
    X(POST, "/v1/types/{type}/resume", api_type_resume, PLAIN)                                                         \
    X(POST, "/v1/backup", api_backup, PLAIN)                                                                           \
    X(POST, "/v1/clock/accept", api_clock_accept, PLAIN)                                                               \
    X(POST, "/v1/held/accept", api_held_accept, PLAIN)

#define TARGET(method, pattern, handler_, size) {.handler = (handler_)},
static const struct api_route targets[] = {ROUTES(TARGET)};

/* Its place in the table, counted by the compiler. */
#define INDEX(method, pattern, handler_, size) INDEX_##handler_,
enum { ROUTES(INDEX) };

#define ROUTE(method, pattern, handler_, size)                                                                         \
    {NET_METHOD_##method, pattern, API_ROUTE_##size, &targets[INDEX_##handler_]},
static const struct net_route table[] = {ROUTES(ROUTE)};

const struct net_routes api_routes = {table, sizeof table / sizeof table[0]};

bool api_route_is_here(const struct api_route *route)
{
    static api_handler *const here[] = {
        api_healthz,     api_readyz,   api_version,    api_openapi,      api_metrics, api_server_list,
        api_job_list,    api_job_next, api_job_ledger, api_job_versions, api_rules,   api_dead_list,
        api_dead_groups, api_preview,  api_whoami,     api_upcoming,
    };

    for (size_t i = 0; i < sizeof here / sizeof here[0]; i++) {
        if (route->handler == here[i]) {
            return true;
        }
    }
    return false;
}
