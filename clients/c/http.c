#include "http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "json.h"

#define CONNECT_MS 10000L
/* A server that asks to come back later is believed up to here: leases wait for no one. */
#define RETRY_AFTER_MAX_MS 30000
#define HEADER_BYTES_MAX 8192

static pthread_once_t begin_once = PTHREAD_ONCE_INIT;
static bool has_begun;

static void begin(void)
{
    has_begun = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

bool bf_http_begin(void)
{
    return pthread_once(&begin_once, begin) == 0 && has_begun;
}

/* ---- one call ---- */

static size_t take_answer(char *bytes, size_t size, size_t count, void *user)
{
    struct http_call *call = user;

    return bf_text_add_bytes(&call->answer, bytes, size * count) ? size * count : 0; /* rule 2 */
}

/* The body is given piece by piece, and not as a whole, so that libcurl cannot send it again by itself when a
 * connection that it had kept open ends: a server that had heard it would take the second for another worker with the
 * same id. */
static size_t give_body(char *room, size_t size, size_t count, void *user)
{
    struct http_call *call = user;
    size_t left = call->body.length - call->given;
    size_t length = size * count < left ? size * count : left;

    memcpy(room, call->body.bytes + call->given, length);
    call->given += length;
    return length;
}

static void add_header(struct http_call *call, const char *name, const char *value)
{
    char header[HEADER_BYTES_MAX];
    struct curl_slist *longer;

    (void)snprintf(header, sizeof header, "%s%s", name, value);
    longer = curl_slist_append(call->headers, header);
    if (longer == NULL) {
        abort();
    }
    call->headers = longer;
}

static void set_headers(struct http_call *call, const struct belfry *client, const char *idempotency_key)
{
    add_header(call, "Content-Type: ", "application/json");
    add_header(call, "Accept: ", "application/json");
    add_header(call, "Expect:", ""); /* no round trip to ask whether a body is welcome */
    if (client->token != NULL) {
        add_header(call, "Authorization: Bearer ", client->token);
    }
    if (idempotency_key != NULL) {
        add_header(call, "Idempotency-Key: ", idempotency_key);
    }
}

static bool set_options(struct http_call *call, const char *url)
{
    CURL *curl = call->curl;
    CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, url);

    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_HTTPHEADER, call->headers);
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_USERAGENT, "libbelfry/0.1");
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_POST, 1L);
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body);
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_READDATA, call);
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_WRITEDATA, call);
    code = code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_PRIVATE, call);
    return code == CURLE_OK;
}

bool bf_http_call_init(struct http_call *call, const struct belfry *client, const char *path,
                       const char *idempotency_key)
{
    char *url = bf_zalloc(strlen(client->url) + strlen(path) + 1, 1);

    *call = (struct http_call){.curl = curl_easy_init()};
    bf_text_init(&call->body, HTTP_BODY_BYTES_MAX);
    bf_text_init(&call->answer, HTTP_ANSWER_BYTES_MAX);
    if (call->curl == NULL) {
        abort();
    }
    set_headers(call, client, idempotency_key);
    (void)sprintf(url, "%s%s", client->url, path);
    bool is_set = set_options(call, url);

    free(url);
    return is_set;
}

void bf_http_call_done(struct http_call *call)
{
    curl_easy_cleanup(call->curl);
    curl_slist_free_all(call->headers);
    bf_text_done(&call->body);
    bf_text_done(&call->answer);
}

static void prepare(struct http_call *call, int64_t time_ms)
{
    bf_text_clear(&call->answer);
    call->given = 0;
    call->status = 0;
    call->retry_after_ms = 0;
    call->trouble[0] = '\0';
    if (curl_easy_setopt(call->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.length) != CURLE_OK ||
        curl_easy_setopt(call->curl, CURLOPT_TIMEOUT_MS, (long)time_ms) != CURLE_OK) { /* rule 1 */
        abort();
    }
}

static void conclude(struct http_call *call, CURLcode code)
{
    long status = 0;
    curl_off_t retry_after_s = 0;

    if (code != CURLE_OK) {
        (void)snprintf(call->trouble, sizeof call->trouble, "%s", curl_easy_strerror(code));
        return;
    }
    (void)curl_easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(call->curl, CURLINFO_RETRY_AFTER, &retry_after_s);
    call->status = (int)status;
    call->retry_after_ms = retry_after_s > RETRY_AFTER_MAX_MS / 1000 ? RETRY_AFTER_MAX_MS : retry_after_s * 1000;
}

void bf_http_call_make(struct http_call *call, int64_t time_ms)
{
    prepare(call, time_ms);
    conclude(call, curl_easy_perform(call->curl));
}

/* ---- several under way ---- */

struct http *bf_http_new(void)
{
    CURLM *multi = curl_multi_init();

    if (multi == NULL) {
        abort();
    }
    return (struct http *)multi;
}

void bf_http_free(struct http *http)
{
    (void)curl_multi_cleanup((CURLM *)http);
}

void bf_http_start(struct http *http, struct http_call *call, int64_t time_ms)
{
    prepare(call, time_ms);
    call->is_under_way = true;
    if (curl_multi_add_handle((CURLM *)http, call->curl) != CURLM_OK) {
        abort();
    }
}

void bf_http_cut(struct http *http, struct http_call *call)
{
    if (call->is_under_way) {
        (void)curl_multi_remove_handle((CURLM *)http, call->curl);
        call->is_under_way = false;
    }
}

void bf_http_wait(struct http *http, int wake_fd, int64_t time_ms)
{
    struct curl_waitfd wake = {.fd = wake_fd, .events = CURL_WAIT_POLLIN};
    int running;

    (void)curl_multi_perform((CURLM *)http, &running);
    (void)curl_multi_poll((CURLM *)http, &wake, 1, (int)time_ms, NULL);
    (void)curl_multi_perform((CURLM *)http, &running);
}

struct http_call *bf_http_next_ended(struct http *http)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read((CURLM *)http, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            CURLcode code = message->data.result; /* removing the handle frees the message */
            char *user = NULL;

            (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
            struct http_call *call = (struct http_call *)(void *)user;

            bf_http_cut(http, call);
            conclude(call, code);
            return call;
        }
    }
    return NULL;
}

/* ---- what the server has against it ---- */

bool bf_http_may_help_later(const struct http_call *call)
{
    return call->status == 0 || call->status == 408 || call->status == 425 || call->status == 429 ||
           call->status >= 500;
}

enum belfry_status bf_http_refusal(const struct http_call *call, struct belfry_error *ret_error)
{
    struct json problem = {.at = NULL};

    if (call->status == 0) {
        return bf_fail(ret_error, BELFRY_UNREACHABLE, "no answer: %s", call->trouble);
    }
    if (call->answer.length == 0 || !bf_json_check(call->answer.bytes, call->answer.length, &problem)) {
        problem.at = NULL;
        problem.length = 0;
    }
    char *code = bf_json_string(bf_json_get(problem, "code")), *detail = bf_json_string(bf_json_get(problem, "detail"));
    enum belfry_status status = bf_http_may_help_later(call) ? BELFRY_UNREACHABLE : BELFRY_REFUSED;

    (void)bf_fail(ret_error, status, "the server answered %d %s: %s", call->status, code, detail);
    if (ret_error != NULL) {
        ret_error->http_status = call->status;
        (void)snprintf(ret_error->code, sizeof ret_error->code, "%s", code);
    }
    free(code);
    free(detail);
    return status;
}
