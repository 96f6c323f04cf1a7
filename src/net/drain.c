#include <sys/socket.h>

#include <assert.h>

#include "base/mem.h"
#include "net/inside.h"

void net_server_unref(struct net_server *server)
{
    if (atomic_fetch_sub(&server->refs, 1) > 1) {
        return;
    }
    for (size_t i = 0; i < server->loop_count; i++) {
        net_loop_done(&server->loops[i]);
        (void)pthread_mutex_destroy(&server->loops[i].mutex);
    }
    net_addresses_free(server->addresses);
    (void)sem_destroy(&server->door_closed);
    mem_free(server);
}

/* A connection that was just made has a request behind it, mostly: cut off now its client could not know whether it
 * arrived. */
static bool is_fresh(const struct net_conn *conn)
{
    return !conn->has_served && (conn->request == NULL || conn->request->step == NET_STEP_NONE);
}

void net_conn_hurry(struct net_conn *conn)
{
    int64_t end_mono_ms = conn->loop->now_mono_ms + conn->loop->server->config.fresh_ms;

    conn->deadline_mono_ms = conn->deadline_mono_ms < end_mono_ms ? conn->deadline_mono_ms : end_mono_ms;
}

/* Idle ones close. What a client has sent by now is still served: only the socket's reading side is shut. */
static void begin(struct net_loop *loop)
{
    for (struct list_node *node = list_first(&loop->conns); node != NULL; node = list_next(&loop->conns, node)) {
        struct net_conn *conn = CONTAINER_OF(node, struct net_conn, node);

        if (conn->stream != NULL) {
            net_stream_stop(conn->stream);
        } else if (is_fresh(conn)) {
            net_conn_hurry(conn);
        } else if (conn->request == NULL || conn->request->step == NET_STEP_NONE) {
            (void)shutdown(conn->fd, SHUT_RD);
        }
    }
}

/* Takes the request from its connection, unless it is in the inbox already. */
static bool make_orphan(struct net_conn *conn)
{
    struct net_loop *loop = conn->loop;
    struct net_request *request = conn->request;
    bool is_orphan;

    (void)pthread_mutex_lock(&loop->mutex);
    is_orphan = !request->is_answered && !request->is_again;
    if (is_orphan) {
        (void)atomic_fetch_add(&loop->server->refs, 1); /* rule 4 */
        request->is_orphan = true;
        request->conn = NULL;
    }
    (void)pthread_mutex_unlock(&loop->mutex);
    if (is_orphan) {
        conn->request = NULL;
        (void)atomic_fetch_sub_explicit(&loop->requests_waiting, 1, memory_order_relaxed);
    }
    return is_orphan;
}

static void answer_for(struct net_conn *conn)
{
    struct MHD_Response *response = net_answer_unavailable();

    if (MHD_queue_response(conn->mhd, 503, response) != MHD_YES) {
        net_conn_cut(conn);
    }
    MHD_destroy_response(response);
    net_conn_resume(conn);
}

/* The grace period is over: whoever waits is told so, everybody else is cut off. */
static void give_up(struct net_loop *loop)
{
    for (struct list_node *node = list_first(&loop->conns); node != NULL; node = list_next(&loop->conns, node)) {
        struct net_conn *conn = CONTAINER_OF(node, struct net_conn, node);

        if (conn->stream != NULL) {
            net_conn_cut(conn);
            net_stream_stop(conn->stream);
        } else if (conn->is_suspended) {
            if (make_orphan(conn)) {
                answer_for(conn);
            }
        } else if (conn->request == NULL || conn->request->step < NET_STEP_REFUSED) {
            net_conn_cut(conn);
        } /* the rest has its answer on the way */
    }
}

void net_loop_drain(struct net_loop *loop)
{
    if (!loop->is_draining) {
        loop->is_draining = true;
        begin(loop);
    }
    if (!loop->is_flushing && loop->now_mono_ms >= atomic_load(&loop->server->stop_mono_ms)) {
        loop->is_flushing = true;
        loop->flush_mono_ms = loop->now_mono_ms;
        give_up(loop);
    }
}
