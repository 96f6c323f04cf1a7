#include "api/filters.h"

#include "calendar/instant.h"
#include "model/name.h"

static bool is_well(struct api_request *request, const char *param, enum err err, struct error *error)
{
    if (err != ERR_OK) {
        err_in_field(error, err, param);
        api_problem(request, error);
    }
    return err == ERR_OK;
}

bool filter_name(struct api_request *request, const char *param, struct str *ret_name)
{
    struct error error;

    return !api_param(request, param, ret_name) || is_well(request, param, name_check(*ret_name, &error), &error);
}

bool filter_instant(struct api_request *request, const char *param, int64_t *ret_ms)
{
    struct error error;
    struct str text;

    return !api_param(request, param, &text) || is_well(request, param, instant_parse(text, ret_ms, &error), &error);
}
