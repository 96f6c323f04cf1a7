/* cut_proxy: a TCP proxy in a thread, between a store and its server, that can be told to misbehave.
 *
 * Owns:  its thread, its sockets, the connections through it.
 */
#ifndef TESTS_STORE_CUT_PROXY_H
#define TESTS_STORE_CUT_PROXY_H

#include <stdint.h>

enum cut {
    CUT_NOTHING,  /* passes everything on */
    CUT_ANSWERS,  /* passes requests on; at the first byte of an answer, ends the connection without it */
    CUT_REQUESTS, /* at the first byte of a request, ends the connection without it */
    CUT_SILENCE,  /* swallows answers, and leaves the connection as it is */
    CUT_ALL,      /* takes no connections, and ends those there are */
};

struct cut_proxy;

struct cut_proxy *cut_proxy_start(uint16_t to_port);
void cut_proxy_stop(struct cut_proxy *proxy);

uint16_t cut_proxy_port(const struct cut_proxy *proxy);

/* From now on, for connections that are there as well. */
void cut_proxy_set(struct cut_proxy *proxy, enum cut cut);

#endif
