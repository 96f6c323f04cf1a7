#include <sys/random.h>

#include "base/map.h"
#include "base/mem.h"
#include "net/inside.h"

/* One client address with connections. There are at most as many as connections. */
struct entry {
    struct map_node node;
    char bytes[8];
    size_t count;
};

struct net_addresses {
    pthread_mutex_t mutex; /* guards the rest */
    struct map map;
    size_t per_address_max;
};

struct net_addresses *net_addresses_new(size_t per_address_max)
{
    struct net_addresses *addresses = mem_zalloc(sizeof *addresses);
    uint64_t seed = 0;

    (void)pthread_mutex_init(&addresses->mutex, NULL);
    (void)!getrandom(&seed, sizeof seed, 0); /* where there is none, chains may be chosen: slower, still right */
    map_init(&addresses->map, MAP_KEYS_TEXT, seed);
    addresses->per_address_max = per_address_max;
    return addresses;
}

void net_addresses_free(struct net_addresses *addresses)
{
    struct map_node *node;

    if (addresses == NULL) {
        return;
    }
    while ((node = map_first(&addresses->map)) != NULL) {
        map_remove(&addresses->map, node);
        mem_free(CONTAINER_OF(node, struct entry, node));
    }
    map_done(&addresses->map);
    (void)pthread_mutex_destroy(&addresses->mutex);
    mem_free(addresses);
}

/* Who has one IPv6 address has the 64 bits behind its network as well, so the network is counted. */
static struct str bytes_of(const union net_peer *peer)
{
    if (peer->any.sa_family == AF_INET) {
        return str_from_bytes(&peer->v4.sin_addr, 4);
    }
    if (IN6_IS_ADDR_V4MAPPED(&peer->v6.sin6_addr)) {
        return str_from_bytes(&peer->v6.sin6_addr.s6_addr[12], 4);
    }
    return str_from_bytes(&peer->v6.sin6_addr, 8);
}

static struct entry *find(struct net_addresses *addresses, struct str bytes)
{
    struct map_node *node = map_find_text(&addresses->map, bytes);

    return node == NULL ? NULL : CONTAINER_OF(node, struct entry, node);
}

static struct entry *add(struct net_addresses *addresses, struct str bytes)
{
    struct entry *entry = mem_zalloc(sizeof *entry);

    memcpy(entry->bytes, bytes.ptr, bytes.len);
    (void)map_insert_text(&addresses->map, &entry->node, str_from_bytes(entry->bytes, bytes.len));
    return entry;
}

bool net_addresses_enter(struct net_addresses *addresses, const union net_peer *peer)
{
    struct str bytes = bytes_of(peer);
    struct entry *entry;
    bool enters;

    (void)pthread_mutex_lock(&addresses->mutex);
    entry = find(addresses, bytes);
    if (entry == NULL) {
        entry = add(addresses, bytes);
    }
    enters = entry->count < addresses->per_address_max;
    entry->count += enters;
    (void)pthread_mutex_unlock(&addresses->mutex);
    return enters;
}

void net_addresses_leave(struct net_addresses *addresses, const union net_peer *peer)
{
    struct entry *entry;

    (void)pthread_mutex_lock(&addresses->mutex);
    entry = find(addresses, bytes_of(peer));
    if (entry != NULL && --entry->count == 0) {
        map_remove(&addresses->map, &entry->node);
        mem_free(entry);
    }
    (void)pthread_mutex_unlock(&addresses->mutex);
}
