/* addresses: where the servers of a cluster are: "http://a:7600,http://b:7600". Any of them answers every request.
 *
 * Owns:  its texts.
 * Rules: (1) the one that answered last is asked next; the others come in their order, and then again the first.
 * See:   client.h, worker/session.h, tests/unit/client/test_addresses.c
 */
#ifndef CLIENT_ADDRESSES_H
#define CLIENT_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* More than anybody runs. */
#define ADDRESSES_MAX 16

struct addresses {
    char *urls[ADDRESSES_MAX]; /* without a slash at the end */
    size_t count;              /* at least 1 */
    size_t at;                 /* the one to ask */
};

/* The text is a URL, or several with commas between; what is behind the last that has room is left out. */
void addresses_init(struct addresses *addresses, struct str text);
void addresses_done(struct addresses *addresses);

const char *addresses_now(const struct addresses *addresses);

/* The one of now did not answer. */
void addresses_next(struct addresses *addresses);

/* Walks over a text: false at the end. Begin with rest = text. */
bool addresses_cut(struct str *rest, struct str *ret_url);

#endif
