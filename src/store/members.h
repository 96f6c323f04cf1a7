/* members: the servers that share a store, as each says of itself. For people: nothing is decided by it.
 *
 * Owns:  a connection of its own, made when it is needed; used by one thread.
 * Rules: (1) a member that was not heard of for MEMBERS_SHOWN_MS is not listed.
 *        (2) a store that is down costs nobody anything but the list.
 * See:   server/members.h, store/postgres/postgres_members.c
 */
#ifndef STORE_MEMBERS_H
#define STORE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

#define MEMBERS_SHOWN_MS 30000
/* More servers than anybody runs on one shard. */
#define MEMBERS_MAX 100
#define MEMBERS_VERSION_BYTES 64

struct store_member {
    uint64_t instance[2]; /* random, new for each start of a server */
    char name[STORE_OWNER_NAME_BYTES];
    char url[STORE_OWNER_URL_BYTES];
    char version[MEMBERS_VERSION_BYTES];
    int64_t started_ms;
    int64_t seen_ms;   /* by the store's clock; set by the store */
    bool is_owner;     /* of the shard; as the store knows, too */
    uint64_t epoch;    /* where is_owner */
    bool is_draining;  /* it is about to end */
    bool has_offset;   /* it has heard the store's clock: */
    int64_t offset_us; /* its own clock less the store's */
};

struct store_members;

struct store_members_methods {
    enum store_outcome (*say)(struct store_members *members, const struct store_member *self, struct store_member *list,
                              size_t *ret_count, int64_t *ret_offset_us, struct error *reterr);
    void (*leave)(struct store_members *members, const struct store_member *self);
    void (*close)(struct store_members *members);
};

struct store_members {
    const struct store_members_methods *methods;
};

/* Before the store has a thread of its own. NULL where nobody shares the store. */
struct store_members *store_members_open(struct store *store);

/* Says that self is there, and lists all (self too) by name: room for MEMBERS_MAX. *ret_offset_us: how far our clock is
 * before the store's, as just heard. */
enum store_outcome store_members_say(struct store_members *members, const struct store_member *self,
                                     struct store_member *list, size_t *ret_count, int64_t *ret_offset_us,
                                     struct error *reterr);

/* An orderly end: self is off the list. */
void store_members_leave(struct store_members *members, const struct store_member *self);

void store_members_close(struct store_members *members);

#endif
