#include "server_crew.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define ROUND_MS 100

struct str crew_field(struct str attempt, const char *name)
{
    char mark[64];
    int len = snprintf(mark, sizeof mark, "\"%s\":\"", name);
    const char *found = memmem(attempt.ptr, attempt.len, mark, (size_t)len);

    if (found == NULL) {
        return STR("");
    }
    struct str rest = str_skip(attempt, (size_t)(found - attempt.ptr) + (size_t)len);

    rest.len = str_find_char(rest, '"');
    return rest;
}

static void ask(struct crew_worker *worker)
{
    struct crew *crew = worker->crew;
    const char *wait = crew->wait != NULL ? crew->wait : "60s";
    struct buf *body = &worker->body;

    worker->is_last = crew->is_ending;

    buf_reset(body);
    buf_printf(body, "{\"worker\":\"%s\",\"seq\":%zu,\"capacity\":1000,\"want\":%zu,\"wait\":\"%s\",\"finished\":[",
               worker->name, (size_t)worker->seq++, crew->is_ending ? 0 : crew->want, crew->is_ending ? "0s" : wait);
    buf_append_str(body, buf_str(&worker->finished));
    buf_append_text(body, "]}");
    buf_reset(&worker->finished);
    http_post(worker->conn, "/v1/work", buf_str(body));
}

static void take_attempt(struct crew_worker *worker, struct str attempt)
{
    struct crew *crew = worker->crew;

    crew->granted++;
    worker->finished_count++;
    if (worker->finished.len > 0) {
        buf_append_char(&worker->finished, ',');
    }
    buf_append_text(&worker->finished, "{\"attempt\":\"");
    buf_append_str(&worker->finished, crew_field(attempt, "id"));
    buf_append_text(&worker->finished, "\",\"status\":\"succeeded\"}");
    if (crew->on_grant != NULL) {
        crew->on_grant(crew, attempt);
    }
}

/* Each attempt begins with its id, and no payload of ours looks like one. */
static void take_attempts(struct crew_worker *worker, struct str body)
{
    static const char mark[] = "{\"id\":\"att_";
    const char *at = memmem(body.ptr, body.len, mark, sizeof mark - 1);

    while (at != NULL) {
        size_t left = body.len - (size_t)(at - body.ptr);
        const char *next = memmem(at + 1, left - 1, mark, sizeof mark - 1);

        take_attempt(worker, str_from_bytes(at, next != NULL ? (size_t)(next - at) : left));
        at = next;
    }
}

static void answered(struct http_conn *conn, int status, struct str body)
{
    struct crew_worker *worker = conn->user;
    struct crew *crew = worker->crew;

    http_want_success(status, body);
    crew->reported += worker->finished_count;
    worker->finished_count = 0;
    take_attempts(worker, body);
    if (worker->is_last) {
        crew->ended++;
        return;
    }
    ask(worker);
    if (crew->on_answer != NULL) {
        crew->on_answer(crew);
    }
}

void crew_start(struct crew *crew, struct http_client *client, size_t worker_count, size_t want)
{
    static size_t crews; /* a worker's name is its own for the whole run: servers outlive crews */

    crews++;
    crew->client = client;
    crew->want = want;
    crew->worker_count = worker_count;
    crew->workers = mem_alloc_array(worker_count, sizeof *crew->workers);
    for (size_t i = 0; i < worker_count; i++) {
        struct crew_worker *worker = &crew->workers[i];

        *worker = (struct crew_worker){.crew = crew, .conn = http_connect(client, answered, worker), .seq = 1};
        (void)snprintf(worker->name, sizeof worker->name, "w-%zu-%zu", crews, i);
        buf_init(&worker->finished, HTTP_BYTES_MAX);
        buf_init(&worker->body, HTTP_BYTES_MAX);
        ask(worker);
    }
}

void crew_end(struct crew *crew)
{
    crew->is_ending = true;
    while (crew->ended < crew->worker_count) {
        http_run(crew->client, ROUND_MS);
    }
}

void crew_done(struct crew *crew)
{
    for (size_t i = 0; i < crew->worker_count; i++) {
        buf_done(&crew->workers[i].finished);
        buf_done(&crew->workers[i].body);
    }
    mem_free(crew->workers);
}
