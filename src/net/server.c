#include <errno.h>
#include <unistd.h>

#include <assert.h>
#include <signal.h>
#include <string.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "net/inside.h"

struct net_config net_config_default(void)
{
    return (struct net_config){
        .address = "127.0.0.1",
        .port = 0,
        .threads = 2,
        .connections_max = 10000,
        .connections_per_address_max = 0,
        .streams_max = 1000,
        .header_bytes_max = 8192,
        .body_bytes_max = 1024UL * 1024,
        .bodies_bytes_max = 256UL * 1024 * 1024,
        .first_request_ms = 20000,
        .idle_ms = 75000,
        .transfer_ms = 20000,
        .fresh_ms = 250,
        .transfer_bytes_per_s_min = 16384,
    };
}

static enum err check_config(const struct net_config *config, struct error *reterr)
{
    if (config->threads < 1 || config->threads > NET_THREADS_MAX) {
        return err_set(reterr, ERR_INVALID, "the server has 1 to %d threads", NET_THREADS_MAX);
    }
    if (config->connections_max < 1 || config->connections_max > NET_CONNECTIONS_MAX) {
        return err_set(reterr, ERR_INVALID, "the server has 1 to %d connections", NET_CONNECTIONS_MAX);
    }
    if (config->header_bytes_max < 1024 || config->header_bytes_max > 64 * 1024) {
        return err_set(reterr, ERR_INVALID, "headers have 1 to 64 KiB");
    }
    if (config->first_request_ms <= 0 || config->idle_ms <= 0 || config->transfer_ms <= 0 ||
        config->transfer_bytes_per_s_min < 1) {
        return err_set(reterr, ERR_INVALID, "a time-out of the server is longer than 0");
    }
    return ERR_OK;
}

/* Threads that were started stop by themselves; with nothing accepted that is at once. */
static void stop_loops(struct net_server *server, size_t started, int64_t grace_ms)
{
    atomic_store(&server->stop_mono_ms, chrono_mono_ms() + grace_ms);
    atomic_store(&server->is_stopping, true);
    for (size_t i = 0; i < started; i++) {
        net_loop_wake(&server->loops[i]);
    }
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(server->loops[i].thread, NULL);
    }
}

static enum err start_threads(struct net_server *server, struct error *reterr)
{
    sigset_t all;
    sigset_t before;
    size_t started = 0;
    int why = 0;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are the program's, not a loop's */
    while (started < server->loop_count && why == 0) {
        why = pthread_create(&server->loops[started].thread, NULL, net_loop_run, &server->loops[started]);
        started += why == 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (why != 0) {
        stop_loops(server, started, 0);
        return err_set(reterr, ERR_IO, "cannot start a thread: %s", strerror(why));
    }
    return ERR_OK;
}

static enum err start_parts(struct net_server *server, struct error *reterr)
{
    enum err err = net_listen(server->config.address, server->config.port, &server->listen_fd, &server->port, reterr);

    for (size_t i = 0; i < server->config.threads && err == ERR_OK; i++) {
        err = net_loop_init(&server->loops[i], server, reterr);
        server->loop_count += err == ERR_OK;
    }
    return err == ERR_OK ? start_threads(server, reterr) : err;
}

enum err net_server_start(const struct net_config *config, struct net_server **ret_server, struct error *reterr)
{
    struct net_server *server;
    enum err err = check_config(config, reterr);

    assert(config->handle != NULL);
    if (err != ERR_OK) {
        return err;
    }
    server = mem_zalloc(sizeof *server);
    server->config = *config;
    server->listen_fd = -1;
    atomic_init(&server->refs, 1);
    (void)sem_init(&server->door_closed, 0, 0);
    if (config->connections_per_address_max > 0) {
        server->addresses = net_addresses_new(config->connections_per_address_max);
    }
    err = start_parts(server, reterr);
    server->config.address = NULL; /* was borrowed */
    if (err != ERR_OK) {
        if (server->listen_fd >= 0) {
            (void)close(server->listen_fd);
        }
        net_server_unref(server);
        return err;
    }
    *ret_server = server;
    return ERR_OK;
}

void net_server_send_away(struct net_server *server)
{
    atomic_store(&server->sends_away, true);
}

void net_server_stop_accepting(struct net_server *server)
{
    if (!atomic_exchange(&server->stops_accepting, true)) {
        net_loop_wake(&server->loops[0]);
        while (sem_wait(&server->door_closed) != 0) { /* interrupted */
        }
    }
}

size_t net_server_stop(struct net_server *server, int64_t grace_ms)
{
    size_t left;

    net_server_stop_accepting(server); /* so that no loop is given a connection after it has ended */
    stop_loops(server, server->loop_count, grace_ms);
    left = atomic_load(&server->refs) - 1;
    net_server_unref(server);
    return left;
}

uint16_t net_server_port(const struct net_server *server)
{
    return server->port;
}

static void add_loop(struct net_loop *loop, struct net_figures *figures)
{
    figures->requests_total += atomic_load_explicit(&loop->requests_total, memory_order_relaxed);
    figures->requests_waiting += atomic_load_explicit(&loop->requests_waiting, memory_order_relaxed);
    figures->requests_gone += atomic_load_explicit(&loop->requests_gone, memory_order_relaxed);
    figures->requests_refused += atomic_load_explicit(&loop->requests_refused, memory_order_relaxed);
    figures->timeouts += atomic_load_explicit(&loop->timeouts, memory_order_relaxed);
    figures->bytes_in += atomic_load_explicit(&loop->bytes_in, memory_order_relaxed);
    figures->bytes_out += atomic_load_explicit(&loop->bytes_out, memory_order_relaxed);
    (void)pthread_mutex_lock(&loop->mutex);
    histogram_merge(&figures->lag, &loop->lag);
    (void)pthread_mutex_unlock(&loop->mutex);
}

void net_server_figures(struct net_server *server, struct net_figures *ret_figures)
{
    struct net_figures figures = {
        .connections_open = atomic_load(&server->conn_count),
        .connections_total = atomic_load(&server->connections_total),
        .connections_refused = atomic_load(&server->connections_refused),
        .streams_open = atomic_load(&server->stream_count),
        .streams_overflowed = atomic_load(&server->streams_overflowed),
        .bodies_bytes = atomic_load(&server->bodies_bytes),
    };

    for (size_t i = 0; i < server->loop_count; i++) {
        add_loop(&server->loops[i], &figures);
    }
    *ret_figures = figures;
}
