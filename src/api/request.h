/* request: one request on its way through a handler.
 *
 *     void api_job_get(struct api *api, struct api_request *request)
 *     {
 *         if (api_params_only(request, "tenant", NULL)) {
 *             api_read(request, job_get_read);
 *         }
 *     }
 *
 * Owns:  what a handler allocates in the request's arena; it ends with the request.
 * Rules: (1) after api_answer, api_answer_json or api_problem the handler does not touch the request.
 *        (2) functions that return false have answered with a problem: the handler returns.
 * See:   api/api.h
 */
#ifndef API_REQUEST_H
#define API_REQUEST_H

#include "api/api.h"
#include "model/trace.h"

struct api_request {
    struct api *api;
    const struct api_config *config; /* the api's */
    struct net_request *net;
    struct net_match match;  /* its route and path parameters */
    struct arena *arena;     /* the net request's */
    struct shard_call call;  /* of api_command, api_exchange, api_look; one at a time */
    struct read_job read;    /* of api_read; likewise */
    struct buf body;         /* the answer's, while it is being written */
    struct jr_doc doc;       /* of api_body_json; ended with the request */
    void *state;             /* the handler's own, in the arena */
    struct carried *carried; /* the relay's, while it has the request; under its lock, as is: */
    bool is_gone;            /* the client has gone */
    uint64_t exchange_token; /* of api_exchange; 0: none. The loop's thread alone */
    bool is_batch;           /* an error says which job of it is meant */
    bool was_applied;        /* the command or exchange was done: whatever fails afterwards must not deny it */
    void (*replied)(struct api_request *request, const struct reply *reply);
    void (*reading)(struct api_request *request, struct store_reader *reader);
    void (*looking)(struct api_request *request, const struct engine *engine);
};

typedef void api_handler(struct api *api, struct api_request *request);

/* ---- reading the request ---- */

/* A path parameter, decoded. */
struct str api_path_param(const struct api_request *request, size_t index);

/* A query parameter; false where it is not there. */
bool api_param(const struct api_request *request, const char *name, struct str *ret_value);

/* Only these names (NULL at the end) may stand in the query, each once; or 400 is answered and false returned. */
bool api_params_only(struct api_request *request, ...);

/* ?limit= (default 50, 1 to 1000) and ?after= as text; false: answered. */
bool api_paging(struct api_request *request, size_t *ret_limit, struct str *ret_after);

/* The body as a JSON object; an empty body is {} where may_be_empty. False: answered. */
bool api_body_json(struct api_request *request, bool may_be_empty, struct jr *ret_object);

/* Whether the body is said to be JSON, for those who read it by themselves. False: answered. */
bool api_body_is_json(struct api_request *request);

/* The tenant that ?tenant= names, else "default". False: answered (a bad name). */
bool api_tenant(struct api_request *request, struct str *ret_tenant);

/* The job of the path: an id, or a name with the tenant. False: answered. */
bool api_job_ref(struct api_request *request, size_t path_index, struct job_ref *ret_ref);

/* The trigger of the path. False: answered. */
bool api_trigger_id(struct api_request *request, size_t path_index, uint64_t *ret_id);

/* The trace context that the request is part of; false where it names none, or none that is one. */
bool api_trace(const struct api_request *request, struct trace *ret_trace);

/* Idempotency-Key into the command (key, tenant, hash of method, path and body). False: answered. */
bool api_idempotency(struct api_request *request, struct str tenant, struct command *command);

/* The same with a key that stands elsewhere, and was checked. */
void api_idempotency_by(struct api_request *request, struct str tenant, struct str key, struct command *command);

/* ---- asking ---- */

/* The command, whose pointers live in the arena; then replied() with a reply that is not an error. Errors and failures
 * are answered as problems. */
void api_command(struct api_request *request, const struct command *command,
                 void (*replied)(struct api_request *request, const struct reply *reply));
void api_exchange(struct api_request *request, const struct exchange *exchange,
                  void (*replied)(struct api_request *request, const struct reply *reply));
/* Looks at the engine, on its thread: copy out what is needed (into the arena), then answer; or go on with api_read. */
void api_look(struct api_request *request, void (*looking)(struct api_request *request, const struct engine *engine));
/* The same, and nothing fails: engine is NULL where there is none to look at. */
void api_look_if(struct api_request *request,
                 void (*looking)(struct api_request *request, const struct engine *engine));
/* On a reader's thread. */
void api_read(struct api_request *request, void (*reading)(struct api_request *request, struct store_reader *reader));

/* A query into rows, which the caller has initialised and ends. False: answered. */
bool api_query(struct api_request *request, struct store_reader *reader, const struct query *query, struct rows *rows);
/* Answers that a read came to such an end, which is not STORE_DONE; error is what the store said of it, or zeroed. */
void api_refuse_read(struct api_request *request, enum store_outcome outcome, struct error *error);

/* ---- answering ---- */

/* Begins the answer's JSON in request->body. */
void api_json(struct api_request *request, struct jw *jw);
/* Ends it and sends it. headers: name, value, ... NULL; values are copied. */
void api_answer_json(struct api_request *request, int status, struct jw *jw, ...);
void api_answer_empty(struct api_request *request, int status);
void api_answer_text(struct api_request *request, int status, const char *content_type, struct buf *body);

/* Problem details of the error; the status is the code's. */
void api_problem(struct api_request *request, const struct error *error);
/* Of one job of a batch, counted from 0; -1: of none. */
void api_problem_at(struct api_request *request, const struct error *error, int64_t index);
/* With one more header. */
void api_problem_with(struct api_request *request, const struct error *error, const char *name, const char *value);
/* With "Outcome: not-applied" where nothing was, and the status (5xx) leaves that open. */
void api_problem_failed(struct api_request *request, const struct error *error, bool is_not_applied);

#endif
