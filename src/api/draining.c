#include "api/inside.h"

void api_set_draining(struct api *api)
{
    atomic_store(&api->is_draining, true);
}

bool api_is_draining(const struct api *api)
{
    return atomic_load(&api->is_draining);
}
