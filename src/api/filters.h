/* filters: query parameters that several lists have.
 *
 * See: api/request.h
 */
#ifndef API_FILTERS_H
#define API_FILTERS_H

#include "api/request.h"

/* A parameter that is the name of a tenant, a type or a pool, and one that is an instant; untouched where it is not
 * there. False: answered. */
bool filter_name(struct api_request *request, const char *param, struct str *ret_name);
bool filter_instant(struct api_request *request, const char *param, int64_t *ret_ms);

#endif
