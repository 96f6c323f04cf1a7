/* session_inside: what session.c and session_answer.c share. Nobody else includes it.
 *
 * See: session.h
 */
#ifndef WORKER_SESSION_INSIDE_H
#define WORKER_SESSION_INSIDE_H

#include "worker/session.h"

/* What comes of an exchange. */
void session_on_flight_end(void *owner, struct flight *flight, long status, const char *why);

/* The reports of an exchange that came to nothing wait again. */
void session_take_back(struct session *session, uint64_t seq, bool is_refused);

#endif
