#include "api/origin.h"

#include <arpa/inet.h>
#include <string.h>

static bool is_loopback_number(struct str name)
{
    char text[INET_ADDRSTRLEN] = {0};
    struct in_addr address;

    if (name.len >= sizeof text || name.len == 0) {
        return false;
    }
    memcpy(text, name.ptr, name.len);
    return inet_pton(AF_INET, text, &address) == 1 && ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* What follows the name: nothing, or a colon and digits. */
static bool is_port(struct str rest)
{
    for (size_t i = 1; i < rest.len; i++) {
        if (rest.ptr[i] < '0' || rest.ptr[i] > '9') {
            return false;
        }
    }
    return rest.len == 0 || rest.ptr[0] == ':';
}

bool origin_is_loopback(struct str host)
{
    const struct str six = STR("[::1]");

    if (str_starts_with(host, six)) {
        return is_port(str_skip(host, six.len));
    }
    size_t len = str_find_char(host, ':');
    struct str name = {host.ptr, len};

    return is_port(str_skip(host, len)) && (str_equal_nocase(name, STR("localhost")) || is_loopback_number(name));
}

bool origin_is_own(struct str origin, struct str host)
{
    const struct str plain = STR("http://"), secure = STR("https://"); /* the latter: behind a proxy */
    struct str rest = str_starts_with(origin, plain)    ? str_skip(origin, plain.len)
                      : str_starts_with(origin, secure) ? str_skip(origin, secure.len)
                                                        : STR("");

    return !str_empty(rest) && str_equal_nocase(rest, host);
}
