#include "client/carrier.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* The thread is woken for whatever comes; this is for libcurl's own clocks at the latest. */
#define LOOK_MS 1000
/* A connection is used again for so long: well before the other side ends it for being idle. */
#define KEPT_S 30
#define LINE_BYTES (CARRIER_HEADER_BYTES + 128)

struct carrier {
    CURLM *multi;
    pthread_t thread;
    pthread_mutex_t lock;  /* of what is below, and of is_cancelled */
    struct list coming;    /* calls that were sent and not yet begun */
    struct list under_way; /* the thread's; under the lock when it changes */
    bool has_cancelled;    /* somebody was */
    bool is_stopping, is_stopped;
};

/* ---- one call ---- */

// NOLINTNEXTLINE(readability-non-const-parameter): as libcurl has it
static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    struct carrier_call *call = context;
    struct str line = {bytes, size * count};
    size_t colon = str_find_char(line, ':');

    for (size_t i = 0; i < call->wanted_count && colon < line.len; i++) {
        struct str name = {line.ptr, colon};
        struct str value = str_trim(str_skip(line, colon + 1));

        if (str_equal_nocase(name, str_from(call->wanted[i])) && value.len < sizeof call->values[i]) {
            memcpy(call->values[i], value.ptr, value.len);
            call->values[i][value.len] = '\0';
        }
    }
    return size * count;
}

// NOLINTNEXTLINE(readability-non-const-parameter): as libcurl has it
static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct carrier_call *call = context;
    long status = 0;

    (void)curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    call->status = (int)status;
    return call->took(call, (struct str){bytes, size * count}) ? size * count : 0;
}

/* libcurl sends a request once more, whatever it asks for, when a connection that was kept ends without an answer. That
 * is the caller's to decide (rule 5). */
// NOLINTNEXTLINE(readability-non-const-parameter): as libcurl has it
static int before_request(void *context, char *to, char *from, int to_port, int from_port)
{
    struct carrier_call *call = context;
    bool is_first = !call->has_begun;

    (void)to;
    (void)from;
    (void)to_port;
    (void)from_port;
    call->has_begun = true;
    return is_first ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static struct curl_slist *lines_of(const struct carrier_call *call)
{
    struct curl_slist *lines = curl_slist_append(NULL, "Expect:"); /* never ask before sending */

    for (size_t i = 0; i < call->header_count; i++) {
        char line[LINE_BYTES];

        (void)snprintf(line, sizeof line, "%s: %.*s", call->headers[i].name, (int)call->headers[i].value.len,
                       call->headers[i].value.ptr);
        lines = curl_slist_append(lines, line);
    }
    return lines;
}

static void set_up(struct carrier_call *call)
{
    CURL *easy = call->easy;

    (void)curl_easy_setopt(easy, CURLOPT_URL, call->url);
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_PROXY, "");
    (void)curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CARRIER_CONNECT_MS);
    (void)curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
    if (call->timeout_ms == 0) {
        (void)curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
        (void)curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)(CARRIER_SILENCE_MS / 1000));
    }
    if (call->body.ptr != NULL) {
        (void)curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len);
        (void)curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body.ptr);
    }
    if (strcmp(call->method, "HEAD") == 0) {
        (void)curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    }
    (void)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, call->method);
    (void)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->lines);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    (void)curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
    (void)curl_easy_setopt(easy, CURLOPT_PREREQDATA, call);
    (void)curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)KEPT_S);
    (void)curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
}

/* Takes the call out of everything, and gives it back. */
static void end(struct carrier *carrier, struct carrier_call *call, enum err err, const struct error *error)
{
    if (call->easy != NULL) {
        (void)curl_multi_remove_handle(carrier->multi, call->easy);
        curl_easy_cleanup(call->easy);
        curl_slist_free_all(call->lines);
        call->easy = NULL;
        call->lines = NULL;
    }
    (void)pthread_mutex_lock(&carrier->lock);
    list_remove(&call->node);
    (void)pthread_mutex_unlock(&carrier->lock);
    call->done(call, err, error);
}

static void begin(struct carrier *carrier, struct carrier_call *call)
{
    struct error error;

    call->status = 0;
    call->was_sent = false;
    call->has_begun = false;
    for (size_t i = 0; i < call->wanted_count; i++) {
        call->values[i][0] = '\0';
    }
    call->easy = curl_easy_init();
    if (call->easy == NULL) {
        (void)err_set(&error, ERR_OVERLOADED, "no connection can be made");
        end(carrier, call, error.code, &error);
        return;
    }
    call->lines = lines_of(call);
    set_up(call);
    (void)curl_multi_add_handle(carrier->multi, call->easy);
}

static void finish(struct carrier *carrier, struct carrier_call *call, CURLcode code)
{
    struct error error;
    long status = 0;
    long sent = 0;

    (void)curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(call->easy, CURLINFO_REQUEST_SIZE, &sent);
    call->status = (int)status;
    call->was_sent = sent > 0;
    if (code == CURLE_OK) {
        end(carrier, call, ERR_OK, NULL);
        return;
    }
    (void)err_set(&error, ERR_IO, "%s", curl_easy_strerror(code));
    end(carrier, call, ERR_IO, &error);
}

/* ---- the thread ---- */

static void finish_all(struct carrier *carrier)
{
    int left = 0;
    CURLMsg *message;

    while ((message = curl_multi_info_read(carrier->multi, &left)) != NULL) {
        struct carrier_call *call = NULL;

        if (message->msg == CURLMSG_DONE) {
            (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
            finish(carrier, call, message->data.result);
        }
    }
}

/* The next that came; NULL: none. It is under way then. */
static struct carrier_call *next_coming(struct carrier *carrier)
{
    struct carrier_call *call = NULL;

    (void)pthread_mutex_lock(&carrier->lock);
    struct list_node *node = list_pop_front(&carrier->coming);
    if (node != NULL) {
        call = CONTAINER_OF(node, struct carrier_call, node);
        list_push_back(&carrier->under_way, &call->node);
    }
    (void)pthread_mutex_unlock(&carrier->lock);
    return call;
}

static struct carrier_call *next_to_end(struct carrier *carrier, bool is_all)
{
    struct carrier_call *found = NULL;

    (void)pthread_mutex_lock(&carrier->lock);
    for (struct list_node *node = list_first(&carrier->under_way); node != NULL && found == NULL;
         node = list_next(&carrier->under_way, node)) {
        struct carrier_call *call = CONTAINER_OF(node, struct carrier_call, node);

        found = is_all || call->is_cancelled ? call : NULL;
    }
    carrier->has_cancelled = carrier->has_cancelled && (found != NULL || !list_empty(&carrier->coming));
    (void)pthread_mutex_unlock(&carrier->lock);
    return found;
}

static void end_some(struct carrier *carrier, bool is_all)
{
    struct carrier_call *call;
    struct error error;

    (void)err_set(&error, is_all ? ERR_DRAINING : ERR_REQUEST_TIMEOUT,
                  is_all ? "the server is stopping" : "the client has gone");
    while ((call = next_to_end(carrier, is_all)) != NULL) {
        call->was_sent = call->easy != NULL;
        end(carrier, call, error.code, &error);
    }
}

static void *run(void *context)
{
    struct carrier *carrier = context;
    bool is_stopping = false;

    (void)pthread_setname_np(pthread_self(), "carrier");
    while (!is_stopping) {
        struct carrier_call *call;
        int running = 0;

        while ((call = next_coming(carrier)) != NULL) {
            begin(carrier, call);
        }
        (void)curl_multi_perform(carrier->multi, &running);
        finish_all(carrier);
        (void)pthread_mutex_lock(&carrier->lock);
        bool has_cancelled = carrier->has_cancelled;
        bool has_coming = !list_empty(&carrier->coming);
        is_stopping = carrier->is_stopping;
        (void)pthread_mutex_unlock(&carrier->lock);
        if (has_cancelled || is_stopping) {
            end_some(carrier, is_stopping);
        } else if (!has_coming) {
            (void)curl_multi_poll(carrier->multi, NULL, 0, LOOK_MS, NULL);
        }
    }
    return NULL;
}

/* ---- life ---- */

struct carrier *carrier_new(void)
{
    struct carrier *carrier = mem_zalloc(sizeof *carrier);

    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
    carrier->multi = curl_multi_init();
    (void)pthread_mutex_init(&carrier->lock, NULL);
    list_init(&carrier->coming);
    list_init(&carrier->under_way);
    carrier->is_stopped = carrier->multi == NULL || pthread_create(&carrier->thread, NULL, run, carrier) != 0;
    return carrier;
}

void carrier_stop(struct carrier *carrier)
{
    (void)pthread_mutex_lock(&carrier->lock);
    bool was_stopped = carrier->is_stopped;
    carrier->is_stopping = carrier->is_stopped = true;
    (void)pthread_mutex_unlock(&carrier->lock);
    if (was_stopped) {
        return;
    }
    (void)curl_multi_wakeup(carrier->multi);
    (void)pthread_join(carrier->thread, NULL);
    while (next_coming(carrier) != NULL) { /* sent while it stopped */
        end_some(carrier, true);
    }
}

void carrier_free(struct carrier *carrier)
{
    if (carrier != NULL) {
        carrier_stop(carrier);
        (void)curl_multi_cleanup(carrier->multi);
        (void)pthread_mutex_destroy(&carrier->lock);
        mem_free(carrier);
    }
}

void carrier_send(struct carrier *carrier, struct carrier_call *call)
{
    struct error error;

    list_node_init(&call->node);
    call->easy = call->lines = NULL;
    (void)pthread_mutex_lock(&carrier->lock);
    bool is_open = !carrier->is_stopped;
    if (is_open) {
        list_push_back(&carrier->coming, &call->node);
        carrier->has_cancelled = carrier->has_cancelled || call->is_cancelled;
    }
    (void)pthread_mutex_unlock(&carrier->lock);
    if (is_open) {
        (void)curl_multi_wakeup(carrier->multi);
        return;
    }
    (void)err_set(&error, ERR_DRAINING, "the server is stopping");
    call->done(call, error.code, &error);
}

void carrier_cancel(struct carrier *carrier, struct carrier_call *call)
{
    (void)pthread_mutex_lock(&carrier->lock);
    call->is_cancelled = true;
    carrier->has_cancelled = true;
    (void)pthread_mutex_unlock(&carrier->lock);
    (void)curl_multi_wakeup(carrier->multi);
}
