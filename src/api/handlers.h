/* handlers: every call of the contract, one function each.
 *
 * See: api/routes.c (which call is which), api/request.h (how they work), docs/openapi.yaml
 */
#ifndef API_HANDLERS_H
#define API_HANDLERS_H

#include "api/request.h"

void api_healthz(struct api *api, struct api_request *request);

/* ---- what only looks ---- */

void api_version(struct api *api, struct api_request *request);
void api_readyz(struct api *api, struct api_request *request);
void api_openapi(struct api *api, struct api_request *request);
void api_metrics(struct api *api, struct api_request *request);
void api_job_list(struct api *api, struct api_request *request);
void api_job_get(struct api *api, struct api_request *request);
void api_job_next(struct api *api, struct api_request *request);
void api_job_ledger(struct api *api, struct api_request *request);
void api_job_executions(struct api *api, struct api_request *request);
void api_job_why(struct api *api, struct api_request *request);
void api_job_versions(struct api *api, struct api_request *request);
void api_rules(struct api *api, struct api_request *request);
void api_job_graph(struct api *api, struct api_request *request);
void api_trigger_get(struct api *api, struct api_request *request);
void api_trigger_why(struct api *api, struct api_request *request);
void api_preview(struct api *api, struct api_request *request);
void api_pool_stats(struct api *api, struct api_request *request);
void api_worker_list(struct api *api, struct api_request *request);
void api_server_list(struct api *api, struct api_request *request);
void api_stats(struct api *api, struct api_request *request);
void api_stats_history(struct api *api, struct api_request *request);
void api_whoami(struct api *api, struct api_request *request);
void api_upcoming(struct api *api, struct api_request *request);
void api_forecast(struct api *api, struct api_request *request);
void api_events(struct api *api, struct api_request *request);
void api_doctor(struct api *api, struct api_request *request);

/* ---- what changes something ---- */

void api_job_create(struct api *api, struct api_request *request);
void api_job_create_batch(struct api *api, struct api_request *request);
void api_job_patch(struct api *api, struct api_request *request);
void api_job_set_status(struct api *api, struct api_request *request);
void api_job_delete(struct api *api, struct api_request *request);
void api_job_run(struct api *api, struct api_request *request);
void api_job_backfill(struct api *api, struct api_request *request);
void api_trigger_cancel(struct api *api, struct api_request *request);
void api_trigger_retry(struct api *api, struct api_request *request);
void api_work(struct api *api, struct api_request *request);

void api_dead_list(struct api *api, struct api_request *request);
void api_dead_groups(struct api *api, struct api_request *request);
void api_dead_replay(struct api *api, struct api_request *request);
void api_dead_discard(struct api *api, struct api_request *request);

void api_tenant_list(struct api *api, struct api_request *request);
void api_tenant_get(struct api *api, struct api_request *request);
void api_tenant_put(struct api *api, struct api_request *request);
void api_tenant_pause(struct api *api, struct api_request *request);
void api_tenant_resume(struct api *api, struct api_request *request);
void api_pool_list(struct api *api, struct api_request *request);
void api_pool_get(struct api *api, struct api_request *request);
void api_pool_put(struct api *api, struct api_request *request);
void api_pool_pause(struct api *api, struct api_request *request);
void api_pool_resume(struct api *api, struct api_request *request);
void api_type_list(struct api *api, struct api_request *request);
void api_type_get(struct api *api, struct api_request *request);
void api_type_put(struct api *api, struct api_request *request);
void api_type_pause(struct api *api, struct api_request *request);
void api_type_resume(struct api *api, struct api_request *request);
void api_clock_accept(struct api *api, struct api_request *request);
void api_held_accept(struct api *api, struct api_request *request);

/* ---- the store ---- */

void api_backup(struct api *api, struct api_request *request);

#endif
