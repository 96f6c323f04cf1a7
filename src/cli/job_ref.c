#include "cli/job_ref.h"

#include <stdio.h>
#include <string.h>

#include "model/name.h"

#define TRIGGER_LETTERS 13

enum err job_ref_read(const char *text, struct str tenant, struct job_ref *ret_ref, struct error *reterr)
{
    struct str whole = str_from(text);
    size_t slash = str_find_char(whole, '/');
    struct job_ref ref = {.tenant = tenant, .name = whole};
    enum err err = ERR_OK;

    if (slash < whole.len) {
        ref.tenant = (struct str){whole.ptr, slash};
        ref.name = str_skip(whole, slash + 1);
        if (tenant.ptr != NULL && !str_equal(tenant, ref.tenant)) {
            return err_set(reterr, ERR_INVALID, "%.*s names the tenant %.*s, and --tenant another; give one of them",
                           STR_ARGS(whole), STR_ARGS(ref.tenant));
        }
    }
    if (ref.tenant.ptr != NULL) {
        err = err_wrap(reterr, name_check_owner(ref.tenant, reterr), "the tenant \"%.*s\"", STR_ARGS(ref.tenant));
    }
    if (err == ERR_OK) {
        err = err_wrap(reterr, name_check(ref.name, reterr), "the job \"%.*s\"", STR_ARGS(ref.name));
    }
    if (err == ERR_OK) {
        *ret_ref = ref;
    }
    return err;
}

bool job_ref_is_trigger(const char *text)
{
    const char *letters = text + 4;

    return strncmp(text, "trg_", 4) == 0 && strlen(letters) == TRIGGER_LETTERS &&
           strspn(letters, "0123456789abcdefghjkmnpqrstvwxyz") == TRIGGER_LETTERS;
}

void job_ref_url(const struct job_ref *ref, const char *rest, struct url *url)
{
    url_path(url, "/v1/jobs");
    url_segment(url, ref->name);
    url_path(url, rest);
    url_query(url, "tenant", ref->tenant);
}

const char *job_ref_text(struct str tenant, struct str name, char out[JOB_REF_BYTES])
{
    bool is_plain = tenant.len == 0 || str_is(tenant, "default");

    (void)snprintf(out, JOB_REF_BYTES, "%.*s%s%.*s", STR_ARGS(is_plain ? STR("") : tenant), is_plain ? "" : "/",
                   STR_ARGS(name));
    return out;
}
