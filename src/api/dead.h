/* dead: how dead letters are chosen, by those who list, group, replay and discard them.
 *
 * Owns:  nothing.
 * See:   api/error_shape.h (groups), docs/openapi.yaml (list_dead, DeadRequest)
 */
#ifndef API_DEAD_H
#define API_DEAD_H

#include "api/request.h"

struct dead_filter {
    struct query query; /* QUERY_DEAD */
    uint64_t group;     /* error_group; 0: any */
};

/* ?tenant= ?type= ?error_code= ?since=, into an empty filter. False: answered. */
bool dead_params(struct api_request *request, struct dead_filter *filter);

/* Whether a row that the query gave is one of the group. */
bool dead_is_in_group(uint64_t group, const struct trigger_row *row);

#endif
