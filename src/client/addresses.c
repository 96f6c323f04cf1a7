#include "client/addresses.h"

#include <assert.h>

#include "base/mem.h"

bool addresses_cut(struct str *rest, struct str *ret_url)
{
    if (rest->len == 0) {
        return false;
    }
    size_t comma = str_find_char(*rest, ',');
    struct str url = {rest->ptr, comma < rest->len ? comma : rest->len};

    *rest = str_skip(*rest, comma < rest->len ? comma + 1 : rest->len);
    *ret_url = str_trim(url);
    while (ret_url->len > 0 && ret_url->ptr[ret_url->len - 1] == '/') {
        ret_url->len--;
    }
    return true;
}

void addresses_init(struct addresses *addresses, struct str text)
{
    struct str url;

    *addresses = (struct addresses){.count = 0};
    while (addresses->count < ADDRESSES_MAX && addresses_cut(&text, &url)) {
        addresses->urls[addresses->count++] = mem_strndup(url.ptr, url.len);
    }
    assert(addresses->count > 0);
}

void addresses_done(struct addresses *addresses)
{
    for (size_t i = 0; i < addresses->count; i++) {
        mem_free(addresses->urls[i]);
    }
    addresses->count = 0;
}

const char *addresses_now(const struct addresses *addresses)
{
    return addresses->urls[addresses->at];
}

void addresses_next(struct addresses *addresses)
{
    addresses->at = (addresses->at + 1) % addresses->count;
}
