#include "worker/http_call.h"

#include <sys/random.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/chrono.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "worker/address.h"
#include "worker/http_headers.h"
#include "worker/limits_worker.h"
#include "worker/retry_after.h"
#include "worker/tail.h"

/* A result stands three levels deep in an exchange. */
#define RESULT_DEPTH_MAX (JSON_DEPTH_MAX - 4)

struct http_call {
    struct http_calls *calls;
    const struct item *item;
    http_on_end *on_end;
    void *owner;
    struct http_task task;
    struct curl_slist *headers;
    struct buf body; /* the beginning of the answer's */
    size_t body_bytes;
    size_t header_bytes;
    int64_t retry_after_ms;
    bool is_body_cut; /* longer than we read */
    bool is_denied;   /* the address was */
};

static void free_call(struct http_call *call)
{
    http_pool_remove(&call->calls->pool, &call->task);
    curl_easy_cleanup(call->task.easy);
    curl_slist_free_all(call->headers);
    buf_done(&call->body);
    mem_free(call);
}

/* ---- the answer ---- */

static size_t on_body(char *bytes, size_t size, size_t count, void *owner)
{
    struct http_call *call = owner;
    size_t len = size * count;
    size_t room = OUTPUT_BYTES_MAX - call->body.len;

    call->body_bytes += len;
    buf_append(&call->body, bytes, len < room ? len : room);
    call->is_body_cut = call->body_bytes > BODY_READ_BYTES_MAX;
    return call->is_body_cut ? CURL_WRITEFUNC_ERROR : len; /* rule 2 */
}

static size_t on_header(char *bytes, size_t size, size_t count, void *owner)
{
    static const struct str name = STR_INIT("retry-after:");
    struct http_call *call = owner;
    struct str line = str_from_bytes(bytes, size * count);

    call->header_bytes += line.len;
    if (line.len > name.len && str_equal_nocase((struct str){line.ptr, name.len}, name)) {
        call->retry_after_ms = retry_after_ms(str_skip(line, name.len), chrono_wall_ms());
    }
    return call->header_bytes > ANSWER_HEADER_BYTES_MAX ? CURL_WRITEFUNC_ERROR : line.len; /* rule 2 */
}

static struct outcome outcome_of_error(const struct http_call *call, CURLcode code)
{
    const char *why = curl_easy_strerror(code);

    if (call->header_bytes > ANSWER_HEADER_BYTES_MAX) {
        return outcome_failed(true, "bad_answer", "the answer's headers have more than %d bytes",
                              ANSWER_HEADER_BYTES_MAX);
    }
    switch ((int)code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return outcome_failed(false, "bad_url", "the URL cannot be called: %s", why);
    case CURLE_COULDNT_RESOLVE_HOST:
        return outcome_failed(true, "dns_failed", "the host's name could not be resolved");
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT: /* connecting; the attempt's own time is not libcurl's business */
        return outcome_failed(true, "connect_failed", "nobody answers at that address"); /* rule 4 */
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return outcome_failed(true, "tls_failed", "no trusted TLS connection: %s", why);
    default:
        return outcome_failed(true, "connection_lost", "the connection failed before the answer was there: %s", why);
    }
}

/* JSON that will pass the server's eyes inside of an exchange; everything else is sent as text. */
static bool is_json(const struct http_call *call)
{
    static const struct jscan_limits limits = {
        .bytes_max = OUTPUT_BYTES_MAX, .depth_max = RESULT_DEPTH_MAX, .nodes_max = RESULT_NODES_MAX};
    SCOPE(jr_done) struct jr_doc doc = {0};

    return call->body_bytes == call->body.len && jr_parse(buf_str(&call->body), &limits, &doc, NULL) == ERR_OK;
}

static void on_done(void *owner, CURLcode code)
{
    struct http_call *call = owner;
    struct outcome outcome;
    long status = 0;
    SCOPE(buf_done) struct buf text;

    buf_init(&text, OUTPUT_BYTES_MAX * 4);
    (void)curl_easy_getinfo(call->task.easy, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && call->is_body_cut)) {
        outcome = outcome_of_status(status, call->retry_after_ms);
        outcome.is_json = is_json(call);
        if (!outcome.is_json) {
            tail_clean(buf_str(&call->body), &text);
        }
        outcome.result = outcome.is_json ? str_trim(buf_str(&call->body)) : buf_str(&text);
    } else {
        outcome = outcome_of_error(call, code);
    }
    if (call->is_denied) {
        log_warn("http.address_denied", KEY_SLICE("attempt", call->item->id), KEY_SLICE("job", call->item->job),
                 KEY_STR("advice", "private and local addresses are called with --private-targets on"));
    }
    call->on_end(call->owner, &outcome);
    free_call(call);
}

/* ---- the call ---- */

static curl_socket_t open_socket(void *owner, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct http_call *call = owner;

    (void)purpose;
    if (call->calls->is_private_denied && !address_is_global(&address->addr)) {
        call->is_denied = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static bool set_method(CURL *easy, struct str method, struct str body)
{
    if (str_is(method, "HEAD")) {
        return curl_easy_setopt(easy, CURLOPT_NOBODY, 1L) == CURLE_OK;
    }
    if (str_is(method, "GET")) {
        return curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L) == CURLE_OK;
    }
    return curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)body.len) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.ptr) == CURLE_OK && /* borrowed */
           curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.ptr) == CURLE_OK;
}

static bool set_up(struct http_call *call, struct str url, struct str method)
{
    bool has_body = !str_is(method, "GET") && !str_is(method, "HEAD");
    struct http_stamp stamp = {.now_s = chrono_wall_ms() / 1000,
                               .body = has_body ? call->item->payload : STR(""),
                               .secrets = call->calls->secrets};
    CURL *easy = call->task.easy;

    (void)!getrandom(&stamp.span, sizeof stamp.span, 0);
    call->headers = http_headers_new(call->item, &stamp);
    return set_method(easy, method, call->item->payload) && curl_easy_setopt(easy, CURLOPT_URL, url.ptr) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, call) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, call) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, call) == CURLE_OK;
}

struct http_call *http_call_start(struct http_calls *calls, const struct item *item, http_on_end *on_end, void *owner,
                                  struct outcome *ret_outcome)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", NULL};
    struct str url = {0}, method = STR("POST");

    if (jr_str(item->target, "url", &url, NULL) != ERR_OK || url.len == 0 ||
        jr_opt_str(item->target, "method", &method, NULL) != ERR_OK || str_index_in(method, methods) < 0) {
        *ret_outcome = outcome_failed(false, "bad_target", "the http target has no url, or a method that is not known");
        return NULL;
    }
    struct http_call *call = mem_zalloc(sizeof *call);

    *call = (struct http_call){.calls = calls, .item = item, .on_end = on_end, .owner = owner};
    call->task = (struct http_task){.easy = http_easy_new(), .on_done = on_done, .owner = call};
    buf_init(&call->body, OUTPUT_BYTES_MAX);
    if (!set_up(call, url, method)) {
        *ret_outcome = outcome_failed(false, "bad_url", "the URL cannot be called");
        free_call(call);
        return NULL;
    }
    http_pool_add(&calls->pool, &call->task);
    return call;
}

void http_call_stop(struct http_call *call)
{
    free_call(call);
}

void http_calls_init(struct http_calls *calls, struct loop *loop, long per_host_max)
{
    *calls = (struct http_calls){0};
    http_pool_init(&calls->pool, loop, per_host_max);
}

void http_calls_done(struct http_calls *calls)
{
    http_pool_done(&calls->pool);
}
