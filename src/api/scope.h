/* scope: a tenant, a pool or a type: which one a request means, and how it is shown.
 *
 * See: engine/view.h, wire/scope.h, docs/openapi.yaml (Tenant, Pool, Type)
 */
#ifndef API_SCOPE_H
#define API_SCOPE_H

#include "api/request.h"

struct scope_ref {
    enum scope scope;
    struct str tenant; /* SCOPE_TENANT_TYPE alone */
    struct str name;
};

/* Of the path (and of ?tenant=, which narrows a type). scope is SCOPE_TENANT, SCOPE_POOL or SCOPE_TYPE. False:
 * answered.
 */
bool scope_of_path(struct api_request *request, enum scope scope, struct scope_ref *ret_ref);

/* ?tenant= of types; does nothing for others. False: answered. */
bool scope_narrow(struct api_request *request, struct scope_ref *ref);

/* On the engine's thread. */
void scope_write(const struct engine *engine, const struct scope_ref *ref, struct jw *jw);

#endif
