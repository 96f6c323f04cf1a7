#include "worker.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "text.h"

#define POOLS_MAX 64
#define HOST_BYTES_MAX 65

/* A lease goes on while the machine sleeps, and so does this clock. */
int64_t bf_mono_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void bf_worker_wake(struct belfry_worker *worker)
{
    uint64_t one = 1;

    (void)!write(worker->wake_fd, &one, sizeof one); /* it can only fail because it is awake */
}

/* ---- new and free ---- */

static void set_pools(struct belfry_worker *worker, const struct belfry_worker_options *options)
{
    static const char *const default_pools[] = {"default"};
    const char *const *pools = options->pools != NULL ? options->pools : default_pools;

    worker->pool_count = options->pools != NULL ? options->pool_count : 1;
    worker->pools = bf_zalloc(worker->pool_count, sizeof *worker->pools);
    for (size_t i = 0; i < worker->pool_count; i++) {
        worker->pools[i] = bf_copy_of(pools[i]);
    }
}

static void set_names(struct belfry_worker *worker, const struct belfry_worker_options *options)
{
    char host[HOST_BYTES_MAX] = "";

    (void)gethostname(host, sizeof host - 1);
    worker->name = bf_copy_of(options->name != NULL ? options->name : host);
    memcpy(worker->id, "w-", 2);
    bf_random_hex(worker->id + 2, 32);
}

enum belfry_status belfry_worker_new(struct belfry *client, const struct belfry_worker_options *options,
                                     struct belfry_worker **ret_worker, struct belfry_error *ret_error)
{
    static const struct belfry_worker_options none;
    const struct belfry_worker_options *given = options != NULL ? options : &none;
    unsigned threads = given->threads > 0 ? given->threads : 1;

    if (threads > BELFRY_THREADS_MAX || given->prefetch > BELFRY_CAPACITY_MAX - threads) {
        return bf_fail(ret_error, BELFRY_INVALID, "at most %d threads, and %d attempts at once", BELFRY_THREADS_MAX,
                       BELFRY_CAPACITY_MAX);
    }
    if (given->pools != NULL && (given->pool_count == 0 || given->pool_count > POOLS_MAX)) {
        return bf_fail(ret_error, BELFRY_INVALID, "a worker serves 1 to %d pools", POOLS_MAX);
    }
    int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd < 0) {
        return bf_fail(ret_error, BELFRY_INVALID, "too many files are open");
    }
    struct belfry_worker *worker = bf_zalloc(1, sizeof *worker);

    worker->client = client;
    worker->wake_fd = wake_fd;
    worker->threads = threads;
    worker->capacity = threads + given->prefetch;
    worker->on_trouble = given->on_trouble;
    worker->context = given->context;
    worker->work_count = (size_t)worker->capacity * 2;
    worker->works = bf_zalloc(worker->work_count, sizeof *worker->works);
    worker->seen = bf_zalloc(SEEN_MAX, sizeof *worker->seen);
    set_pools(worker, given);
    set_names(worker, given);
    (void)pthread_mutex_init(&worker->lock, NULL);
    (void)pthread_cond_init(&worker->queued, NULL);
    *ret_worker = worker;
    return BELFRY_OK;
}

void belfry_worker_free(struct belfry_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    for (size_t i = 0; i < worker->work_count; i++) {
        bf_work_free(&worker->works[i]);
    }
    for (size_t i = 0; i < worker->pool_count; i++) {
        free(worker->pools[i]);
    }
    for (size_t i = 0; i < worker->route_count; i++) {
        free(worker->routes[i].type);
    }
    (void)pthread_cond_destroy(&worker->queued);
    (void)pthread_mutex_destroy(&worker->lock);
    (void)close(worker->wake_fd);
    free(worker->works);
    free(worker->seen);
    free(worker->pools);
    free(worker->name);
    free(worker);
}

/* ---- handlers ---- */

static const struct route *find_route(const struct belfry_worker *worker, const char *type)
{
    const struct route *for_all = NULL;

    for (size_t i = 0; i < worker->route_count; i++) {
        const struct route *route = &worker->routes[i];

        if (route->type == NULL) {
            for_all = route;
        } else if (type != NULL && strcmp(route->type, type) == 0) {
            return route;
        }
    }
    return for_all;
}

enum belfry_status belfry_worker_handle(struct belfry_worker *worker, const char *type, belfry_handler handler,
                                        void *context)
{
    const struct route *same = find_route(worker, type);
    bool is_there = same != NULL && (type == NULL || same->type != NULL);

    if (handler == NULL || is_there || worker->route_count == ROUTES_MAX) {
        return BELFRY_INVALID;
    }
    worker->routes[worker->route_count++] =
        (struct route){.type = bf_copy_of(type), .handler = handler, .context = context};
    return BELFRY_OK;
}

static enum belfry_outcome run_handler(const struct belfry_worker *worker, struct belfry_attempt *attempt)
{
    const struct route *route = find_route(worker, attempt->type);

    if (route == NULL) {
        return belfry_attempt_fail(attempt, "no_handler", "this worker has no handler for the type");
    }
    return route->handler(attempt, route->context);
}

static struct work *next_queued(struct belfry_worker *worker)
{
    struct work *next = NULL;

    for (size_t i = 0; i < worker->work_count; i++) {
        struct work *work = &worker->works[i];

        if (work->state == WORK_QUEUED && (next == NULL || work->serial < next->serial)) {
            next = work;
        }
    }
    return next;
}

static void *handle_works(void *argument)
{
    struct belfry_worker *worker = argument;

    (void)pthread_mutex_lock(&worker->lock);
    while (!worker->is_over) {
        struct work *work = atomic_load(&worker->is_stopping) ? NULL : next_queued(worker);

        if (work == NULL) {
            (void)pthread_cond_wait(&worker->queued, &worker->lock);
            continue;
        }
        work->state = WORK_RUNNING;
        (void)pthread_mutex_unlock(&worker->lock);
        enum belfry_outcome outcome = run_handler(worker, &work->attempt);

        (void)pthread_mutex_lock(&worker->lock);
        bf_work_end(work, outcome);
    }
    (void)pthread_mutex_unlock(&worker->lock);
    return NULL;
}

/* ---- running ---- */

/* Signals are for the program's own threads, not for handlers. */
static unsigned start_threads(struct belfry_worker *worker, pthread_t *threads)
{
    sigset_t all, before;
    unsigned started = 0;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < worker->threads && pthread_create(&threads[started], NULL, handle_works, worker) == 0) {
        started++;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void end_threads(struct belfry_worker *worker, const pthread_t *threads, unsigned started)
{
    (void)pthread_mutex_lock(&worker->lock);
    worker->is_over = true;
    (void)pthread_cond_broadcast(&worker->queued);
    (void)pthread_mutex_unlock(&worker->lock);
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

/* TLS writes to connections that may be gone; that must not end the program. */
static enum belfry_status talk_without_sigpipe(struct belfry_worker *worker, struct belfry_error *ret_error)
{
    static const struct timespec at_once;
    sigset_t pipe, before;

    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe, &before);
    enum belfry_status status = bf_worker_talk(worker, ret_error);

    (void)sigtimedwait(&pipe, NULL, &at_once);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

enum belfry_status belfry_worker_run(struct belfry_worker *worker, struct belfry_error *ret_error)
{
    pthread_t threads[BELFRY_THREADS_MAX];
    enum belfry_status status;

    if (worker->is_over) {
        return bf_fail(ret_error, BELFRY_INVALID, "a worker runs once");
    }
    unsigned started = start_threads(worker, threads);

    if (started == worker->threads) {
        status = talk_without_sigpipe(worker, ret_error);
    } else {
        status = bf_fail(ret_error, BELFRY_INVALID, "only %u of %u threads could start", started, worker->threads);
    }
    end_threads(worker, threads, started);
    return status;
}

void belfry_worker_stop(struct belfry_worker *worker)
{
    atomic_store(&worker->is_stopping, true);
    bf_worker_wake(worker);
}
