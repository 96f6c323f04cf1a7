/* Who asks, and what they may do. */
#include "api/handlers.h"
#include "wire/put.h"

void api_whoami(struct api *api, struct api_request *request)
{
    static const char *const may[] = {"read", "operate", "configure"};
    struct jw jw;

    (void)api;
    if (!api_params_only(request, NULL)) {
        return;
    }
    api_json(request, &jw);
    jw_begin_object(&jw);
    wire_put_word(&jw, "role", "admin"); /* there is one token, and it may do everything */
    wire_put_null(&jw, "tenant");
    jw_key(&jw, "may");
    jw_begin_array(&jw);
    for (size_t i = 0; i < sizeof may / sizeof may[0]; i++) {
        jw_text(&jw, may[i]);
    }
    jw_end_array(&jw);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}
