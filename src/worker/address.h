/* address: whether an address is one of the open internet.
 *
 * A worker that calls URLs which others wrote must not be a way into its own network. The question is asked about the
 * address at the moment of connecting, after the name was resolved: no spelling of a URL gets around that.
 *
 * Never: resolves, connects.
 * See:   http_call.h, tests/unit/worker/test_address.c
 */
#ifndef WORKER_ADDRESS_H
#define WORKER_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/* False for loopback, private, link-local, shared, multicast, documentation and reserved addresses, for IPv6 addresses
 * that carry an IPv4 one inside, and for everything that is not IP. */
bool address_is_global(const struct sockaddr *address);

#endif
