#include "worker/flight.h"

#include <assert.h>

#include "base/chrono.h"
#include "base/mem.h"
#include "worker/limits_worker.h"
#include "worker/retry_after.h"

static size_t on_body(char *bytes, size_t size, size_t count, void *owner)
{
    struct flight *flight = owner;

    buf_append(&flight->answer, bytes, size * count);
    flight->is_too_large = buf_overflowed(&flight->answer);
    return flight->is_too_large ? CURL_WRITEFUNC_ERROR : size * count;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *owner)
{
    static const struct str name = STR_INIT("retry-after:");
    struct flight *flight = owner;
    struct str line = str_from_bytes(bytes, size * count);

    if (line.len > name.len && str_equal_nocase((struct str){line.ptr, name.len}, name)) {
        flight->retry_after_ms = retry_after_ms(str_skip(line, name.len), chrono_wall_ms());
    }
    return line.len;
}

static void land(struct flight *flight)
{
    http_pool_remove(flight->pool, &flight->task);
    curl_easy_cleanup(flight->task.easy);
    flight->task.easy = NULL;
    flight->is_flying = false;
}

static void on_done(void *owner, CURLcode code)
{
    struct flight *flight = owner;
    long status = 0;

    (void)curl_easy_getinfo(flight->task.easy, CURLINFO_RESPONSE_CODE, &status);
    land(flight);
    flight->on_end(flight->owner, flight, code == CURLE_OK ? status : 0, curl_easy_strerror(code)); /* rule 1 */
}

void flight_init(struct flight *flight, struct http_pool *pool, flight_on_end *on_end, void *owner)
{
    *flight = (struct flight){.pool = pool, .on_end = on_end, .owner = owner};
    buf_init(&flight->request, REQUEST_BYTES_MAX);
    buf_init(&flight->answer, ANSWER_WORK_BYTES_MAX);
}

void flight_done(struct flight *flight)
{
    flight_abort(flight);
    buf_done(&flight->request);
    buf_done(&flight->answer);
}

void flight_start(struct flight *flight, const char *url, struct curl_slist *headers, int64_t timeout_ms)
{
    CURL *easy = http_easy_new();

    assert(!flight->is_flying);
    buf_done(&flight->answer); /* a large one is not kept for the next */
    flight->task = (struct http_task){.easy = easy, .on_done = on_done, .owner = flight};
    flight->is_flying = true;
    flight->is_too_large = false;
    flight->started_mono_ms = chrono_mono_ms();
    flight->superseded_mono_ms = 0;
    flight->retry_after_ms = 0;
    if (curl_easy_setopt(easy, CURLOPT_URL, url) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)flight->request.len) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, buf_text(&flight->request)) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, flight) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, flight) != CURLE_OK) {
        mem_exhausted("libcurl", 1, 1);
    }
    http_pool_add(flight->pool, &flight->task);
}

void flight_abort(struct flight *flight)
{
    if (flight->is_flying) {
        land(flight);
    }
}
