/* listen: where a server listens, as people write it: 127.0.0.1:7600, localhost:7600, [::1]:7600, 0.0.0.0:0.
 */
#ifndef SERVER_LISTEN_H
#define SERVER_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define LISTEN_ADDRESS_BYTES 64
/* "http://[" address "]:65535" and NUL. */
#define LISTEN_URL_BYTES (LISTEN_ADDRESS_BYTES + 24)

struct listen_place {
    char address[LISTEN_ADDRESS_BYTES]; /* numeric, without brackets */
    uint16_t port;                      /* 0: any free one */
    bool is_loopback;                   /* reached from this machine alone */
};

enum err listen_parse(struct str text, struct listen_place *ret_place, struct error *reterr) MUST_CHECK;

/* How this machine reaches it: an address that means all of them becomes the loopback one. */
void listen_url(const struct listen_place *place, uint16_t port, char ret_url[LISTEN_URL_BYTES]);

#endif
