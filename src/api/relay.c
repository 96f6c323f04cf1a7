#include "api/relay_inside.h"

#include "api/routes.h"
#include "base/chrono.h"
#include "base/mem.h"

/* How often those who are held look for an owner. */
#define LOOK_MS 20
/* How often those who are under way are looked after: whether who they went to is the owner still. */
#define MOVED_LOOK_MS 100
/* An owner that handed over has answered before it did: that answer is given the time to arrive. */
#define MOVED_GRACE_MS 1000

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
    ret_figures->held += list_empty(&relay->coming) ? 0 : 1;
    (void)pthread_mutex_unlock(&relay->lock);
}

/* ---- those who are held ---- */

static bool has_gone(struct carried *carried)
{
    (void)pthread_mutex_lock(&carried->relay->lock);
    bool is_gone = carried->is_gone;
    (void)pthread_mutex_unlock(&carried->relay->lock);
    return is_gone;
}

/* Rule 7. */
static bool may_go(const struct carried *carried, const struct shard_view *view)
{
    return chrono_mono_ms() >= carried->next_mono_ms || carried_is_elsewhere(carried, view);
}

/* What to do with one: true, it was taken on. */
static bool try_on(struct carried *carried, const struct shard_view *view, bool is_stopping)
{
    if (has_gone(carried)) {
        carried_refuse(carried, ERR_REQUEST_TIMEOUT, "the client has gone"); /* and is given nothing */
        return true;
    }
    if (is_stopping) {
        carried_refuse(carried, ERR_DRAINING, "the server is stopping");
        return true;
    }
    if (view->state == SHARD_SERVING) {
        carried_give_back(carried);
        return true;
    }
    /* Of an owner whose lease is over nobody knows whether it lives. */
    if (view->state == SHARD_STANDBY && view->owner.is_owned && may_go(carried, view)) {
        carried_send(carried, view->owner.url);
        return true;
    }
    if (chrono_mono_ms() >= carried->end_mono_ms) {
        carried_refuse(carried, ERR_NO_OWNER, "no server owns the shard at the moment; try again soon");
        return true;
    }
    return false;
}

static void try_all(struct relay *relay, struct list *waiting, bool is_stopping)
{
    struct list again;
    struct shard_view view;
    struct list_node *node;

    list_init(&again);
    shard_look(relay->config.shard, &view);
    while ((node = list_pop_front(waiting)) != NULL) {
        if (!try_on(CONTAINER_OF(node, struct carried, node), &view, is_stopping)) {
            list_push_back(&again, node);
        }
    }
    (void)pthread_mutex_lock(&relay->lock);
    list_append_all(&relay->held, &again);
    relay->figures.held = 0;
    for (node = list_first(&relay->held); node != NULL; node = list_next(&relay->held, node)) {
        relay->figures.held++;
    }
    (void)pthread_mutex_unlock(&relay->lock);
}

/* Those who come are looked at as they come; those who are held, now and then. */
static void look_after_held(struct relay *relay)
{
    struct list waiting;
    int64_t mono_ms = chrono_mono_ms();

    list_init(&waiting);
    (void)pthread_mutex_lock(&relay->lock);
    if (mono_ms >= relay->held_mono_ms || relay->is_stopping) {
        relay->held_mono_ms = mono_ms + LOOK_MS;
        list_append_all(&waiting, &relay->held);
    }
    list_append_all(&waiting, &relay->coming);
    bool is_stopping = relay->is_stopping;
    (void)pthread_mutex_unlock(&relay->lock);
    if (!list_empty(&waiting)) {
        try_all(relay, &waiting, is_stopping);
    }
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

        if (!carried_is_elsewhere(carried, &view)) {
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

        if (relay->count > 0 && list_empty(&relay->coming)) {
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

static bool may_take(struct relay *relay, const struct api_request *request, int hops, struct error *reterr)
{
    int hops_max = request->match.route->id == API_ROUTE_WORK ? 1 : RELAY_HOPS_MAX; /* rule 2 */

    (void)pthread_mutex_lock(&relay->lock);
    bool has_room = relay->count < RELAY_REQUESTS_MAX && !relay->is_stopping;
    relay->count += has_room && hops < hops_max;
    (void)pthread_mutex_unlock(&relay->lock);
    if (hops >= hops_max) {
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

    if (!may_take(relay, request, hops, &error)) {
        api_problem_failed(request, &error, request->call.exchange.report_count == 0); /* or the shard may have them */
        return;
    }
    struct carried *carried = carried_new(relay, request, hops);

    (void)pthread_mutex_lock(&relay->lock);
    request->carried = carried;
    carried->is_gone = request->is_gone;
    (void)pthread_mutex_unlock(&relay->lock);
    carried_hold(carried);
}

void relay_gone(struct relay *relay, struct api_request *request)
{
    (void)pthread_mutex_lock(&relay->lock);
    struct carried *carried = request->carried;

    request->is_gone = true;
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
    list_init(&relay->coming);
    list_init(&relay->held);
    list_init(&relay->under_way);
    relay->has_thread = pthread_create(&relay->thread, NULL, run, relay) == 0;
    if (!relay->has_thread) {
        relay->is_stopping = true; /* takes nothing */
    }
    return relay;
}

void relay_drain(struct relay *relay)
{
    (void)pthread_mutex_lock(&relay->lock);
    relay->is_draining = true;
    for (struct list_node *node = list_first(&relay->under_way); node != NULL;
         node = list_next(&relay->under_way, node)) {
        carried_drain(CONTAINER_OF(node, struct carried, node));
    }
    (void)pthread_mutex_unlock(&relay->lock);
}

void relay_stop(struct relay *relay)
{
    (void)pthread_mutex_lock(&relay->lock);
    relay->is_stopping = true;
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
