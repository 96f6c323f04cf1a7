/* forecast: the parts of GET /v1/forecast. For forecast*.c.
 *
 * See: forecast/forecast.h (what is reckoned), docs/forecast.md
 */
#ifndef API_FORECAST_H
#define API_FORECAST_H

#include "api/request.h"
#include "forecast/forecast.h"

/* Jobs, their schedules and how long they run, read from the store into the request's arena; the input is what
 * forecast_new takes, but for its pools. False: answered. */
bool forecast_read_jobs(struct api_request *request, struct store_reader *reader, struct forecast_input *input);

/* How long the runs of jobs take: of each of the first by its own history, of the others by their type. False:
 * answered. */
bool forecast_read_runs(struct api_request *request, struct store_reader *reader, struct forecast_job *jobs,
                        size_t count, int64_t now_ms);

/* Forecast of docs/openapi.yaml. */
void forecast_write(struct jw *jw, struct forecast *forecast);

#endif
