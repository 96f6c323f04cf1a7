#include "cut_proxy.h"

#include <arpa/inet.h>
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

#define PAIRS_MAX 32
/* How often the thread looks whether it is to stop or to misbehave. */
#define LOOK_MS 5

struct pair {
    int client, server; /* -1: none */
};

struct cut_proxy {
    pthread_t thread;
    int listener;
    uint16_t port, to_port;
    _Atomic int cut;
    atomic_bool is_over;
    struct pair pairs[PAIRS_MAX];
};

static struct sockaddr_in address_of(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
}

static void close_pair(struct pair *pair)
{
    (void)close(pair->client);
    (void)close(pair->server);
    *pair = (struct pair){-1, -1};
}

static void take_one(struct cut_proxy *proxy)
{
    struct sockaddr_in to = address_of(proxy->to_port);
    struct pair pair = {.client = accept(proxy->listener, NULL, NULL), .server = socket(AF_INET, SOCK_STREAM, 0)};

    assert(pair.client >= 0 && pair.server >= 0);
    if (proxy->cut == CUT_ALL || connect(pair.server, (struct sockaddr *)&to, sizeof to) != 0) {
        close_pair(&pair);
        return;
    }
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        if (proxy->pairs[i].client < 0) {
            proxy->pairs[i] = pair;
            return;
        }
    }
    close_pair(&pair);
}

/* Moves what is there; false: this side is at its end. */
static bool move(int from, int to, bool is_kept)
{
    char bytes[65536];
    ssize_t count = recv(from, bytes, sizeof bytes, MSG_DONTWAIT);

    for (ssize_t sent = 0; count > 0 && is_kept && sent < count;) {
        ssize_t some = send(to, bytes + sent, (size_t)(count - sent), MSG_NOSIGNAL);

        if (some <= 0) {
            return false;
        }
        sent += some;
    }
    return count > 0;
}

static void serve(struct cut_proxy *proxy, struct pair *pair)
{
    struct pollfd fds[] = {{.fd = pair->client, .events = POLLIN}, {.fd = pair->server, .events = POLLIN}};
    enum cut cut = (enum cut)proxy->cut;

    (void)poll(fds, 2, 0);
    bool asks = fds[0].revents != 0;
    bool answers = fds[1].revents != 0;

    if (cut == CUT_ALL || (cut == CUT_REQUESTS && asks) || (cut == CUT_ANSWERS && answers) ||
        (asks && !move(pair->client, pair->server, true)) ||
        (answers && !move(pair->server, pair->client, cut != CUT_SILENCE))) {
        close_pair(pair);
    }
}

static void *run(void *arg)
{
    struct cut_proxy *proxy = arg;

    while (!proxy->is_over) {
        struct pollfd fds[PAIRS_MAX * 2 + 1] = {{.fd = proxy->listener, .events = POLLIN}};
        nfds_t count = 1;

        for (size_t i = 0; i < PAIRS_MAX; i++) {
            fds[count++] = (struct pollfd){.fd = proxy->pairs[i].client, .events = POLLIN};
            fds[count++] = (struct pollfd){.fd = proxy->pairs[i].server, .events = POLLIN};
        }
        (void)poll(fds, count, LOOK_MS);
        if (fds[0].revents != 0) {
            take_one(proxy);
        }
        for (size_t i = 0; i < PAIRS_MAX; i++) {
            if (proxy->pairs[i].client >= 0) {
                serve(proxy, &proxy->pairs[i]);
            }
        }
    }
    return NULL;
}

struct cut_proxy *cut_proxy_start(uint16_t to_port)
{
    struct cut_proxy *proxy = mem_zalloc(sizeof *proxy);
    struct sockaddr_in address = address_of(0);
    socklen_t len = sizeof address;

    proxy->to_port = to_port;
    proxy->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(proxy->listener, (struct sockaddr *)&address, sizeof address) == 0);
    assert(listen(proxy->listener, PAIRS_MAX) == 0);
    assert(getsockname(proxy->listener, (struct sockaddr *)&address, &len) == 0);
    proxy->port = ntohs(address.sin_port);
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        proxy->pairs[i] = (struct pair){-1, -1};
    }
    int failed = pthread_create(&proxy->thread, NULL, run, proxy);

    assert(failed == 0);
    (void)failed;
    return proxy;
}

void cut_proxy_stop(struct cut_proxy *proxy)
{
    proxy->is_over = true;
    (void)pthread_join(proxy->thread, NULL);
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        if (proxy->pairs[i].client >= 0) {
            close_pair(&proxy->pairs[i]);
        }
    }
    (void)close(proxy->listener);
    mem_free(proxy);
}

uint16_t cut_proxy_port(const struct cut_proxy *proxy)
{
    return proxy->port;
}

void cut_proxy_set(struct cut_proxy *proxy, enum cut cut)
{
    proxy->cut = cut;
}
