#include "client/client.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "client/addresses.h"

/* More than any request has. */
#define HEADER_BYTES_MAX 1024

struct client {
    CURL *curl;
    struct addresses addresses;
    char *token; /* NULL: none */
    int64_t timeout_ms;
    client_watcher *watcher; /* NULL: nobody watches */
    void *watcher_context;
    char detail[CURL_ERROR_SIZE]; /* what curl says of the call at hand */
};

/* Where the bytes of an answer go: into its body, and to sse where it is a stream that was granted. */
struct sink {
    struct client *client;
    struct client_answer *answer;
    struct sse *sse;
    bool is_ended; /* by sse's taker */
};

struct client *client_new(const char *url, const char *token, int64_t timeout_ms)
{
    struct client *client = mem_zalloc(sizeof *client);

    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || (client->curl = curl_easy_init()) == NULL) {
        mem_exhausted("libcurl", 1, sizeof *client);
    }
    addresses_init(&client->addresses, str_from(url));
    client->token = token != NULL && token[0] != '\0' ? mem_strdup(token) : NULL;
    client->timeout_ms = timeout_ms;
    return client;
}

void client_free(struct client *client)
{
    if (client != NULL) {
        curl_easy_cleanup(client->curl);
        curl_global_cleanup();
        addresses_done(&client->addresses);
        mem_free(client->token);
        mem_free(client);
    }
}

void client_set_timeout(struct client *client, int64_t timeout_ms)
{
    client->timeout_ms = timeout_ms;
}

void client_watch(struct client *client, client_watcher *watcher, void *context)
{
    client->watcher = watcher;
    client->watcher_context = context;
}

static int watch(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
    const struct client *client = context;

    (void)down_total;
    (void)down;
    client->watcher(client->watcher_context, up, up_total);
    return 0; /* go on */
}

void client_answer_init(struct client_answer *answer)
{
    *answer = (struct client_answer){.retry_after_s = -1};
    buf_init(&answer->body, CLIENT_ANSWER_BYTES_MAX);
}

void client_answer_done(struct client_answer *answer)
{
    buf_done(&answer->body);
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct sink *sink = context;
    long status = 0;

    (void)curl_easy_getinfo(sink->client->curl, CURLINFO_RESPONSE_CODE, &status);
    if (sink->sse != NULL && status == 200) {
        sink->is_ended = !sse_feed(sink->sse, (struct str){bytes, size * count});
        return sink->is_ended ? 0 : size * count; /* 0 ends the call */
    }
    buf_append(&sink->answer->body, bytes, size * count);
    return buf_overflowed(&sink->answer->body) ? 0 : size * count;
}

static void add_header(struct curl_slist **list, const char *name, const char *value)
{
    char line[HEADER_BYTES_MAX];
    int len = snprintf(line, sizeof line, "%s: %s", name, value);

    if (len < 0 || (size_t)len >= sizeof line) {
        return;
    }
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (longer == NULL) {
        mem_exhausted("a header", 1, (size_t)len);
    }
    *list = longer;
}

static struct curl_slist *headers_of(const struct client *client, const struct client_request *request)
{
    struct curl_slist *list = NULL;
    char bearer[HEADER_BYTES_MAX];

    if (client->token != NULL) {
        (void)snprintf(bearer, sizeof bearer, "Bearer %s", client->token);
        add_header(&list, "Authorization", bearer);
    }
    if (request->body.ptr != NULL) {
        add_header(&list, "Content-Type", request->content_type != NULL ? request->content_type : "application/json");
        add_header(&list, "Expect", ""); /* curl would wait a second for a 100 that need not come */
    }
    if (request->idempotency_key != NULL) {
        add_header(&list, "Idempotency-Key", request->idempotency_key);
    }
    if (request->if_match != NULL) {
        add_header(&list, "If-Match", request->if_match);
    }
    return list;
}

/* What every call has in common. A reset keeps the connection. */
static void prepare(struct client *client, const char *url, struct curl_slist *headers, struct sink *sink)
{
    CURL *curl = client->curl;

    curl_easy_reset(curl);
    client->detail[0] = '\0';
    (void)curl_easy_setopt(curl, CURLOPT_URL, url);
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    (void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->detail);
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L); /* rule 3 */
    (void)curl_easy_setopt(curl, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    (void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CLIENT_CONNECT_MS);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
    if (client->watcher != NULL) {
        (void)curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
        (void)curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch);
        (void)curl_easy_setopt(curl, CURLOPT_XFERINFODATA, client);
    }
}

static void set_body(struct client *client, const struct client_request *request)
{
    CURL *curl = client->curl;
    bool has_body = request->body.ptr != NULL;

    if (has_body || strcmp(request->method, "GET") != 0) {
        (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDS, has_body ? request->body.ptr : "");
    }
    (void)curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    if (!has_body && strcmp(request->method, "DELETE") == 0) {
        (void)curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L); /* a DELETE without a body has no Content-Length either */
        (void)curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    }
}

static const char *header_of(struct client *client, const char *name)
{
    struct curl_header *header = NULL;

    return curl_easy_header(client->curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : "";
}

static void read_head(struct client *client, struct client_answer *answer)
{
    long status = 0;
    struct str seconds = str_from(header_of(client, "Retry-After"));

    (void)curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
    answer->status = (int)status;
    (void)snprintf(answer->etag, sizeof answer->etag, "%s", header_of(client, "ETag"));
    (void)!str_to_int(seconds, 0, INT32_MAX, &answer->retry_after_s, NULL);
    answer->is_not_applied = strcmp(header_of(client, "Outcome"), "not-applied") == 0;
    if (status >= 400) {
        answer->problem = problem_read(answer->status, buf_str(&answer->body));
    }
}

static enum err fail(struct client *client, CURLcode code, struct client_answer *answer, struct error *reterr)
{
    curl_off_t sent = 0;
    long request_bytes = 0;

    (void)curl_easy_getinfo(client->curl, CURLINFO_SIZE_UPLOAD_T, &sent);
    (void)curl_easy_getinfo(client->curl, CURLINFO_REQUEST_SIZE, &request_bytes);
    answer->status = 0;
    answer->was_sent = sent > 0 || request_bytes > 0;
    return err_set(reterr, ERR_IO, "cannot reach %s: %s", addresses_now(&client->addresses),
                   client->detail[0] != '\0' ? client->detail : curl_easy_strerror(code));
}

static char *whole_url(const struct client *client, struct str path)
{
    const char *base = addresses_now(&client->addresses);
    size_t len = strlen(base);
    char *url = mem_alloc(len + path.len + 1);

    memcpy(url, base, len);
    memcpy(url + len, path.ptr, path.len);
    url[len + path.len] = '\0';
    return url;
}

static void clear(struct client_answer *answer)
{
    buf_reset(&answer->body);
    answer->status = 0;
    answer->etag[0] = '\0';
    answer->retry_after_s = -1;
    answer->is_not_applied = false;
    answer->was_sent = false;
}

/* At one of the servers. */
static enum err call_one(struct client *client, const struct client_request *request, struct client_answer *answer,
                         struct error *reterr)
{
    SCOPE_FREE char *url = whole_url(client, request->path);
    struct curl_slist *headers = headers_of(client, request);
    struct sink sink = {.client = client, .answer = answer};

    clear(answer);
    prepare(client, url, headers, &sink);
    set_body(client, request);
    (void)curl_easy_setopt(client->curl, CURLOPT_TIMEOUT_MS, (long)client->timeout_ms); /* rule 2 */
    CURLcode code = curl_easy_perform(client->curl);
    if (client->watcher != NULL) {
        client->watcher(client->watcher_context, CLIENT_OVER, 0);
    }
    enum err err = ERR_OK;
    if (code != CURLE_OK) {
        err = fail(client, code, answer, reterr);
    } else {
        read_head(client, answer);
    }
    curl_slist_free_all(headers);
    return err;
}

/* Rule 5. */
static bool may_go_on(const struct client_request *request, const struct client_answer *answer)
{
    return !answer->was_sent || strcmp(request->method, "GET") == 0 || request->idempotency_key != NULL;
}

enum err client_call(struct client *client, const struct client_request *request, struct client_answer *answer,
                     struct error *reterr)
{
    enum err err = call_one(client, request, answer, reterr);

    for (size_t i = 1; err != ERR_OK && i < client->addresses.count && may_go_on(request, answer); i++) {
        addresses_next(&client->addresses);
        err = call_one(client, request, answer, reterr);
    }
    return err;
}

static enum err stream_one(struct client *client, struct str path, struct sse *sse, struct client_answer *answer,
                           struct error *reterr)
{
    SCOPE_FREE char *url = whole_url(client, path);
    const struct client_request request = {.method = "GET", .path = path};
    struct curl_slist *headers = headers_of(client, &request);
    struct sink sink = {.client = client, .answer = answer, .sse = sse};

    clear(answer);
    sse_restart(sse);
    add_header(&headers, "Accept", "text/event-stream");
    if (sse->id[0] != '\0') {
        add_header(&headers, "Last-Event-ID", sse->id);
    }
    prepare(client, url, headers, &sink);
    (void)curl_easy_setopt(client->curl, CURLOPT_LOW_SPEED_LIMIT, 1L); /* rule 2 */
    (void)curl_easy_setopt(client->curl, CURLOPT_LOW_SPEED_TIME, (long)(CLIENT_SILENCE_MS / 1000));
    CURLcode code = curl_easy_perform(client->curl);
    curl_slist_free_all(headers);
    if (sink.is_ended && !sse->is_overflowed) {
        answer->status = 200;
        return ERR_OK;
    }
    if (code == CURLE_OK) {
        read_head(client, answer);
        return answer->status == 200 ? err_set(reterr, ERR_IO, "%s ended the stream", addresses_now(&client->addresses))
                                     : ERR_OK;
    }
    return fail(client, code, answer, reterr);
}

/* One that was granted and has ended is the caller's to ask for again, wherever the next server is. */
enum err client_stream(struct client *client, struct str path, struct sse *sse, struct client_answer *answer,
                       struct error *reterr)
{
    enum err err = stream_one(client, path, sse, answer, reterr);

    for (size_t i = 1; err != ERR_OK && !answer->was_sent && i < client->addresses.count; i++) {
        addresses_next(&client->addresses);
        err = stream_one(client, path, sse, answer, reterr);
    }
    return err;
}
