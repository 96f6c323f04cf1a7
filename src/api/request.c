#include "api/request.h"

#include <stdarg.h>
#include <string.h>

#include "api/inside.h"
#include "api/relay.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/limits.h"
#include "model/name.h"
#include "wire/problem.h"

#define PAGE_DEFAULT 50
#define PAGE_MAX PAGE_ROWS_MAX
/* An answer: a page of the largest jobs and then some. */
#define API_ANSWER_BYTES_MAX (256UL * 1024 * 1024)
/* A request that is handled a second time takes its part of the arena a second time. */
#define TAKEN_TWICE_BYTES_MAX (16UL * 1024 * 1024)
/* Seeds of the two halves of a request's hash. They are stored with keys: never change them. */
#define HASH_SEED_LOW UINT64_C(0x6265666c72790001)
#define HASH_SEED_HIGH UINT64_C(0x6265666c72790002)

/* What the request holds outside of its arena. */
static void end(struct api_request *request)
{
    jr_done(&request->doc);
}

/* ---- reading the request ---- */

struct str api_path_param(const struct api_request *request, size_t index)
{
    return index < request->match.param_count ? request->match.params[index] : STR("");
}

bool api_param(const struct api_request *request, const char *name, struct str *ret_value)
{
    return net_request_param(request->net, str_from(name), ret_value) > 0;
}

static bool is_among(struct str name, va_list names)
{
    for (const char *one = va_arg(names, const char *); one != NULL; one = va_arg(names, const char *)) {
        if (str_is(name, one)) {
            return true;
        }
    }
    return false;
}

bool api_params_only(struct api_request *request, ...)
{
    struct error error;

    for (size_t i = 0; i < net_request_param_count(request->net); i++) {
        struct str name, value;
        va_list names;

        net_request_param_at(request->net, i, &name, &value);
        va_start(names, request);
        bool is_known = is_among(name, names);
        va_end(names);
        if (!is_known) {
            err_set(&error, ERR_UNKNOWN_FIELD, "this call has no query parameter %.*s", STR_ARGS(name));
            api_problem(request, &error);
            return false;
        }
        if (net_request_param(request->net, name, &value) > 1) {
            err_set(&error, ERR_INVALID, "the query parameter %.*s is given twice", STR_ARGS(name));
            api_problem(request, &error);
            return false;
        }
    }
    return true;
}

bool api_paging(struct api_request *request, size_t *ret_limit, struct str *ret_after)
{
    struct str text;
    struct error error;
    size_t limit = PAGE_DEFAULT;

    *ret_after = STR("");
    (void)api_param(request, "after", ret_after);
    if (api_param(request, "limit", &text)) {
        limit = 0;
        for (size_t i = 0; i < text.len && limit <= PAGE_MAX; i++) {
            limit = text.ptr[i] >= '0' && text.ptr[i] <= '9' ? limit * 10 + (size_t)(text.ptr[i] - '0') : PAGE_MAX + 1;
        }
        if (limit < 1 || limit > PAGE_MAX) {
            err_in_field(&error, err_set(&error, ERR_INVALID, "limit must be a number from 1 to %d", PAGE_MAX),
                         "limit");
            api_problem(request, &error);
            return false;
        }
    }
    *ret_limit = limit;
    return true;
}

bool api_body_is_json(struct api_request *request)
{
    struct str type = STR("application/json");
    struct error error;

    (void)net_request_header(request->net, STR("Content-Type"), &type);
    if (str_starts_with(type, STR("application/json")) || str_starts_with(type, STR("application/merge-patch+json"))) {
        return true;
    }
    err_set(&error, ERR_MEDIA_TYPE, "send JSON, with Content-Type: application/json");
    api_problem(request, &error);
    return false;
}

bool api_body_json(struct api_request *request, bool may_be_empty, struct jr *ret_object)
{
    struct str body = net_request_body(request->net);
    struct str type = STR("application/json");
    struct error error;

    (void)net_request_header(request->net, STR("Content-Type"), &type);
    if (str_empty(body) && may_be_empty) {
        body = STR("{}");
    } else if (!str_starts_with(type, STR("application/json")) &&
               !str_starts_with(type, STR("application/merge-patch+json"))) {
        err_set(&error, ERR_MEDIA_TYPE, "send JSON, with Content-Type: application/json");
        api_problem(request, &error);
        return false;
    }
    if (jr_parse(body, NULL, &request->doc, &error) != ERR_OK ||
        jr_as_object(jr_root(&request->doc), ret_object, &error) != ERR_OK) {
        api_problem(request, &error);
        return false;
    }
    return true;
}

bool api_tenant(struct api_request *request, struct str *ret_tenant)
{
    struct error error;

    *ret_tenant = STR("default");
    if (api_param(request, "tenant", ret_tenant) && name_check_owner(*ret_tenant, &error) != ERR_OK) {
        err_in_field(&error, error.code, "tenant");
        api_problem(request, &error);
        return false;
    }
    return true;
}

bool api_job_ref(struct api_request *request, size_t path_index, struct job_ref *ret_ref)
{
    struct str text = api_path_param(request, path_index);
    struct str tenant;
    struct error error;

    *ret_ref = (struct job_ref){0};
    if (str_starts_with(text, STR("job_"))) {
        if (id_parse(ID_JOB, text, &ret_ref->id, &error) != ERR_OK) {
            err_set(&error, ERR_NOT_FOUND, "there is no job %.*s", STR_ARGS(text));
            api_problem(request, &error);
            return false;
        }
        if (api_param(request, "tenant", &tenant)) {
            return api_tenant(request, &ret_ref->tenant);
        }
        return true;
    }
    ret_ref->name = text;
    return api_tenant(request, &ret_ref->tenant);
}

bool api_trigger_id(struct api_request *request, size_t path_index, uint64_t *ret_id)
{
    struct str text = api_path_param(request, path_index);
    struct error error;

    if (id_parse(ID_TRIGGER, text, ret_id, NULL) != ERR_OK) {
        err_set(&error, ERR_NOT_FOUND, "there is no trigger %.*s", STR_ARGS(text));
        api_problem(request, &error);
        return false;
    }
    return true;
}

static uint64_t hash_request(const struct api_request *request, uint64_t seed)
{
    struct str path = net_request_path(request->net);
    struct str query = net_request_query(request->net);
    struct str body = net_request_body(request->net);
    uint64_t hash = hash64(path.ptr, path.len, seed ^ (uint64_t)net_request_method(request->net));

    hash = hash64(query.ptr, query.len, hash);
    return hash64(body.ptr, body.len, hash);
}

void api_idempotency_by(struct api_request *request, struct str tenant, struct str key, struct command *command)
{
    command->idem_key = key;
    command->idem_tenant = tenant;
    command->idem_hash[0] = hash_request(request, HASH_SEED_LOW);
    command->idem_hash[1] = hash_request(request, HASH_SEED_HIGH);
}

bool api_trace(const struct api_request *request, struct trace *ret_trace)
{
    struct str text;

    return net_request_header(request->net, STR("traceparent"), &text) == 1 && trace_parse(text, ret_trace);
}

bool api_idempotency(struct api_request *request, struct str tenant, struct command *command)
{
    struct str key;
    struct error error;

    if (net_request_header(request->net, STR("Idempotency-Key"), &key) == 0) {
        return true;
    }
    if (key.len < 1 || key.len > IDEM_KEY_BYTES_MAX) {
        err_set(&error, ERR_INVALID, "Idempotency-Key must have 1 to %d characters", IDEM_KEY_BYTES_MAX);
        api_problem(request, &error);
        return false;
    }
    api_idempotency_by(request, tenant, key, command);
    return true;
}

/* ---- asking ---- */

/* The shard is another server's since the request came: it is carried there. False: it is not, or the request is too
 * large to be read twice, or some of it was done. Reports that are repeated are accepted again. */
static bool goes_elsewhere(struct api_request *request, const struct shard_answer *answer)
{
    struct relay *relay = request->api->relay;
    bool is_harmless = answer->is_not_applied || request->call.kind == SHARD_EXCHANGE;

    if (relay == NULL || answer->error->code != ERR_NO_OWNER || !is_harmless || request->was_applied ||
        net_request_body(request->net).len > TAKEN_TWICE_BYTES_MAX || !relay_is_needed(relay)) {
        return false;
    }
    end(request);
    relay_take(relay, request);
    return true;
}

static void on_answer(struct shard_call *call, const struct shard_answer *answer)
{
    struct api_request *request = CONTAINER_OF(call, struct api_request, call);

    if (answer->error != NULL && goes_elsewhere(request, answer)) {
        return;
    }
    if (answer->error != NULL) {
        api_problem_failed(request, answer->error, answer->is_not_applied);
    } else if (answer->reply->kind == REPLY_ERROR && err_http_status(answer->reply->error.code) >= 500) {
        api_problem_failed(request, &answer->reply->error, true); /* an error has changed nothing */
    } else if (answer->reply->kind == REPLY_ERROR) {
        api_problem_at(request, &answer->reply->error, request->is_batch ? (int64_t)answer->reply->at_def - 1 : -1);
    } else {
        request->was_applied = true;
        request->replied(request, answer->reply);
    }
}

static uint64_t submit(struct api_request *request, enum shard_call_kind kind)
{
    request->call.kind = kind;
    request->call.answered = on_answer;
    return shard_submit(request->config->shard, &request->call);
}

void api_command(struct api_request *request, const struct command *command,
                 void (*replied)(struct api_request *request, const struct reply *reply))
{
    request->replied = replied;
    request->call.command = *command;
    (void)submit(request, SHARD_COMMAND);
}

void api_exchange(struct api_request *request, const struct exchange *exchange,
                  void (*replied)(struct api_request *request, const struct reply *reply))
{
    request->replied = replied;
    request->call.exchange = *exchange;
    /* Exchanges begin in their loop, and end there: so the request is there still. */
    request->exchange_token = submit(request, SHARD_EXCHANGE);
}

static void on_looked(struct shard_call *call, const struct shard_answer *answer)
{
    struct api_request *request = CONTAINER_OF(call, struct api_request, call);

    if (answer->error != NULL && goes_elsewhere(request, answer)) {
        return;
    }
    if (answer->error != NULL) {
        api_problem_failed(request, answer->error, answer->is_not_applied);
    } else {
        request->looking(request, answer->engine);
    }
}

void api_look(struct api_request *request, void (*looking)(struct api_request *request, const struct engine *engine))
{
    request->looking = looking;
    request->call.kind = SHARD_LOOK;
    request->call.answered = on_looked;
    (void)shard_submit(request->config->shard, &request->call);
}

static void on_looked_if(struct shard_call *call, const struct shard_answer *answer)
{
    struct api_request *request = CONTAINER_OF(call, struct api_request, call);

    request->looking(request, answer->error == NULL ? answer->engine : NULL);
}

void api_look_if(struct api_request *request, void (*looking)(struct api_request *request, const struct engine *engine))
{
    request->looking = looking;
    request->call.kind = SHARD_LOOK;
    request->call.answered = on_looked_if;
    (void)shard_submit(request->config->shard, &request->call);
}

static void run_read(struct read_job *job, struct store_reader *reader)
{
    struct api_request *request = CONTAINER_OF(job, struct api_request, read);

    request->reading(request, reader);
}

void api_read(struct api_request *request, void (*reading)(struct api_request *request, struct store_reader *reader))
{
    struct error error;

    request->reading = reading;
    request->read.run = run_read;
    list_node_init(&request->read.node);
    if (!readers_submit(request->config->readers, &request->read)) {
        err_set(&error, ERR_OVERLOADED, "too many reads wait; try again in a moment");
        api_problem_failed(request, &error, !request->was_applied);
    }
}

void api_refuse_read(struct api_request *request, enum store_outcome outcome, struct error *error)
{
    if (outcome == STORE_AGAIN) {
        err_set(error, ERR_OVERLOADED, "this read took too long; ask for fewer rows, or try again");
    } else {
        error->code = ERR_STORE_DOWN;
    }
    api_problem(request, error);
}

bool api_query(struct api_request *request, struct store_reader *reader, const struct query *query, struct rows *rows)
{
    struct error error = {0};
    enum store_outcome outcome = store_read(reader, query, rows, &error);

    if (outcome == STORE_DONE && !rows->is_cut) {
        return true;
    }
    if (outcome == STORE_DONE) {
        err_set(&error, ERR_TOO_LARGE, "there is more to read than can be read at once; ask for fewer rows");
        api_problem(request, &error);
    } else {
        api_refuse_read(request, outcome, &error);
    }
    return false;
}

/* ---- answering ---- */

/* In the place of an answer that is larger than answers may be. */
static void refuse_too_large(struct api_request *request, struct net_answer *answer)
{
    struct error error;
    struct jw jw;

    err_set(&error, ERR_TOO_LARGE, "the answer is larger than %lu MiB; ask for fewer rows (limit)",
            API_ANSWER_BYTES_MAX >> 20);
    *answer = (struct net_answer){.status = err_http_status(error.code), .content_type = "application/problem+json"};
    api_json(request, &jw);
    wire_problem(&jw, &error, WIRE_NO_INDEX);
    jw_done(&jw);
}

static void send(struct api_request *request, struct net_answer *answer)
{
    struct net_request *net = request->net;

    if (buf_overflowed(&request->body)) {
        refuse_too_large(request, answer);
    }
    answer->body = request->body;
    end(request);
    net_answer(net, answer);
}

void api_json(struct api_request *request, struct jw *jw)
{
    buf_done(&request->body);
    buf_init(&request->body, API_ANSWER_BYTES_MAX);
    jw_init(jw, &request->body);
}

void api_answer_json(struct api_request *request, int status, struct jw *jw, ...)
{
    struct net_answer answer = {.status = status, .content_type = "application/json"};
    va_list headers;

    jw_done(jw);
    va_start(headers, jw);
    for (const char *name = va_arg(headers, const char *); name != NULL; name = va_arg(headers, const char *)) {
        answer.headers[answer.header_count++] =
            (struct net_header){.name = name, .value = va_arg(headers, const char *)};
    }
    va_end(headers);
    send(request, &answer);
}

void api_answer_empty(struct api_request *request, int status)
{
    struct net_answer answer = {.status = status};

    buf_done(&request->body);
    request->body = (struct buf){0};
    end(request);
    net_answer(request->net, &answer);
}

void api_answer_text(struct api_request *request, int status, const char *content_type, struct buf *body)
{
    struct net_answer answer = {.status = status, .content_type = content_type};

    buf_done(&request->body);
    request->body = *body;
    *body = (struct buf){0};
    send(request, &answer);
}

static void send_problem(struct api_request *request, const struct error *error, int64_t index, const char *name,
                         const char *value)
{
    struct net_answer answer = {.status = err_http_status(error->code), .content_type = "application/problem+json"};
    struct jw jw;

    api_json(request, &jw);
    wire_problem(&jw, error, index);
    jw_done(&jw);
    if (name != NULL) {
        answer.headers[answer.header_count++] = (struct net_header){name, value};
    }
    if (answer.status == 503 || answer.status == 429) {
        answer.headers[answer.header_count++] = (struct net_header){"Retry-After", "1"};
    }
    if (answer.status == 401) {
        answer.headers[answer.header_count++] = (struct net_header){"WWW-Authenticate", "Bearer"};
    }
    send(request, &answer);
}

void api_problem(struct api_request *request, const struct error *error)
{
    send_problem(request, error, WIRE_NO_INDEX, NULL, NULL);
}

void api_problem_at(struct api_request *request, const struct error *error, int64_t index)
{
    send_problem(request, error, index, NULL, NULL);
}

void api_problem_with(struct api_request *request, const struct error *error, const char *name, const char *value)
{
    send_problem(request, error, WIRE_NO_INDEX, name, value);
}

void api_problem_failed(struct api_request *request, const struct error *error, bool is_not_applied)
{
    bool says_so = is_not_applied && err_http_status(error->code) >= 500; /* others never are applied */

    send_problem(request, error, WIRE_NO_INDEX, says_so ? "Outcome" : NULL, "not-applied");
}
