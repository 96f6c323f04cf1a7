/* assemble_door: the listening server in front of an API that may not be there yet. Only for src/api/assemble*.c.
 *
 * Rules: (1) before door_set_api every request is answered 503, without its body being read.
 */
#ifndef API_ASSEMBLE_DOOR_H
#define API_ASSEMBLE_DOOR_H

#include <stdatomic.h>

#include "api/api.h"
#include "net/net.h"

struct door {
    struct net_server *net; /* NULL: closed */
    _Atomic(struct api *) api;
};

/* Listens; the callbacks of config are filled in here. The door does not move from now on. */
enum err door_open(struct door *door, struct net_config *config, struct error *reterr) MUST_CHECK;
void door_set_api(struct door *door, struct api *api);
struct api *door_api(struct door *door);

/* Requests under way get grace_ms; those that are not answered by then are on their own (rule 8 of net.h). */
void door_close(struct door *door, int64_t grace_ms);

#endif
