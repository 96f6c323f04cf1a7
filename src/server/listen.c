#include "server/listen.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static enum err refuse(struct str text, struct error *reterr)
{
    return err_set(reterr, ERR_INVALID,
                   "cannot listen on \"%.*s\": write a numeric address and a port, as 127.0.0.1:7600 or [::1]:7600",
                   STR_ARGS(text));
}

/* Cuts [address]:port or address:port. */
static bool cut(struct str text, struct str *ret_address, struct str *ret_port)
{
    size_t colon = text.len;

    while (colon > 0 && text.ptr[colon - 1] != ':') {
        colon--;
    }
    if (colon == 0) {
        return false;
    }
    *ret_port = str_skip(text, colon);
    *ret_address = (struct str){text.ptr, colon - 1};
    if (ret_address->len >= 2 && ret_address->ptr[0] == '[' && ret_address->ptr[ret_address->len - 1] == ']') {
        *ret_address = (struct str){ret_address->ptr + 1, ret_address->len - 2};
        return true;
    }
    return str_find_char(*ret_address, ':') == ret_address->len; /* IPv6 wants its brackets */
}

enum err listen_parse(struct str text, struct listen_place *ret_place, struct error *reterr)
{
    struct listen_place place = {0};
    struct str address;
    struct str port;
    int64_t number;
    struct in_addr four;
    struct in6_addr six;

    if (!cut(text, &address, &port) || address.len >= sizeof place.address ||
        str_to_int(port, 0, UINT16_MAX, &number, NULL) != ERR_OK) {
        return refuse(text, reterr);
    }
    if (str_is(address, "localhost")) {
        address = STR("127.0.0.1");
    }
    memcpy(place.address, address.ptr, address.len);
    place.port = (uint16_t)number;
    if (inet_pton(AF_INET, place.address, &four) == 1) {
        place.is_loopback = ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
    } else if (inet_pton(AF_INET6, place.address, &six) == 1) {
        place.is_loopback = IN6_IS_ADDR_LOOPBACK(&six);
    } else {
        return refuse(text, reterr);
    }
    *ret_place = place;
    return ERR_OK;
}

void listen_url(const struct listen_place *place, uint16_t port, char ret_url[LISTEN_URL_BYTES])
{
    const char *address = place->address;
    struct in6_addr six;

    if (strcmp(address, "0.0.0.0") == 0) {
        address = "127.0.0.1";
    } else if (inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_UNSPECIFIED(&six)) {
        address = "::1";
    }
    bool is_six = strchr(address, ':') != NULL;
    (void)snprintf(ret_url, LISTEN_URL_BYTES, "http://%s%s%s:%u", is_six ? "[" : "", address, is_six ? "]" : "",
                   (unsigned)port);
}
