#include "api/exporter.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/chrono.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"
#include "client/carrier.h"

#define PATH "/v1/traces"
#define URL_BYTES_MAX 2048
/* Of a text in a span; the whole error is with the attempt. */
#define TEXT_BYTES_MAX 1024

struct exporter {
    char *url, *server;
    const char *version;
    struct carrier *carrier;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    struct wire_span *queue[EXPORTER_QUEUE_MAX]; /* a ring */
    size_t first, count;
    uint64_t sent, dropped, failed;
    bool is_stopping;
    int64_t stop_mono_ms; /* while stopping: until when to send */
    bool is_answered;     /* the call that is under way has its answer */
    enum err answer;      /* its outcome */
    struct carrier_call call;
};

/* ---- spans ---- */

static struct str put_copy(char **at, struct str text)
{
    size_t len = text.len < TEXT_BYTES_MAX ? text.len : TEXT_BYTES_MAX;
    struct str copy = {*at, len};

    if (len > 0) {
        memcpy(*at, text.ptr, len);
    }
    (*at)[len] = '\0';
    *at += len + 1;
    return copy;
}

/* A span and its texts in one piece of memory. */
static struct wire_span *span_copy(const struct wire_span *span)
{
    const struct str *const texts[] = {&span->tenant, &span->type,       &span->pool,         &span->name,
                                       &span->worker, &span->error_code, &span->error_message};
    size_t bytes = sizeof *span;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bytes += (texts[i]->len < TEXT_BYTES_MAX ? texts[i]->len : TEXT_BYTES_MAX) + 1;
    }
    struct wire_span *copy = mem_alloc(bytes);
    char *at = (char *)(copy + 1);

    *copy = *span;
    copy->tenant = put_copy(&at, span->tenant);
    copy->type = put_copy(&at, span->type);
    copy->pool = put_copy(&at, span->pool);
    copy->name = put_copy(&at, span->name);
    copy->worker = put_copy(&at, span->worker);
    copy->error_code = put_copy(&at, span->error_code);
    copy->error_message = put_copy(&at, span->error_message);
    return copy;
}

void exporter_give(struct exporter *exporter, const struct wire_span *span)
{
    pthread_mutex_lock(&exporter->lock);
    if (exporter->is_stopping || exporter->count == EXPORTER_QUEUE_MAX) {
        exporter->dropped++;
    } else {
        exporter->queue[(exporter->first + exporter->count) % EXPORTER_QUEUE_MAX] = span_copy(span);
        exporter->count++;
        if (exporter->count == 1 || exporter->count == EXPORTER_BATCH_MAX) {
            pthread_cond_broadcast(&exporter->changed);
        }
    }
    pthread_mutex_unlock(&exporter->lock);
}

/* ---- waiting; with the lock ---- */

static void wait_until(struct exporter *exporter, int64_t mono_ms)
{
    struct timespec until = {.tv_sec = mono_ms / 1000, .tv_nsec = (mono_ms % 1000) * 1000000};

    (void)pthread_cond_timedwait(&exporter->changed, &exporter->lock, &until);
}

/* Until there is something and others have had their time to come; false: nothing is there, and the end is. */
static bool wait_for_spans(struct exporter *exporter)
{
    while (exporter->count == 0 && !exporter->is_stopping) {
        pthread_cond_wait(&exporter->changed, &exporter->lock);
    }
    int64_t until_ms = chrono_mono_ms() + EXPORTER_GATHER_MS;

    while (exporter->count < EXPORTER_BATCH_MAX && !exporter->is_stopping && chrono_mono_ms() < until_ms) {
        wait_until(exporter, until_ms);
    }
    return exporter->count > 0;
}

static bool is_late(const struct exporter *exporter)
{
    return exporter->is_stopping && chrono_mono_ms() >= exporter->stop_mono_ms;
}

/* ---- one request ---- */

static bool took(struct carrier_call *call, struct str bytes)
{
    (void)call;
    (void)bytes; /* what it says beside its status is not needed */
    return true;
}

static void done(struct carrier_call *call, enum err err, const struct error *error)
{
    struct exporter *exporter = CONTAINER_OF(call, struct exporter, call);

    (void)error;
    pthread_mutex_lock(&exporter->lock);
    exporter->is_answered = true;
    exporter->answer = err;
    pthread_cond_broadcast(&exporter->changed);
    pthread_mutex_unlock(&exporter->lock);
}

/* Sends the body and waits for the answer; its status, 0 where there is none. With the lock. */
static int send_body(struct exporter *exporter, struct str body)
{
    exporter->call = (struct carrier_call){.url = exporter->url,
                                           .method = "POST",
                                           .body = body,
                                           .headers = {{"Content-Type", STR("application/json")}},
                                           .header_count = 1,
                                           .timeout_ms = EXPORTER_TIMEOUT_MS,
                                           .took = took,
                                           .done = done};
    exporter->is_answered = false;
    pthread_mutex_unlock(&exporter->lock);
    carrier_send(exporter->carrier, &exporter->call);
    pthread_mutex_lock(&exporter->lock);
    bool is_cancelled = false;

    while (!exporter->is_answered) {
        if (is_late(exporter) && !is_cancelled) {
            is_cancelled = true;
            pthread_mutex_unlock(&exporter->lock);
            carrier_cancel(exporter->carrier, &exporter->call);
            pthread_mutex_lock(&exporter->lock);
        } else {
            wait_until(exporter, chrono_mono_ms() + EXPORTER_GATHER_MS);
        }
    }
    return exporter->answer == ERR_OK ? exporter->call.status : 0;
}

static bool may_pass(int status)
{
    return status == 0 || status == 408 || status == 429 || status >= 500;
}

/* With the lock, which it lets go meanwhile: nobody who gives a span waits for the log. */
static void tell_dropped(struct exporter *exporter, int status)
{
    SCOPE(buf_done) struct buf place;

    buf_init(&place, URL_BYTES_MAX);
    mask_append_host(&place, str_from(exporter->url));
    pthread_mutex_unlock(&exporter->lock);
    log_warn("spans.dropped", KEY_SLICE("collector", buf_str(&place)), KEY_INT("status", status));
    pthread_mutex_lock(&exporter->lock);
}

/* Rule 2; whether it was taken. With the lock. */
static bool deliver(struct exporter *exporter, struct str body)
{
    int64_t backoff_ms = EXPORTER_BACKOFF_FIRST_MS;

    for (int attempt = 1;; attempt++) {
        int status = send_body(exporter, body);

        if (status >= 200 && status < 300) {
            return true;
        }
        exporter->failed++;
        if (!may_pass(status) || attempt == EXPORTER_TRIES_MAX || exporter->is_stopping) {
            tell_dropped(exporter, status);
            return false;
        }
        int64_t until_ms = chrono_mono_ms() + backoff_ms;

        while (chrono_mono_ms() < until_ms && !exporter->is_stopping) {
            wait_until(exporter, until_ms);
        }
        backoff_ms = backoff_ms * 2 < EXPORTER_BACKOFF_MAX_MS ? backoff_ms * 2 : EXPORTER_BACKOFF_MAX_MS;
    }
}

/* ---- the thread ---- */

/* Takes a batch out of the queue; how many. With the lock. */
static size_t take_batch(struct exporter *exporter, struct wire_span **ret_spans)
{
    size_t count = exporter->count < EXPORTER_BATCH_MAX ? exporter->count : EXPORTER_BATCH_MAX;

    for (size_t i = 0; i < count; i++) {
        ret_spans[i] = exporter->queue[exporter->first];
        exporter->first = (exporter->first + 1) % EXPORTER_QUEUE_MAX;
    }
    exporter->count -= count;
    return count;
}

static void write_body(const struct exporter *exporter, struct wire_span **spans, size_t count, struct buf *body)
{
    const struct wire_resource resource = {str_from(exporter->server), exporter->version};
    struct jw jw;

    jw_init(&jw, body);
    wire_otlp(&jw, &resource, (const struct wire_span *const *)spans, count);
    jw_done(&jw);
}

static void *run(void *context)
{
    struct exporter *exporter = context;
    struct wire_span *spans[EXPORTER_BATCH_MAX];

    pthread_mutex_lock(&exporter->lock);
    while (wait_for_spans(exporter)) {
        SCOPE(buf_done) struct buf body;
        size_t count = take_batch(exporter, spans);

        buf_init(&body, EXPORTER_BODY_BYTES_MAX);
        pthread_mutex_unlock(&exporter->lock);
        write_body(exporter, spans, count, &body);
        for (size_t i = 0; i < count; i++) {
            mem_free(spans[i]);
        }
        pthread_mutex_lock(&exporter->lock);
        bool is_taken = !buf_overflowed(&body) && !is_late(exporter) && deliver(exporter, buf_str(&body));

        exporter->sent += is_taken ? count : 0;
        exporter->dropped += is_taken ? 0 : count;
    }
    pthread_mutex_unlock(&exporter->lock);
    return NULL;
}

/* ---- life ---- */

static char *url_of(const char *endpoint)
{
    struct str base = str_from(endpoint);
    char url[URL_BYTES_MAX];

    while (base.len > 0 && base.ptr[base.len - 1] == '/') {
        base.len--;
    }
    bool is_whole = str_ends_with(base, STR(PATH));

    (void)snprintf(url, sizeof url, "%.*s%s", STR_ARGS(base), is_whole ? "" : PATH);
    return mem_strdup(url);
}

struct exporter *exporter_start(const char *endpoint, struct str server, const char *version)
{
    struct exporter *exporter = mem_zalloc(sizeof *exporter);
    pthread_condattr_t attr;

    exporter->url = url_of(endpoint);
    exporter->server = mem_strndup(server.ptr, server.len);
    exporter->version = version;
    exporter->carrier = carrier_new();
    pthread_mutex_init(&exporter->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&exporter->changed, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&exporter->thread, NULL, run, exporter) != 0) {
        mem_exhausted("threads", 1, 0);
    }
    return exporter;
}

void exporter_look(struct exporter *exporter, struct exporter_figures *ret_figures)
{
    pthread_mutex_lock(&exporter->lock);
    *ret_figures = (struct exporter_figures){exporter->sent, exporter->dropped, exporter->failed, exporter->count};
    pthread_mutex_unlock(&exporter->lock);
}

void exporter_stop(struct exporter *exporter)
{
    pthread_mutex_lock(&exporter->lock);
    bool was_stopping = exporter->is_stopping;

    exporter->is_stopping = true;
    exporter->stop_mono_ms = chrono_mono_ms() + EXPORTER_STOP_MS;
    pthread_cond_broadcast(&exporter->changed);
    pthread_mutex_unlock(&exporter->lock);
    if (!was_stopping) {
        (void)pthread_join(exporter->thread, NULL);
        carrier_stop(exporter->carrier);
    }
}

void exporter_free(struct exporter *exporter)
{
    if (exporter == NULL) {
        return;
    }
    assert(exporter->is_stopping && exporter->count == 0); /* the thread ends with an empty queue alone */
    carrier_free(exporter->carrier);
    pthread_cond_destroy(&exporter->changed);
    pthread_mutex_destroy(&exporter->lock);
    mem_free(exporter->server);
    mem_free(exporter->url);
    mem_free(exporter);
}
