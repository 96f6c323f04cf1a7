/* The servers: this one, and those that share its store. */
#include <stdio.h>
#include <string.h>

#include "api/handlers.h"
#include "api/inside.h"
#include "api/list.h"
#include "api/observe.h"
#include "base/chrono.h"
#include "server/members.h"
#include "wire/put.h"

#define US_PER_MS 1000.0

static void put_server(struct jw *jw, const struct store_member *member)
{
    jw_begin_object(jw);
    wire_put_text(jw, "server", str_from(member->name));
    wire_put_text(jw, "url", str_from(member->url));
    jw_key(jw, "shards");
    jw_begin_array(jw);
    if (member->is_owner) {
        jw_int(jw, 0);
    }
    jw_end_array(jw);
    jw_key(jw, "epoch");
    if (member->is_owner) {
        jw_uint(jw, member->epoch);
    } else {
        jw_null(jw);
    }
    jw_key(jw, "clock_offset_ms");
    if (member->has_offset) {
        jw_double(jw, (double)member->offset_us / US_PER_MS);
    } else {
        jw_null(jw);
    }
    wire_put_word(jw, "version", member->version);
    wire_put_instant(jw, "started_at", member->started_ms);
    wire_put_instant(jw, "last_seen_at", member->seen_ms);
    wire_put_bool(jw, "draining", member->is_draining);
    jw_end_object(jw);
}

static struct store_member own_member(struct api *api)
{
    struct store_member own = {.started_ms = api->observe->started_ms, .seen_ms = chrono_wall_ms()};
    struct shard_view view;

    shard_look(api->config.shard, &view);
    own.is_owner = view.state == SHARD_SERVING;
    own.epoch = view.epoch;
    own.is_draining = api_is_draining(api);
    own.has_offset = api->config.members != NULL && members_offset_us(api->config.members, &own.offset_us);
    (void)snprintf(own.name, sizeof own.name, "%.*s", STR_ARGS(api->config.server_name));
    (void)snprintf(own.url, sizeof own.url, "%.*s", STR_ARGS(api->config.url));
    (void)snprintf(own.version, sizeof own.version, "%s", api->config.version);
    return own;
}

static bool comes_before(const struct store_member *a, const struct store_member *b)
{
    int order = strcmp(a->name, b->name);

    return order != 0 ? order < 0 : strcmp(a->url, b->url) < 0;
}

void api_server_list(struct api *api, struct api_request *request)
{
    const struct store_member own = own_member(api);
    struct store_member *others = arena_alloc_array(request->arena, MEMBERS_MAX, sizeof *others);
    size_t count = 0, at = 0;
    struct jw jw;

    if (!api_params_only(request, NULL)) {
        return;
    }
    if (api->config.members != NULL) {
        count = members_others(api->config.members, others);
    }
    api_json(request, &jw);
    wire_list_begin(&jw);
    for (; at < count && comes_before(&others[at], &own); at++) {
        put_server(&jw, &others[at]);
    }
    put_server(&jw, &own);
    for (; at < count; at++) {
        put_server(&jw, &others[at]);
    }
    api_answer_list(request, &jw, NULL);
}
