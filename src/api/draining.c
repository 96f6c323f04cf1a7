/* A server that goes: no longer ready; and where others share its store, the shard goes to one of them first. */
#include <poll.h>

#include "api/inside.h"
#include "api/relay.h"
#include "base/chrono.h"
#include "base/mem.h"
#include "server/members.h"

/* Another server takes the shard within a fraction of a second. One that does not is not waited for longer. */
#define HAND_OVER_MS 3000
#define HAND_OVER_LOOK_MS 5
/* For the list of servers. */
#define HEAR_MS 500
/* When it is somebody else's, those who are on their way here are still carried there for so long. */
#define LAST_MS 200

void api_set_draining(struct api *api)
{
    atomic_store(&api->is_draining, true);
}

bool api_is_draining(const struct api *api)
{
    return atomic_load(&api->is_draining);
}

/* Whether there is somebody who stays. */
static bool has_others(struct api *api)
{
    struct store_member *others = mem_alloc_array(MEMBERS_MAX, sizeof *others);

    members_hear(api->config.members, HEAR_MS); /* who came last may be the only one */
    size_t count = members_others(api->config.members, others);
    bool is_found = false;

    for (size_t i = 0; i < count; i++) {
        is_found = is_found || !others[i].is_draining;
    }
    mem_free(others);
    return is_found;
}

bool api_hand_over(struct api *api)
{
    if (api->relay == NULL || api->config.members == NULL || !has_others(api)) {
        return false;
    }
    net_server_send_away(api->net);
    shard_leave(api->config.shard);
    return true;
}

/* Somebody has it, and nobody waits for that any more. */
static bool is_handed_over(struct api *api)
{
    struct shard_view view;
    struct relay_figures figures;

    shard_look(api->config.shard, &view);
    relay_look(api->relay, &figures);
    return view.state == SHARD_STANDBY && view.owner.is_owned && figures.held == 0;
}

void api_await_hand_over(struct api *api)
{
    int64_t end_mono_ms = chrono_mono_ms() + HAND_OVER_MS;

    while (!is_handed_over(api) && chrono_mono_ms() < end_mono_ms) {
        (void)poll(NULL, 0, HAND_OVER_LOOK_MS);
    }
    (void)poll(NULL, 0, LAST_MS);
    relay_drain(api->relay);
}
