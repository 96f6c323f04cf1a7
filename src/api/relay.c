#include "api/relay.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "api/routes.h"
#include "base/chrono.h"
#include "base/mem.h"
#include "client/carrier.h"
#include "client/url.h"

#define BODY_BYTES_MAX (256UL * 1024 * 1024)
/* The longest poll, and what a bulk may take. */
#define TIMEOUT_MS 120000
/* How often those who are held look for an owner. */
#define LOOK_MS 20
/* How often those who are under way are looked after: whether who they went to is the owner still. */
#define MOVED_LOOK_MS 100
/* An owner that handed over has answered before it did: that answer is given the time to arrive. */
#define MOVED_GRACE_MS 1000
#define STREAM_BYTES_MAX (1024 * 1024)

enum { WANT_TYPE, WANT_LOCATION, WANT_ETAG, WANT_LINK, WANT_RETRY, WANT_OUTCOME, WANT_ALLOW, WANTED };
static const char *const wanted[WANTED] = {"Content-Type", "Location", "ETag", "Link",
                                           "Retry-After",  "Outcome",  "Allow"};

/* One request on its way. */
struct carried {
    struct carrier_call call;
    struct list_node node; /* of held, or of under_way */
    struct relay *relay;
    bool is_under_way; /* with the carrier; under the lock */
    bool is_moved;     /* called back from who is the owner no longer; under the lock */
    bool is_gone;      /* nobody waits for the answer; under the lock */
    bool may_be_done;  /* it was sent before, and what became of it is not known */
    struct api_request *request;
    struct url path;
    char target[STORE_OWNER_URL_BYTES + URL_BYTES_MAX];
    char authorization[600];
    char hops[12];
    _Atomic int64_t end_mono_ms; /* rule 3 */
    int64_t last_mono_ms;        /* the latest that end_mono_ms may be */
    int64_t moved_mono_ms;       /* under way: since when somebody else is the owner; 0: nobody is */
    struct buf body;             /* of the answer */
    struct net_stream *stream;   /* the request has been answered with it, and is NULL */
};

struct relay {
    struct relay_config config;
    struct carrier *carrier;
    pthread_t thread;
    pthread_mutex_t lock; /* of what is below, and of a request's carried */
    pthread_cond_t changed;
    struct list held, under_way;
    size_t count;          /* of both */
    int64_t moved_mono_ms; /* the thread's: when those under way are looked after */
    bool is_stopping, has_thread;
    struct relay_figures figures;
};

bool relay_is_needed(struct relay *relay)
{
    struct shard_view view;

    if (relay == NULL) {
        return false;
    }
    shard_look(relay->config.shard, &view);
    return view.state != SHARD_SERVING;
}

void relay_look(struct relay *relay, struct relay_figures *ret_figures)
{
    (void)pthread_mutex_lock(&relay->lock);
    *ret_figures = relay->figures;
    (void)pthread_mutex_unlock(&relay->lock);
}

/* ---- the end of a request ---- */

/* From here on nobody comes from the request to what carried it. */
static void forget_request(struct carried *carried)
{
    (void)pthread_mutex_lock(&carried->relay->lock);
    carried->request->carried = NULL;
    (void)pthread_mutex_unlock(&carried->relay->lock);
    carried->request = NULL;
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

static void refuse(struct carried *carried, enum err code, const char *text)
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

static void hold(struct carried *carried)
{
    struct relay *relay = carried->relay;

    (void)pthread_mutex_lock(&relay->lock);
    list_push_back(&relay->held, &carried->node);
    relay->figures.held++;
    (void)pthread_cond_broadcast(&relay->changed);
    (void)pthread_mutex_unlock(&relay->lock);
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

    return net_request_method(net) == NET_METHOD_GET || carried->request->match.route->id == API_ROUTE_WORK ||
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
    bool is_moved = carried->is_moved && !carried->is_gone;
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
        hold(carried);
    } else if (!carried->may_be_done) {
        refuse(carried, ERR_NO_OWNER, "the owner of the shard cannot be reached; try again in a moment");
    } else {
        refuse(carried, ERR_NO_OWNER,
               is_harmless ? "the owner of the shard went while it worked on this; send it again"
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
        hold(carried);
    } else if (err == ERR_OK) {
        pass_back(carried);
    } else if (err == ERR_DRAINING || (err == ERR_REQUEST_TIMEOUT && !is_moved)) {
        carried->may_be_done = carried->may_be_done || call->was_sent;
        refuse(carried, err, error->text);
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

static void send_on(struct carried *carried, const char *owner_url)
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
    call->is_cancelled = carried->is_gone;
    (void)pthread_mutex_unlock(&carried->relay->lock);
    carrier_send(carried->relay->carrier, call);
}

/* ---- those who are held ---- */

static bool has_gone(struct carried *carried)
{
    (void)pthread_mutex_lock(&carried->relay->lock);
    bool is_gone = carried->is_gone;
    (void)pthread_mutex_unlock(&carried->relay->lock);
    return is_gone;
}

/* What to do with one: true, it was taken on. */
static bool try_on(struct carried *carried, const struct shard_view *view)
{
    if (has_gone(carried)) {
        refuse(carried, ERR_REQUEST_TIMEOUT, "the client has gone"); /* and is given nothing */
        return true;
    }
    if (view->state == SHARD_SERVING) {
        struct api *api = carried->request->api;
        struct api_request *request = let_go(carried);
        const struct api_route *route = request->match.route->target;

        route->handler(api, request);
        return true;
    }
    if (view->state == SHARD_STANDBY && view->owner.url[0] != '\0') {
        send_on(carried, view->owner.url);
        return true;
    }
    if (chrono_mono_ms() >= carried->end_mono_ms) {
        refuse(carried, ERR_NO_OWNER, "no server owns the shard at the moment; try again soon");
        return true;
    }
    return false;
}

/* Whether the shard's owner is somebody else than who it was sent to. */
static bool is_elsewhere(const struct carried *carried, const struct shard_view *view)
{
    size_t len = strlen(view->owner.url);

    if (view->state != SHARD_STANDBY || len == 0) {
        return view->state == SHARD_SERVING;
    }
    return strncmp(carried->target, view->owner.url, len) != 0 || carried->target[len] != '/';
}

/* An owner that stands still does not answer, and may not be heard of for long: who went there is called back when
 * there is another. */
static void look_after_moved(struct relay *relay)
{
    struct shard_view view;
    int64_t mono_ms = chrono_mono_ms();

    if (mono_ms < relay->moved_mono_ms) {
        return;
    }
    relay->moved_mono_ms = mono_ms + MOVED_LOOK_MS;
    shard_look(relay->config.shard, &view);
    (void)pthread_mutex_lock(&relay->lock);
    for (struct list_node *node = list_first(&relay->under_way); node != NULL;
         node = list_next(&relay->under_way, node)) {
        struct carried *carried = CONTAINER_OF(node, struct carried, node);

        if (!is_elsewhere(carried, &view)) {
            carried->moved_mono_ms = 0;
        } else if (carried->moved_mono_ms == 0) {
            carried->moved_mono_ms = mono_ms;
        } else if (!carried->is_moved && mono_ms >= carried->moved_mono_ms + MOVED_GRACE_MS) {
            carried->is_moved = true;
            carrier_cancel(relay->carrier, &carried->call);
        }
    }
    (void)pthread_mutex_unlock(&relay->lock);
}

static void look_after_held(struct relay *relay)
{
    struct list waiting;
    struct list again;
    struct shard_view view;
    struct list_node *node;

    list_init(&waiting);
    list_init(&again);
    (void)pthread_mutex_lock(&relay->lock);
    list_append_all(&waiting, &relay->held);
    (void)pthread_mutex_unlock(&relay->lock);
    shard_look(relay->config.shard, &view);
    while ((node = list_pop_front(&waiting)) != NULL) {
        struct carried *carried = CONTAINER_OF(node, struct carried, node);

        if (!try_on(carried, &view)) {
            list_push_back(&again, node);
        }
    }
    (void)pthread_mutex_lock(&relay->lock);
    list_append_all(&again, &relay->held);
    list_append_all(&relay->held, &again);
    relay->figures.held = 0;
    for (node = list_first(&relay->held); node != NULL; node = list_next(&relay->held, node)) {
        relay->figures.held++;
    }
    (void)pthread_mutex_unlock(&relay->lock);
}

static void *run(void *context)
{
    struct relay *relay = context;

    (void)pthread_setname_np(pthread_self(), "relay");
    (void)pthread_mutex_lock(&relay->lock);
    while (!relay->is_stopping || relay->count > 0) {
        if (relay->count == 0) {
            (void)pthread_cond_wait(&relay->changed, &relay->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&relay->lock);
        look_after_held(relay);
        look_after_moved(relay);
        (void)pthread_mutex_lock(&relay->lock);
        struct timespec until = chrono_deadline(list_empty(&relay->held) ? MOVED_LOOK_MS : LOOK_MS);

        if (relay->count > 0) {
            (void)pthread_cond_timedwait(&relay->changed, &relay->lock, &until);
        }
    }
    (void)pthread_mutex_unlock(&relay->lock);
    return NULL;
}

/* ---- taking ---- */

static int hops_of(const struct net_request *net)
{
    struct str text;
    int64_t hops = 0;

    if (net_request_header(net, STR("Belfry-Hops"), &text) > 0 &&
        str_to_int(text, 0, RELAY_HOPS_MAX, &hops, NULL) != ERR_OK) {
        return RELAY_HOPS_MAX;
    }
    return (int)hops;
}

static bool may_take(struct relay *relay, int hops, struct error *reterr)
{
    (void)pthread_mutex_lock(&relay->lock);
    bool has_room = relay->count < RELAY_REQUESTS_MAX && !relay->is_stopping;
    relay->count += has_room && hops < RELAY_HOPS_MAX;
    (void)pthread_mutex_unlock(&relay->lock);
    if (hops >= RELAY_HOPS_MAX) {
        (void)err_set(reterr, ERR_NO_OWNER, "this server does not own the shard, and who sent it here does not either");
        return false;
    }
    if (!has_room) {
        (void)err_set(reterr, ERR_OVERLOADED, "too many requests wait for the owner of the shard; try again soon");
    }
    return has_room;
}

void relay_take(struct relay *relay, struct api_request *request)
{
    int hops = hops_of(request->net);
    struct error error;

    if (!may_take(relay, hops, &error)) {
        api_problem_failed(request, &error, true);
        return;
    }
    struct carried *carried = mem_zalloc(sizeof *carried);
    struct carrier_call *call = &carried->call;
    struct str body = net_request_body(request->net);

    list_node_init(&carried->node);
    carried->relay = relay;
    carried->request = request;
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
    request->carried = carried;
    hold(carried);
}

void relay_gone(struct relay *relay, struct api_request *request)
{
    (void)pthread_mutex_lock(&relay->lock);
    struct carried *carried = request->carried;

    if (carried != NULL) {
        carried->is_gone = true; /* one that is held ends with the next look */
    }
    if (carried != NULL && carried->is_under_way) {
        carrier_cancel(relay->carrier, &carried->call);
    }
    (void)pthread_mutex_unlock(&relay->lock);
}

/* ---- life ---- */

struct relay *relay_new(const struct relay_config *config)
{
    struct relay *relay = mem_zalloc(sizeof *relay);

    relay->config = *config;
    relay->carrier = carrier_new();
    (void)pthread_mutex_init(&relay->lock, NULL);
    pthread_condattr_t attr;

    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&relay->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
    list_init(&relay->held);
    list_init(&relay->under_way);
    relay->has_thread = pthread_create(&relay->thread, NULL, run, relay) == 0;
    relay->is_stopping = !relay->has_thread;
    return relay;
}

void relay_stop(struct relay *relay)
{
    struct list_node *node;

    (void)pthread_mutex_lock(&relay->lock);
    relay->is_stopping = true;
    for (node = list_first(&relay->held); node != NULL; node = list_next(&relay->held, node)) {
        CONTAINER_OF(node, struct carried, node)->end_mono_ms = 0;
    }
    (void)pthread_cond_broadcast(&relay->changed);
    (void)pthread_mutex_unlock(&relay->lock);
    carrier_stop(relay->carrier);
    if (relay->has_thread) {
        (void)pthread_join(relay->thread, NULL);
        relay->has_thread = false;
    }
}

void relay_free(struct relay *relay)
{
    if (relay != NULL) {
        relay_stop(relay);
        carrier_free(relay->carrier);
        (void)pthread_cond_destroy(&relay->changed);
        (void)pthread_mutex_destroy(&relay->lock);
        mem_free(relay);
    }
}
