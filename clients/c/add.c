/* Creating jobs. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "http.h"
#include "json.h"
#include "text.h"

#define TRIES_MAX 5
#define TRY_MS 15000
#define FIRST_PAUSE_MS 250 /* doubled after each try */

/* JSON of the caller's, checked, as it stands. False: it is none, or not of the kind. */
static bool check_text(const char *text, struct json *ret_value)
{
    size_t length = strlen(text);

    return length <= BELFRY_JSON_BYTES_MAX && bf_json_check(text, length, ret_value);
}

static void write_fields(struct text *body, const struct belfry_job *job)
{
    bf_text_add_member(body, "name", job->name);
    bf_text_add_member(body, "tenant", job->tenant);
    bf_text_add_member(body, "type", job->type);
    bf_text_add_member(body, "pool", job->pool);
    if (job->priority != 0) {
        bf_text_add_key(body, "priority");
        bf_text_addf(body, "%d", job->priority);
    }
    bf_text_add_member(body, "cron", job->cron);
    bf_text_add_member(body, "timezone", job->timezone);
    bf_text_add_member(body, "every", job->every);
    bf_text_add_member(body, "run_at", job->run_at);
    bf_text_add_member(body, "delay", job->delay);
}

static enum belfry_status write_job(struct text *body, const struct belfry_job *job, struct belfry_error *ret_error)
{
    struct json payload, more;

    bf_text_add(body, "{");
    write_fields(body, job);
    if (job->payload != NULL) {
        if (!check_text(job->payload, &payload)) {
            return bf_fail(ret_error, BELFRY_INVALID, "the payload is not JSON, or larger than %d bytes",
                           BELFRY_JSON_BYTES_MAX);
        }
        bf_text_add_key(body, "payload");
        (void)bf_text_add_bytes(body, payload.at, payload.length);
    }
    if (job->more != NULL) {
        if (!check_text(job->more, &more) || !bf_json_is_object(more)) {
            return bf_fail(ret_error, BELFRY_INVALID, "the other fields are not a JSON object");
        }
        bool has_comma = body->length > 1 && strspn(more.at + 1, " \t\r\n}") < more.length - 1;

        bf_text_add(body, has_comma ? "," : "");
        (void)bf_text_add_bytes(body, more.at + 1, more.length - 2);
    }
    bf_text_add(body, "}");
    return body->is_full ? bf_fail(ret_error, BELFRY_INVALID, "the job is too large") : BELFRY_OK;
}

static enum belfry_status read_id(const struct http_call *call, char *ret_id, struct belfry_error *ret_error)
{
    struct json answer;

    if (call->answer.length == 0 || !bf_json_check(call->answer.bytes, call->answer.length, &answer)) {
        return bf_fail(ret_error, BELFRY_UNREACHABLE, "the answer is not JSON: is this a Belfry server?");
    }
    char *id = bf_json_string(bf_json_get(answer, "id"));
    bool is_id = id[0] != '\0' && strlen(id) < BELFRY_ID_BYTES;

    if (is_id && ret_id != NULL) {
        memcpy(ret_id, id, strlen(id) + 1);
    }
    free(id);
    return is_id ? BELFRY_OK
                 : bf_fail(ret_error, BELFRY_UNREACHABLE, "the answer names no job: is this a Belfry server?");
}

/* The same key each time makes it one job, however often it arrives. */
static enum belfry_status send_job(struct http_call *call, char *ret_id, struct belfry_error *ret_error)
{
    int pause_ms = FIRST_PAUSE_MS;

    for (int tries = 1;; tries++) {
        bf_http_call_make(call, TRY_MS);
        if (call->status == 200 || call->status == 202) {
            return read_id(call, ret_id, ret_error);
        }
        if (!bf_http_may_help_later(call) || tries == TRIES_MAX) {
            return bf_http_refusal(call, ret_error);
        }
        (void)poll(NULL, 0, call->retry_after_ms > pause_ms ? (int)call->retry_after_ms : pause_ms);
        pause_ms *= 2;
    }
}

/* It becomes a header, and those end at a line's end. */
static bool is_key(const char *key)
{
    size_t length = strlen(key);

    for (size_t i = 0; i < length; i++) {
        if (key[i] < ' ' || key[i] > '~') {
            return false;
        }
    }
    return length > 0 && length <= 255;
}

enum belfry_status belfry_add(struct belfry *client, const struct belfry_job *job, char ret_id[BELFRY_ID_BYTES],
                              struct belfry_error *ret_error)
{
    struct http_call call;
    char own_key[33];
    enum belfry_status status;

    if (job->idempotency_key != NULL && !is_key(job->idempotency_key)) {
        return bf_fail(ret_error, BELFRY_INVALID, "an idempotency key has 1 to 255 characters of plain ASCII");
    }
    bf_random_hex(own_key, sizeof own_key - 1);
    if (bf_http_call_init(&call, client, "/v1/jobs", job->idempotency_key != NULL ? job->idempotency_key : own_key)) {
        status = write_job(&call.body, job, ret_error);
        status = status == BELFRY_OK ? send_job(&call, ret_id, ret_error) : status;
    } else {
        status = bf_fail(ret_error, BELFRY_INVALID, "%.200s is no address", client->url);
    }
    bf_http_call_done(&call);
    return status;
}
