/* One request: how it is written anew, sent, and answered. */
#include <stdio.h>
#include <string.h>

#include "api/relay_inside.h"
#include "api/routes.h"
#include "base/chrono.h"
#include "base/mem.h"

#define BODY_BYTES_MAX (256UL * 1024 * 1024)
/* The longest poll, and what a bulk may take. */
#define TIMEOUT_MS 120000
#define STREAM_BYTES_MAX (1024 * 1024)
/* Rule 7 of relay.h: after a refusal so long at first, twice as long each time, and at most so long. */
#define PAUSE_FIRST_MS 20
#define PAUSE_MAX_MS 320

enum { WANT_TYPE, WANT_LOCATION, WANT_ETAG, WANT_LINK, WANT_RETRY, WANT_OUTCOME, WANT_ALLOW, WANTED };
static const char *const wanted[WANTED] = {"Content-Type", "Location", "ETag", "Link",
                                           "Retry-After",  "Outcome",  "Allow"};

/* ---- the end ---- */

/* From here on nobody comes from the request to what carried it. */
static void forget_request(struct carried *carried)
{
    (void)pthread_mutex_lock(&carried->relay->lock);
    carried->request->carried = NULL;
    carried->request = NULL;
    (void)pthread_mutex_unlock(&carried->relay->lock);
}

static void carried_free(struct carried *carried)
{
    struct relay *relay = carried->relay;

    buf_done(&carried->body);
    url_done(&carried->path);
    mem_free(carried);
    (void)pthread_mutex_lock(&relay->lock);
    relay->count--;
    (void)pthread_cond_broadcast(&relay->changed);
    (void)pthread_mutex_unlock(&relay->lock);
}

/* Takes the request out of the relay's hands; it is to be answered, or its handler called. */
static struct api_request *let_go(struct carried *carried)
{
    struct api_request *request = carried->request;

    forget_request(carried);
    carried_free(carried);
    return request;
}

void carried_refuse(struct carried *carried, enum err code, const char *text)
{
    struct relay *relay = carried->relay;
    bool is_not_applied = !carried->may_be_done;
    struct error error;

    (void)pthread_mutex_lock(&relay->lock);
    relay->figures.refused += is_not_applied;
    relay->figures.unknown += !is_not_applied;
    (void)pthread_mutex_unlock(&relay->lock);
    (void)err_set(&error, code, "%s", text);
    api_problem_failed(let_go(carried), &error, is_not_applied);
}

void carried_give_back(struct carried *carried)
{
    struct api_request *request = let_go(carried);
    struct error error;

    if (!net_again(request->net)) {
        (void)err_set(&error, ERR_DRAINING, "the server is stopping");
        api_problem_failed(request, &error, true); /* for nobody: the door is closed */
    }
}

void carried_hold(struct carried *carried)
{
    struct relay *relay = carried->relay;

    (void)pthread_mutex_lock(&relay->lock);
    list_push_back(&relay->coming, &carried->node);
    (void)pthread_cond_broadcast(&relay->changed);
    (void)pthread_mutex_unlock(&relay->lock);
}

/* Rule 7 of relay.h. */
static void hold_back(struct carried *carried)
{
    carried->pause_ms = carried->pause_ms == 0 ? PAUSE_FIRST_MS : carried->pause_ms * 2;
    carried->pause_ms = carried->pause_ms < PAUSE_MAX_MS ? carried->pause_ms : PAUSE_MAX_MS;
    carried->next_mono_ms = chrono_mono_ms() + carried->pause_ms;
    carried_hold(carried);
}

static void pass_back(struct carried *carried)
{
    struct carrier_call *call = &carried->call;
    struct net_answer answer = {.status = call->status,
                                .content_type = call->values[WANT_TYPE][0] != '\0' ? call->values[WANT_TYPE] : NULL};

    for (size_t i = WANT_LOCATION; i < WANTED; i++) {
        if (call->values[i][0] != '\0') {
            answer.headers[answer.header_count++] = (struct net_header){wanted[i], call->values[i]};
        }
    }
    answer.body = carried->body;
    carried->body = (struct buf){0};
    (void)pthread_mutex_lock(&carried->relay->lock);
    carried->relay->figures.relayed++;
    (void)pthread_mutex_unlock(&carried->relay->lock);
    struct net_request *net = carried->request->net;

    forget_request(carried);
    net_answer(net, &answer); /* copies the headers, which are the call's */
    carried_free(carried);
}

/* ---- answers ---- */

static bool begin_stream(struct carried *carried)
{
    struct net_answer answer = {.status = 200, .content_type = "text/event-stream"};
    const struct net_stream_config config = {.buffer_bytes_max = STREAM_BYTES_MAX, .closes_when_full = true};

    answer.headers[answer.header_count++] = (struct net_header){"Cache-Control", "no-store"};
    struct net_request *net = carried->request->net;

    forget_request(carried); /* whoever reads may be through with it at any time from here on */
    carried->stream = net_answer_stream(net, &answer, &config);
    return carried->stream != NULL;
}

static bool took(struct carrier_call *call, struct str bytes)
{
    struct carried *carried = CONTAINER_OF(call, struct carried, call);
    bool is_events =
        call->status == 200 && str_starts_with(str_from(call->values[WANT_TYPE]), STR("text/event-stream"));

    if (!is_events) {
        buf_append_str(&carried->body, bytes);
        return !buf_overflowed(&carried->body);
    }
    if (carried->request != NULL && !begin_stream(carried)) {
        return false; /* it was answered all the same */
    }
    return net_stream_push(carried->stream, bytes) == NET_PUSH_TAKEN; /* the server speaks every few seconds */
}

static bool does_no_harm_again(const struct carried *carried)
{
    const struct net_request *net = carried->request->net;
    struct str key;

    return net_request_method(net) == NET_METHOD_GET || carried->is_poll ||
           net_request_header(net, STR("Idempotency-Key"), &key) > 0;
}

/* Whether the other one says that it is not the owner, and did nothing. */
static bool is_sent_away(const struct carrier_call *call)
{
    return call->status == 503 && strcmp(call->values[WANT_OUTCOME], "not-applied") == 0;
}

/* The carrier has it no longer. True: it was called back, since somebody else owns the shard now, and may go there. */
static bool come_back(struct carried *carried)
{
    struct relay *relay = carried->relay;

    (void)pthread_mutex_lock(&relay->lock);
    list_remove(&carried->node);
    carried->is_under_way = false;
    bool is_moved = carried->is_moved && !carried->is_gone && !carried->is_drained;
    (void)pthread_mutex_unlock(&relay->lock);
    if (is_moved) {
        int64_t end_mono_ms = chrono_mono_ms() + RELAY_HOLD_MS;

        carried->end_mono_ms = end_mono_ms < carried->last_mono_ms ? end_mono_ms : carried->last_mono_ms;
    }
    return is_moved;
}

/* There is no answer. */
static void try_again(struct carried *carried)
{
    bool is_harmless = does_no_harm_again(carried);

    if (carried->call.was_sent && net_request_method(carried->request->net) != NET_METHOD_GET) {
        carried->may_be_done = true;
    }
    if ((!carried->call.was_sent || is_harmless) && chrono_mono_ms() < carried->end_mono_ms) {
        hold_back(carried);
    } else if (!carried->may_be_done) {
        carried_refuse(carried, ERR_NO_OWNER, "the owner of the shard cannot be reached; try again in a moment");
    } else {
        carried_refuse(carried, ERR_NO_OWNER,
                       is_harmless
                           ? "the owner of the shard went while it worked on this; send it again"
                           : "the owner of the shard went while it worked on this, and it may have been done; look, or "
                             "send it again with an Idempotency-Key from the beginning");
    }
}

static void on_done(struct carrier_call *call, enum err err, const struct error *error)
{
    struct carried *carried = CONTAINER_OF(call, struct carried, call);
    bool is_moved = come_back(carried);

    if (carried->request == NULL) {
        net_stream_close(carried->stream);
        carried_free(carried);
    } else if (err == ERR_OK && is_sent_away(call) && chrono_mono_ms() < carried->end_mono_ms) {
        hold_back(carried);
    } else if (err == ERR_OK) {
        pass_back(carried);
    } else if (err == ERR_DRAINING || (err == ERR_REQUEST_TIMEOUT && !is_moved)) {
        carried->may_be_done = carried->may_be_done || call->was_sent;
        carried_refuse(carried, carried->is_drained ? ERR_DRAINING : err,
                       carried->is_drained ? "this server is stopping; ask another one" : error->text);
    } else {
        try_again(carried);
    }
}

/* ---- requests ---- */

static void add_header(struct carried *carried, const char *name, struct str value)
{
    struct carrier_call *call = &carried->call;

    call->headers[call->header_count++] = (struct carrier_header){name, value};
}

static void write_headers(struct carried *carried, int hops)
{
    static const char *const passed[] = {"Content-Type",  "Idempotency-Key", "If-Match",
                                         "Last-Event-ID", "Accept",          "traceparent"};
    const struct net_request *net = carried->request->net;
    struct str token = carried->relay->config.token;

    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        struct str value;

        if (net_request_header(net, str_from(passed[i]), &value) > 0) {
            add_header(carried, passed[i], value);
        }
    }
    if (!str_empty(token)) {
        (void)snprintf(carried->authorization, sizeof carried->authorization, "Bearer %.*s", (int)token.len, token.ptr);
        add_header(carried, "Authorization", str_from(carried->authorization));
    }
    (void)snprintf(carried->hops, sizeof carried->hops, "%d", hops);
    add_header(carried, "Belfry-Hops", str_from(carried->hops));
}

/* Rule 1. */
static void write_path(struct carried *carried)
{
    const struct net_request *net = carried->request->net;

    url_init(&carried->path);
    for (size_t i = 0; i < net_request_segment_count(net); i++) {
        url_segment(&carried->path, net_request_segment(net, i));
    }
    for (size_t i = 0; i < net_request_param_count(net); i++) {
        struct str name, value;
        char text[256];

        net_request_param_at(net, i, &name, &value);
        (void)snprintf(text, sizeof text, "%.*s", (int)name.len, name.ptr);
        url_query(&carried->path, text, value);
    }
}

void carried_drain(struct carried *carried)
{
    if (carried->is_poll && !carried->is_drained) {
        carried->is_drained = true;
        carrier_cancel(carried->relay->carrier, &carried->call);
    }
}

bool carried_is_elsewhere(const struct carried *carried, const struct shard_view *view)
{
    size_t len = strlen(view->owner.url);

    if (view->state != SHARD_STANDBY || !view->owner.is_owned) {
        return view->state == SHARD_SERVING;
    }
    return strncmp(carried->target, view->owner.url, len) != 0 || carried->target[len] != '/';
}

void carried_send(struct carried *carried, const char *owner_url)
{
    struct carrier_call *call = &carried->call;

    (void)snprintf(carried->target, sizeof carried->target, "%s%.*s", owner_url, (int)url_str(&carried->path).len,
                   url_str(&carried->path).ptr);
    buf_reset(&carried->body);
    call->url = carried->target;
    (void)pthread_mutex_lock(&carried->relay->lock);
    list_push_back(&carried->relay->under_way, &carried->node);
    carried->is_under_way = true;
    carried->is_moved = false;
    carried->moved_mono_ms = 0;
    carried->is_drained = carried->relay->is_draining && carried->is_poll;
    call->is_cancelled = carried->is_gone || carried->is_drained;
    (void)pthread_mutex_unlock(&carried->relay->lock);
    carrier_send(carried->relay->carrier, call);
}

struct carried *carried_new(struct relay *relay, struct api_request *request, int hops)
{
    struct carried *carried = mem_zalloc(sizeof *carried);
    struct carrier_call *call = &carried->call;
    struct str body = net_request_body(request->net);

    list_node_init(&carried->node);
    carried->relay = relay;
    carried->request = request;
    carried->is_poll = request->match.route->id == API_ROUTE_WORK;
    carried->end_mono_ms = chrono_mono_ms() + RELAY_HOLD_MS;
    carried->last_mono_ms = chrono_mono_ms() + TIMEOUT_MS;
    buf_init(&carried->body, BODY_BYTES_MAX);
    call->method = arena_strdup_str(request->arena, net_request_method_name(request->net));
    call->body = body.len > 0 ? body : (struct str){NULL, 0};
    call->wanted = wanted;
    call->wanted_count = WANTED;
    call->took = took;
    call->done = on_done;
    call->timeout_ms = str_is(net_request_path(request->net), "/v1/events") ? 0 : TIMEOUT_MS;
    write_path(carried);
    write_headers(carried, hops + 1);
    return carried;
}
