#include "worker/worker.h"

#include <curl/curl.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/name.h"
#include "worker/child_env.h"
#include "worker/limits_worker.h"
#include "worker/orphans.h"
#include "worker/signature.h"
#include "worker/worker_inside.h"

void worker_id_new(char ret_id[WORKER_ID_BYTES])
{
    uint64_t bits[2];

    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        mem_exhausted("random bytes", 1, sizeof bits);
    }
    (void)snprintf(ret_id, WORKER_ID_BYTES, "w-%016llx%016llx", (unsigned long long)bits[0],
                   (unsigned long long)bits[1]);
}

static char **copy_environment(void)
{
    size_t count = 0;

    while (environ[count] != NULL) {
        count++;
    }
    char **copy = mem_alloc_array(count + 1, sizeof *copy);

    for (size_t i = 0; i < count; i++) {
        copy[i] = mem_strdup(environ[i]);
    }
    copy[count] = NULL;
    return copy;
}

static enum err check_config(const struct worker_config *config, struct error *reterr)
{
    struct str rest = str_from(config->url), url;

    do {
        if (!addresses_cut(&rest, &url) ||
            (!str_starts_with(url, STR("http://")) && !str_starts_with(url, STR("https://")))) {
            return err_set(reterr, ERR_INVALID, "the server's URL must begin with http:// or https://");
        }
    } while (rest.len > 0);
    if (config->slots > SLOTS_MAX || config->pool_count > POOLS_MAX) {
        return err_set(reterr, ERR_INVALID, "a worker has at most %d slots and %d pools", SLOTS_MAX, POOLS_MAX);
    }
    for (size_t i = 0; i < config->pool_count; i++) {
        enum err err = name_check(str_from(config->pools[i]), reterr);

        if (err != ERR_OK) {
            return err_wrap(reterr, err, "pool");
        }
    }
    return config->webhook_secrets != NULL ? signature_check(str_from(config->webhook_secrets), reterr) : ERR_OK;
}

static char *host_name(void)
{
    char name[256] = "worker";

    (void)gethostname(name, sizeof name - 1);
    return mem_strdup(name);
}

static void copy_config(struct worker *worker, const struct worker_config *config)
{
    static const char *const standard[] = {"default"};
    const char *const *pools = config->pool_count > 0 ? config->pools : standard;

    if (config->id != NULL) {
        (void)snprintf(worker->id, sizeof worker->id, "%s", config->id);
    } else {
        worker_id_new(worker->id);
    }
    worker->url = mem_strdup(config->url);
    worker->token = mem_strdup(config->token);
    worker->name = config->name != NULL ? mem_strdup(config->name) : host_name();
    worker->secrets = mem_strdup(config->webhook_secrets);
    worker->pool_count = config->pool_count > 0 ? config->pool_count : 1;
    worker->pools = mem_alloc_array(worker->pool_count, sizeof *worker->pools);
    worker->pool_names = mem_alloc_array(worker->pool_count + 1, sizeof *worker->pool_names);
    for (size_t i = 0; i < worker->pool_count; i++) {
        worker->pool_names[i] = mem_strdup(pools[i]);
        worker->pools[i] = str_from(worker->pool_names[i]);
    }
    worker->pool_names[worker->pool_count] = NULL;
    worker->slots = config->slots > 0 ? config->slots : SLOTS_DEFAULT;
    worker->per_host_max = config->per_host_max > 0 ? config->per_host_max : PER_HOST_DEFAULT;
    worker->grace_ms = config->grace_ms;
    worker->is_exec_allowed = config->is_exec_allowed;
    worker->is_private_denied = config->is_private_denied;
    worker->environment = copy_environment();
}

static void free_config(struct worker *worker)
{
    if (worker->token != NULL) {
        explicit_bzero(worker->token, strlen(worker->token));
    }
    if (worker->secrets != NULL) {
        explicit_bzero(worker->secrets, strlen(worker->secrets));
    }
    mem_free(worker->url);
    mem_free(worker->token);
    mem_free(worker->name);
    mem_free(worker->secrets);
    mem_free(worker->pools);
    child_texts_free(worker->pool_names);
    child_texts_free(worker->environment);
    mem_free(worker);
}

/* Every signal is blocked in the thread: they are the program's business, and spawn.h wants it so. */
static int start_thread(struct worker *worker)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);

    int error = pthread_create(&worker->thread, NULL, serve, worker);

    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Every slot needs some; the usual soft limit of 1,024 is there for select(), which nobody here uses. */
static enum err raise_descriptors(struct worker *worker, struct error *reterr)
{
    rlim_t needed = (rlim_t)worker->slots * SLOT_DESCRIPTORS + OTHER_DESCRIPTORS;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return err_set(reterr, ERR_IO, "the limit of open descriptors is not known: %s", strerror(errno));
    }
    worker->descriptors = limit.rlim_cur;
    if (limit.rlim_cur >= needed) {
        return ERR_OK;
    }
    if (limit.rlim_max < needed) {
        return err_set(reterr, ERR_INVALID,
                       "%u slots need %llu open descriptors and %llu are allowed; take fewer slots, or raise ulimit -n",
                       worker->slots, (unsigned long long)needed, (unsigned long long)limit.rlim_max);
    }
    limit.rlim_cur = needed;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0
               ? ERR_OK
               : err_set(reterr, ERR_IO, "the limit of open descriptors cannot be raised: %s", strerror(errno));
}

static enum err set_up(struct worker *worker, struct error *reterr)
{
    enum err err = raise_descriptors(worker, reterr);

    if (err == ERR_OK && worker->is_exec_allowed) {
        err = orphans_adopt(reterr);
    }
    if (err != ERR_OK) {
        return err;
    }
    worker->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->wake_fd < 0) {
        return err_set(reterr, ERR_IO, "no event descriptor: %s", strerror(errno));
    }
    err = serve_init(worker, reterr);
    if (err == ERR_OK) {
        int error = start_thread(worker);

        if (error == 0) {
            return ERR_OK;
        }
        serve_done(worker);
        err = err_set(reterr, ERR_IO, "no thread for the worker: %s", strerror(error));
    }
    (void)close(worker->wake_fd);
    return err;
}

enum err worker_start(const struct worker_config *config, struct worker **ret_worker, struct error *reterr)
{
    enum err err = check_config(config, reterr);

    if (err != ERR_OK) {
        return err;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return err_set(reterr, ERR_IO, "libcurl cannot be used");
    }
    struct worker *worker = mem_zalloc(sizeof *worker);

    copy_config(worker, config);
    err = set_up(worker, reterr);
    if (err != ERR_OK) {
        free_config(worker);
        curl_global_cleanup();
        return err;
    }
    *ret_worker = worker;
    return ERR_OK;
}

static void command(struct worker *worker, enum command wanted)
{
    uint64_t one = 1;
    int before = atomic_load(&worker->command);

    while (before < (int)wanted && !atomic_compare_exchange_weak(&worker->command, &before, (int)wanted)) {
    }
    (void)!write(worker->wake_fd, &one, sizeof one);
}

void worker_drain(struct worker *worker)
{
    command(worker, COMMAND_DRAIN);
}

void worker_stop(struct worker *worker)
{
    command(worker, COMMAND_STOP);
}

bool worker_has_ended(const struct worker *worker)
{
    return atomic_load(&worker->has_ended);
}

void worker_wait(struct worker *worker)
{
    if (!worker->is_joined) {
        worker->is_joined = true;
        (void)pthread_join(worker->thread, NULL);
    }
}

void worker_free(struct worker *worker)
{
    if (worker == NULL) {
        return;
    }
    if (!worker->is_joined) {
        worker_stop(worker);
        worker_wait(worker);
    }
    serve_done(worker);
    (void)close(worker->wake_fd);
    free_config(worker);
    curl_global_cleanup();
}

void worker_figures(const struct worker *worker, struct worker_figures *ret_figures)
{
    *ret_figures = (struct worker_figures){
        .started = atomic_load(&worker->started),
        .succeeded = atomic_load(&worker->succeeded),
        .failed = atomic_load(&worker->failed),
        .released = atomic_load(&worker->released),
        .cancelled = atomic_load(&worker->cancelled),
        .exchanges = atomic_load(&worker->exchanges),
        .exchange_failures = atomic_load(&worker->exchange_failures),
        .reports_refused = atomic_load(&worker->reports_refused),
        .running = atomic_load(&worker->running),
        .reports_waiting = atomic_load(&worker->reports_waiting),
        .is_connected = atomic_load(&worker->is_connected),
    };
}

const char *worker_id(const struct worker *worker)
{
    return worker->id;
}
