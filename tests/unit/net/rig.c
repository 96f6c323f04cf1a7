#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "rig.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct net_request *held[RIG_HELD_MAX];
static size_t held_count;
static struct net_request *work[RIG_HELD_MAX];
static size_t work_count;
static struct net_stream *streams[RIG_HELD_MAX];
static size_t stream_count;
static bool workers_end;
static pthread_t workers[RIG_WORKERS];

/* ---- waiting ---- */

static void wait_for_change(const char *what)
{
    struct timeval now;
    struct timespec until;

    (void)gettimeofday(&now, NULL);
    until = (struct timespec){now.tv_sec + RIG_PATIENCE_S, 0};
    if (pthread_cond_timedwait(&changed, &lock, &until) == ETIMEDOUT) {
        (void)pthread_mutex_unlock(&lock);
        fail_msg("waited too long for %s", what);
    }
}

static void add_one(size_t *counter)
{
    (void)pthread_mutex_lock(&lock);
    (*counter)++;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

size_t rig_count(const size_t *counter)
{
    size_t value;

    (void)pthread_mutex_lock(&lock);
    value = *counter;
    (void)pthread_mutex_unlock(&lock);
    return value;
}

void rig_wait(const size_t *counter, size_t at_least)
{
    (void)pthread_mutex_lock(&lock);
    while (*counter < at_least) {
        wait_for_change("a counter");
    }
    (void)pthread_mutex_unlock(&lock);
}

struct net_figures rig_figures(struct rig *rig)
{
    struct net_figures figures;

    net_server_figures(rig->server, &figures);
    return figures;
}

void rig_wait_figure(struct rig *rig, size_t offset, uint64_t value)
{
    for (int i = 0; i < RIG_PATIENCE_S * 1000; i++) {
        struct net_figures figures = rig_figures(rig);

        if (memcmp((char *)&figures + offset, &value, sizeof value) == 0) {
            return;
        }
        (void)usleep(1000);
    }
    fail_msg("waited too long for a figure");
}

/* ---- the shelf ---- */

static void *take_first(void *shelf, size_t *count)
{
    void **things = shelf;
    void *first;

    (void)pthread_mutex_lock(&lock);
    while (*count == 0) {
        wait_for_change("the shelf");
    }
    first = things[0];
    memmove(things, things + 1, --*count * sizeof *things);
    (void)pthread_mutex_unlock(&lock);
    return first;
}

struct net_request *rig_take_request(void)
{
    return take_first(held, &held_count);
}

struct net_stream *rig_take_stream(void)
{
    return take_first(streams, &stream_count);
}

static void put(void *shelf, size_t *count, void *thing)
{
    (void)pthread_mutex_lock(&lock);
    assert_true(*count < RIG_HELD_MAX);
    ((void **)shelf)[(*count)++] = thing;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

void rig_answer_all(void)
{
    (void)pthread_mutex_lock(&lock);
    while (held_count > 0) {
        work[work_count++] = held[--held_count];
    }
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

/* ---- handlers ---- */

void rig_answer(struct net_request *request, int status, const char *body)
{
    struct net_answer answer = {.status = status, .content_type = "text/plain"};

    buf_init(&answer.body, 1024UL * 1024);
    buf_append_text(&answer.body, body);
    net_answer(request, &answer);
}

static void echo(struct net_request *request)
{
    struct net_answer answer = {.status = 200, .content_type = "text/plain", .header_count = 1};

    answer.headers[0] = (struct net_header){"X-Echo", "yes"};
    buf_init(&answer.body, 4UL * 1024 * 1024);
    buf_append_str(&answer.body, net_request_method_name(request));
    buf_append_char(&answer.body, ' ');
    buf_append_str(&answer.body, net_request_path(request));
    buf_append_char(&answer.body, ' ');
    buf_append_str(&answer.body, net_request_body(request));
    net_answer(request, &answer);
}

static void begin_stream(struct rig *rig, struct net_request *request)
{
    struct net_answer answer = {.status = 200, .content_type = "text/event-stream"};
    struct net_stream *stream;

    buf_init(&answer.body, 100);
    buf_append_text(&answer.body, ": hello\n\n");
    stream = net_answer_stream(request, &answer, &rig->stream_config);
    if (stream != NULL) {
        put(streams, &stream_count, stream);
    }
}

static void handle(void *context, struct net_request *request)
{
    struct rig *rig = context;
    struct str path = net_request_path(request);

    add_one(&rig->handled);
    net_request_set_user(request, rig);
    if (str_is(path, "/later")) {
        put(work, &work_count, request);
    } else if (str_is(path, "/hold")) {
        put(held, &held_count, request);
    } else if (str_is(path, "/stream")) {
        begin_stream(rig, request);
    } else {
        echo(request);
    }
}

static void check_early(void *context, struct net_request *request)
{
    struct str value;

    (void)context;
    assert_int_equal(net_request_body(request).len, 0);
    if (net_request_header(request, STR("authorization"), &value) > 0 && str_is(value, "no")) {
        rig_answer(request, 401, "who are you\n");
    } else if (str_is(net_request_path(request), "/large")) {
        net_request_allow_body(request, RIG_LARGE_BYTES_MAX);
    }
}

static void gone(void *context, struct net_request *request)
{
    assert_ptr_equal(net_request_user(request), context);
    add_one(&((struct rig *)context)->gone);
}

static void done(void *context, struct net_request *request)
{
    assert_ptr_equal(net_request_user(request), context);
    add_one(&((struct rig *)context)->done);
}

static void ended(void *context, struct net_stream *stream, enum net_stream_end end)
{
    struct rig *rig = context;

    assert_int_equal(net_stream_push(stream, STR("x")), NET_PUSH_CLOSED);
    (void)pthread_mutex_lock(&lock);
    rig->end = end;
    (void)pthread_mutex_unlock(&lock);
    add_one(&rig->ended);
}

static void *work_on(void *nothing)
{
    (void)pthread_mutex_lock(&lock);
    while (!workers_end) {
        if (work_count > 0) {
            struct net_request *request = work[--work_count];

            (void)pthread_mutex_unlock(&lock);
            echo(request);
            (void)pthread_mutex_lock(&lock);
        } else {
            (void)pthread_cond_wait(&changed, &lock);
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return nothing;
}

/* ---- start and stop ---- */

struct net_config rig_config(void)
{
    struct net_config config = net_config_default();

    config.handle = handle;
    config.check_early = check_early;
    config.gone = gone;
    config.done = done;
    config.body_bytes_max = RIG_BODY_BYTES_MAX;
    return config;
}

void rig_start(struct rig *rig, const struct net_config *config)
{
    struct net_config copy = *config;
    struct error error;

    *rig = (struct rig){.has_workers = true};
    rig->stream_config =
        (struct net_stream_config){.buffer_bytes_max = 65536, .closes_when_full = true, .context = rig, .ended = ended};
    copy.context = rig;
    held_count = 0;
    work_count = 0;
    stream_count = 0;
    workers_end = false;
    if (net_server_start(&copy, &rig->server, &error) != ERR_OK) {
        fail_msg("%s", error.text);
    }
    for (size_t i = 0; i < RIG_WORKERS; i++) {
        assert_int_equal(pthread_create(&workers[i], NULL, work_on, NULL), 0);
    }
}

void rig_stop(struct rig *rig, int64_t grace_ms)
{
    if (rig->server != NULL) {
        rig->left_over = net_server_stop(rig->server, grace_ms);
        rig->server = NULL;
    }
    if (rig->has_workers) {
        (void)pthread_mutex_lock(&lock);
        workers_end = true;
        (void)pthread_cond_broadcast(&changed);
        (void)pthread_mutex_unlock(&lock);
        for (size_t i = 0; i < RIG_WORKERS; i++) {
            (void)pthread_join(workers[i], NULL);
        }
        rig->has_workers = false;
    }
}

void rig_restart(struct rig *rig, const struct net_config *config)
{
    rig_stop(rig, 0);
    rig_start(rig, config);
}
