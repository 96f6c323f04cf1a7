/* members: this server's place among those that share its store, and who else is there.
 *
 * Owns:  a thread, which says every MEMBERS_SAY_MS that the server is there, and keeps the list that comes back.
 * Rules: (1) for people: what fails here is tried again, and nobody else is troubled.
 *        (2) a list that is older than MEMBERS_SHOWN_MS is nobody's.
 * See:   store/members.h, api/live.c, tests/server/test_members.py
 */
#ifndef SERVER_MEMBERS_H
#define SERVER_MEMBERS_H

#include "server/shard.h"
#include "store/members.h"

#define MEMBERS_SAY_MS 3000

struct members;

struct members_config {
    struct store_members *store; /* from now on ours */
    struct shard *shard;         /* what it owns; borrowed, outlives us */
    struct str name, url;
    const char *version;
    int64_t started_ms;
};

/* NULL where store is: nobody shares it. */
struct members *members_start(const struct members_config *config);

/* The server is about to end. */
void members_drain(struct members *members);

/* Asks for a list that is newer than this call, and waits for it; not for longer than that. */
void members_hear(struct members *members, int64_t within_ms);

/* The others, as last heard, by name; room for MEMBERS_MAX. From any thread. */
size_t members_others(struct members *members, struct store_member *list);

/* Our own clock less the store's; false where that is not known. */
bool members_offset_us(struct members *members, int64_t *ret_offset_us);

/* Off the list. NULL is fine. */
void members_stop(struct members *members);

#endif
