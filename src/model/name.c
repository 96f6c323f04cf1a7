#include "model/name.h"

static bool is_alnum(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

enum err name_check(struct str name, struct error *reterr)
{
    if (name.len == 0) {
        return err_set_at(reterr, 1, ERR_INVALID, "a name must not be empty");
    }
    if (name.len > NAME_BYTES_MAX) {
        return err_set_at(reterr, NAME_BYTES_MAX + 1, ERR_INVALID, "a name has at most %d characters, not %zu",
                          NAME_BYTES_MAX, name.len);
    }
    if (!is_alnum(name.ptr[0])) {
        return err_set_at(reterr, 1, ERR_INVALID, "a name begins with a letter or a digit");
    }
    for (size_t i = 1; i < name.len; i++) {
        char c = name.ptr[i];

        if (!is_alnum(c) && c != '.' && c != '_' && c != ':' && c != '-') {
            return err_set_at(reterr, (int)i + 1, ERR_INVALID,
                              "a name has only letters, digits and . _ : - (character %zu is none of them)", i + 1);
        }
    }
    return ERR_OK;
}

enum err name_check_owner(struct str name, struct error *reterr)
{
    enum err err = name_check(name, reterr);

    if (err == ERR_OK && str_starts_with(name, STR("job_"))) {
        return err_set_at(reterr, 1, ERR_INVALID, "this name must not begin with job_, as ids do");
    }
    return err;
}
